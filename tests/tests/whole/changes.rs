//! Tests what a session changed, on every face: the count after a turn, the list, the lines of a file, since the last turn,
//! of one commit, after the worktree is gone.

use crate::checks::{commit, worker};
use crate::deliveries::workspace;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

fn said(sandbox: &Sandbox, words: &[&str]) -> (bool, String) {
    let output = sandbox.cli(words);
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// Waits until the session's summary has this count.
async fn counted(sandbox: &Sandbox, id: &str, count: Value) {
    until("the count of changes", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        (session["changes"] == count).then_some(())
    })
    .await;
}

fn paths(list: &Value) -> Vec<&str> {
    let files = list["files"].as_array().unwrap();
    files.iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_a_worker_changed_is_counted_listed_and_shown() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worker(&sandbox, &project, "work go").await;
    sandbox.status(&id, &["running"]).await;
    let place = workspace(&sandbox, &id).await;
    let first = commit(&place, "first.txt");
    std::fs::write(place.join("new\u{202e}.txt"), "one\n\x1b[2Jtwo\n").unwrap();
    std::fs::write(place.join("go"), "").unwrap();
    sandbox.status(&id, &["idle"]).await;
    let list = sandbox.get(&format!("/api/sessions/{id}/changes")).await.unwrap();
    let sum = |key: &str| {
        let files = list["files"].as_array().unwrap();
        files
            .iter()
            .map(|file| file[key].as_u64().unwrap_or(0))
            .sum::<u64>()
    };
    assert_eq!(paths(&list), ["first.txt", "go", "new\u{202e}.txt"], "{list:#}");
    assert_eq!(list["commits"][0]["id"], json!(first));
    let count = json!({ "files": 3, "added": sum("added"), "removed": 0, "isMany": false });
    counted(&sandbox, &id, count).await;

    // The lines of a file, page by page.
    let path = format!("/api/sessions/{id}/changes/file?path=new%E2%80%AE.txt&lines=1");
    let page = sandbox.get(&path).await.unwrap();
    assert_eq!(
        (&page["hunks"][0]["rows"], &page["next"], &page["file"]["mark"]),
        (&json!(["+one"]), &json!(1), &json!("untracked")),
        "{page:#}"
    );
    let committed = sandbox
        .get(&format!("/api/sessions/{id}/changes?scope=committed"))
        .await;
    assert_eq!(paths(&committed.unwrap()), ["first.txt"]);
    let one = format!("/api/sessions/{id}/changes?scope=commit&commit={}", &first[..8]);
    assert_eq!(paths(&sandbox.get(&one).await.unwrap()), ["first.txt"]);
    let open = sandbox
        .get(&format!("/api/sessions/{id}/changes?scope=uncommitted"))
        .await;
    assert_eq!(paths(&open.unwrap()), ["go", "new\u{202e}.txt"]);

    // At a prompt, nothing of it acts on the terminal.
    let (well, text) = said(&sandbox, &["diff", &id]);
    assert!(
        well && text.contains("+\\e[2Jtwo") && text.contains("b/new\\u202e.txt"),
        "{text}"
    );
    assert!(!text.contains('\x1b'), "{text:?}");
    let (well, text) = said(&sandbox, &["diff", &id, "--stat"]);
    assert!(
        well && text.contains("A first.txt +") && text.contains("3 files changed since main"),
        "{text}"
    );
    let (well, text) = said(&sandbox, &["diff", &id, "first.txt", "--json"]);
    let read: Value = serde_json::from_str(&text).unwrap();
    assert!(well && paths(&read) == ["first.txt"]);

    // What is named wrongly is refused with its name.
    for (query, words) in [
        ("/changes?scope=commit&commit=zzzz", "zzzz"),
        ("/changes?scope=commit", "commit"),
        ("/changes?scope=turn&turn=99", "turn 99"),
        ("/changes/file?path=../secret", "inside the repository"),
        ("/changes/file?path=.git/config", "inside the repository"),
    ] {
        let refused = sandbox
            .get(&format!("/api/sessions/{id}{query}"))
            .await
            .unwrap_err();
        assert!(format!("{refused:?}").contains(words), "{query}: {refused:?}");
    }
    let (well, text) = said(&sandbox, &["diff", "nobody"]);
    assert!(!well && text.contains("nobody"), "{text}");
}

