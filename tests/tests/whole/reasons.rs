//! Tests that a session that is not working shows the reason everywhere, that the end of a turn is reported
//! with its answer, and that a turn whose end was lost ends all the same.

use crate::hooks::{hook, idle};
use crate::queue::{becomes, queue, send};
use downbeat_tests::sandbox::{Sandbox, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

fn post(sandbox: &Sandbox, keeper: &Path, event: &str, more: Value) {
    let mut body = json!({ "hook_event_name": event, "session_id": "fake" });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    hook(sandbox, Some(keeper), body.to_string().as_bytes());
}

/// A post that found no room in the keeper's spool.
fn lose_a_post(keeper: &Path) {
    let mut lost = std::fs::File::options()
        .create(true)
        .append(true)
        .open(keeper.join("lost-posts"))
        .unwrap();
    lost.write_all(b".").unwrap();
}

fn text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[tokio::test]
async fn a_failed_turn_says_why_wherever_it_is_shown() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    post(&sandbox, &keeper, "UserPromptSubmit", json!({ "prompt": "go" }));
    let words = "Invalid API key · Fix external API key";
    let failure = json!({ "error": "authentication_failed", "last_assistant_message": words });
    post(&sandbox, &keeper, "StopFailure", failure);
    let session = sandbox.status(&id, &["waiting"]).await;
    let why = format!("cannot continue: {words}");
    let reason = json!({ "kind": "failed", "text": why, "until": null });
    assert_eq!(session["reason"], reason, "{session:#}");
    let needs = json!({ "kind": "blocked", "why": why, "since": session["statusSince"] });
    assert_eq!(session["attention"], needs, "{session:#}");
    assert_eq!(sandbox.get("/api/engine").await.unwrap()["needsYou"], 1);
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(listed[0]["attention"], needs, "{listed:#}");
    let named = format!("1 needs you: {}\n", session["name"].as_str().unwrap());
    for arguments in [&["list"][..], &["status"]] {
        let said = text(&sandbox.cli(arguments));
        assert!(said.ends_with(&named), "{arguments:?}: {said}");
    }
    let short = sandbox.get(&format!("/api/sessions/{id}/status")).await.unwrap();
    assert_eq!(short["reason"], reason);
    let explained = sandbox.get(&format!("/api/sessions/{id}/explain")).await.unwrap();
    assert_eq!(explained["now"]["reason"], reason);
    let notices = sandbox.notices().await;
    assert!(notices.iter().any(|notice| notice["text"] == why), "{notices:#?}");
    for arguments in [
        vec!["list"],
        vec!["status", &id],
        vec!["explain", &id],
        vec!["answer", &id, "1"],
        vec!["go-on", &id],
    ] {
        let said = text(&sandbox.cli(&arguments));
        assert!(said.contains(&why), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn what_needs_the_person_is_put_off_until_its_time_or_until_something_newer() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    let snooze = format!("/api/sessions/{id}/snooze");
    let in_seconds = |seconds| Timestamp::now() + SignedDuration::from_secs(seconds);
    let later = |seconds| json!({ "until": in_seconds(seconds).to_string() });
    let refused = sandbox.post(&snooze, later(600)).await.unwrap_err();
    assert_eq!(refused.status, 409, "it needs nobody: {refused:?}");
    let fails = || {
        post(&sandbox, &keeper, "UserPromptSubmit", json!({ "prompt": "go" }));
        let failure =
            json!({ "error": "authentication_failed", "last_assistant_message": "Invalid API key" });
        post(&sandbox, &keeper, "StopFailure", failure);
    };
    let needing = async |count: u32| {
        until("the count", async || {
            let engine = sandbox.get("/api/engine").await.ok()?;
            (engine["needsYou"] == count).then_some(())
        })
        .await;
    };
    fails();
    needing(1).await;
    assert_eq!(sandbox.post(&snooze, later(-1)).await.unwrap_err().status, 400);

    let said = text(&sandbox.cli(&["attention", "snooze", &id, "--minutes", "30"]));
    assert!(said.contains("is snoozed until"), "{said}");
    needing(0).await;
    let put_off = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(put_off["attention"], Value::Null, "{put_off:#}");
    assert!(put_off["snoozedUntil"].is_string(), "{put_off:#}");
    assert_ne!(put_off["column"], "needsYou", "{put_off:#}");
    let said = text(&sandbox.cli(&["attention", "snooze", &id, "--end"]));
    assert!(said.contains("no longer snoozed"), "{said}");
    needing(1).await;

    sandbox.post(&snooze, later(2)).await.unwrap();
    needing(0).await;
    needing(1).await;

    sandbox.post(&snooze, later(600)).await.unwrap();
    needing(0).await;
    fails();
    needing(1).await;
}

#[tokio::test]
async fn a_queued_session_says_which_limit_holds_it_and_its_place() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    sandbox
        .call("PATCH", "/api/settings", Some(json!({ "totalSessions": 1 })))
        .await
        .unwrap();
    let ask = |title: &str| json!({ "projectId": project, "title": title, "prompt": "say ready" });
    let first = sandbox.session(ask("First")).await;
    sandbox.status(&first, &["idle"]).await;
    for (title, place) in [("Second", "next in line"), ("Third", "number 2 in line")] {
        let id = sandbox.session(ask(title)).await;
        let queued = sandbox.status(&id, &["queued"]).await;
        let why = format!("held back by the limit of 1 session, {place}");
        assert_eq!(queued["reason"]["text"], why, "{queued:#}");
        let listed = text(&sandbox.cli(&["list"]));
        assert!(listed.contains(&why), "{listed}");
    }
}

#[tokio::test]
async fn a_message_behind_the_first_one_names_what_it_waits_for() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let file = sandbox.path().join("go");
    let work = format!("work {}", file.display());
    let ask = json!({ "projectId": project, "title": "Busy", "prompt": work });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    for content in ["say one", "say two", "say three"] {
        send(&sandbox, &id, content, json!({ "waitSeconds": 0 })).await;
    }
    let waits = until("why the first one waits", async || {
        let all = queue(&sandbox, &id).await;
        (all[0]["detail"] == "the agent is working").then_some(all)
    })
    .await;
    let behind = format!("it follows message {}", waits[0]["id"]);
    assert_eq!(
        (&waits[1]["detail"], &waits[2]["detail"]),
        (&json!(behind), &json!(behind))
    );
    let receipt = send(&sandbox, &id, "say four", json!({ "waitSeconds": 0 })).await;
    assert_eq!(receipt["detail"], behind);
    std::fs::write(&file, "").unwrap();
    becomes(&sandbox, &id, "say four", "delivered").await;
}

