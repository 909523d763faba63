//! Tests that the timeline of the fleet says which session worked, waited or was held back, on the API and the command line,
//! and that archived sessions stay in it.

use crate::merging::{project, said};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

async fn of(sandbox: &Sandbox, id: &str) -> Option<Value> {
    let timeline = sandbox.get("/api/timeline?hours=1").await.unwrap();
    let sessions = timeline["sessions"].as_array().unwrap();
    sessions.iter().find(|one| one["id"] == id).cloned()
}

#[tokio::test]
async fn the_timeline_says_what_each_session_did() {
    let mut sandbox = Sandbox::started().await;
    let (shop, _) = project(&sandbox, None).await;
    let ask = json!({ "projectId": shop, "title": "Greet", "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let has = |part: &Value, state: &str| {
        let spans = part["spans"].as_array().unwrap();
        spans.iter().any(|span| span["state"] == state)
    };
    let part = until("it worked, then it was idle", async || {
        of(&sandbox, &id)
            .await
            .filter(|part| has(part, "working") && has(part, "idle"))
    })
    .await;
    let spans = part["spans"].as_array().unwrap();
    for pair in spans.windows(2) {
        assert_eq!(pair[0]["until"], pair[1]["from"], "{spans:#?}");
    }
    assert!(part["sums"]["working"].as_u64().unwrap() > 0, "{part:#}");

    sandbox
        .post(&format!("/api/sessions/{id}/pause"), json!({}))
        .await
        .unwrap();
    until("it is held back", async || {
        of(&sandbox, &id).await.filter(|part| has(part, "held"))
    })
    .await;

    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox
        .post(&format!("/api/sessions/{id}/archive"), json!({}))
        .await
        .unwrap();
    sandbox.kill_engine();
    sandbox.start().await;
    let part = of(&sandbox, &id).await.unwrap();
    assert_eq!(part["isArchived"], true);
    assert!(has(&part, "working") && has(&part, "held"), "{part:#}");

    let shown = said(&sandbox.cli(&["timeline", "--hours", "1"]), 0);
    assert!(shown.contains("1 h ago") && shown.contains("total"), "{shown}");
    let of_project = sandbox.get("/api/timeline?project=shop&hours=1").await.unwrap();
    assert_eq!(of_project["sessions"].as_array().unwrap().len(), 1);
    for hours in [0, 169] {
        let error = sandbox
            .get(&format!("/api/timeline?hours={hours}"))
            .await
            .unwrap_err();
        assert_eq!(error.body["code"], "invalid", "{error:?}");
    }
}
