//! Tests the person's own `downbeat.yaml`: a mistake in it does not prevent a start, is reported with file
//! and line, and nothing guesses what was meant.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

const WRONG: &str = "defaults:\n  agent: mine\npower:\n  preventIdleSleeep: true\n";

const NAMED: [&str; 3] = ["downbeat.yaml:4", "preventIdleSleeep", "`preventIdleSleep`"];

fn names(text: &str) {
    for word in NAMED {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn an_engine_starts_with_a_wrong_file_and_names_the_mistake() {
    let mut sandbox = Sandbox::new();
    let config = sandbox.data().join("downbeat.yaml");
    std::fs::write(&config, WRONG).unwrap();
    sandbox.start().await;
    names(&sandbox.log());
    let settings = sandbox.get("/api/settings").await.unwrap();
    names(settings["problem"].as_str().unwrap());
    assert_eq!(settings["defaultAgent"], "claude");
    assert!(sandbox.cli(&["list"]).status.success());
    names(&text(&sandbox.cli(&["doctor"]).stdout));
    // The engine does not guess what was meant.
    let project = sandbox.project("shop").await;
    for ask in [
        json!({ "projectId": project, "title": "One" }),
        json!({ "projectId": project, "title": "One", "agent": "mine" }),
    ] {
        let refused = sandbox.post("/api/sessions", ask).await.unwrap_err();
        names(refused.body["message"].as_str().unwrap());
    }
    let named = json!({ "projectId": project, "title": "One", "agent": "shell" });
    sandbox.session(named).await;
    // The corrected file applies immediately.
    std::fs::write(&config, "defaults:\n  agent: shell\n").unwrap();
    let settings = sandbox.get("/api/settings").await.unwrap();
    assert_eq!(
        (&settings["problem"], &settings["defaultAgent"]),
        (&Value::Null, &json!("shell"))
    );
    let stopped = sandbox.cli(&["stop", "--all"]);
    assert!(stopped.status.success(), "{stopped:?}");
}

#[tokio::test]
async fn the_last_valid_configuration_stays_in_force_in_the_next_engine_too() {
    let mut sandbox = Sandbox::new();
    let config = sandbox.data().join("downbeat.yaml");
    let right = "defaults:\n  agent: mine\nagents:\n  mine:\n    command: [cat]\n";
    std::fs::write(&config, right).unwrap();
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    std::fs::write(&config, WRONG).unwrap();
    let settings = sandbox.get("/api/settings").await.unwrap();
    names(settings["problem"].as_str().unwrap());
    sandbox.kill_engine();
    sandbox.start().await;
    let settings = sandbox.get("/api/settings").await.unwrap();
    names(settings["problem"].as_str().unwrap());
    assert_eq!(settings["defaultAgent"], "mine");
    let id = sandbox
        .session(json!({ "projectId": project, "title": "One" }))
        .await;
    until("the session runs", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        (session["agent"] == "mine").then_some(())
    })
    .await;
}

#[tokio::test]
async fn page_settings_survive_the_engine_and_are_bounded() {
    let mut sandbox = Sandbox::started().await;
    let keep = async |sandbox: &Sandbox, values: Value| {
        let body = json!({ "values": values });
        sandbox.call("PATCH", "/api/preferences", Some(body)).await
    };
    keep(
        &sandbox,
        json!({ "downbeat.sidebar": "300", "downbeat.view": "{}" }),
    )
    .await
    .unwrap();
    keep(&sandbox, json!({ "downbeat.sidebar": "320" }))
        .await
        .unwrap();
    for wrong in [
        json!({ "a b": "1" }),
        json!({ "": "1" }),
        json!({ "x".repeat(41): "1" }),
        json!({ "x": "y".repeat(4097) }),
        (0..15).map(|n| (format!("n{n}"), json!("1"))).collect(),
    ] {
        let refused = keep(&sandbox, wrong.clone()).await.unwrap_err();
        assert_eq!(refused.body["code"], "invalid", "{wrong}");
    }
    sandbox.kill_engine();
    sandbox.start().await;
    assert_eq!(
        sandbox.get("/api/preferences").await.unwrap()["values"],
        json!({ "downbeat.sidebar": "320", "downbeat.view": "{}" })
    );
}
