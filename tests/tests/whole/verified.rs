//! Tests that what a worker reports as done counts as said, and as verified only once the project's checks passed on its
//! newest commit: on every face, with the evidence.

use crate::checks::{commit, done, one_check, project, worker};
use crate::deliveries::workspace;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};

/// Waits until the report of a worker is shown with these words, and returns the session.
async fn shown(sandbox: &Sandbox, id: &str, words: &str) -> Value {
    let path = format!("/api/sessions/{id}");
    let found = within(2 * PATIENCE, async || {
        let session = sandbox.get(&path).await.ok()?;
        (session["done"]["text"] == words).then_some(session)
    });
    match found.await {
        Some(session) => session,
        None => panic!(
            "{words:?} was never shown: {:#}",
            sandbox.get(&path).await.unwrap()
        ),
    }
}

fn said(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.cli(words);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits until the file of the worker's report has this state, and returns it.
async fn in_results(sandbox: &Sandbox, worker: &Value, state: &str) -> Value {
    let parent = worker["parent"].as_str().unwrap();
    let name = format!("worker-{}_result.json", worker["name"].as_str().unwrap());
    let file = sandbox.data().join("results").join(parent).join(name);
    until(state, async || {
        let text = std::fs::read_to_string(&file).ok()?;
        let content: Value = serde_json::from_str(&text).ok()?;
        (content["done"]["state"] == state).then_some(content)
    })
    .await
}

#[tokio::test]
async fn without_checks_a_report_is_said_and_never_verified() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(
        sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()["done"],
        json!(null)
    );
    done(&sandbox, &id).await;
    let words = "said done: the project has no checks";
    let session = shown(&sandbox, &id, words).await;
    assert_eq!(
        (&session["done"]["state"], &session["lifecycle"]["stage"]),
        (&json!("said"), &json!("working"))
    );
    for faces in [&["list"][..], &["status", &id]] {
        let text = said(&sandbox, faces);
        assert!(text.contains(words), "{faces:?}: {text}");
    }
    let file = in_results(&sandbox, &session, "said").await;
    assert_eq!(
        (&file["status"], &file["checks"]),
        (&json!("done"), &json!(null)),
        "{file:#}"
    );
}

#[tokio::test]
async fn a_report_is_verified_by_green_checks_of_the_newest_commit_alone() {
    let sandbox = Sandbox::started().await;
    let project = project(&sandbox, &one_check(), true).await;
    let id = worker(&sandbox, &project, "work go").await;
    sandbox.status(&id, &["running"]).await;
    let place = workspace(&sandbox, &id).await;
    let first = commit(&place, "first.txt");
    done(&sandbox, &id).await;
    let words = format!("said done: 1 check failed on {}: test", &first[..8]);
    shown(&sandbox, &id, &words).await;

    // The agent gets the failure, mends it, and ends its turn.
    let good = commit(&place, "good");
    std::fs::write(place.join("go"), "").unwrap();
    let words = format!(
        "verified: 1 check on {}; optional and failed: lint; 1 file was not committed",
        &good[..8]
    );
    let session = shown(&sandbox, &id, &words).await;
    let last = &session["checks"]["last"];
    assert_eq!(
        (&session["done"]["state"], &session["done"]["at"], &last["commit"]),
        (&json!("verified"), &last["finishedAt"], &json!(good)),
        "one record serves all: {session:#}"
    );
    sandbox.status(&id, &["idle"]).await;
    let session = shown(&sandbox, &id, &words).await;
    assert_eq!(session["lifecycle"]["stage"], "done", "{session:#}");
    for faces in [&["list"][..], &["status", &id]] {
        let text = said(&sandbox, faces);
        assert!(text.contains("verified: 1 check on "), "{faces:?}: {text}");
    }
    let file = in_results(&sandbox, &session, "verified").await;
    let check = &file["checks"]["checks"][0];
    assert_eq!(
        (&check["exitCode"], &check["name"]),
        (&json!(0), &json!("test")),
        "{file:#}"
    );
    assert!(
        file["checks"]["tree"].is_string() && file["checks"]["finishedAt"].is_string(),
        "{file:#}"
    );
    let parent = session["parent"].as_str().unwrap();
    let log = sandbox
        .data()
        .join("results")
        .join(parent)
        .join("event_log.jsonl");
    until("its conductor learns that it is verified", async || {
        let events = std::fs::read_to_string(&log).ok()?;
        events
            .contains("its report that it is done is verified")
            .then_some(())
    })
    .await;

    // Its next commit is another one than the checks ran on.
    let later = commit(&place, "later.txt");
    let words = format!(
        "said done: 1 check passed on {}, an earlier commit than {}; optional and failed: lint",
        &good[..8],
        &later[..8]
    );
    let session = shown(&sandbox, &id, &words).await;
    assert_eq!(
        (&session["done"]["state"], &session["lifecycle"]["stage"]),
        (&json!("said"), &json!("working"))
    );
    assert!(sandbox.cli(&["check", &id]).status.success());
    shown(
        &sandbox,
        &id,
        &format!("verified: 1 check on {}; optional and failed: lint", &later[..8]),
    )
    .await;
}

#[tokio::test]
async fn a_worker_that_committed_nothing_is_not_verified_by_checks_of_the_commit_it_started_from() {
    let sandbox = Sandbox::started().await;
    let project = project(&sandbox, "  - { name: test, run: 'true' }", true).await;
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    let place = workspace(&sandbox, &id).await;
    let base = git(&place, &[], &["rev-parse", "HEAD"]).trim().to_owned();
    done(&sandbox, &id).await;
    let words = format!(
        "said done: no commit of its own since {}, where it started",
        &base[..8]
    );
    let session = shown(&sandbox, &id, &words).await;
    assert_eq!(
        (
            &session["checksState"],
            &session["done"]["state"],
            &session["lifecycle"]["stage"]
        ),
        (&json!("green"), &json!("said"), &json!("working")),
        "{session:#}"
    );
    for faces in [&["list"][..], &["status", &id]] {
        let text = said(&sandbox, faces);
        assert!(text.contains("no commit of its own"), "{faces:?}: {text}");
    }

    let first = commit(&place, "first.txt");
    assert!(sandbox.cli(&["check", &id]).status.success());
    let words = format!("verified: 1 check on {}", &first[..8]);
    shown(&sandbox, &id, &words).await;
}
