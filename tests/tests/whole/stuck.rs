//! Tests keepers that do not answer or answer late, and engines that die while an end or a retry is half
//! recorded: no processes are left, no status is wrong, and every session can be acted on.

use crate::crashes::{doomed, successor};
use crate::processes::{keepers, kill, lives, of_session};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::time::Duration;

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
    kill_process(pid, signal).unwrap();
}

fn keeper(sandbox: &Sandbox, id: &str) -> u32 {
    keepers(&sandbox.data(), id).pop().expect("a keeper").pid
}

async fn nothing_runs(id: &str) {
    within(PATIENCE, async || of_session(id).is_empty().then_some(()))
        .await
        .expect("its processes are gone");
}

/// Waits until the keeper of an ended session is gone, and checks that its last facts changed nothing.
async fn gone_without_a_word(sandbox: &Sandbox, id: &str, keeper: u32) {
    within(PATIENCE, async || (!lives(keeper)).then_some(()))
        .await
        .expect("the keeper is let go");
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["status"], "killed", "{session:#}");
    assert_eq!(session["error"], Value::Null, "{session:#}");
    let notices = sandbox.get("/api/notices").await.unwrap();
    let told = notices.as_array().unwrap();
    assert!(
        told.iter().all(|notice| notice["kind"] != "exited"),
        "{notices:#}"
    );
}

#[tokio::test]
async fn a_kill_ends_the_agent_of_a_keeper_that_does_not_answer() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Stuck", "prompt": "escape" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let stopped = keeper(&sandbox, &id);
    signal(stopped, Signal::STOP);
    let killed = sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(killed["status"], "killed");
    nothing_runs(&id).await;
    signal(stopped, Signal::CONT);
    gone_without_a_word(&sandbox, &id, stopped).await;
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn a_kill_ends_a_session_that_waits_for_another_programs_lock() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ours = sandbox.path().join("shop/.git/downbeat");
    std::fs::create_dir_all(&ours).unwrap();
    let lock = std::fs::File::create(ours.join("lock")).unwrap();
    lock.lock().unwrap();
    let ask = json!({ "projectId": project, "title": "Waits", "prompt": "say hello" });
    let session = format!("/api/sessions/{}", sandbox.session(ask).await);
    within(PATIENCE, async || {
        let session = sandbox.get(&session).await.unwrap();
        let steps = session["steps"].as_array().cloned().unwrap_or_default();
        let begun = |step: &Value| step["name"] == "checkout" && step["state"] == "running";
        steps.iter().any(begun).then_some(())
    })
    .await
    .expect("its worktree is begun");
    let killed = sandbox.delete(&session).await.unwrap();
    assert_eq!(killed["status"], "killed", "{killed:#}");
    drop(lock);
}

#[tokio::test]
async fn an_engine_waits_for_a_slow_keeper_whose_late_facts_revive_nothing() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = |title: &str| json!({ "projectId": project, "title": title, "prompt": "say hello" });
    let (stays, ends) = (
        sandbox.session(ask("Stays")).await,
        sandbox.session(ask("Ends")).await,
    );
    for id in [&stays, &ends] {
        sandbox.status(id, &["idle"]).await;
    }
    sandbox.kill_engine();
    let (first, second) = (keeper(&sandbox, &stays), keeper(&sandbox, &ends));
    for keeper in [first, second] {
        signal(keeper, Signal::STOP);
    }
    sandbox.start().await;
    // No engine reached its keeper yet, so the session is ended without it.
    let killed = sandbox.delete(&format!("/api/sessions/{ends}")).await.unwrap();
    assert_eq!(killed["status"], "killed");
    nothing_runs(&ends).await;
    for keeper in [first, second] {
        signal(keeper, Signal::CONT);
    }
    gone_without_a_word(&sandbox, &ends, second).await;
    within(PATIENCE, async || {
        let ask = json!({ "content": "say again-$here" });
        let sent = sandbox.post(&format!("/api/sessions/{stays}/message"), ask).await;
        sent.ok()
    })
    .await
    .expect("its keeper was found");
    sandbox.shows(&stays, "again-$here").await;
}

#[tokio::test]
async fn processes_that_an_ended_agent_left_do_not_survive_its_engine() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    doomed(&mut sandbox, "exit-written").await;
    let ask = json!({ "projectId": project, "title": "Leaves", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["unknown", "running"]).await;
    let leave = json!({ "content": "(trap '' TERM HUP; sleep 1000) & exit 0" });
    let _ = sandbox.post(&format!("/api/sessions/{id}/message"), leave).await;
    successor(&mut sandbox, "exit-written").await;
    sandbox.status(&id, &["exited"]).await;
    nothing_runs(&id).await;
    within(PATIENCE, async || {
        keepers(&sandbox.data(), &id).is_empty().then_some(())
    })
    .await
    .expect("the keeper is let go");
}

