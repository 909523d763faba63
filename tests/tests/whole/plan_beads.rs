//! Tests of plans that are made of the issues of beads, whose program is a stand-in that prints what its documented JSON says: they are
//! done in order, and closed there once.

use crate::crashes::{doomed, successor};
use crate::merging::{project, said};
use crate::plan_sources::{newest, plan};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// Puts a program on the `PATH` that answers as `bd` does, in its documented envelope: its issues are in `issues.json`, what was
/// closed in `closed`, and what it was asked in `asked`.
fn beads(sandbox: &Sandbox) {
    let root = sandbox.path().join("beads");
    fs::create_dir_all(&root).unwrap();
    let script = format!(
        r#"#!/bin/sh
cd_root={root}
printf '%s hooks=%s token=%s %s\n' "$PWD" "${{BD_NO_HOOKS-on}}" "${{DOWNBEAT_TOKEN-none}}" "$*" >> $cd_root/asked
for last; do :; done
if test -e $cd_root/broken; then cat $cd_root/broken >&2; exit 1; fi
case " $* " in
  *" list "*) cat $cd_root/issues.json ;;
  *" show "*)
    status=open
    if grep -qx "$last" $cd_root/closed 2> /dev/null; then status=closed; fi
    printf '{{"schema_version": 1, "data": [{{"id": "%s", "title": "x", "status": "%s", "priority": 2}}]}}\n' "$last" $status ;;
  *" close "*)
    if test -e $cd_root/refuses; then echo "cannot close $last: blocked by open issues [x]" >&2; exit 1; fi
    echo "$last" >> $cd_root/closed
    printf '{{"schema_version": 1, "data": [{{"id": "%s", "status": "closed"}}]}}\n' "$last" ;;
  *) echo "unknown command" >&2; exit 2 ;;
esac
"#,
        root = root.display()
    );
    let program = sandbox.path().join("bin/bd");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let issue = |id: &str, kind: &str, title: &str, more: Value| {
        let mut one = json!({ "id": id, "title": title, "status": "open", "priority": 2, "issue_type": kind,
            "created_at": "2026-05-01T10:00:00Z", "updated_at": "2026-05-01T10:00:00Z",
            "dependency_count": 0, "dependent_count": 0, "comment_count": 0 });
        one.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        one
    };
    let on = |of: &str, on: &str, kind: &str| json!({ "issue_id": of, "depends_on_id": on, "type": kind, "created_at": "2026-05-01T10:00:00Z" });
    let issues = json!({ "schema_version": 1, "data": [
        issue("shop-e", "epic", "Sell shoes", json!({})),
        issue("shop-e.2", "task", "Build the page", json!({ "description": "commit page.txt made",
            "dependencies": [on("shop-e.2", "shop-e", "parent-child"), on("shop-e.2", "shop-e.1", "blocks")] })),
        issue("shop-e.1", "task", "Create the API", json!({ "description": "commit api.txt made",
            "dependencies": [on("shop-e.1", "shop-e", "parent-child")] })),
        issue("shop-x", "bug", "Fix the build", json!({})),
    ]});
    fs::write(root.join("issues.json"), issues.to_string()).unwrap();
}

