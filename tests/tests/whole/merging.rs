//! Tests of merges without a server: checked work lands on the default branch, through crashes and conflicts, and the
//! person's own checkout keeps what the person changed.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Passes if `README.md` and `notes.txt` do not both say "new".
const CHECKS: &str = "checks:\n  - name: test\n    run: { sh: 'echo run >> $HOME/runs; \
    ! { grep -q new README.md && grep -q new notes.txt; } 2> /dev/null' }\n";

/// Creates a trusted project, with its checks approved if it has any; returns its id and its folder.
pub async fn project(sandbox: &Sandbox, checks: Option<&str>) -> (String, PathBuf) {
    let repository = sandbox.repository("shop");
    git(&repository, &[], &["config", "user.name", "Ada"]);
    git(&repository, &[], &["config", "user.email", "ada@example.com"]);
    if let Some(checks) = checks {
        std::fs::write(repository.join("downbeat.yaml"), checks).unwrap();
        commit(&repository, &[]);
    }
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let id = added["id"].as_str().unwrap().to_owned();
    let approve = json!({ "approveChecks": added["checks"]["hash"] });
    sandbox
        .call("PATCH", &format!("/api/projects/{id}"), Some(approve))
        .await
        .unwrap();
    (id, repository)
}

pub async fn session(sandbox: &Sandbox, project: &str, title: &str) -> (String, PathBuf) {
    let ask = json!({ "projectId": project, "title": title, "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let place = workspace(sandbox, &id).await;
    (id, place)
}

/// Writes these files, commits all changes, and returns the commit.
pub fn commit(place: &Path, files: &[(&str, &str)]) -> String {
    for (name, text) in files {
        std::fs::write(place.join(name), text).unwrap();
    }
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(place, &[], &["add", "-A"]);
    git(place, &[], &[&me[..], &["commit", "-qm", "change"]].concat());
    head(place)
}

pub fn head(place: &Path) -> String {
    git(place, &[], &["rev-parse", "HEAD"]).trim().to_owned()
}

fn status(place: &Path) -> String {
    git(place, &[], &["status", "--porcelain"])
}

pub fn read(place: &Path, name: &str) -> String {
    std::fs::read_to_string(place.join(name)).unwrap_or_default()
}

pub fn runs(sandbox: &Sandbox) -> usize {
    read(&sandbox.path().join("home"), "runs").lines().count()
}

/// Asserts the exit code of a command, and returns what it said.
pub fn said(output: &Output, code: i32) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

pub async fn last(sandbox: &Sandbox, id: &str) -> Value {
    until("the merge has ended", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        let merges = &session["merges"];
        (merges["underWay"] == false).then(|| merges["last"].clone())
    })
    .await
}

#[tokio::test]
async fn checked_work_lands_and_the_persons_changes_stay() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, Some(CHECKS)).await;
    let (one, place) = session(&sandbox, &project, "One").await;
    let first = commit(&place, &[("one.txt", "1")]);
    let refused = said(&sandbox.cli(&["merge", &one]), 1);
    assert!(
        refused.contains("have not run yet") && refused.contains("--unchecked"),
        "{refused}"
    );
    said(&sandbox.cli(&["check", &one]), 0);
    std::fs::write(repository.join("src/main.txt"), "the person's").unwrap();
    std::fs::write(repository.join("mine.txt"), "the person's").unwrap();
    let before = status(&repository);
    let text = said(&sandbox.cli(&["merge", &one, "--rebase"]), 0);
    assert!(text.starts_with("one landed on main as "), "{text}");
    assert_eq!(
        (head(&repository), status(&repository)),
        (first.clone(), before.clone())
    );
    assert_eq!(
        (read(&repository, "one.txt"), runs(&sandbox)),
        ("1".into(), 1),
        "the same files are not checked again"
    );
    let again = said(&sandbox.cli(&["merge", &one]), 0);
    assert!(again.contains("main already contains the work of one"), "{again}");

    // The second session began before that, so the merged commit has other files than the checked one.
    let (two, place) = session(&sandbox, &project, "Two").await;
    git(&place, &[], &["reset", "-q", "--hard", "HEAD~1"]);
    commit(&place, &[("two.txt", "2")]);
    said(&sandbox.cli(&["check", &two]), 0);
    commit(&place, &[("late.txt", "l")]);
    let refused = said(&sandbox.cli(&["merge", &two]), 1);
    assert!(refused.contains("newer commit than its checks saw"), "{refused}");
    said(&sandbox.cli(&["check", &two]), 0);
    std::fs::write(place.join("open.txt"), "").unwrap();
    let refused = said(&sandbox.cli(&["merge", &two]), 1);
    assert!(refused.contains("two has 1 uncommitted file"), "{refused}");
    std::fs::remove_file(place.join("open.txt")).unwrap();
    said(&sandbox.cli(&["merge", &two, "--squash"]), 0);
    assert_eq!(runs(&sandbox), 4, "the merged commit is checked");
    assert_eq!(git(&repository, &[], &["rev-parse", "HEAD^"]).trim(), first);
    assert_eq!(status(&repository), before);
    assert_eq!(
        git(&repository, &[], &["for-each-ref", "refs/downbeat/queue"]),
        ""
    );
    let notices = sandbox.notices().await;
    let told = |text: &str| {
        notices
            .iter()
            .filter(|notice| notice["text"].as_str().unwrap().contains(text))
            .count()
    };
    assert_eq!((told("one landed on main"), told("two landed on main")), (1, 1));
}

