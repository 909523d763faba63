//! Tests of usage limits: a limit is recognized by the agent's own report, not by text that the agent prints.
//! A session waits for the end of its limit and continues once, even if engines die meanwhile.

use crate::crashes::{doomed, successor};
use downbeat_tests::sandbox::{Sandbox, until};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The output of the scripted agent when it takes the message that continues after a limit.
const TAKEN: &str = "heard: continue";

/// Returns the prompt that makes the agent report a usage limit which ends `seconds` after the report.
pub fn limit(seconds: u32) -> String {
    format!("limit You've hit your limit · resets in {seconds} seconds")
}

/// Starts a sandbox in which sessions continue as soon as their limit ends, without a margin.
pub async fn started() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.configure("usageLimits: { margin: 0 }\n");
    sandbox.start().await;
    sandbox
}

async fn session(sandbox: &Sandbox, title: &str, prompt: &str) -> String {
    let projects = sandbox.get("/api/projects").await.unwrap();
    let project = match projects.as_array().unwrap().first() {
        Some(project) => project["id"].as_str().unwrap().to_owned(),
        None => sandbox.project("shop").await,
    };
    let ask = json!({ "projectId": project, "title": title, "prompt": prompt });
    sandbox.session(ask).await
}

/// Turns on the setting that sessions continue automatically after a limit.
pub async fn by_itself(sandbox: &Sandbox) {
    let change = json!({ "goOnAfterLimit": true });
    let settings = sandbox
        .call("PATCH", "/api/settings", Some(change))
        .await
        .unwrap();
    assert_eq!(settings["goOnAfterLimit"], true);
}

async fn send(sandbox: &Sandbox, id: &str, content: &str) -> Value {
    let request = json!({ "content": content, "waitSeconds": 0 });
    sandbox
        .post(&format!("/api/sessions/{id}/message"), request)
        .await
        .unwrap()
}

async fn messages(sandbox: &Sandbox, id: &str, text: &str) -> Vec<Value> {
    let all = sandbox
        .get(&format!("/api/sessions/{id}/messages"))
        .await
        .unwrap();
    let all = all.as_array().unwrap().iter();
    all.filter(|message| message["text"] == text).cloned().collect()
}

pub async fn taken(sandbox: &Sandbox, id: &str) -> usize {
    let output = sandbox
        .get(&format!("/api/sessions/{id}/output?lines=10000"))
        .await
        .unwrap();
    output["text"].as_str().unwrap().matches(TAKEN).count()
}

