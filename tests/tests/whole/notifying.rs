//! Tests of notifiers with a real engine: who gets what and how often, through crashes, beside one that hangs, and quiet
//! while the person looks.

use crate::crashes::{doomed, successor};
use crate::family::{as_session, token_of};
use downbeat_tests::receiver::{Act, Receiver, SECRET};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::Path;

/// The notifiers of these tests.
const CONFIG: &str = "notifiers:
  slack: {}
  hook: { kind: webhook, url: \"${HOOK_URL}\", secret: \"${HOOK_KEY}\", retryDelayMs: 100 }
";

/// A sandbox whose notifiers send to a receiver. It has no engine yet.
async fn sandbox(config: &str) -> (Sandbox, Receiver) {
    let (mut sandbox, receiver) = (Sandbox::new(), Receiver::start().await);
    sandbox.set_env("SLACK_WEBHOOK_URL", &format!("{}/slack/{SECRET}", receiver.url));
    sandbox.set_env("HOOK_URL", &format!("{}/hook", receiver.url));
    sandbox.set_env("HOOK_KEY", SECRET);
    sandbox.configure(config);
    (sandbox, receiver)
}

async fn notifiers(sandbox: &Sandbox) -> Vec<Value> {
    let all = sandbox.get("/api/notifiers").await.unwrap();
    all.as_array().unwrap().clone()
}

/// Waits until this many requests arrived at a path.
async fn arrive(receiver: &Receiver, path: &str, number: usize) -> Vec<downbeat_tests::receiver::Got> {
    until("the notices arrive", async || {
        let got = receiver.at(path);
        (got.len() >= number).then_some(got)
    })
    .await
}

/// Waits until nothing waits for any notifier.
async fn settled(sandbox: &Sandbox) -> Vec<Value> {
    until("nothing waits", async || {
        let all = notifiers(sandbox).await;
        all.iter().all(|one| one["waiting"] == 0).then_some(all)
    })
    .await
}

async fn raise(sandbox: &Sandbox, text: &str) {
    let request = json!({ "text": text, "priority": "urgent" });
    sandbox.post("/api/attention", request).await.unwrap();
}

fn texts(got: &[downbeat_tests::receiver::Got]) -> Vec<String> {
    let text = |one: &downbeat_tests::receiver::Got| {
        one.body["data"]["text"].as_str().unwrap_or_default().to_owned()
    };
    got.iter().map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_reaches_each_notifier_once_and_is_signed() {
    let (mut sandbox, receiver) = sandbox(CONFIG).await;
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "ask May I?" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["waiting"]).await;
    let hook = arrive(&receiver, "/hook", 1).await;
    let slack = arrive(&receiver, "/slack", 1).await;
    let all = settled(&sandbox).await;
    assert_eq!((hook.len(), slack.len()), (1, 1));
    let data = &hook[0].body["data"];
    assert_eq!(
        (
            &data["kind"],
            &data["priority"],
            &data["title"],
            &data["project"],
            &data["session"]
        ),
        (
            &json!("needsInput"),
            &json!("urgent"),
            &json!("Cart needs you"),
            &json!("shop"),
            &json!(id)
        ),
    );
    assert!(
        slack[0].body["text"]
            .as_str()
            .unwrap()
            .starts_with("Cart needs you")
    );
    for one in &all[1..] {
        assert!(one["deliveredAt"].is_string() && one["error"].is_null(), "{one}");
        assert!(!one.to_string().contains(SECRET), "{one}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_at_any_step_loses_nothing_and_repeats_at_most_once() {
    for point in ["notice-due", "notice-sent", "notice-recorded"] {
        let (mut sandbox, receiver) = sandbox(CONFIG).await;
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let request = json!({ "text": "Look", "priority": "urgent" });
        let _ = sandbox.post("/api/attention", request).await;
        successor(&mut sandbox, point).await;
        settled(&sandbox).await;
        for path in ["/slack", "/hook"] {
            let got = arrive(&receiver, path, 1).await;
            assert!(got.len() <= 2, "{point}: {got:#?}");
        }
        let hook = receiver.at("/hook");
        let ids: std::collections::BTreeSet<_> = hook.iter().map(|one| &one.headers["webhook-id"]).collect();
        assert_eq!(ids.len(), 1, "{point}: a repeat is recognised");
        assert_eq!(texts(&hook[..1]), ["Look"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_hangs_delays_no_other_and_is_tried_again() {
    let config = "notifiers:\n  hook: { kind: webhook, url: \"${HOOK_URL}\", secret: \"${HOOK_KEY}\", retryDelayMs: 100 }\n  slow: { kind: \
                  webhook, url: \"${SLOW_URL}\", secret: \"${HOOK_KEY}\", retryDelayMs: 100 }\n";
    let (mut sandbox, receiver) = sandbox(config).await;
    let slow = Receiver::start().await;
    sandbox.set_env("SLOW_URL", &format!("{}/hook", slow.url));
    slow.next([Act::Hang]);
    sandbox.start().await;
    raise(&sandbox, "One").await;
    arrive(&slow, "/hook", 1).await;
    for text in ["Two", "Three"] {
        raise(&sandbox, text).await;
    }
    let got = arrive(&receiver, "/hook", 3).await;
    assert_eq!(slow.got().len(), 1, "the other one still hangs");
    assert_eq!(texts(&got), ["One", "Two", "Three"]);
    // It gets all of them in order once it answers.
    let late = arrive(&slow, "/hook", 4).await;
    assert_eq!(texts(&late), ["One", "One", "Two", "Three"]);
    assert_eq!(late[0].headers["webhook-id"], late[1].headers["webhook-id"]);
    settled(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ordered_wait_costs_no_try_and_a_refusal_is_shown() {
    let config = CONFIG.replace("retryDelayMs: 100", "retries: 0");
    let (mut sandbox, receiver) = sandbox(&config).await;
    sandbox.set_env(
        "SLACK_WEBHOOK_URL",
        &format!("{}/slack/wr0ng-secret", receiver.url),
    );
    sandbox.start().await;
    let wait = |seconds| Act::Answer(429, Some(seconds), String::new());
    receiver.next([wait("1"), wait("1"), wait("1"), wait("1")]);
    raise(&sandbox, "One").await;
    // Each answer of the four goes to one of both; neither loses a try by it.
    let all = settled(&sandbox).await;
    let named = |name: &str| all.iter().find(|one| one["name"] == name).unwrap().clone();
    assert!(named("hook")["deliveredAt"].is_string(), "{all:#?}");
    let slack = named("slack");
    let error = slack["error"].as_str().unwrap();
    assert!(error.contains("404 (") && error.contains("webhookUrl"), "{error}");
    assert_eq!(slack["givenUp"], 1);
    let notices = sandbox.notices().await;
    assert_eq!(notices.len(), 1, "no notice about a notice");
    let doctor = String::from_utf8(sandbox.cli(&["doctor"]).stdout).unwrap();
    assert!(
        doctor.contains("notifiers") && doctor.contains("slack: failed"),
        "{doctor}"
    );
    let tested = sandbox.cli(&["notifiers", "test", "hook"]);
    assert!(tested.status.success() && String::from_utf8_lossy(&tested.stdout).contains("hook: delivered"));
    let tested = sandbox.cli(&["notifiers", "test", "slack"]);
    assert!(!tested.status.success() && String::from_utf8_lossy(&tested.stderr).contains("it answered 404"));
    let listed = String::from_utf8(sandbox.cli(&["notifiers", "list"]).stdout).unwrap();
    assert!(
        listed.contains("1 notice given up") && listed.contains("/…"),
        "{listed}"
    );
    let unknown = sandbox.cli(&["notifiers", "test", "slak"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean \"slack\"?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_person_answered_or_looks_at_is_not_sent() {
    let (mut sandbox, receiver) = sandbox(CONFIG).await;
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let start =
        |title: &str| json!({ "projectId": project, "title": title, "prompt": format!("ask {title}?") });
    // One question is looked at, and one is answered at once.
    let looked = sandbox.session(start("Looked")).await;
    let view = json!({ "viewer": "page", "session": looked });
    sandbox.post("/api/view", view).await.unwrap();
    sandbox.status(&looked, &["waiting"]).await;
    let answered = sandbox.session(start("Answered")).await;
    sandbox.status(&answered, &["waiting"]).await;
    sandbox.press(&answered, "\r").await;
    sandbox.status(&answered, &["idle", "running"]).await;
    raise(&sandbox, "Last").await;
    settled(&sandbox).await;
    let got = receiver.at("/hook");
    assert_eq!(texts(&got), ["Last"], "{got:#?}");
    assert_eq!(receiver.at("/slack").len(), 1);
    let kinds: Vec<Value> = sandbox
        .notices()
        .await
        .iter()
        .map(|one| one["kind"].clone())
        .collect();
    assert!(
        kinds.iter().filter(|kind| **kind == "needsInput").count() >= 2,
        "they are on the list: {kinds:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_raises_notices_about_itself_a_few_times_a_minute() {
    let (mut sandbox, receiver) = sandbox(CONFIG).await;
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let start = |title: &str| json!({ "projectId": project, "title": title, "prompt": "env DOWNBEAT_TOKEN" });
    let (own, other) = (
        sandbox.session(start("Own")).await,
        sandbox.session(start("Other")).await,
    );
    for id in [&own, &other] {
        sandbox.status(id, &["idle"]).await;
    }
    let token = token_of(&sandbox, &own).await;
    let raised = async |request: Value| as_session(&sandbox, &token, "POST", "/api/attention", request).await;
    let (status, refused) = raised(json!({ "text": "x", "session": other })).await;
    assert!(status == 403 || status == 404, "{refused}");
    for number in 1..=5 {
        let request = json!({ "text": format!("Stuck {number}"), "priority": "info" });
        assert_eq!(raised(request).await.0, 200);
    }
    let (status, refused) = raised(json!({ "text": "Stuck 6" })).await;
    assert_eq!(
        (status, &refused["message"]),
        (409, &json!("at most 5 notices a minute can be raised"))
    );
    let notices = sandbox.notices().await;
    let stuck = notices.iter().filter(|one| one["kind"] == "raised");
    let about: Vec<_> = stuck
        .map(|one| (&one["sessionId"], &one["title"], &one["onDesktop"]))
        .collect();
    assert_eq!(about, vec![(&json!(own), &json!("Own"), &json!(true)); 5]);
    assert!(receiver.got().is_empty(), "information is for the desktop");
    let outside = sandbox.cli(&[
        "attention",
        "add",
        "Look at this",
        "--session",
        &own,
        "--priority",
        "action",
        "--title",
        "Build",
    ]);
    assert!(
        outside.status.success(),
        "{}",
        String::from_utf8_lossy(&outside.stderr)
    );
    let got = arrive(&receiver, "/hook", 1).await;
    let data = &got[0].body["data"];
    assert_eq!(
        (&data["title"], &data["session"], &data["priority"]),
        (&json!("Build"), &json!(own), &json!("action"))
    );
    let wrong = sandbox.cli(&["attention", "add", "x", "--priority", "high"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("expected info, warning, action or urgent"));
    let empty = sandbox
        .post("/api/attention", json!({ "text": " " }))
        .await
        .unwrap_err();
    assert_eq!(empty.status, 400);
    let listed = sandbox.cli(&["attention", "list"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("no session needs you"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_file_has_a_secret_and_a_literal_one_is_refused() {
    let (mut sandbox, receiver) = sandbox(CONFIG).await;
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "say ready" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    // A receiver that repeats what it got does not bring it into a file either.
    receiver.next([
        Act::Answer(400, None, format!("no {SECRET} here")),
        Act::Answer(400, None, SECRET.into()),
    ]);
    raise(&sandbox, "One").await;
    let all = settled(&sandbox).await;
    assert!(all[1..].iter().any(|one| one["error"].is_string()), "{all:#?}");
    sandbox.cli(&["notifiers", "test", "slack"]);
    let literal = format!(
        "notifiers:\n  slack: {{ webhookUrl: \"{}/slack/{SECRET}\" }}\n",
        receiver.url
    );
    let text = sandbox.path().join("other.yaml");
    std::fs::write(&text, &literal).unwrap();
    sandbox.configure(&literal);
    let said = sandbox.cli(&["config", "validate"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
    assert!(
        said.contains("webhookUrl") || said.contains("keep it out of this file"),
        "{said}"
    );
    assert!(!said.contains(SECRET), "{said}");
    let problem = sandbox.get("/api/settings").await.unwrap()["problem"].clone();
    assert!(
        problem.as_str().unwrap().contains("keep it out of this file"),
        "{problem}"
    );
    assert!(!problem.to_string().contains(SECRET));
    sandbox.configure(CONFIG);
    sandbox.kill_engine();
    let found = with_secret(&sandbox.data());
    assert!(found.is_empty(), "{found:?}");
    assert!(!sandbox.log().contains(SECRET));
}

/// Returns the files below a folder that contain the secret.
fn with_secret(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(with_secret(&path));
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            if bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
