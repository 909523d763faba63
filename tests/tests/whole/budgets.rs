//! Tests budgets and pauses: a session is warned about once and paused when its known usage exceeds the
//! budget; meanwhile nothing starts and nothing is delivered, until somebody lets it continue.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Starts a sandbox with these budgets in the user's configuration.
async fn with(budgets: &str) -> Sandbox {
    let sandbox = Sandbox::started().await;
    set(&sandbox, budgets).await;
    sandbox
}

async fn set(sandbox: &Sandbox, budgets: &str) {
    let settings = sandbox.get("/api/settings").await.unwrap();
    let path = std::path::PathBuf::from(settings["configPath"].as_str().unwrap());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("budgets: {budgets}\n")).unwrap();
    sandbox.get("/api/settings").await.unwrap();
}

async fn session(sandbox: &Sandbox, title: &str, prompt: &str, more: Value) -> String {
    let projects = sandbox.get("/api/projects").await.unwrap();
    let project = match projects.as_array().unwrap().first() {
        Some(project) => project["id"].as_str().unwrap().to_owned(),
        None => sandbox.project("shop").await,
    };
    let mut ask = json!({ "projectId": project, "title": title, "prompt": prompt });
    ask.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    sandbox.session(ask).await
}

async fn send(sandbox: &Sandbox, id: &str, content: &str) -> Value {
    let request = json!({ "content": content, "waitSeconds": 0 });
    let path = format!("/api/sessions/{id}/message");
    sandbox.post(&path, request).await.unwrap()
}

