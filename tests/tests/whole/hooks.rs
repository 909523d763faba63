//! Tests hook posts: malformed posts, posts to nobody, floods of posts, and a keeper that accepts none. An
//! agent loses neither time nor its status because of them.

use crate::processes::keepers;
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs `downbeat-hook` as an agent does and returns how long it took. Asserts that it prints nothing and
/// does not fail.
pub fn hook(sandbox: &Sandbox, keeper: Option<&Path>, body: &[u8]) -> Duration {
    hook_by(Command::new(program("downbeat-hook")), sandbox, keeper, body)
}

fn hook_by(mut command: Command, sandbox: &Sandbox, keeper: Option<&Path>, body: &[u8]) -> Duration {
    command.env_clear().env("HOME", sandbox.path());
    if let Some(keeper) = keeper {
        command.env("DOWNBEAT_KEEPER", keeper);
    }
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A hook that does not read its input is not an error of the agent.
    let _ = child.stdin.take().unwrap().write_all(body);
    let output = child.wait_with_output().unwrap();
    let took = started.elapsed();
    assert!(
        output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
    took
}

pub async fn idle(sandbox: &Sandbox) -> (String, std::path::PathBuf) {
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Told", "prompt": "say hello" }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let line = keepers(&sandbox.data(), &id).pop().unwrap().line;
    let dir = line.split_whitespace().last().unwrap().into();
    (id, dir)
}

async fn told(sandbox: &Sandbox, id: &str) -> serde_json::Value {
    sandbox
        .get(&format!("/api/sessions/{id}/explain?facts=200"))
        .await
        .unwrap()
}

#[tokio::test]
async fn malformed_posts_change_nothing_and_later_posts_count() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    let before = told(&sandbox, &id).await;
    let huge = vec![b' '; 17 << 20];
    let deep = "[".repeat(100_000);
    let foreign = r#"{"type":"agent-turn-complete","turn-id":"1"}"#;
    for body in [
        &b""[..],
        b"{",
        b"null",
        b"\xff\xfe\x00",
        br#"{"hook_event_name":["Stop"]}"#,
        br#"{"hook_event_name":"Stop","background_tasks":7}"#,
        deep.as_bytes(),
        foreign.as_bytes(),
        &huge,
    ] {
        hook(&sandbox, Some(&keeper), body);
    }
    hook(
        &sandbox,
        Some(&keeper),
        br#"{"hook_event_name":"UserPromptSubmit"}"#,
    );
    sandbox.status(&id, &["running"]).await;
    // Agents that were started before `downbeat-hook` existed post like this.
    let mut large = Command::new(program("downbeat"));
    large.arg("hook");
    hook_by(large, &sandbox, Some(&keeper), br#"{"hook_event_name":"Stop"}"#);
    sandbox.status(&id, &["idle"]).await;
    let after = told(&sandbox, &id).await;
    // The title may be read at any time between the two.
    let by_hook = |fact: &&serde_json::Value| fact["source"] == "hook";
    let count = |told: &serde_json::Value| told["facts"].as_array().unwrap().iter().filter(by_hook).count();
    assert_eq!(count(&after), count(&before) + 2, "{after:#}");
    assert!(
        after["lostPosts"].as_u64() > Some(0),
        "what is too long is counted: {after:#}"
    );
}

#[tokio::test]
async fn posts_to_nobody_and_to_ended_sessions_are_ignored() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    let stop = br#"{"hook_event_name":"UserPromptSubmit"}"#;
    hook(&sandbox, None, stop);
    hook(&sandbox, Some(&sandbox.path().join("nowhere")), stop);
    hook(&sandbox, Some(sandbox.path()), stop);
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    hook(&sandbox, Some(&keeper), stop);
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["status"], "killed");
}

#[tokio::test]
async fn a_hanging_keeper_slows_no_agent_and_loses_no_post() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    let pid = keepers(&sandbox.data(), &id).pop().unwrap().pid;
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let stop = br#"{"hook_event_name":"UserPromptSubmit"}"#;
    // The cost of starting a program on this machine, which is not the hook's.
    let bare = (0..5).map(|_| hook(&sandbox, None, stop)).min().unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let posts = 300;
    let took: Vec<Duration> = (0..posts).map(|_| hook(&sandbox, Some(&keeper), stop)).collect();
    let longest = took.iter().take(20).min().unwrap().saturating_sub(bare);
    let full = took.iter().rev().take(20).min().unwrap().saturating_sub(bare);
    kill_process(pid, Signal::CONT).unwrap();
    assert!(longest < Duration::from_millis(50), "{longest:?} beside {bare:?}");
    assert!(full < Duration::from_millis(50), "{full:?} beside {bare:?}");
    sandbox.status(&id, &["running"]).await;
    until("every post told", async || {
        let facts = crate::survival::facts(&sandbox, &id).await;
        let came = facts
            .iter()
            .filter(|fact| fact["detail"] == "UserPromptSubmit hook")
            .count();
        // One of the posts belongs to the first prompt.
        assert!(came as u64 - 1 <= posts, "{came}");
        (came as u64 - 1 == posts).then_some(())
    })
    .await;
    assert_eq!(told(&sandbox, &id).await["lostPosts"], 0);
}

#[tokio::test]
async fn a_post_in_the_socket_survives_a_hook_that_died_while_spooling_it() {
    let sandbox = Sandbox::started().await;
    let (id, keeper) = idle(&sandbox).await;
    let pid = keepers(&sandbox.data(), &id).pop().unwrap().pid;
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    for _ in 0..2 {
        hook(
            &sandbox,
            Some(&keeper),
            br#"{"hook_event_name":"UserPromptSubmit"}"#,
        );
    }
    let spool = keeper.join("spool");
    let entries = std::fs::read_dir(&spool).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    let last = names.pop().unwrap().into_string().unwrap();
    // Imitates a hook that ended long ago while it wrote the file.
    let draft = spool.join(format!(".{last}"));
    std::fs::rename(spool.join(&last), &draft).unwrap();
    let file = std::fs::File::options().write(true).open(&draft).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60))
        .unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    until(
        "both are told, and what is left of one is cleared away",
        async || {
            let facts = crate::survival::facts(&sandbox, &id).await;
            let posts = facts
                .iter()
                .filter(|fact| fact["detail"] == "UserPromptSubmit hook");
            // One of the posts belongs to the first prompt.
            (posts.count() == 3 && !draft.exists()).then_some(())
        },
    )
    .await;
    assert_eq!(told(&sandbox, &id).await["lostPosts"], 0);
}

#[tokio::test]
async fn drawing_on_the_screen_neither_asks_nor_answers_a_question() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Forges", "prompt": "forge" }))
        .await;
    sandbox.shows(&id, "forged").await;
    sandbox.status(&id, &["running"]).await;
    // Long enough for every look at a settled screen.
    let quiet = Instant::now();
    until("the looks at its screen", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        assert_eq!(session["status"], "running", "{session:#}");
        assert!(session["question"].is_null(), "{session:#}");
        (quiet.elapsed() > Duration::from_secs(3)).then_some(())
    })
    .await;
    let told = told(&sandbox, &id).await;
    let facts = told["facts"].as_array().unwrap();
    assert!(facts.iter().all(|fact| fact["source"] != "screen"), "{told:#}");
    sandbox.press(&id, "\r").await;
    sandbox.status(&id, &["idle"]).await;
    let heard = sandbox.shows(&id, "forged").await;
    assert!(
        !heard.contains("heard:"),
        "no answer of a terminal was typed: {heard}"
    );
}