#[tokio::test]
async fn an_interrupted_retry_can_be_tried_again() {
    let mut sandbox = Sandbox::started().await;
    let repository = sandbox.repository("shop");
    let config = "setup:\n  - [\"sh\", \"-c\", \"test -e allowed\"]\n";
    std::fs::write(repository.join("downbeat.yaml"), config).unwrap();
    let added = sandbox
        .post("/api/projects", json!({ "path": repository, "trust": true }))
        .await
        .unwrap();
    let project = added["id"].as_str().unwrap();
    let approve = json!({ "approveSetup": added["setup"]["hash"] });
    sandbox
        .call("PATCH", &format!("/api/projects/{project}"), Some(approve))
        .await
        .unwrap();
    doomed(&mut sandbox, "retry-noted").await;
    let ask = json!({ "projectId": project, "title": "Tried", "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["setup_failed"]).await;
    let path = std::path::Path::new(session["workspacePath"].as_str().unwrap());
    std::fs::write(path.join("allowed"), "").unwrap();
    let again = format!("/api/sessions/{id}/setup");
    let _ = sandbox.post(&again, json!({})).await;
    successor(&mut sandbox, "retry-noted").await;
    sandbox.status(&id, &["setup_failed"]).await;
    sandbox.post(&again, json!({})).await.unwrap();
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn a_kill_returns_when_the_keeper_that_it_waits_for_dies() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Both", "prompt": "escape" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let stopped = keeper(&sandbox, &id);
    signal(stopped, Signal::STOP);
    let path = format!("/api/sessions/{id}");
    let (killed, ()) = tokio::join!(sandbox.delete(&path), async {
        // The kill request is stored by then.
        within(PATIENCE, async || {
            let events = sandbox.get(&path).await.ok()?;
            events["status"].is_string().then_some(())
        })
        .await;
        kill(stopped);
    });
    assert_eq!(killed.unwrap()["status"], "killed");
    nothing_runs(&id).await;
}

#[tokio::test]
async fn a_stopped_keeper_delays_nobody_and_its_last_screen_is_shown() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = |title: &str| json!({ "projectId": project, "title": title, "prompt": "say hello" });
    let (stuck, other) = (
        sandbox.session(ask("Stuck")).await,
        sandbox.session(ask("Other")).await,
    );
    for id in [&stuck, &other] {
        sandbox.status(id, &["idle"]).await;
        sandbox.shows(id, "hello").await;
    }
    let stopped = keeper(&sandbox, &stuck);
    signal(stopped, Signal::STOP);
    sandbox.kill_engine();
    let began = std::time::Instant::now();
    sandbox.start().await;
    let took = began.elapsed();
    assert!(
        took < Duration::from_secs(4),
        "{took:?}: its greeting was waited for"
    );
    sandbox.shows(&other, "hello").await;
    let path = format!("/api/sessions/{stuck}");
    let shown = sandbox.get(&format!("{path}/output?lines=100")).await.unwrap();
    assert_eq!(shown["isCheckpoint"], true, "{shown:#}");
    assert!(shown["text"].as_str().unwrap().contains("hello"), "{shown:#}");
    within(PATIENCE, async || {
        let session = sandbox.get(&path).await.ok()?;
        let told = session["statusEvidence"]["detail"] == "its keeper does not answer";
        told.then_some(())
    })
    .await
    .expect("its status says so");
    // Ended without its keeper, the session shows the same screen.
    sandbox.delete(&path).await.unwrap();
    let shown = sandbox.get(&format!("{path}/output?lines=100")).await.unwrap();
    assert!(shown["text"].as_str().unwrap().contains("hello"), "{shown:#}");
    signal(stopped, Signal::CONT);
}

#[tokio::test]
async fn sessions_start_below_a_data_directory_with_a_long_path() {
    let mut sandbox = Sandbox::new();
    let deep = sandbox.path().join("d".repeat(200));
    std::fs::create_dir(&deep).unwrap();
    std::fs::remove_dir_all(sandbox.data()).unwrap();
    std::os::unix::fs::symlink(&deep, sandbox.data()).unwrap();
    sandbox.set_env("DOWNBEAT_HOME", deep.to_str().unwrap());
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Deep", "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let doctor = sandbox.cli(&["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains("too long for them"), "{said}");
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
}
