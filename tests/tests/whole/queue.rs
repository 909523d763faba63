//! Tests the queue of messages: each is delivered once and in order, or reported as uncertain; never over
//! a person's draft, never into a turn that must not be interrupted, and through any crash.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::processes::{keepers, kill};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};

/// Starts a session and waits until it is idle.
pub async fn idle(sandbox: &Sandbox, title: &str) -> String {
    let project = match sandbox
        .get("/api/projects")
        .await
        .unwrap()
        .as_array()
        .unwrap()
        .first()
    {
        Some(project) => project["id"].as_str().unwrap().to_owned(),
        None => sandbox.project("shop").await,
    };
    let ask = json!({ "projectId": project, "title": title, "prompt": "say ready" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    id
}

pub async fn send(sandbox: &Sandbox, id: &str, content: &str, more: Value) -> Value {
    let mut request = json!({ "content": content });
    request
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    sandbox
        .post(&format!("/api/sessions/{id}/message"), request)
        .await
        .unwrap()
}

pub async fn queue(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    let all = sandbox
        .get(&format!("/api/sessions/{id}/messages"))
        .await
        .unwrap();
    all.as_array().unwrap().clone()
}

/// Waits until the message with this text is in this state, and returns it.
pub async fn becomes(sandbox: &Sandbox, id: &str, text: &str, state: &str) -> Value {
    let look = async || {
        let all = queue(sandbox, id).await;
        all.into_iter()
            .find(|message| message["text"] == text && message["state"] == state)
    };
    match within(PATIENCE, look).await {
        Some(message) => message,
        None => panic!(
            "{text:?} never became {state}: {:#?}\n{}",
            queue(sandbox, id).await,
            sandbox.log()
        ),
    }
}

pub fn times(shown: &str, line: &str) -> usize {
    shown.lines().filter(|shown| shown.trim() == line).count()
}

pub async fn uncertain_notices(sandbox: &Sandbox) -> usize {
    let all = sandbox.notices().await;
    all.iter()
        .filter(|notice| notice["text"].as_str().unwrap().contains("may not have arrived"))
        .count()
}

#[tokio::test]
async fn messages_wait_for_the_turn_and_are_delivered_in_order_one_per_turn() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Works").await;
    let begun = send(&sandbox, &id, "work go", json!({})).await;
    assert_eq!(begun["state"], "delivered", "{begun}");
    for text in ["say first", "say second", "say third", "say never"] {
        let held = send(&sandbox, &id, text, json!({ "waitSeconds": 0 })).await;
        assert_eq!(held["state"], "queued", "{held}");
    }
    let first = becomes(&sandbox, &id, "say first", "queued").await;
    until("why it waits", async || {
        let first = queue(&sandbox, &id)
            .await
            .into_iter()
            .find(|m| m["id"] == first["id"])?;
        (first["detail"] == "the agent is working").then_some(())
    })
    .await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["queued"], 4);

    // Messages are reordered, edited and removed while they wait.
    let number = async |text: &str| becomes(&sandbox, &id, text, "queued").await["id"].to_string();
    let path = |number: &str| format!("/api/sessions/{id}/messages/{number}");
    let third = path(&number("say third").await);
    let moved = sandbox
        .call("PATCH", &third, Some(json!({ "place": 1 })))
        .await
        .unwrap();
    assert_eq!(moved["place"], 1, "{moved}");
    let second = path(&number("say second").await);
    sandbox
        .call("PATCH", &second, Some(json!({ "text": "say zwei" })))
        .await
        .unwrap();
    sandbox.delete(&path(&number("say never").await)).await.unwrap();
    let gone = sandbox.delete(&path("4711")).await.unwrap_err();
    assert_eq!(gone.status, 404, "{gone:?}");

    let workspace = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    std::fs::write(format!("{}/go", workspace["workspacePath"].as_str().unwrap()), "").unwrap();
    for text in ["say third", "say first", "say zwei"] {
        let delivered = becomes(&sandbox, &id, text, "delivered").await;
        assert_eq!(delivered["detail"], "the agent's prompt hook fired");
    }
    let shown = sandbox.shows(&id, "zwei").await;
    let said: Vec<&str> = shown.lines().map(str::trim).collect();
    let said: Vec<&&str> = said
        .iter()
        .filter(|line| ["first", "third", "zwei"].contains(*line))
        .collect();
    assert_eq!(said, [&"third", &"first", &"zwei"], "{shown}");
    let late = sandbox
        .call("PATCH", &third, Some(json!({ "text": "x" })))
        .await
        .unwrap_err();
    assert_eq!(late.body["code"], "conflict", "{late:?}");
}

