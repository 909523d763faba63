//! Tests of usage limits and failures of the real agents, in the form of their vendors' APIs. A limit is
//! recognized with its end, and the session continues after it.

use crate::tells;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// Starts a session of `agent` that runs into a limit, in a sandbox that adds no margin to limits. Returns
/// the sandbox, the session's id, and the session once it waits.
async fn limited(model: &ModelServer, agent: &str) -> (Sandbox, String, Value) {
    let sandbox = Sandbox::with_agents(model, &[agent]).await;
    sandbox.configure("usageLimits: { margin: 0 }\n");
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Builder", "agent": agent, "prompt": "build it"});
    let id = sandbox.session(ask).await;
    let hit = sandbox.status(&id, &["waiting"]).await;
    (sandbox, id, hit)
}

/// Returns the time until the end of the limit, as Downbeat understood it.
fn left(hit: &Value) -> SignedDuration {
    let end = hit["limit"]["resetsAt"]
        .as_str()
        .unwrap_or_else(|| panic!("{hit:#}"));
    end.parse::<Timestamp>().unwrap().duration_since(Timestamp::now())
}

fn asked(model: &ModelServer, prompt: &str) -> usize {
    model
        .turns()
        .iter()
        .filter(|turn| turn.prompt.ends_with(prompt))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_continues_by_itself_after_a_limit() {
    if real_agents::skipped() {
        return;
    }
    let words = "This request would exceed your account's rate limit. Please try again in 5 seconds.";
    let quote = "You've hit your limit · resets 3pm (Europe/Berlin)";
    let script = Script::new()
        // After a failed turn, Claude Code sends both prompts as one.
        .when("quote it", [Step::say(quote)])
        .when("continue", [Step::say("It is built.")])
        .when("build it", [Step::fail(429, "rate_limit_error", words)]);
    let model = ModelServer::start(script).await.unwrap();
    let (sandbox, id, hit) = limited(&model, "claude").await;
    assert_eq!(tells(&hit), "waiting: hook, StopFailure hook");
    assert_eq!(hit["activity"], "blocked");
    assert!(
        hit["limit"]["text"].as_str().unwrap().contains("rate limit"),
        "{hit:#}"
    );
    assert!(left(&hit) < SignedDuration::from_secs(6), "{hit:#}");
    let settings = json!({"goOnAfterLimit": true});
    sandbox
        .call("PATCH", "/api/settings", Some(settings))
        .await
        .unwrap();
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&done), "idle: hook, Stop hook");
    assert_eq!(asked(&model, "continue"), 1);

    // The same words in an answer are not a limit.
    let quoting = json!({"content": "quote it"});
    sandbox
        .post(&format!("/api/sessions/{id}/message"), quoting)
        .await
        .unwrap();
    sandbox.shows(&id, "resets 3pm").await;
    let idle = sandbox.status(&id, &["idle", "waiting"]).await;
    assert_eq!((&idle["status"], &idle["limit"]), (&json!("idle"), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_records_limits_and_failures_in_its_transcript() {
    if real_agents::skipped() {
        return;
    }
    let error = json!({
        "type": "usage_limit_reached", "message": "The usage limit has been reached",
        "plan_type": "plus", "resets_at": Timestamp::now().as_second() + 7500,
    });
    let script = Script::new()
        .when("build it", [Step::fail_with(429, error)])
        .when("continue", [Step::say("It is built.")])
        .when(
            "break it",
            [Step::fail(400, "invalid_request_error", "No such model")],
        );
    let model = ModelServer::start(script).await.unwrap();
    let (sandbox, id, hit) = limited(&model, "codex").await;
    assert_eq!(
        tells(&hit),
        "waiting: transcript, the last line of its transcript"
    );
    assert_eq!(hit["activity"], "blocked");
    let text = hit["limit"]["text"].as_str().unwrap_or_else(|| panic!("{hit:#}"));
    assert!(text.contains("hit your usage limit"), "{text}");
    let left = left(&hit);
    let (least, most) = (SignedDuration::from_mins(120), SignedDuration::from_mins(126));
    assert!(left > least && left < most, "{left}");
    // The person continues before the end of the limit.
    sandbox
        .post(&format!("/api/sessions/{id}/go-on"), json!({}))
        .await
        .unwrap();
    until("it goes on", async || {
        (asked(&model, "continue") == 1).then_some(())
    })
    .await;
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&done), "idle: hook, Stop hook");

    let message = format!("/api/sessions/{id}/message");
    sandbox
        .post(&message, json!({"content": "break it"}))
        .await
        .unwrap();
    let failed = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(
        tells(&failed),
        "waiting: transcript, the last line of its transcript"
    );
    assert_eq!(
        (&failed["activity"], &failed["limit"]),
        (&json!("blocked"), &Value::Null)
    );
    sandbox.press(&id, "go on\r").await;
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&done), "idle: hook, Stop hook");
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_limit_holds_messages_until_its_retry_is_stopped() {
    if real_agents::skipped() {
        return;
    }
    let words = "Usage limit reached, try again in 40 seconds";
    let script = Script::new().when("build it", [Step::fail(429, "rate_limit_error", words)]);
    let model = ModelServer::start(script).await.unwrap();
    let (sandbox, id, hit) = limited(&model, "opencode").await;
    assert_eq!(tells(&hit), "waiting: hook, session.status event: retry");
    assert_eq!(
        (&hit["activity"], &hit["limit"]["text"]),
        (&json!("blocked"), &json!(words))
    );
    assert!(left(&hit) < SignedDuration::from_secs(41), "{hit:#}");
    assert_eq!(
        (&hit["reason"]["kind"], &hit["reason"]["until"].is_string()),
        (&json!("limit"), &true)
    );
    // A later message waits in the session's queue, not unseen in OpenCode until its next try.
    let message = json!({"content": "and test it", "waitSeconds": 0});
    sandbox
        .post(&format!("/api/sessions/{id}/message"), message)
        .await
        .unwrap();
    until("why it waits", async || {
        let all = sandbox
            .get(&format!("/api/sessions/{id}/messages"))
            .await
            .unwrap();
        let all = all.as_array().unwrap().iter();
        let mut ours = all.filter(|message| message["text"] == "and test it");
        let why = ours.next()?["detail"].as_str()?.to_owned();
        why.starts_with("usage limit until ").then_some(())
    })
    .await;
    // OpenCode would retry; the person stops that.
    sandbox.press(&id, "\x1b").await;
    sandbox.shows(&id, "again to interrupt").await;
    sandbox.press(&id, "\x1b").await;
    // The queued message is then delivered, in a turn of its own.
    until("the message after it", async || {
        (asked(&model, "and test it") > 0).then_some(())
    })
    .await;
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&rests), "idle: hook, session.status event: idle");
    assert_eq!((&rests["limit"], &rests["reason"]), (&Value::Null, &Value::Null));
}

