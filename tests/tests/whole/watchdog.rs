//! Tests of the watchdog: sessions that seem stuck, sessions that use too much memory or too many processes,
//! and processes that outlived their session.

use crate::processes::lives;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

async fn notices(sandbox: &Sandbox) -> Vec<Value> {
    let all = sandbox.notices().await.into_iter();
    all.filter(|notice| notice["kind"] == "needsLook").collect()
}

#[tokio::test]
async fn a_working_session_that_shows_nothing_new_is_stuck_until_it_moves() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("watchdog: { stuckAfter: 0.03 }\n");
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Hangs", "prompt": "hang\nsay on" }))
        .await;
    let path = format!("/api/sessions/{id}");
    let stuck = until("the mark", async || {
        let session = sandbox.get(&path).await.ok()?;
        session["stuck"]["detail"].is_string().then_some(session)
    })
    .await;
    // A running clock on the screen is neither progress nor the end of the turn.
    assert_eq!(stuck["status"], "running");
    assert_eq!(notices(&sandbox).await.len(), 1);
    sandbox.press(&id, "\r").await;
    sandbox.status(&id, &["idle"]).await;
    let session = sandbox.get(&path).await.unwrap();
    assert!(session["stuck"].is_null(), "{session:#}");
}

#[tokio::test]
async fn a_session_that_uses_too_much_memory_is_reported_and_stopped_if_configured() {
    let sandbox = Sandbox::started().await;
    sandbox.configure("watchdog: { measureEvery: 1, memory: 1, overCeiling: stop }\n");
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Eats", "prompt": "hang" }))
        .await;
    sandbox.status(&id, &["exited"]).await;
    let told = until("that it was stopped", async || {
        let told = notices(&sandbox).await;
        (!told.is_empty()).then_some(told)
    })
    .await;
    assert_eq!(told.len(), 1, "{told:#?}");
    let text = told[0]["text"].as_str().unwrap();
    assert!(
        text.contains("MB of memory") && text.ends_with("it was stopped"),
        "{told:#?}"
    );
}

#[tokio::test]
async fn too_many_processes_in_a_side_shell_are_reported_for_its_session_and_not_ended() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Rests", "prompt": "say hello" }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let shells = format!("/api/sessions/{id}/shells");
    let shell = sandbox.post(&shells, json!({})).await.unwrap();
    let shell = shell["id"].as_str().unwrap();
    sandbox.status(shell, &["idle"]).await;
    sandbox.configure("watchdog: { measureEvery: 1, processes: 1, overCeiling: stop }\n");
    sandbox.press(shell, "sleep 1000 | cat\r").await;
    let told = until("that it takes too much", async || {
        let told = notices(&sandbox).await;
        (!told.is_empty()).then_some(told)
    })
    .await;
    let text = told[0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("the processes in rests/shell-1 use ") && text.ends_with(" allowed"),
        "{told:#?}"
    );
    assert_eq!(told[0]["sessionId"], *id);
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(
        (&session["status"], &session["shells"][0]["status"]),
        (&json!("idle"), &json!("running"))
    );
}

#[tokio::test]
async fn processes_that_outlived_their_session_are_found_and_ended() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Over", "prompt": "say hello" }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let keeper = sandbox.data().join("keepers").join(&id);
    // Starts a process that looks as if it escaped from `keeper`, which may be another Downbeat's.
    let stray = |keeper: &std::path::Path| {
        let mut command = Command::new("sleep");
        command
            .arg("1000")
            .env("DOWNBEAT_KEEPER", keeper)
            .env("DOWNBEAT_SESSION", &id);
        command.stdin(Stdio::null()).spawn().unwrap()
    };
    let mut other = stray(&sandbox.path().join("elsewhere/keepers").join(&id));
    let orphans = async || sandbox.get("/api/orphans").await.unwrap();
    assert_eq!(orphans().await, json!([]), "its session lives");
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    let mut own = stray(&keeper);
    let found = orphans().await;
    assert_eq!(
        found,
        json!([{ "pid": own.id(), "name": "sleep", "sessionId": id, "session": "over" }])
    );
    let reaper = std::thread::spawn(move || own.wait().unwrap());
    let ended = sandbox.post("/api/orphans/end", json!({})).await.unwrap();
    assert_eq!(ended, found);
    reaper.join().unwrap();
    assert_eq!(orphans().await, json!([]));
    let _ = (lives(other.id()), other.kill(), other.wait());
}