#[tokio::test]
async fn an_urgent_message_interrupts_the_turn_and_precedes_waiting_ones() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Stops").await;
    send(&sandbox, &id, "work never", json!({})).await;
    send(&sandbox, &id, "say later", json!({ "waitSeconds": 0 })).await;
    sandbox.shows(&id, "──────────").await;
    let now = send(
        &sandbox,
        &id,
        "say at-once",
        json!({ "when": "now", "waitSeconds": 60 }),
    )
    .await;
    assert_eq!(now["state"], "delivered", "{now}");
    becomes(&sandbox, &id, "say later", "delivered").await;
    let shown = sandbox.shows(&id, "later").await;
    assert!(shown.contains("interrupted"), "{shown}");
    let at = |line: &str| shown.lines().position(|shown| shown.trim() == line);
    assert!(at("at-once") < at("later"), "{shown}");
}

#[tokio::test]
async fn a_draft_is_never_typed_over() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Drafts").await;
    sandbox.press(&id, "say my own words").await;
    sandbox.shows(&id, "❯ say my own words").await;
    for when in ["when-ready", "now"] {
        let held = send(
            &sandbox,
            &id,
            &format!("say {when}"),
            json!({ "waitSeconds": 3, "when": when }),
        )
        .await;
        assert_eq!(held["state"], "queued", "{held}");
        assert_eq!(held["detail"], "its prompt contains a draft");
    }
    // The person sends the draft; then the queue continues.
    sandbox.press(&id, "\r").await;
    for text in ["say now", "say when-ready"] {
        becomes(&sandbox, &id, text, "delivered").await;
    }
    let shown = sandbox.shows(&id, "when-ready").await;
    for line in ["my own words", "now", "when-ready"] {
        assert_eq!(times(&shown, line), 1, "{line}: {shown}");
    }
    // An erased draft does not hold the queue either.
    sandbox.press(&id, "oops").await;
    sandbox.shows(&id, "❯ oops").await;
    let held = send(&sandbox, &id, "say erased", json!({ "waitSeconds": 2 })).await;
    assert_eq!(held["state"], "queued", "{held}");
    sandbox.press(&id, "\x7f\x7f\x7f\x7f").await;
    becomes(&sandbox, &id, "say erased", "delivered").await;
}

#[tokio::test]
async fn every_text_is_delivered() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Texts").await;
    let long = format!("{}say end-of-it", "say padding padding\n".repeat(5_000));
    for (text, shows) in [
        ("say one\nsay two", "two"),
        ("say 🎉 emoji", "🎉 emoji"),
        ("say a\u{1b}[201~\u{3}\u{4}b", "a[201~b"),
        (long.as_str(), "end-of-it"),
    ] {
        let receipt = send(&sandbox, &id, text, json!({ "waitSeconds": 60 })).await;
        assert_eq!(receipt["state"], "delivered", "{receipt}");
        sandbox.shows(&id, shows).await;
        sandbox.status(&id, &["idle"]).await;
    }
}