#[tokio::test]
async fn a_turn_begins_where_the_last_one_ended_and_a_removed_worktree_is_read_from_its_backup() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worker(&sandbox, &project, "work go").await;
    sandbox.status(&id, &["running"]).await;
    let place = workspace(&sandbox, &id).await;
    commit(&place, "first.txt");
    std::fs::write(place.join("go"), "").unwrap();
    sandbox.status(&id, &["idle"]).await;
    let turns = async |count: usize| {
        until("the end of the turn", async || {
            let list = sandbox.get(&format!("/api/sessions/{id}/changes")).await.ok()?;
            (list["turns"].as_array()?.len() >= count).then_some(())
        })
        .await;
    };
    turns(1).await;
    commit(&place, "second.txt");
    sandbox
        .post(
            &format!("/api/sessions/{id}/message"),
            json!({ "content": "say hello", "waitSeconds": 20 }),
        )
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
    turns(2).await;
    let since = sandbox
        .get(&format!("/api/sessions/{id}/changes?scope=turn"))
        .await
        .unwrap();
    assert_eq!(paths(&since), ["go", "second.txt"], "{since:#}");
    let (well, text) = said(&sandbox, &["diff", &id, "--since", "last", "--stat"]);
    assert!(
        well && text.contains("second.txt") && !text.contains("first.txt"),
        "{text}"
    );

    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox.status(&id, &["killed"]).await;
    sandbox
        .delete(&format!("/api/sessions/{id}/workspace?force=true"))
        .await
        .unwrap();
    until("the removal", async || (!place.exists()).then_some(())).await;
    let list = sandbox.get(&format!("/api/sessions/{id}/changes")).await.unwrap();
    assert_eq!(paths(&list), ["first.txt", "go", "second.txt"], "{list:#}");
    assert!(list["note"].as_str().unwrap().contains("backup"), "{list:#}");
}

#[tokio::test]
async fn a_change_is_discarded_and_brought_back_on_every_face() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "One", "prompt": "work go" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    let place = workspace(&sandbox, &id).await;
    let readme = place.join("README.md");
    let original = std::fs::read_to_string(&readme).unwrap();
    std::fs::write(&readme, format!("first\n{original}last\n")).unwrap();
    std::fs::write(place.join("new.txt"), "new\n").unwrap();
    std::fs::write(place.join("go"), "").unwrap();
    sandbox.status(&id, &["idle"]).await;
    counted(
        &sandbox,
        &id,
        json!({ "files": 3, "added": 3, "removed": 0, "isMany": false }),
    )
    .await;

    let path = format!("/api/sessions/{id}/changes");
    let list = sandbox.get(&path).await.unwrap();
    let of = |name: &str| {
        let mut files = list["files"].as_array().unwrap().iter();
        files.find(|file| file["path"] == name).unwrap()["contentId"].clone()
    };
    let ask = json!({ "path": "new.txt", "contentId": of("new.txt") });
    let done = sandbox
        .post(&format!("{path}/discard"), ask.clone())
        .await
        .unwrap();
    assert_eq!((&done["path"], &done["number"]), (&json!("new.txt"), &json!(1)));
    assert!(!place.join("new.txt").exists());
    // What was counted follows.
    counted(
        &sandbox,
        &id,
        json!({ "files": 2, "added": 2, "removed": 0, "isMany": false }),
    )
    .await;
    let refused = sandbox.post(&format!("{path}/discard"), ask).await.unwrap_err();
    assert_eq!(refused.status, 409, "{refused:?}");
    let undone = sandbox
        .post(&format!("{path}/undo"), json!({ "number": 1 }))
        .await
        .unwrap();
    assert_eq!(undone["paths"], json!(["new.txt"]));
    assert_eq!(std::fs::read_to_string(place.join("new.txt")).unwrap(), "new\n");
    let committed = json!({ "path": "README.md", "contentId": "x", "scope": "committed" });
    let refused = sandbox
        .post(&format!("{path}/discard"), committed)
        .await
        .unwrap_err();
    assert_eq!(refused.status, 400, "{refused:?}");

    let (well, text) = said(&sandbox, &["discard", &id, "README.md", "--hunk", "9"]);
    assert!(!well && text.contains("has no hunk 9"), "{text}");
    let (well, text) = said(&sandbox, &["discard", &id, "README.md", "--hunk", "1"]);
    assert!(
        well && text.contains(&format!("undo it: downbeat discard {id} --undo 1")),
        "{text}"
    );
    assert_eq!(
        std::fs::read_to_string(&readme).unwrap(),
        original,
        "its one hunk has both lines"
    );
    let (well, text) = said(&sandbox, &["discard", &id, "--undo", "1"]);
    assert!(well && text.contains("restored README.md"), "{text}");
    assert_eq!(
        std::fs::read_to_string(&readme).unwrap(),
        format!("first\n{original}last\n")
    );
    let (well, text) = said(&sandbox, &["discard", &id, "--undo", "1"]);
    assert!(!well && text.contains("discarded change"), "{text}");
}