/// Returns a session's facts as `explain` shows them: the detail and the meaning of each.
async fn facts(sandbox: &Sandbox, id: &str) -> Vec<String> {
    let told = sandbox
        .get(&format!("/api/sessions/{id}/explain?facts=200"))
        .await
        .unwrap();
    let facts = told["facts"].as_array().unwrap().iter();
    let said = facts.map(|fact| format!("{}: {}", fact["detail"], fact["meaning"]));
    said.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_reports_failures_and_compaction() {
    if real_agents::skipped() {
        return;
    }
    let script = Script::new()
        .when(
            "wrong key",
            [Step::fail(401, "authentication_error", "invalid x-api-key")],
        )
        .when("build it", [Step::say("It is built.")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["claude"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Builder", "agent": "claude", "prompt": "build it"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;

    sandbox.press(&id, "/compact\r").await;
    until("it compacts", async || {
        let facts = facts(&sandbox, &id).await;
        let told = |detail: &str| facts.iter().any(|fact| fact.contains(detail));
        (told("PreCompact hook: manual") && told("PostCompact hook: manual")).then_some(())
    })
    .await;
    sandbox.status(&id, &["idle"]).await;

    let message = format!("/api/sessions/{id}/message");
    let send = async |content: &str| {
        let request = json!({"content": content, "waitSeconds": 0});
        sandbox.post(&message, request).await.unwrap();
    };
    send("wrong key").await;
    let failed = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(failed["reason"]["kind"], "failed", "{failed:#}");
    let text = failed["reason"]["text"].as_str().unwrap();
    assert!(
        text.starts_with("cannot continue: ") && text.contains("API key"),
        "{text}"
    );
}
