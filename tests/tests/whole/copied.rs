//! Tests of an engine on a copy of a data directory, such as a backup. It would end the original's agents and
//! remove its worktrees, so it does not start until the original is gone.

use crate::deliveries::workspace;
use crate::processes;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// Returns the ids of a session's processes, including those that its shell started.
fn running(id: &str) -> Vec<u32> {
    processes::of_session(id)
        .into_iter()
        .map(|process| process.pid)
        .collect()
}

#[tokio::test]
async fn an_engine_on_a_copy_touches_nothing_of_the_original() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Fix", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "running"]).await;
    sandbox
        // `setsid` forks if it leads a process group, as a job of an interactive shell does.
        .press(&id, "sh -c 'setsid sleep 1000 &'; echo begun $((40+2))\r")
        .await;
    sandbox.shows(&id, "begun 42").await;
    let place = workspace(&sandbox, &id).await;
    let before = until("both", async || Some(running(&id)).filter(|all| all.len() > 1)).await;
    let original = sandbox.data();
    let copied = sandbox.path().join("copied");
    copy(&original, &copied);
    for note in ["as it is", "without its note"] {
        sandbox.set_env("DOWNBEAT_HOME", &copied.to_string_lossy());
        for command in [
            &["list"][..],
            &["orphans", "--end"],
            &["kill", &id],
            &["remove", "--force", &id],
        ] {
            let refused = sandbox.cli(command);
            assert!(!refused.status.success(), "{note}: {command:?}");
            let said = told(&refused);
            assert!(
                said.contains(&format!("is a copy of {}", original.display())) && said.contains("stop --all"),
                "{note}: {said}"
            );
        }
        sandbox.set_env("DOWNBEAT_HOME", &original.to_string_lossy());
        assert_eq!(running(&id), before, "{note}");
        assert!(place.join(".git").exists(), "{note}");
        sandbox.status(&id, &["idle", "running"]).await;
        std::fs::remove_file(copied.join("identity.json")).ok();
    }

    sandbox.kill_engine();
    std::fs::rename(&original, sandbox.path().join("old")).unwrap();
    copy(&copied, &original);
    sandbox.start().await;
    sandbox.status(&id, &["errored"]).await;
    until("its processes are ended", async || {
        running(&id).is_empty().then_some(())
    })
    .await;
}