/// Waits until the clock has passed the end of a session's limit.
async fn passed(session: &Value) {
    let over: Timestamp = session["limit"]["overAt"].as_str().unwrap().parse().unwrap();
    until("the limit is over", async || {
        (Timestamp::now() > over).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_limit_is_shown_with_its_end_and_holds_messages_until_then() {
    let sandbox = started().await;
    let id = session(&sandbox, "Limited", &limit(6)).await;
    let hit = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(hit["activity"], "blocked", "{hit:#}");
    assert_eq!(hit["statusEvidence"]["detail"], "StopFailure hook");
    let shown = &hit["limit"];
    assert!(
        shown["text"]
            .as_str()
            .unwrap()
            .starts_with("You've hit your limit"),
        "{shown}"
    );
    assert!(
        shown["resetsAt"].is_string() && shown["overAt"].is_string(),
        "{shown}"
    );
    assert_eq!(
        (&shown["byItself"], &shown["goesOn"]),
        (&json!(false), &json!(false))
    );

    let held = send(&sandbox, &id, "say after it").await;
    assert_eq!(held["state"], "queued", "{held}");
    until("why it waits", async || {
        let all = messages(&sandbox, &id, "say after it").await;
        all[0]["detail"]
            .as_str()?
            .starts_with("usage limit until ")
            .then_some(())
    })
    .await;
    for (arguments, says) in [
        (&["list"][..], "usage limit, until"),
        (&["explain", "limited"], "usage limit, until"),
    ] {
        let said = String::from_utf8(sandbox.cli(arguments).stdout).unwrap();
        assert!(said.contains(says), "{said}");
    }
    let notices = sandbox.get("/api/notices").await.unwrap();
    let told = notices[0]["text"].as_str().unwrap();
    assert!(told.starts_with("usage limit: You've hit your limit"), "{told}");
    sandbox.shows(&id, "after it").await;
    let idle = sandbox.status(&id, &["idle"]).await;
    assert_eq!(idle["limit"], Value::Null);
    assert_eq!(
        taken(&sandbox, &id).await,
        0,
        "nobody said that it goes on by itself"
    );
}

#[tokio::test]
async fn text_that_an_agent_prints_or_answers_is_not_a_limit() {
    let sandbox = started().await;
    by_itself(&sandbox).await;
    let id = session(
        &sandbox,
        "Prints",
        "say You've hit your limit · resets in 1 second",
    )
    .await;
    let idle = sandbox.status(&id, &["idle", "waiting"]).await;
    assert_eq!(
        (&idle["status"], &idle["limit"]),
        (&json!("idle"), &Value::Null),
        "{idle:#}"
    );
    // An answer that ends with these words is not a limit either.
    send(&sandbox, &id, "end You've hit your limit · resets in 1 second").await;
    sandbox.shows(&id, "resets in 1 second").await;
    send(&sandbox, &id, "say the end").await;
    let shown = sandbox.shows(&id, "the end").await;
    assert!(!shown.contains(TAKEN), "{shown}");
}

#[tokio::test]
async fn a_session_continues_automatically_once_and_before_queued_messages() {
    let sandbox = started().await;
    by_itself(&sandbox).await;
    let id = session(&sandbox, "Waits", &limit(3)).await;
    let hit = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(hit["limit"]["byItself"], true, "{hit:#}");
    assert_eq!(sandbox.get("/api/engine").await.unwrap()["needsYou"], 0);
    send(&sandbox, &id, "say afterwards").await;
    let shown = sandbox.shows(&id, "afterwards").await;
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("no {text}: {shown}"));
    assert!(at(TAKEN) < at("afterwards"), "{shown}");
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(taken(&sandbox, &id).await, 1);

    // If the agent took another prompt first, no message to continue follows.
    send(&sandbox, &id, &limit(3)).await;
    sandbox.status(&id, &["waiting"]).await;
    let hit = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox.press(&id, "say by hand\r").await;
    sandbox.shows(&id, "by hand").await;
    sandbox.status(&id, &["idle"]).await;
    passed(&hit).await;
    send(&sandbox, &id, "say the end").await;
    sandbox.shows(&id, "the end").await;
    assert_eq!(
        messages(&sandbox, &id, "continue").await.len(),
        1,
        "it went on although somebody had"
    );
}

#[tokio::test]
async fn a_person_can_choose_to_continue_automatically_now_or_not() {
    let sandbox = started().await;
    let id = session(&sandbox, "Asked", &limit(4000)).await;
    sandbox.status(&id, &["waiting"]).await;
    let said = |arguments: &[&str]| {
        let output = sandbox.cli(arguments);
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (done, text) = said(&["go-on", "asked", "--after-limit"]);
    assert!(
        done && text.contains("continues automatically once its usage limit is over, at "),
        "{text}"
    );
    let own = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(own["limit"]["byItself"], true);
    let (done, text) = said(&["go-on", "asked", "--not"]);
    assert!(done && text.contains("does not continue automatically"), "{text}");
    assert_eq!(taken(&sandbox, &id).await, 0);
    let path = format!("/api/sessions/{id}/go-on");
    sandbox.post(&path, json!({ "when": "now" })).await.unwrap();
    sandbox.shows(&id, TAKEN).await;
    sandbox.status(&id, &["idle"]).await;
    let refused = sandbox.post(&path, json!({})).await.unwrap_err();
    assert_eq!(refused.body["code"], "conflict", "{refused:?}");
    assert_eq!(
        refused.body["message"],
        "asked is not paused or rate limited; it is idle"
    );
    assert_eq!(taken(&sandbox, &id).await, 1);
}

#[tokio::test]
async fn a_session_continues_once_even_if_engines_die_meanwhile() {
    let mut sandbox = started().await;
    by_itself(&sandbox).await;
    let id = session(&sandbox, "Survives", "say ready").await;
    sandbox.status(&id, &["idle"]).await;
    // No engine runs when the limit ends.
    send(&sandbox, &id, &limit(2)).await;
    let hit = sandbox.status(&id, &["waiting"]).await;
    sandbox.kill_engine();
    passed(&hit).await;
    sandbox.start().await;
    sandbox.shows(&id, TAKEN).await;
    for (before, point) in (1..).zip(["limit-over", "message-entered"]) {
        sandbox.status(&id, &["idle"]).await;
        assert_eq!(taken(&sandbox, &id).await, before, "{point}");
        // The person types it, so that only the message that continues passes the point.
        doomed(&mut sandbox, point).await;
        sandbox.press(&id, &format!("{}\r", limit(1))).await;
        successor(&mut sandbox, point).await;
        until("it went on", async || {
            (taken(&sandbox, &id).await > before).then_some(())
        })
        .await;
    }
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(taken(&sandbox, &id).await, 3);
    let all = messages(&sandbox, &id, "continue").await;
    assert!(
        all.len() == 3 && all.iter().all(|message| message["state"] == "delivered"),
        "{all:#?}"
    );
}