/// Returns the texts of the notices about budgets.
async fn told(sandbox: &Sandbox) -> Vec<String> {
    let all = sandbox.notices().await;
    let look = all.iter().rev().filter(|notice| notice["kind"] == "needsLook");
    look.map(|notice| notice["text"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_session_is_warned_about_once_and_paused_until_somebody_continues_it() {
    let sandbox = with("{ session: { tokens: 1000 }, warn: 50 }").await;
    let id = session(&sandbox, "Spends", "use claude-opus-4-5 500 100", json!({})).await;
    let near = "used 600 of 1000 tokens of its budget";
    until("the warning", async || {
        (told(&sandbox).await == [near]).then_some(())
    })
    .await;
    sandbox.status(&id, &["idle"]).await;
    send(&sandbox, &id, "use claude-opus-4-5 500 100").await;
    let paused = sandbox.status(&id, &["paused"]).await;
    let over = "used 1200 of 1000 tokens of its budget";
    assert_eq!(paused["statusEvidence"]["detail"], over);
    assert_eq!(
        (&paused["paused"]["why"], &paused["paused"]["byBudget"]),
        (&json!(over), &json!(true))
    );
    assert_eq!(paused["budgets"][0]["standing"], "over", "{paused:#}");
    assert_eq!(told(&sandbox).await, [near, &format!("paused: {over}")]);
    send(&sandbox, &id, "say held").await;
    until("why it waits", async || {
        let all = sandbox.get(&format!("/api/sessions/{id}/messages")).await.ok()?;
        let mut all = all.as_array()?.iter();
        let held = all.find(|message| message["text"] == "say held")?;
        (held["detail"] == "its session is paused").then_some(())
    })
    .await;
    let cost = String::from_utf8(sandbox.cli(&["cost"]).stdout).unwrap();
    assert!(cost.contains("1.2k tokens") && cost.contains("120 %"), "{cost}");
    let gone_on = sandbox.cli(&["go-on", "spends"]);
    assert!(gone_on.status.success(), "{gone_on:?}");
    sandbox.shows(&id, "held").await;
    let idle = sandbox.status(&id, &["idle"]).await;
    assert_eq!(idle["paused"], Value::Null, "the person let it pass this budget");
}

#[tokio::test]
async fn a_raised_budget_ends_its_pause_and_an_unknown_price_is_not_zero() {
    let sandbox = with("{ session: { usd: 0.01 } }").await;
    let prompt = "use house-model 1000 1000\nuse claude-opus-4-5 1000 1000";
    let id = session(&sandbox, "Dear", "say ready", json!({})).await;
    sandbox.status(&id, &["idle"]).await;
    for one in prompt.lines() {
        send(&sandbox, &id, one).await;
    }
    let paused = sandbox.status(&id, &["paused"]).await;
    let why = paused["paused"]["why"].as_str().unwrap();
    assert!(
        why.starts_with("used at least $0.03 of $0.01 of its budget"),
        "{why}"
    );
    set(&sandbox, "{ session: { usd: 100 } }").await;
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn pausing_a_conductor_interrupts_its_turn_and_starts_nothing_below_it() {
    let sandbox = Sandbox::started().await;
    let id = session(&sandbox, "Lead", "work go", json!({ "conductor": true })).await;
    sandbox.status(&id, &["running"]).await;
    let paused = sandbox.cli(&["pause", "lead"]);
    assert!(paused.status.success(), "{paused:?}");
    let held = sandbox.status(&id, &["paused"]).await;
    assert_eq!(held["statusEvidence"]["detail"], "paused by you");
    sandbox.shows(&id, "interrupted").await;
    let worker = session(
        &sandbox,
        "Worker",
        "say begun",
        json!({ "parent": id, "projectId": null }),
    )
    .await;
    let queued = sandbox.status(&worker, &["queued"]).await;
    assert_eq!(
        queued["statusEvidence"]["detail"],
        "held back by the pause of lead"
    );
    let twice = sandbox
        .post(&format!("/api/sessions/{id}/pause"), json!({}))
        .await
        .unwrap_err();
    assert_eq!(twice.body["code"], "conflict");
    sandbox
        .post(&format!("/api/sessions/{id}/go-on"), json!({}))
        .await
        .unwrap();
    // The interrupted turn continues, and so do the waiting messages.
    sandbox.shows(&id, "heard: continue").await;
    sandbox.shows(&worker, "begun").await;
}

#[tokio::test]
async fn a_conductor_shares_its_budget_with_its_subtree_and_a_pause_outlives_the_engine() {
    let mut sandbox = with("{ subtree: { tokens: 1000 } }").await;
    let lead = session(
        &sandbox,
        "Lead",
        "use claude-opus-4-5 300 0",
        json!({ "conductor": true }),
    )
    .await;
    sandbox.status(&lead, &["idle"]).await;
    let more = json!({ "parent": lead, "projectId": null });
    let worker = session(&sandbox, "Worker", "use claude-opus-4-5 800 0", more).await;
    for id in [&lead, &worker] {
        let paused = sandbox.status(id, &["paused"]).await;
        let why = paused["paused"]["why"].as_str().unwrap();
        assert_eq!(
            why,
            "used 1100 of 1000 tokens of the budget of lead and its workers"
        );
    }
    sandbox.kill_engine();
    sandbox.start().await;
    for id in [&lead, &worker] {
        sandbox.status(id, &["paused"]).await;
    }
    sandbox
        .post(&format!("/api/sessions/{lead}/go-on"), json!({}))
        .await
        .unwrap();
    for id in [&lead, &worker] {
        sandbox.status(id, &["idle"]).await;
    }
}

#[tokio::test]
async fn a_daily_budget_of_a_project_pauses_all_its_sessions() {
    let sandbox = with("{ projectDay: { tokens: 500 } }").await;
    let one = session(&sandbox, "One", "say ready", json!({})).await;
    sandbox.status(&one, &["idle"]).await;
    let two = session(&sandbox, "Two", "use claude-opus-4-5 600 0", json!({})).await;
    for id in [&one, &two] {
        sandbox.status(id, &["paused"]).await;
    }
    let three = session(&sandbox, "Three", "say begun", json!({})).await;
    let queued = sandbox.status(&three, &["queued"]).await;
    assert_eq!(
        queued["statusEvidence"]["detail"],
        "held back by its project's budget for today"
    );
    // It has no worktree to compare yet, which is not an engine error.
    let diff = format!("/api/sessions/{three}/output?what=diff");
    assert_eq!(sandbox.get(&diff).await.unwrap_err().status, 409);
    // A session that is killed meanwhile does not block the others forever.
    sandbox.delete(&format!("/api/sessions/{one}")).await.unwrap();
    sandbox.status(&one, &["killed"]).await;
    set(&sandbox, "{ projectDay: { tokens: 5000 } }").await;
    sandbox.shows(&three, "begun").await;
    sandbox.status(&two, &["idle"]).await;
}

#[tokio::test]
async fn a_run_of_one_prompt_is_stopped_instead_of_paused() {
    let sandbox = with("{ session: { tokens: 1000 } }").await;
    let gate = sandbox.path().join("gate");
    let prompt = format!("use claude-opus-4-5 800 400\nwork {}", gate.display());
    let id = session(&sandbox, "Sum", &prompt, json!({ "once": true })).await;
    let ended = sandbox.status(&id, &["exited", "paused"]).await;
    assert_eq!(
        (&ended["status"], &ended["once"]),
        (&json!("exited"), &json!(true))
    );
    let wanted = ["stopped: used 1200 of 1000 tokens of its budget"];
    until("the notice", async || {
        (told(&sandbox).await == wanted).then_some(())
    })
    .await;
}

#[tokio::test]
async fn pausing_all_workers_skips_those_that_cannot_be_interrupted() {
    let sandbox = Sandbox::started().await;
    let lead = session(&sandbox, "Lead", "say ready", json!({ "conductor": true })).await;
    sandbox.status(&lead, &["idle"]).await;
    let more = json!({ "parent": lead, "projectId": null, "once": true });
    let gate = sandbox.path().join("gate");
    let prompt = format!("work {}\nend Done.", gate.display());
    let run = session(&sandbox, "Sum", &prompt, more).await;
    sandbox.status(&run, &["running"]).await;
    let pause = format!("/api/sessions/{lead}/pause");
    sandbox.post(&pause, json!({ "workers": true })).await.unwrap();
    sandbox.status(&lead, &["paused"]).await;
    let runs = sandbox.get(&format!("/api/sessions/{run}")).await.unwrap();
    assert_eq!(
        (&runs["status"], &runs["paused"]),
        (&json!("running"), &Value::Null)
    );
    std::fs::write(&gate, "").unwrap();
    sandbox.status(&run, &["exited"]).await;
    assert_eq!(told(&sandbox).await, [""; 0]);
}

#[tokio::test]
async fn continuing_a_session_leaves_those_paused_that_another_budget_holds() {
    let sandbox = with("{ subtree: { tokens: 1000 } }").await;
    let lead = session(&sandbox, "Lead", "say ready", json!({ "conductor": true })).await;
    sandbox.status(&lead, &["idle"]).await;
    let more = json!({ "parent": lead, "projectId": null, "conductor": true });
    let middle = session(&sandbox, "Middle", "say ready", more).await;
    sandbox.status(&middle, &["idle"]).await;
    let more = json!({ "parent": middle, "projectId": null });
    let worker = session(&sandbox, "Worker", "use claude-opus-4-5 1100 0", more).await;
    for id in [&lead, &middle, &worker] {
        sandbox.status(id, &["paused"]).await;
    }
    sandbox
        .post(&format!("/api/sessions/{lead}/go-on"), json!({}))
        .await
        .unwrap();
    // A turn that began before the pause goes on, and shows as running.
    let is_paused = async |id: &str| {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        session["paused"].is_object()
    };
    assert!(is_paused(&middle).await, "the budget of all below it holds it");
    assert!(is_paused(&worker).await);
    assert!(!is_paused(&lead).await);
}

#[tokio::test]
async fn budgets_are_changed_in_the_settings_and_the_file_keeps_what_it_says_beside_them() {
    let sandbox = with("\n  # Ask me first.\n  session:\n    usd: 5\n  warn: 70").await;
    let before = sandbox.get("/api/settings").await.unwrap();
    let none = json!({ "usd": null, "tokens": null });
    let five = json!({ "usd": 5.0, "tokens": null });
    let want = json!({ "session": five, "subtree": none, "projectDay": none, "warn": 70 });
    assert_eq!(before["budgets"], want, "{before:#}");
    let edit = async |budgets: Value| {
        let change = json!({ "budgets": budgets });
        sandbox.call("PATCH", "/api/settings", Some(change)).await
    };
    let next =
        json!({ "session": none, "subtree": { "usd": 20, "tokens": 5000 }, "projectDay": none, "warn": 60 });
    let after = edit(next).await.unwrap();
    assert_eq!(after["budgets"]["session"], none);
    assert_eq!(
        after["budgets"]["subtree"],
        json!({ "usd": 20.0, "tokens": 5000 })
    );
    assert_eq!(after["budgets"]["warn"], 60);
    let file = std::fs::read_to_string(after["configPath"].as_str().unwrap()).unwrap();
    assert!(file.contains("# Ask me first."), "{file}");
    assert!(!file.contains("session"), "{file}");
    let wrong =
        json!({ "session": { "usd": -1, "tokens": null }, "subtree": none, "projectDay": none, "warn": 60 });
    assert_eq!(edit(wrong).await.unwrap_err().status, 400);
}