#[tokio::test]
async fn what_the_merged_commit_breaks_goes_to_the_agent_and_nothing_lands() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, Some(CHECKS)).await;
    let (one, place) = session(&sandbox, &project, "One").await;
    commit(&place, &[("README.md", "new\n")]);
    let (two, other) = session(&sandbox, &project, "Two").await;
    commit(&other, &[("notes.txt", "new\n")]);
    let (three, third) = session(&sandbox, &project, "Three").await;
    commit(&third, &[("README.md", "other\n")]);
    for id in [&one, &two, &three] {
        said(&sandbox.cli(&["check", id]), 0);
    }
    said(&sandbox.cli(&["merge", &one]), 0);
    let landed = head(&repository);
    let red = said(&sandbox.cli(&["merge", &two]), 1);
    assert!(
        red.contains("two fails its checks once it is merged into main"),
        "{red}"
    );
    assert_eq!(runs(&sandbox), 5, "a red commit is checked twice");
    let conflict = said(&sandbox.cli(&["merge", &three]), 1);
    assert!(
        conflict.contains("three is in conflict with main: both changed README.md"),
        "{conflict}"
    );
    assert_eq!((head(&repository), status(&repository)), (landed, String::new()));
    for (id, words) in [
        (&two, "fails the project's checks"),
        (
            &three,
            "    > README.md\nCommits of main that changed them:\n    > ",
        ),
    ] {
        let all = sandbox.sent_to(id).await;
        let about = all.iter().filter(|text| text.contains(words));
        assert_eq!(about.count(), 1, "{all:#?}");
    }
}

#[tokio::test]
async fn an_overlap_with_the_persons_changes_is_refused_by_its_files() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    let (one, place) = session(&sandbox, &project, "One").await;
    commit(&place, &[("README.md", "agent's\n")]);
    std::fs::write(repository.join("README.md"), "the person's\n").unwrap();
    let before = (head(&repository), status(&repository));
    let refused = said(&sandbox.cli(&["merge", &one]), 1);
    assert!(
        refused.contains("README.md") && refused.contains("commit, stash or undo these edits"),
        "{refused}"
    );
    assert_eq!((head(&repository), status(&repository)), before);
    assert_eq!(read(&repository, "README.md"), "the person's\n");
    git(&repository, &[], &["checkout", "-q", "--", "README.md"]);
    said(&sandbox.cli(&["merge", &one]), 0);
    assert_eq!(
        (read(&repository, "README.md"), status(&repository)),
        ("agent's\n".into(), String::new())
    );
}

#[tokio::test]
async fn a_crash_at_any_step_of_a_merge_lands_it_once() {
    let points = downbeat_engine::failpoint::POINTS
        .iter()
        .chain(downbeat_git::POINTS);
    let points: Vec<_> = points
        .filter(|point| {
            point.starts_with("merge-") || point.starts_with("land-") || point.starts_with("candidate-")
        })
        // Only an undone landing reaches these.
        .filter(|point| !["land-restored", "land-returned"].contains(point))
        .collect();
    assert_eq!(points.len(), 12);
    let mut sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, Some(CHECKS)).await;
    std::fs::write(repository.join("mine.txt"), "the person's").unwrap();
    let (id, place) = session(&sandbox, &project, "One").await;
    let mut count = git(&repository, &[], &["rev-list", "--count", "HEAD"])
        .trim()
        .parse::<usize>()
        .unwrap();
    for point in points {
        commit(&place, &[(&format!("{point}.txt"), "x")]);
        said(&sandbox.cli(&["check", &id]), 0);
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let _ = sandbox
            .post(
                &format!("/api/sessions/{id}/merge"),
                json!({ "strategy": "rebase" }),
            )
            .await;
        successor(&mut sandbox, point).await;
        let last = last(&sandbox, &id).await;
        assert_eq!(last["outcome"], "landed", "{point}: {last:#}");
        count += 1;
        let commits = git(&repository, &[], &["rev-list", "--count", "HEAD"]);
        assert_eq!(commits.trim().parse::<usize>().unwrap(), count, "{point}");
        assert_eq!(status(&repository), "?? mine.txt\n", "{point}");
        assert_eq!(read(&repository, &format!("{point}.txt")), "x");
    }
}

