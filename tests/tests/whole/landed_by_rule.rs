//! Tests of `checks-passed`: work that is reported as done and checked is put into the merge queue by a rule, and lands
//! without a person.

use crate::checks::{commit, done, worker};
use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::session_reactions::{carried_out, history};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const CONFIG: &str = "checks:\n  - test -e good\nreactions:\n  checks-passed: { action: merge }\n";

/// A trusted project whose checked work lands by a rule, a worker of it at work, and its repository.
async fn at_work(sandbox: &Sandbox) -> (String, PathBuf) {
    let repository = sandbox.repository("shop");
    std::fs::write(repository.join("downbeat.yaml"), CONFIG).unwrap();
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let id = added["id"].as_str().unwrap();
    let approve = json!({ "approveChecks": added["checks"]["hash"] });
    let path = format!("/api/projects/{id}");
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    let worker = worker(sandbox, id, "work go").await;
    sandbox.status(&worker, &["running"]).await;
    (worker, repository)
}

/// Commits good work with the file that ends the turn, and reports it as done.
async fn work(sandbox: &Sandbox, worker: &str, place: &Path) {
    std::fs::write(place.join("go"), "").unwrap();
    commit(place, "good");
    done(sandbox, worker).await;
}

/// Waits until the default branch has a file.
async fn landed(sandbox: &Sandbox, worker: &str, repository: &Path, file: &str) {
    let found = within(PATIENCE / 2, async || {
        let tree = git(repository, &[], &["ls-tree", "--name-only", "main"]);
        tree.lines().any(|name| name == file).then_some(())
    });
    assert!(found.await.is_some(), "{:#?}", history(sandbox, worker).await);
}

async fn outcome(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()["merges"]["last"]["outcome"].clone()
}

#[tokio::test]
async fn checked_work_lands_by_a_rule_once_through_a_crash() {
    for point in ["reaction-noted", "reaction-composed", "reaction-written"] {
        let mut sandbox = Sandbox::started().await;
        let (worker, repository) = at_work(&sandbox).await;
        // What the person has not committed stays as it is.
        std::fs::write(repository.join("README.md"), "mine").unwrap();
        let place = workspace(&sandbox, &worker).await;
        doomed(&mut sandbox, point).await;
        work(&sandbox, &worker, &place).await;
        successor(&mut sandbox, point).await;
        landed(&sandbox, &worker, &repository, "good").await;
        let done = carried_out(&sandbox, &worker, 1).await;
        assert_eq!(
            (&done[0]["rule"], &done[0]["outcome"], &done[0]["detail"]),
            (
                &json!("checks-passed"),
                &json!("done"),
                &json!("its work is in the merge queue of main")
            ),
            "{point}: {done:#?}"
        );
        until("its result", async || {
            (outcome(&sandbox, &worker).await == "landed").then_some(())
        })
        .await;
        let mine = std::fs::read_to_string(repository.join("README.md")).unwrap();
        assert_eq!(mine, "mine", "{point}");
        assert_eq!(history(&sandbox, &worker).await.len(), 1, "{point}");
    }
}

#[tokio::test]
async fn red_work_does_not_land_and_work_that_cannot_is_told() {
    let sandbox = Sandbox::started().await;
    let (worker, repository) = at_work(&sandbox).await;
    let place = workspace(&sandbox, &worker).await;
    commit(&place, "bad");
    done(&sandbox, &worker).await;
    crate::checks::checked(&sandbox, &worker, "red").await;
    assert_eq!(history(&sandbox, &worker).await, [] as [Value; 0]);

    std::fs::write(place.join("go"), "").unwrap();
    commit(&place, "good");
    std::fs::write(place.join("forgotten"), "").unwrap();
    done(&sandbox, &worker).await;
    // The failure itself, and what the person is told of it.
    let done_so_far = carried_out(&sandbox, &worker, 2).await;
    assert_eq!(done_so_far[0]["outcome"], "failed", "{done_so_far:#?}");
    let notices = sandbox.notices().await;
    let is_it = |notice: &Value| {
        notice["text"]
            .as_str()
            .unwrap()
            .contains("helper has 1 uncommitted file")
    };
    assert!(notices.iter().any(is_it), "{notices:#?}");
    let tree = git(&repository, &[], &["ls-tree", "--name-only", "main"]);
    assert!(!tree.contains("good"), "{tree}");
}