fn asked_of_beads(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.path().join("beads/asked")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn closed_in_beads(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.path().join("beads/closed")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_issues_of_beads_are_done_in_order_and_closed_there_once_whatever_crashes() {
    let mut sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    beads(&sandbox);
    let shown = said(
        &sandbox.cli(&[
            "orchestrate",
            "execute",
            "beads",
            "--project",
            "shop",
            "--dry-run",
        ]),
        0,
    );
    assert!(
        shown.contains("Fix the build") && shown.contains("Create the API"),
        "{shown}"
    );
    assert!(shown.contains("shop-e has parts of its own"), "{shown}");
    said(
        &sandbox.cli(&["plan", "new", "execute", "beads:shop-e", "--project", "shop"]),
        0,
    );
    let id = newest(&sandbox).await["id"].as_str().unwrap().to_owned();
    let read = plan(&sandbox, &id).await;
    let titles: Vec<&str> = read["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        (titles, read["title"].as_str().unwrap()),
        (vec!["Build the page", "Create the API"], "shop-e Sell shoes")
    );
    let asked = asked_of_beads(&sandbox);
    let place = repository.to_str().unwrap();
    assert!(
        asked
            .iter()
            .all(|line| line.starts_with(&format!("{place} hooks=1 token=none "))),
        "{asked:?}"
    );
    // The engine dies after bd closed the first one, before that is recorded.
    doomed(&mut sandbox, "bead-closed").await;
    let _ = sandbox.post(&format!("/api/plans/{id}/run"), json!({})).await;
    successor(&mut sandbox, "bead-closed").await;
    until("both are closed", async || {
        (closed_in_beads(&sandbox).len() == 2).then_some(())
    })
    .await;
    until("the plan is complete", async || {
        (plan(&sandbox, &id).await["state"] == "complete").then_some(())
    })
    .await;
    // Nothing more is asked when all is recorded.
    until("all is recorded", async || {
        let before = asked_of_beads(&sandbox).len();
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        (asked_of_beads(&sandbox).len() == before).then_some(())
    })
    .await;
    assert_eq!(closed_in_beads(&sandbox), ["shop-e.1", "shop-e.2"]);
    let closes: Vec<String> = asked_of_beads(&sandbox)
        .into_iter()
        .filter(|line| line.contains(" close "))
        .collect();
    assert!(
        closes.len() == 2
            && closes[0].contains("--reason=Done by the plan “shop-e Sell shoes” of Downbeat -- shop-e.1"),
        "{closes:?}"
    );
    assert_eq!(plan(&sandbox, &id).await["notes"], Value::Null);
}

#[tokio::test]
async fn what_beads_refuses_is_said_and_tried_again() {
    let sandbox = Sandbox::started().await;
    let (id_of_project, _) = project(&sandbox, None).await;
    let execute = ["orchestrate", "execute", ".beads", "--project", "shop"];
    let shown = said(&sandbox.cli(&execute), 1);
    assert!(
        shown.contains("bd, the program of beads, is not on PATH"),
        "{shown}"
    );
    beads(&sandbox);
    let root = sandbox.path().join("beads");
    fs::write(
        root.join("broken"),
        "Error: no beads database found\nHint: run bd init\n",
    )
    .unwrap();
    let shown = said(&sandbox.cli(&execute), 1);
    assert!(
        shown.contains("exit code 1 and says: Error: no beads database found"),
        "{shown}"
    );
    fs::remove_file(root.join("broken")).unwrap();
    let issues = fs::read_to_string(root.join("issues.json")).unwrap();
    for (printed, code, words) in [
        ("not JSON \u{1b}[2J".to_owned(), 2, "its JSON cannot be read"),
        ("[]".to_owned(), 2, "beads has no open issue"),
        ("x".repeat(9 << 20), 1, "printed more than 8388608 bytes"),
    ] {
        fs::write(root.join("issues.json"), printed).unwrap();
        let shown = said(&sandbox.cli(&execute), code);
        assert!(shown.contains(words) && !shown.contains('\u{1b}'), "{shown}");
    }
    fs::write(root.join("issues.json"), issues).unwrap();
    let shown = said(
        &sandbox.cli(&["orchestrate", "execute", "beads:shop-x", "--project", "shop"]),
        2,
    );
    assert!(shown.contains("no open issue below shop-x"), "{shown}");
    // A task that is done and that bd does not close yet has a note, which goes when it does.
    fs::write(root.join("refuses"), "").unwrap();
    said(
        &sandbox.cli(&[
            "orchestrate",
            "execute",
            "beads:shop-e",
            "--project",
            "shop",
            "--yes",
        ]),
        0,
    );
    let id = newest(&sandbox).await["id"].as_str().unwrap().to_owned();
    let noted = until("the plan says so", async || {
        let plan = plan(&sandbox, &id).await;
        plan["notes"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
            .then_some(plan)
    })
    .await;
    let note = noted["notes"][0].as_str().unwrap();
    assert!(
        note.contains("not closed in beads: bd ended with exit code 1 and says: cannot close shop-e.1"),
        "{note}"
    );
    fs::remove_file(root.join("refuses")).unwrap();
    until("both are closed", async || {
        let plan = plan(&sandbox, &id).await;
        (closed_in_beads(&sandbox).len() == 2 && plan["notes"].is_null()).then_some(())
    })
    .await;
    // Without trust, no program runs in the project.
    let distrust = json!({ "trust": false });
    sandbox
        .call("PATCH", &format!("/api/projects/{id_of_project}"), Some(distrust))
        .await
        .unwrap();
    let before = asked_of_beads(&sandbox).len();
    let shown = said(&sandbox.cli(&execute), 1);
    assert!(
        shown.contains("shop is not trusted, so bd does not run in it"),
        "{shown}"
    );
    assert_eq!(asked_of_beads(&sandbox).len(), before);
}