#[tokio::test]
async fn an_engine_killed_at_any_step_of_a_delivery_delivers_once_or_says_that_it_is_uncertain() {
    let mut sandbox = Sandbox::started().await;
    for (point, arrives) in [
        ("message-queued", true),
        ("message-interrupted", true),
        ("message-noted", false),
        // The text left in the prompt is exactly Downbeat's own: it is typed again.
        ("message-typed", true),
        ("message-entered", true),
        ("message-delivered", true),
    ] {
        let id = idle(&sandbox, point).await;
        if point == "message-interrupted" {
            send(&sandbox, &id, "work never", json!({})).await;
            sandbox.shows(&id, "──────────").await;
        }
        doomed(&mut sandbox, point).await;
        let before = uncertain_notices(&sandbox).await;
        let text = format!("say once-{point}");
        let request = json!({ "content": text, "when": "now", "waitSeconds": 0 });
        let _ = sandbox
            .post(&format!("/api/sessions/{id}/message"), request)
            .await;
        successor(&mut sandbox, point).await;
        let state = if arrives { "delivered" } else { "uncertain" };
        becomes(&sandbox, &id, &text, state).await;
        let told = uncertain_notices(&sandbox).await - before;
        assert_eq!(told, usize::from(!arrives), "{point}");
        // The next message does not repeat it and is not typed onto text left in the prompt.
        send(&sandbox, &id, "say next", json!({})).await;
        becomes(&sandbox, &id, "say next", "delivered").await;
        let shown = sandbox.shows(&id, "next").await;
        sandbox.status(&id, &["idle"]).await;
        assert_eq!(
            times(&shown, &format!("once-{point}")),
            usize::from(arrives),
            "{point}: {shown}"
        );
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
}

#[tokio::test]
async fn a_keeper_that_dies_leaves_the_queue_to_the_next_run() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Dies").await;
    send(&sandbox, &id, "work never", json!({})).await;
    send(&sandbox, &id, "say afterwards", json!({ "waitSeconds": 0 })).await;
    kill(keepers(&sandbox.data(), &id).pop().expect("a keeper").pid);
    sandbox.status(&id, &["errored"]).await;
    becomes(&sandbox, &id, "say afterwards", "queued").await;
    let refused = sandbox
        .post(
            &format!("/api/sessions/{id}/message"),
            json!({ "content": "say x" }),
        )
        .await
        .unwrap_err();
    assert_eq!(refused.body["code"], "conflict", "{refused:?}");
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    becomes(&sandbox, &id, "say afterwards", "delivered").await;
    let shown = sandbox.shows(&id, "afterwards").await;
    assert_eq!(times(&shown, "afterwards"), 1, "{shown}");
}

#[tokio::test]
async fn an_interrupted_turn_does_not_get_the_answer_of_an_older_one() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Answers").await;
    let first = sandbox.cli(&["send", &id, "--wait", "end FIRST"]);
    let said = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(first.status.success() && said.contains("FIRST"), "{first:?}");
    let mut second = sandbox.command(program("downbeat"));
    second.args(["send", &id, "--wait", "work never"]);
    let second = tokio::task::spawn_blocking(move || second.output().unwrap());
    sandbox.status(&id, &["running"]).await;
    sandbox.press(&id, "\u{1b}").await;
    let second = second.await.unwrap();
    let said = String::from_utf8_lossy(&second.stdout).into_owned();
    assert!(
        second.status.code() == Some(1) && !said.contains("FIRST"),
        "{second:?}"
    );
}

/// An answer to the turn before it, which came while the message waited, does not answer the message.
#[tokio::test]
async fn a_waiting_message_does_not_get_the_answer_of_the_turn_before_it() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Waits").await;
    send(&sandbox, &id, "work go\nend FIRST", json!({})).await;
    let mut second = sandbox.command(program("downbeat"));
    second.args(["send", &id, "--wait", "work never"]);
    let second = tokio::task::spawn_blocking(move || second.output().unwrap());
    becomes(&sandbox, &id, "work never", "queued").await;
    std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
    becomes(&sandbox, &id, "work never", "delivered").await;
    sandbox.press(&id, "\u{1b}").await;
    let second = second.await.unwrap();
    let said = String::from_utf8_lossy(&second.stdout).into_owned();
    assert!(
        second.status.code() == Some(1) && !said.contains("FIRST"),
        "{second:?}"
    );
}
