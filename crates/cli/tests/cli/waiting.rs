//! Tests of commands that wait for sessions, against a scripted engine: what they print during the wait, and
//! when they give up.

use crate::rig::{Rig, Said, session};
use crate::scripted::{SESSION_ID, Scripted};
use downbeat_wire::event::StreamItem;
use downbeat_wire::{ApiError, Code, names};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// Returns an engine that shows the session in the states of `shown`, one after the other, and keeps the
/// last.
fn engine(shown: Vec<Value>) -> Arc<Scripted> {
    let looks = AtomicUsize::new(0);
    let count = shown.len();
    let host = Scripted::new(move |call| match call.name {
        names::get_engine => Ok(json!({
            "version": "0.1.0", "pid": 1, "dataDir": "/d", "headless": true, "seq": 0, "working": 0,
            "needsYou": 0, "live": 0, "busyShells": 0, "awake": false
        })),
        names::get_session => {
            let look = looks.fetch_add(1, Ordering::Relaxed);
            Ok(shown[look.min(shown.len() - 1)].clone())
        }
        names::send_message => Ok(json!({"message": 7, "state": "queued", "detail": "waits"})),
        names::list_messages => Ok(json!([])),
        names::get_output => Ok(json!({
            "id": SESSION_ID, "text": "It is done. Which one?", "at": "2030-01-01T00:00:00Z", "title": "",
            "isCheckpoint": false, "changes": null
        })),
        name => Err(ApiError::new(Code::Failed, name)),
    });
    let (send, items) = mpsc::channel(16);
    for seq in 0..count as i64 {
        send.try_send(StreamItem::Resync { seq }).unwrap();
    }
    // The stream stays open until the test ends.
    std::mem::forget(send);
    *host.items.lock().unwrap() = Some(items);
    host
}

fn asking(kind: &str, text: &str, options: &[&str]) -> Value {
    let mut waiting = session("w", "waiting");
    waiting["question"] = json!({"kind": kind, "text": text, "options": options});
    waiting["reason"] = json!({"kind": "question", "text": text, "until": null});
    waiting
}

fn paused() -> Value {
    let mut paused = session("w", "paused");
    paused["paused"] = json!({"at": "2026-01-01T00:00:00Z", "why": "paused by you", "byBudget": false});
    paused["reason"] = json!({"kind": "paused", "text": "paused by you", "until": null});
    paused["queued"] = json!(1);
    paused
}

#[tokio::test]
async fn send_wait_reports_what_delays_the_answer_and_the_final_question() {
    let mut before = asking("permission", "Bash: rm", &["Yes", "No"]);
    before["queued"] = json!(1);
    let shown = vec![
        session("w", "idle"),
        before.clone(),
        before,
        paused(),
        session("w", "unknown"),
        asking("permission", "Edit: x", &[]),
        session("w", "running"),
        asking("asks", "Which one?", &[]),
    ];
    let rig = Rig::start(engine(shown)).await;
    let said = rig.run(&["send", "w", "--wait", "do it"]).await;
    let told = "waiting: w asks: Bash: rm (1: Yes, 2: No); `downbeat answer w CHOICE`\n\
                waiting: w is paused (paused by you); `downbeat go-on w` continues it\n\
                waiting: the status of w is unknown (PreToolUse hook); `downbeat attach w` shows it\n\
                waiting: w asks: Edit: x; `downbeat answer w CHOICE`\n\
                w asks: Which one?; `downbeat answer w TEXT`\n";
    assert_eq!(said.err, told);
    assert_eq!((said.code, said.out.as_str()), (0, "It is done. Which one?\n"));
}

#[tokio::test]
async fn send_wait_gives_up_after_its_timeout() {
    let rig = Rig::start(engine(vec![session("w", "running")])).await;
    let said = rig.run(&["send", "w", "--wait", "--timeout", "1", "do it"]).await;
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("timed out: w is running"), "{said:?}");
    let alone = rig.run(&["send", "w", "--timeout", "1", "do it"]).await;
    assert!(alone.code == 2 && alone.err.contains("--wait"), "{alone:?}");
}

#[tokio::test]
async fn send_wait_refuses_a_shell() {
    let mut shell = session("w", "idle");
    shell["agent"] = json!("shell");
    let rig = Rig::start(engine(vec![shell])).await;
    let said = rig.run(&["send", "w", "--wait", "ls"]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("w is a shell"), "{said:?}");
    assert!(said.err.contains("downbeat output w"), "{said:?}");
    let sent = rig
        .host
        .calls()
        .into_iter()
        .any(|call| call.name == names::send_message);
    assert!(!sent, "refused before it is sent");
}

/// Runs `wait` for a session that does not change.
async fn wait(shown: Value, words: &[&str]) -> Said {
    let rig = Rig::start(engine(vec![shown])).await;
    rig.run(&[&["wait", "w"], words].concat()).await
}

#[tokio::test]
async fn a_wait_that_cannot_succeed_ends_with_the_reason() {
    for until in ["idle", "waiting"] {
        let said = wait(session("w", "exited"), &["--until", until]).await;
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("w has ended: it is exited"), "{said:?}");
        assert!(said.err.contains("downbeat resume w"), "{said:?}");
    }
    assert_eq!(wait(session("w", "exited"), &[]).await.out, "w is exited\n");
    for words in [&[][..], &["--until", "idle"]] {
        let said = wait(paused(), words).await;
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("w is paused (paused by you)"), "{said:?}");
        assert!(said.err.contains("downbeat go-on w"), "{said:?}");
    }
    let said = wait(paused(), &["--until", "ended", "--timeout", "1"]).await;
    let told = "waiting: w is paused (paused by you); `downbeat go-on w` continues it\n";
    assert!(said.code == 1 && said.err.starts_with(told), "{said:?}");
    assert!(said.err.contains("timed out"), "{said:?}");
}
