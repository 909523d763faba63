//! Keepers that do not answer, or answer late, and engines that die at the moments in which an end
//! or a retry is half told: nothing is left, nothing is told wrong, nothing is a dead end.

use crate::crashes::{doomed, successor};
use crate::processes::{keepers, kill, lives, of_session};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

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

/// Waits until the keeper of an ended session went, and looks at what its last words changed.
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
async fn an_engine_waits_for_a_keeper_that_is_slow_and_what_it_tells_late_revives_nothing() {
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
    // Nobody reached its keeper yet: it is ended without.
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
async fn what_an_ended_agent_left_running_does_not_survive_its_engine() {
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
async fn a_retry_that_was_cut_off_can_be_tried_again() {
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
async fn a_keeper_that_dies_while_a_kill_waits_for_it_keeps_nobody_waiting() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Both", "prompt": "escape" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let stopped = keeper(&sandbox, &id);
    signal(stopped, Signal::STOP);
    let path = format!("/api/sessions/{id}");
    let (killed, ()) = tokio::join!(sandbox.delete(&path), async {
        // The wish is written down by then.
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
