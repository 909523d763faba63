//! Tests ends: a kill ends the whole process tree, a stopped session can be resumed, and nothing touches
//! the worktree.

use crate::processes::of_session;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::json;
use std::path::Path;

fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[tokio::test]
async fn kill_ends_children_that_left_the_group() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Escapes", "prompt": "escape" }))
        .await;
    let text = sandbox.shows(&id, "escaped ").await;
    let pid = text
        .split("escaped ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(lives(pid));
    let session = sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["status"], "killed");
    within(PATIENCE, async || (!lives(pid)).then_some(()))
        .await
        .expect("the child is gone");
    assert!(Path::new(session["workspacePath"].as_str().unwrap()).is_dir());
}

#[tokio::test]
async fn the_end_of_a_session_spares_one_whose_name_begins_alike() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let mut ids = Vec::new();
    for name in ["zz-1", "zz-10", "zz-11"] {
        let ask = json!({ "projectId": project, "title": name, "name": name, "prompt": "say ready" });
        let id = sandbox.session(ask).await;
        let shown = sandbox.status(&id, &["idle"]).await;
        assert_eq!(shown["name"], name);
        ids.push(id);
    }
    let agents = |id: &str| {
        let mut pids: Vec<u32> = of_session(id).iter().map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    };
    let before = [agents(&ids[1]), agents(&ids[2])];
    assert!(before.iter().all(|pids| !pids.is_empty()), "{before:?}");
    for (words, id, status) in [
        (["kill", "zz-1"], &ids[0], "killed"),
        (["stop", "zz-11"], &ids[2], "exited"),
    ] {
        let output = sandbox.cli(&words);
        assert!(output.status.success(), "{output:?}");
        sandbox.status(id, &[status]).await;
        within(PATIENCE, async || agents(id).is_empty().then_some(()))
            .await
            .expect("its processes are gone");
        assert_eq!(agents(&ids[1]), before[0], "{words:?}");
        sandbox.status(&ids[1], &["idle"]).await;
    }
    // What is no name of a session ends none.
    assert!(!sandbox.cli(&["kill", "zz"]).status.success());
    assert_eq!(agents(&ids[1]), before[0]);
}

#[tokio::test]
async fn stop_and_resume_keep_the_conversation_and_the_directory() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Comes back", "prompt": "say hello" }))
        .await;
    let before = sandbox.status(&id, &["idle"]).await;
    sandbox
        .post("/api/sessions/stop", json!({ "id": id }))
        .await
        .unwrap();
    let stopped = sandbox.status(&id, &["exited"]).await;
    assert_eq!(stopped["canResume"], true);
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    let after = sandbox.status(&id, &["idle"]).await;
    assert_eq!(before["workspacePath"], after["workspacePath"]);
    sandbox.shows(&id, "resumed ").await;
}

#[tokio::test]
async fn a_shell_that_exits_raises_no_alarm() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Shell", "agent": "shell" }))
        .await;
    sandbox.status(&id, &["unknown", "running", "idle"]).await;
    sandbox
        .post(
            &format!("/api/sessions/{id}/message"),
            json!({ "content": "echo typed-$((40+2)); exit 0" }),
        )
        .await
        .unwrap();
    let session = sandbox.status(&id, &["exited"]).await;
    assert_eq!(session["exitCode"], 0);
    // Processes that it left are ended before its keeper exits.
    let output = until("its keeper is gone", async || {
        let path = format!("/api/sessions/{id}/output?lines=50");
        let output = sandbox.get(&path).await.ok()?;
        (output["isCheckpoint"] == true).then_some(output)
    })
    .await;
    assert!(output["text"].as_str().unwrap().contains("typed-42"), "{output}");
    let notices = sandbox.get("/api/notices").await.unwrap();
    assert!(notices.as_array().unwrap().is_empty(), "{notices}");
}

#[tokio::test]
async fn a_session_that_was_ended_before_its_agent_ran_starts_with_its_task() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let hook = sandbox.path().join("shop/.git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ask = json!({ "projectId": project, "title": "Cut short", "prompt": "say task-$done" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["setup_failed"]).await;
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    std::fs::remove_file(&hook).unwrap();
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    let session = sandbox.status(&id, &["idle"]).await;
    sandbox.shows(&id, "task-$done").await;
    let path = Path::new(session["workspacePath"].as_str().unwrap());
    assert!(path.join(".env").is_file(), "{session:#}");
}

