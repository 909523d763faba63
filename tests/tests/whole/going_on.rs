//! Tests of resuming, restarting, forking and archiving sessions, and of switching their agent. A resume
//! takes the newest conversation; if the conversation or the worktree is missing, the person chooses.

use crate::crashes::{doomed, held, reached, successor};
use downbeat_tests::repository;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

async fn begun(sandbox: &Sandbox, title: &str, prompt: &str) -> Value {
    let all = sandbox.get("/api/projects").await.unwrap();
    let project = match all[0]["id"].as_str() {
        Some(id) => id.to_owned(),
        None => sandbox.project("shop").await,
    };
    let id = sandbox
        .session(json!({ "projectId": project, "title": title, "prompt": prompt }))
        .await;
    sandbox.status(&id, &["idle"]).await
}

fn git(sandbox: &Sandbox, path: &Path, arguments: &[&str]) -> String {
    repository::git(path, &repository::isolation(sandbox.path()), arguments)
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

async fn say(sandbox: &Sandbox, id: &str, content: &str) {
    act(sandbox, id, "message", json!({ "content": content })).await;
    sandbox.status(id, &["idle"]).await;
}

async fn stop(sandbox: &Sandbox, id: &str) {
    let stopped = sandbox.post("/api/sessions/stop", json!({ "id": id })).await;
    stopped.unwrap();
}

async fn act(sandbox: &Sandbox, id: &str, what: &str, body: Value) -> Value {
    let done = sandbox.post(&format!("/api/sessions/{id}/{what}"), body).await;
    done.unwrap_or_else(|refused| panic!("{what}: {refused:?}"))
}

async fn refused(sandbox: &Sandbox, id: &str, what: &str, body: Value) -> Value {
    let done = sandbox.post(&format!("/api/sessions/{id}/{what}"), body).await;
    done.unwrap_err().body
}

async fn look(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()
}

/// Declares the agent `second`.
fn second(sandbox: &Sandbox) {
    let folder = sandbox.data().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = "name: Second\ncommand: [claude]\nprompt: argument\n";
    std::fs::write(folder.join("second.yaml"), manifest).unwrap();
}

/// Deletes the fake agent's records of its conversations.
fn forget_conversations(sandbox: &Sandbox) {
    std::fs::remove_dir_all(sandbox.path().join("home/.claude/projects")).unwrap();
}

#[tokio::test]
async fn resume_takes_the_newest_conversation_and_never_a_sub_agents() {
    let sandbox = Sandbox::started().await;
    let id = text(&begun(&sandbox, "Clears", "say hello").await, "id");
    say(&sandbox, &id, "clear").await;
    say(&sandbox, &id, "delegate\nsay after").await;
    stop(&sandbox, &id).await;
    act(&sandbox, &id, "resume", json!({})).await;
    sandbox.shows(&id, "resumed 22222222-").await;
}

#[tokio::test]
async fn a_missing_conversation_is_a_choice_unless_it_was_empty() {
    let sandbox = Sandbox::started().await;
    let id = text(&begun(&sandbox, "Forgets", "say hello").await, "id");
    stop(&sandbox, &id).await;
    forget_conversations(&sandbox);
    let state = sandbox.get(&format!("/api/sessions/{id}/restore")).await.unwrap();
    assert_eq!(
        (&state["conversation"], &state["place"]),
        (&json!("gone"), &json!("there"))
    );
    let no = refused(&sandbox, &id, "resume", json!({})).await;
    assert!(
        text(&no, "message").contains("no record of the conversation"),
        "{no}"
    );
    assert!(text(&no, "hint").contains("--fresh"), "{no}");
    assert_eq!(look(&sandbox, &id).await["status"], "exited");
    act(&sandbox, &id, "resume", json!({ "fresh": true })).await;
    sandbox.status(&id, &["idle"]).await;
    // The new conversation is still empty, so a resume starts another one without a question.
    stop(&sandbox, &id).await;
    forget_conversations(&sandbox);
    act(&sandbox, &id, "resume", json!({})).await;
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn a_worktree_that_was_deleted_by_hand_is_recreated_on_request() {
    let sandbox = Sandbox::started().await;
    let session = begun(&sandbox, "Deleted", "write kept.txt kept").await;
    let (id, path) = (
        text(&session, "id"),
        PathBuf::from(text(&session, "workspacePath")),
    );
    git(&sandbox, &path, &["add", "."]);
    git(&sandbox, &path, &["commit", "-qm", "kept"]);
    stop(&sandbox, &id).await;
    std::fs::remove_dir_all(&path).unwrap();
    let state = sandbox.get(&format!("/api/sessions/{id}/restore")).await.unwrap();
    assert_eq!(state["place"], "deleted", "{state}");
    let no = refused(&sandbox, &id, "resume", json!({})).await;
    assert!(text(&no, "hint").contains("--remake"), "{no}");
    let out = sandbox.cli(&["restore", "--remake", "deleted"]);
    assert!(out.status.success(), "{out:?}");
    sandbox.status(&id, &["idle"]).await;
    sandbox.shows(&id, "resumed ").await;
    assert_eq!(std::fs::read_to_string(path.join("kept.txt")).unwrap(), "kept");
}

#[tokio::test]
async fn a_restart_keeps_the_conversation_and_survives_a_crash_at_any_step() {
    let mut sandbox = Sandbox::started().await;
    let id = text(&begun(&sandbox, "Again", "say hello").await, "id");
    let wanted = json!({ "model": "opus", "permissionMode": "plan" });
    let done = act(&sandbox, &id, "restart", wanted).await;
    assert_eq!(
        (&done["model"], &done["permissionMode"]),
        (&json!("opus"), &json!("plan"))
    );
    sandbox.shows(&id, "resumed ").await;
    sandbox.status(&id, &["idle"]).await;
    let no = refused(&sandbox, &id, "restart", json!({ "model": "--evil" })).await;
    assert_eq!(no["code"], "invalid");
    for point in [
        "restart-noted",
        "end-noted",
        "end-carried-out",
        "restart-ended",
        "restart-changed",
        "restart-resumed",
    ] {
        doomed(&mut sandbox, point).await;
        let before = sandbox.status(&id, &["idle"]).await;
        let path = format!("/api/sessions/{id}/restart");
        let died = sandbox.post(&path, json!({})).await;
        assert!(died.is_err(), "{point}: {died:?}");
        successor(&mut sandbox, point).await;
        until(point, async || {
            let now = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
            let newer = text(&now, "statusSince") > text(&before, "statusSince");
            (now["status"] == "idle" && newer).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_stop_during_a_restart_ends_the_session() {
    let mut sandbox = Sandbox::started().await;
    let id = text(&begun(&sandbox, "Stops", "say hello").await, "id");
    let file = held(&mut sandbox, "restart-ended").await;
    let path = format!("/api/sessions/{id}/restart");
    let (restarted, ()) = tokio::join!(sandbox.post(&path, json!({})), async {
        reached(&file).await;
        let no = refused(&sandbox, &id, "restart", json!({})).await;
        assert!(text(&no, "message").contains("is starting or ending"), "{no}");
        let stopped = sandbox.post("/api/sessions/stop", json!({ "all": true })).await;
        assert_eq!(stopped.unwrap()["sessions"], json!(["stops"]));
        std::fs::remove_file(&file).unwrap();
    });
    let refused = restarted.unwrap_err().body;
    assert!(text(&refused, "message").contains("ended meanwhile"), "{refused}");
    let now = look(&sandbox, &id).await;
    assert_eq!(
        (&now["status"], &now["statusEvidence"]["detail"]),
        (&json!("exited"), &json!("stopped by you"))
    );
    act(&sandbox, &id, "resume", json!({})).await;
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn an_agent_switch_that_a_crash_interrupts_is_finished_once() {
    let mut sandbox = Sandbox::started().await;
    second(&sandbox);
    for point in ["restart-ended", "restart-changed", "restart-resumed"] {
        let id = text(&begun(&sandbox, point, "say hello").await, "id");
        doomed(&mut sandbox, point).await;
        let path = format!("/api/sessions/{id}/hand-over");
        let died = sandbox.post(&path, json!({ "agent": "second" })).await;
        assert!(died.is_err(), "{point}: {died:?}");
        successor(&mut sandbox, point).await;
        sandbox
            .shows(&id, "from another coding agent (Claude Code)")
            .await;
        let now = look(&sandbox, &id).await;
        let earlier = now["earlierAgents"].as_array().unwrap();
        assert_eq!(
            (earlier.len(), &earlier[0]["agent"]),
            (1, &json!("claude")),
            "{point}: {now:#}"
        );
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
}

#[tokio::test]
async fn a_fork_brings_changed_copies_only_on_request() {
    let sandbox = Sandbox::started().await;
    let session = begun(&sandbox, "Copies", "write .env SECRET=my-own").await;
    let id = text(&session, "id");
    for (bring, env) in [(true, "SECRET=my-own"), (false, "SECRET=of-the-project\n")] {
        let fork = act(&sandbox, &id, "fork", json!({ "bring": bring })).await;
        let other = text(&fork, "id");
        sandbox.shows(&other, "forked ").await;
        let place = PathBuf::from(text(&look(&sandbox, &other).await, "workspacePath"));
        assert_eq!(std::fs::read_to_string(place.join(".env")).unwrap(), env);
    }
}

#[tokio::test]
async fn a_fork_copies_the_conversation_and_uncommitted_work_on_request() {
    let sandbox = Sandbox::started().await;
    let session = begun(&sandbox, "First", "write a.txt one").await;
    let (id, path) = (
        text(&session, "id"),
        PathBuf::from(text(&session, "workspacePath")),
    );
    git(&sandbox, &path, &["add", "."]);
    git(&sandbox, &path, &["commit", "-qm", "one"]);
    std::fs::write(path.join("a.txt"), "two").unwrap();
    std::fs::write(path.join("new.txt"), "new").unwrap();
    let no = refused(&sandbox, &id, "fork", json!({})).await;
    assert_eq!(no["code"], "unsaved_work");
    assert!(text(&no, "message").contains("new.txt"), "{no}");
    let asked = sandbox.cli(&["fork", "first"]);
    assert_eq!(asked.status.code(), Some(4), "{asked:?}");

    let wanted = json!({ "bring": true, "prompt": "say otherwise" });
    let fork = act(&sandbox, &id, "fork", wanted).await;
    assert_eq!(fork["forkedFrom"], json!({ "id": id, "name": "first" }));
    assert_eq!(fork["title"], "First (fork)");
    let other = text(&fork, "id");
    sandbox.shows(&other, "forked ").await;
    sandbox.shows(&other, "otherwise").await;
    let fork = sandbox.status(&other, &["idle"]).await;
    let place = PathBuf::from(text(&fork, "workspacePath"));
    assert!(place != path && fork["branch"] != session["branch"]);
    assert_eq!(std::fs::read_to_string(place.join("a.txt")).unwrap(), "two");
    assert_eq!(std::fs::read_to_string(place.join("new.txt")).unwrap(), "new");
    assert_eq!(git(&sandbox, &place, &["log", "-1", "--format=%s"]).trim(), "one");
    let status = |at: &Path| git(&sandbox, at, &["status", "--short"]);
    assert_eq!(status(&place), status(&path), "as uncommitted as there");
    let backups = sandbox
        .get(&format!("/api/sessions/{other}/backups"))
        .await
        .unwrap();
    assert_eq!(backups, json!([]), "the copy on the way is gone");
    // From now on the fork has its own conversation.
    stop(&sandbox, &other).await;
    act(&sandbox, &other, "resume", json!({})).await;
    let shown = sandbox.shows(&other, "resumed ").await;
    assert_eq!(shown.matches("forked ").count(), 0, "{shown}");

    let out = sandbox.cli(&["fork", "first", "--leave", "--name", "lean"]);
    assert!(out.status.success(), "{out:?}");
    let all = sandbox.get("/api/sessions").await.unwrap();
    let lean = all.as_array().unwrap().iter().find(|s| s["name"] == "lean");
    let lean = lean.unwrap();
    sandbox.status(lean["id"].as_str().unwrap(), &["idle"]).await;
    let place = PathBuf::from(text(lean, "workspacePath"));
    assert_eq!(std::fs::read_to_string(place.join("a.txt")).unwrap(), "one");
    assert!(!place.join("new.txt").exists());
}

#[tokio::test]
async fn a_fork_of_a_shell_is_refused() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Shell", "agent": "shell" }))
        .await;
    sandbox.status(&id, &["unknown", "running", "idle"]).await;
    let no = refused(&sandbox, &id, "fork", json!({})).await;
    assert_eq!(no["code"], "conflict");
    assert!(
        text(&no, "message").contains("Shell cannot copy a conversation"),
        "{no}"
    );
}

#[tokio::test]
async fn another_agent_continues_in_the_same_worktree_with_a_summary() {
    let sandbox = Sandbox::started().await;
    second(&sandbox);
    let session = begun(&sandbox, "Baton", "say I stopped at the till\nwrite till.txt x").await;
    let id = text(&session, "id");
    let no = refused(&sandbox, &id, "hand-over", json!({ "agent": "claude" })).await;
    assert!(text(&no, "message").contains("already has baton"), "{no}");
    let no = refused(&sandbox, &id, "hand-over", json!({ "agent": "shell" })).await;
    assert!(text(&no, "message").contains("takes no task"), "{no}");
    let note = [
        "hand-over",
        "baton",
        "--agent",
        "second",
        "--note",
        "mind the gap",
    ];
    let out = sandbox.cli(&note);
    assert!(out.status.success(), "{out:?}");
    // The fake agent prints every line of its prompt.
    let shown = sandbox.shows(&id, "heard: The last lines").await;
    for wanted in [
        "heard: You take over this worktree",
        "heard: mind the gap",
        "heard: > ?? till.txt",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let now = look(&sandbox, &id).await;
    assert_eq!(now["agent"], "second");
    assert_eq!(now["earlierAgents"][0]["agent"], "claude");
    for same in ["name", "branch", "workspacePath", "task"] {
        assert_eq!(now[same], session[same], "{same}");
    }
}

#[tokio::test]
async fn an_archived_session_leaves_the_list_and_can_be_unarchived_or_resumed() {
    let sandbox = Sandbox::started().await;
    let session = begun(&sandbox, "Old", "say hello").await;
    let id = text(&session, "id");
    let no = refused(&sandbox, &id, "archive", json!({})).await;
    assert!(text(&no, "message").contains("has not ended"), "{no}");
    stop(&sandbox, &id).await;
    let out = sandbox.cli(&["archive", "old"]);
    assert!(out.status.success(), "{out:?}");
    assert_eq!(sandbox.get("/api/sessions").await.unwrap(), json!([]));
    let put_away = sandbox.get("/api/sessions?archived=true").await.unwrap();
    assert_eq!(put_away[0]["id"], session["id"]);
    assert!(Path::new(&text(&session, "workspacePath")).is_dir());
    let listed = sandbox.cli(&["list", "--archived"]);
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("old"),
        "{listed:?}"
    );
    let out = sandbox.cli(&["unarchive", "old"]);
    assert!(out.status.success(), "{out:?}");
    assert_eq!(sandbox.get("/api/sessions").await.unwrap()[0]["name"], "old");
    // A resume unarchives the session, too.
    act(&sandbox, &id, "archive", json!({})).await;
    act(&sandbox, &id, "resume", json!({})).await;
    sandbox.shows(&id, "resumed ").await;
    let all = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(all[0]["archivedAt"], Value::Null);
}

#[tokio::test]
async fn a_queued_worker_does_not_start_until_its_killed_conductor_is_resumed() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let settings = sandbox
        .call("PATCH", "/api/settings", Some(json!({ "totalSessions": 1 })))
        .await;
    settings.unwrap();
    let conduct = json!({ "projectId": project, "title": "Boss", "conductor": true, "prompt": "say hello" });
    let boss = sandbox.session(conduct).await;
    sandbox.status(&boss, &["idle"]).await;
    let work = json!({ "parent": boss, "title": "Later", "prompt": "say worked" });
    let worker = sandbox.session(work).await;
    sandbox.status(&worker, &["queued"]).await;
    sandbox.delete(&format!("/api/sessions/{boss}")).await.unwrap();
    until("it says what it waits for", async || {
        let now = look(&sandbox, &worker).await;
        let why = text(&now["statusEvidence"], "detail");
        (now["status"] == "queued" && why.contains("boss was killed")).then_some(())
    })
    .await;
    let changed = sandbox
        .call("PATCH", "/api/settings", Some(json!({ "totalSessions": 2 })))
        .await;
    changed.unwrap();
    act(&sandbox, &boss, "resume", json!({})).await;
    sandbox.shows(&worker, "worked").await;
}
