//! Tests of the explanation of a status: the trace of facts, a wrong status that a person clears, and the
//! task that the agent reports.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

#[tokio::test]
async fn each_fact_lists_its_effect_and_a_person_can_clear_the_status() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Told", "prompt": "task Mend it\nask npm test" }))
        .await;
    sandbox.status(&id, &["waiting"]).await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["currentTask"], "Mending: Mend it", "{session:#}");
    let told = sandbox.get(&format!("/api/sessions/{id}/explain")).await.unwrap();
    let facts = told["facts"].as_array().unwrap();
    let asked = facts
        .iter()
        .rev()
        .find(|fact| fact["detail"] == "PermissionRequest hook");
    let asked = asked.expect("the question's fact");
    assert_eq!(
        (&asked["source"], &asked["meaning"], &asked["effect"]),
        (
            &json!("hook"),
            &json!("asks: Bash: npm test"),
            &json!("running → waiting")
        ),
        "{told:#}"
    );
    assert_eq!(told["now"]["status"], "waiting");
    let first = sandbox
        .get(&format!("/api/sessions/{id}/explain?facts=1"))
        .await
        .unwrap();
    assert_eq!(first["facts"].as_array().unwrap().len(), 1);
    let cleared = sandbox
        .post(&format!("/api/sessions/{id}/clear-status"), json!({}))
        .await
        .unwrap();
    assert_eq!(
        (
            &cleared["status"],
            &cleared["statusEvidence"]["detail"],
            &cleared["question"]
        ),
        (&json!("unknown"), &json!("cleared by you"), &Value::Null)
    );
    let told = sandbox.get(&format!("/api/sessions/{id}/explain")).await.unwrap();
    let last = told["facts"].as_array().unwrap().last().unwrap();
    assert_eq!(last["effect"], "waiting → unknown", "{told:#}");
    // The agent's next report sets the status again.
    sandbox.press(&id, "\r").await;
    sandbox.status(&id, &["idle"]).await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["currentTask"], Value::Null, "nothing is worked on");
}

#[tokio::test]
async fn the_status_of_an_ended_session_cannot_be_cleared() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Over", "prompt": "die 3" }))
        .await;
    sandbox.status(&id, &["exited"]).await;
    let clear = format!("/api/sessions/{id}/clear-status");
    let refused = sandbox.post(&clear, json!({})).await.unwrap_err();
    assert_eq!(refused.body["code"], "conflict");
    until("the trace of an ended session", async || {
        let told = sandbox.get(&format!("/api/sessions/{id}/explain")).await.ok()?;
        let last = told["facts"].as_array()?.last()?;
        last["effect"].as_str()?.ends_with("→ exited").then_some(())
    })
    .await;
}
