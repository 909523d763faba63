//! Tests that each session is in the column of the board that says who must act next, on every face.

use crate::deliveries::workspace;
use crate::merging::{commit, project, said};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

/// Waits until a session is in this column.
async fn is_in(sandbox: &Sandbox, id: &str, column: &str) {
    let path = format!("/api/sessions?ids={id}");
    until(column, async || {
        let listed = sandbox.get(&path).await.ok()?;
        (listed[0]["column"] == column).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_session_moves_through_the_columns_from_its_task_to_the_default_branch() {
    let sandbox = Sandbox::started().await;
    let checks = "checks:\n  - name: test\n    run: test -f one.txt\n";
    let (project, _) = project(&sandbox, Some(checks)).await;
    let ask = json!({ "projectId": project, "title": "One", "prompt": "work go" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    is_in(&sandbox, &id, "working").await;
    let place = workspace(&sandbox, &id).await;
    commit(&place, &[("one.txt", "1"), ("go", "")]);
    is_in(&sandbox, &id, "inReview").await;
    let listed = said(&sandbox.cli(&["list"]), 0);
    assert!(listed.contains("in review"), "{listed}");

    said(&sandbox.cli(&["check", &id]), 0);
    is_in(&sandbox, &id, "readyToMerge").await;
    let status = said(&sandbox.cli(&["status", &id]), 0);
    assert!(status.contains("ready to merge"), "{status}");
    said(&sandbox.cli(&["merge", &id]), 0);
    is_in(&sandbox, &id, "done").await;
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(listed[0]["mergeState"], "landed", "{listed:#}");

    said(&sandbox.cli(&["send", &id, "offer npm run first"]), 0);
    is_in(&sandbox, &id, "needsYou").await;
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    is_in(&sandbox, &id, "done").await;
}

#[tokio::test]
async fn a_conductor_works_while_its_workers_do() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let lead = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(lead).await;
    sandbox.status(&lead, &["idle"]).await;
    is_in(&sandbox, &lead, "inReview").await;
    let worker = json!({ "projectId": project, "title": "Below", "prompt": "work go", "parent": lead });
    let worker = sandbox.session(worker).await;
    sandbox.status(&worker, &["running"]).await;
    is_in(&sandbox, &lead, "working").await;
    std::fs::write(workspace(&sandbox, &worker).await.join("go"), "").unwrap();
    is_in(&sandbox, &worker, "inReview").await;
    is_in(&sandbox, &lead, "inReview").await;
}
