//! Usage limits of the real agents, in the form in which their vendors' APIs tell them.

use crate::evidence;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_goes_on_by_itself_after_a_limit() {
    if real_agents::skipped() {
        return;
    }
    let words = "This request would exceed your account's rate limit. Please try again in 15 seconds.";
    let script = Script::new()
        .when("build it", [Step::fail(429, "rate_limit_error", words)])
        .when("continue", [Step::say("It is built.")])
        .when(
            "quote it",
            [Step::say("You've hit your limit · resets 3pm (Europe/Berlin)")],
        );
    let model = ModelServer::start(script).await.unwrap();
    let mut sandbox = Sandbox::with_agents(&model, &["claude"]).await;
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_TEST_LIMIT_MARGIN_MS", "300");
    sandbox.start().await;
    let settings = json!({"goOnAfterLimit": true});
    sandbox
        .call("PATCH", "/api/settings", Some(settings))
        .await
        .unwrap();
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Builder", "agent": "claude", "prompt": "build it"});
    let id = sandbox.session(ask).await;
    let hit = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(
        (evidence(&hit), &hit["activity"]),
        (("hook", "StopFailure hook"), &json!("blocked"))
    );
    let text = hit["limit"]["text"].as_str().unwrap();
    assert!(text.contains("429") || text.contains("rate limit"), "{text}");
    assert!(hit["limit"]["overAt"].is_string(), "{hit:#}");
    sandbox.status(&id, &["idle"]).await;
    let asked = || {
        model
            .turns()
            .iter()
            .filter(|turn| turn.prompt == "continue")
            .count()
    };
    assert_eq!(asked(), 1);

    // What the agent says in an answer is no limit.
    let message = format!("/api/sessions/{id}/message");
    sandbox
        .post(&message, json!({"content": "quote it"}))
        .await
        .unwrap();
    sandbox.shows(&id, "resets 3pm").await;
    let idle = sandbox.status(&id, &["idle", "waiting"]).await;
    assert_eq!(idle["status"], "idle", "{idle:#}");
    assert_eq!(asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_tells_its_limit_in_its_transcript() {
    if real_agents::skipped() {
        return;
    }
    let error = json!({
        "type": "usage_limit_reached", "message": "The usage limit has been reached",
        "plan_type": "plus", "resets_in_seconds": 7500,
    });
    let script = Script::new()
        .when("build it", [Step::fail_with(429, error)])
        .when("continue", [Step::say("It is built.")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["codex"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Builder", "agent": "codex", "prompt": "build it"});
    let id = sandbox.session(ask).await;
    let hit = sandbox.status(&id, &["waiting"]).await;
    let text = hit["limit"]["text"].as_str().unwrap_or_else(|| panic!("{hit:#}"));
    assert!(text.contains("hit your usage limit"), "{text}");
    let end: Timestamp = hit["limit"]["resetsAt"].as_str().unwrap().parse().unwrap();
    let left = end.duration_since(Timestamp::now());
    assert!(
        left > SignedDuration::from_mins(110) && left < SignedDuration::from_mins(130),
        "{left}"
    );
    sandbox
        .post(&format!("/api/sessions/{id}/go-on"), json!({}))
        .await
        .unwrap();
    until("it goes on", async || {
        model
            .turns()
            .iter()
            .any(|turn| turn.prompt == "continue")
            .then_some(())
    })
    .await;
    sandbox.status(&id, &["idle"]).await;
}