#[tokio::test]
async fn the_end_of_a_turn_is_reported_with_its_answer_and_screen() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let lead = json!({ "projectId": project, "title": "Lead", "prompt": "say ready", "conductor": true });
    let lead = sandbox.session(lead).await;
    sandbox.status(&lead, &["idle"]).await;
    let worker = json!({ "parent": lead, "title": "Worker", "prompt": "end All is well, and tested." });
    let worker = sandbox.session(worker).await;
    let wait = json!({ "timeoutSeconds": 30 });
    let report = sandbox
        .post(&format!("/api/sessions/{lead}/workers/wait"), wait)
        .await
        .unwrap();
    let event = &report["events"][0];
    assert_eq!(
        (&event["type"], &event["sessionId"]),
        (&json!("finished"), &json!(worker)),
        "{report:#}"
    );
    assert_eq!(event["answer"], "All is well, and tested.");
    let screen = event["terminalContent"].as_str().unwrap();
    assert!(screen.contains("All is well, and tested."), "{screen}");
}

#[tokio::test]
async fn an_idle_title_ends_a_turn_whose_end_was_lost() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    let file = sandbox.path().join("go");
    send(&sandbox, &id, &format!("work {}", file.display()), json!({})).await;
    sandbox.status(&id, &["running"]).await;
    std::fs::write(&file, "").unwrap();
    sandbox.status(&id, &["idle"]).await;
    // A turn began, and its end was lost.
    post(&sandbox, &keeper, "UserPromptSubmit", json!({ "prompt": "go" }));
    sandbox.status(&id, &["running"]).await;
    lose_a_post(&keeper);
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(
        rests["statusEvidence"]["detail"],
        "the title shows it idle, and a hook post was lost"
    );
}

#[tokio::test]
async fn an_idle_title_ends_a_turn_for_the_next_engine_too() {
    let mut sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    post(&sandbox, &keeper, "UserPromptSubmit", json!({ "prompt": "go" }));
    sandbox.status(&id, &["running"]).await;
    sandbox.kill_engine();
    sandbox.start().await;
    sandbox.status(&id, &["running"]).await;
    // How long a title has to rest where no post was lost is in the table beside the rule.
    lose_a_post(&keeper);
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(
        rests["statusEvidence"]["detail"],
        "the title shows it idle, and a hook post was lost"
    );
}

#[tokio::test]
async fn compacting_on_request_counts_as_work() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    post(&sandbox, &keeper, "PreCompact", json!({ "trigger": "manual" }));
    sandbox.status(&id, &["running"]).await;
    post(&sandbox, &keeper, "PostCompact", json!({ "trigger": "manual" }));
    sandbox.status(&id, &["idle"]).await;
}