#[tokio::test]
async fn a_resume_waits_for_leftover_processes_and_takes_a_new_port() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let shell = |title: &str| json!({ "projectId": project, "title": title, "agent": "shell" });
    let first = sandbox.session(shell("First")).await;
    sandbox.status(&first, &["unknown", "running", "idle"]).await;
    let leave = json!({ "content": "(trap '' TERM HUP; sleep 30) & exit 0" });
    sandbox
        .post(&format!("/api/sessions/{first}/message"), leave)
        .await
        .unwrap();
    let ended = sandbox.status(&first, &["exited"]).await;
    sandbox
        .post(&format!("/api/sessions/{first}/resume"), json!({}))
        .await
        .unwrap();
    sandbox.status(&first, &["unknown", "running", "idle"]).await;
    sandbox.delete(&format!("/api/sessions/{first}")).await.unwrap();
    let second = sandbox.session(shell("Second")).await;
    let second = sandbox.status(&second, &["unknown", "running", "idle"]).await;
    assert_eq!(second["port"], ended["port"], "the first one's is free");
    sandbox
        .post(&format!("/api/sessions/{first}/resume"), json!({}))
        .await
        .unwrap();
    let again = sandbox.status(&first, &["unknown", "running", "idle"]).await;
    assert_ne!(again["port"], second["port"]);
}

/// Writes a post-checkout hook of the repository `shop`.
fn hook(sandbox: &Sandbox, body: &str) {
    let hook = sandbox.path().join("shop/.git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Starts a session whose checkout hangs in a hook, and returns it with the hook's process.
async fn hangs(sandbox: &Sandbox) -> (String, u32) {
    let project = sandbox.project("shop").await;
    let file = sandbox.path().join("pid");
    let name = file.display();
    hook(
        sandbox,
        &format!("trap '' TERM\necho $$ > {name}.new; mv {name}.new {name}\nsleep 1000"),
    );
    let ask = json!({ "projectId": project, "title": "Hangs", "prompt": "say task-$done" });
    let id = sandbox.session(ask).await;
    let pid = until("the hook runs", async || {
        std::fs::read_to_string(&file).ok()?.trim().parse().ok()
    });
    (id, pid.await)
}

#[tokio::test]
async fn a_kill_ends_a_checkout_that_hangs() {
    let sandbox = Sandbox::started().await;
    let (id, pid) = hangs(&sandbox).await;
    let session = sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["status"], "killed");
    assert!(!lives(pid));
    let path = Path::new(session["workspacePath"].as_str().unwrap());
    assert!(!path.exists(), "half a worktree is left");
    hook(&sandbox, "exit 0");
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
    sandbox.shows(&id, "task-$done").await;
}

#[tokio::test]
async fn no_checkout_continues_after_its_engine_was_killed() {
    let mut sandbox = Sandbox::started().await;
    let (id, pid) = hangs(&sandbox).await;
    sandbox.kill_engine();
    assert!(lives(pid), "nobody could end it yet");
    hook(&sandbox, "exit 0");
    sandbox.start().await;
    within(PATIENCE, async || (!lives(pid)).then_some(()))
        .await
        .expect("the hook is gone");
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn a_session_forgotten_during_a_resume_is_either_gone_or_running() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let shell = json!({ "projectId": project, "title": "Here", "agent": "shell", "workspace": "in-place" });
    for _ in 0..8 {
        let id = sandbox.session(shell.clone()).await;
        sandbox.status(&id, &["unknown", "running", "idle"]).await;
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
        let (resume, forget) = (
            format!("/api/sessions/{id}/resume"),
            format!("/api/sessions/{id}/forget"),
        );
        let (resumed, forgotten) =
            tokio::join!(sandbox.post(&resume, json!({})), sandbox.post(&forget, json!({})));
        if forgotten.is_ok() {
            assert!(sandbox.get(&format!("/api/sessions/{id}")).await.is_err());
            continue;
        }
        resumed.unwrap();
        sandbox.status(&id, &["unknown", "running", "idle"]).await;
        assert!(sandbox.data().join("keepers").join(&id).is_dir());
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
        sandbox.post(&forget, json!({})).await.unwrap();
    }
}