#[tokio::test]
async fn filters_of_the_repository_run_and_its_hooks_do_not() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    git(&repository, &[], &["config", "filter.up.smudge", "tr a-z A-Z"]);
    git(&repository, &[], &["config", "filter.up.clean", "tr A-Z a-z"]);
    let (one, place) = session(&sandbox, &project, "One").await;
    for hook in [
        "post-index-change",
        "post-merge",
        "reference-transaction",
        "post-checkout",
    ] {
        let script = repository.join(".git/hooks").join(hook);
        std::fs::write(&script, "#!/bin/sh\necho ran >> \"$HOME/hooked\"\n").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let off = ["-c", "core.hooksPath=/dev/null"];
    std::fs::write(place.join(".gitattributes"), "*.up filter=up\n").unwrap();
    std::fs::write(place.join("a.up"), "small\n").unwrap();
    git(&place, &[], &[&off[..], &["add", "-A"]].concat());
    git(&place, &[], &[&off[..], &["commit", "-qm", "change"]].concat());
    said(&sandbox.cli(&["merge", &one]), 0);
    assert_eq!(read(&repository, "a.up"), "SMALL\n");
    assert_eq!(read(&sandbox.path().join("home"), "hooked"), "");
    assert_eq!(
        git(&repository, &[], &[&off[..], &["status", "--porcelain"]].concat()),
        ""
    );
}

#[tokio::test]
async fn checks_that_a_commit_removed_stop_merges_until_the_person_agrees() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, Some(CHECKS)).await;
    let (one, place) = session(&sandbox, &project, "One").await;
    commit(&place, &[("downbeat.yaml", ""), ("README.md", "new\n")]);
    let path = format!("/api/projects/{project}");
    // The same on the default branch, by hand.
    commit(&repository, &[("downbeat.yaml", "")]);
    until("the change is seen", async || {
        let shown = sandbox.get(&path).await.unwrap();
        (shown["checks"]["approved"] == false).then_some(())
    })
    .await;
    let refused = said(&sandbox.cli(&["merge", &one]), 4);
    assert!(refused.contains("names no checks of shop any more"), "{refused}");
    let shown = said(&sandbox.cli(&["project", "approve", "shop"]), 4);
    assert!(shown.contains("are gone from downbeat.yaml"), "{shown}");
    said(&sandbox.cli(&["project", "approve", "shop", "--yes"]), 0);
    said(&sandbox.cli(&["merge", &one]), 0);
    // Checks that were approved need a new approval once the project was not trusted for a while.
    std::fs::write(repository.join("downbeat.yaml"), CHECKS).unwrap();
    until("the change is seen", async || {
        let shown = sandbox.get(&path).await.unwrap();
        (shown["checks"]["commands"] != json!([])).then_some(())
    })
    .await;
    assert_eq!(sandbox.get(&path).await.unwrap()["checks"]["approved"], true);
    for trust in ["no", "yes"] {
        said(&sandbox.cli(&["project", "edit", "shop", "--trust", trust]), 0);
    }
    assert_eq!(sandbox.get(&path).await.unwrap()["checks"]["approved"], false);
}

#[tokio::test]
async fn another_commit_than_the_one_that_was_looked_at_is_not_merged() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    let (one, place) = session(&sandbox, &project, "One").await;
    commit(&place, &[("README.md", "looked at\n")]);
    let seen = head(&place);
    commit(&place, &[("README.md", "newer\n")]);
    let before = head(&repository);
    let refused = sandbox.cli(&["merge", &one, "--unchecked", "--head", &seen]);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains("one has newer commits"), "{text}");
    assert_eq!(head(&repository), before);
    said(
        &sandbox.cli(&["merge", &one, "--unchecked", "--head", &head(&place)]),
        0,
    );
    assert_ne!(head(&repository), before);
}
