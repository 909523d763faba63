//! Tests of commands against a scripted engine: their requests, their output and their errors.

use crate::rig::{PATIENCE, Rig, command, run, session, summary};
use crate::scripted::{SESSION_ID, Scripted};
use downbeat_wire::event::StreamItem;
use downbeat_wire::{ApiError, Code, names};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

fn engine_info() -> Value {
    json!({
        "version": "0.1.0", "pid": 1, "dataDir": "/d", "headless": true, "seq": 0, "working": 0,
        "needsYou": 0, "live": 0, "busyShells": 0, "awake": false
    })
}

/// Returns a host that answers with `answer`, and answers `get_engine`, which every command also requests.
fn host(
    answer: impl Fn(&str, &Value) -> Result<Value, ApiError> + Send + Sync + 'static,
) -> std::sync::Arc<Scripted> {
    Scripted::new(move |call| match call.name {
        names::get_engine => Ok(engine_info()),
        name => answer(name, &call.arguments),
    })
}

fn asked(rig: &Rig) -> Vec<(&'static str, Value)> {
    let calls = rig
        .host
        .calls()
        .into_iter()
        .filter(|call| call.name != names::get_engine);
    calls.map(|call| (call.name, call.arguments)).collect()
}

#[tokio::test]
async fn list_prints_a_table_or_exact_json() {
    let mut waiting = summary("ask-me", "waiting");
    waiting["question"] = json!({"kind": "permission", "text": "Bash:\n\u{1b}[31mrm", "options": []});
    waiting["reason"] = json!({"kind": "question", "text": "Bash:\n\u{1b}[31mrm", "until": null});
    waiting["statusSince"] = json!("2999-01-01T00:00:00Z");
    waiting["column"] = json!("needsYou");
    let listed = json!([waiting]);
    let answer = listed.clone();
    let rig = Rig::start(host(move |_, _| Ok(answer.clone()))).await;
    let said = rig.run(&["list", "-p", "app"]).await;
    let want = "NAME    STATUS   SINCE  BOARD      AGENT   ROLE    BRANCH     WHY\n\
                ask-me  waiting  0s     needs you  claude  worker  feature/x  Bash: [31mrm\n";
    assert_eq!((said.code, said.out.as_str()), (0, want));
    assert_eq!(rig.run(&["list", "--json"]).await.json(), listed);
    assert_eq!(asked(&rig)[0].1["project"], "app");
}

#[tokio::test]
async fn errors_print_a_hint_and_set_the_exit_code() {
    for (code, exit) in [
        (Code::Invalid, 2),
        (Code::NotFound, 3),
        (Code::UnsavedWork, 4),
        (Code::ApprovalNeeded, 4),
        (Code::Forbidden, 1),
        (Code::Failed, 1),
    ] {
        let rig = Rig::start(host(move |_, _| {
            Err(ApiError::new(code, "as told").hint("do this"))
        }))
        .await;
        let said = rig.run(&["kill", "w"]).await;
        assert_eq!(
            (said.code, said.err.as_str()),
            (exit, "error: as told\nhint: do this\n")
        );
        assert!(said.out.is_empty());
    }
}

#[tokio::test]
async fn commands_send_exactly_what_was_typed() {
    let rig = Rig::start(host(|name, _| match name {
        names::stop_sessions | names::kill_workers => Ok(json!({"sessions": ["a", "b"]})),
        names::send_message => {
            Ok(json!({"message": 7, "state": "delivered", "detail": "UserPromptSubmit hook"}))
        }
        names::remove_project | names::shutdown_engine => Ok(json!({})),
        names::restore_work | names::resume_session | names::create_session | names::kill_session => {
            Ok(session("w", "spawning"))
        }
        _ => Err(ApiError::not_found("answer", name)),
    }))
    .await;
    assert_eq!(rig.run(&["stop", "-p", "app"]).await.out, "stopped a, b\n");
    assert_eq!(rig.run(&["kill", "c", "--workers"]).await.out, "killed a, b\n");
    assert_eq!(
        rig.run(&["kill", "w/../x y"]).await.out,
        "killed w; its files stay in /w\n"
    );
    assert_eq!(
        rig.run(&["send", "w", "--", "-rf", "$(x)"]).await.out,
        "delivered: UserPromptSubmit hook\n"
    );
    rig.run(&["restore", "w", "--fresh"]).await;
    rig.run(&["restore-work", "w", "--backup", "r"]).await;
    rig.run(&["project", "remove", "a b"]).await;
    let said = rig
        .run(&[
            "new",
            "Fix it",
            "-p",
            "app",
            "--prompt",
            "`x`",
            "--conductor",
            "--workspace",
            "in-place",
        ])
        .await;
    assert_eq!(
        said.out,
        "w is spawning on feature/x; watch it with `downbeat attach w`\n"
    );
    rig.run(&[
        "spawn",
        "do",
        "--parent",
        "c",
        "--permission-mode",
        "accept-edits",
        "--base",
        "main",
    ])
    .await;
    assert_eq!(
        rig.run(&["stop", "--all", "--json"]).await.json()["sessions"],
        json!(["a", "b"])
    );
    let dense: Vec<(&str, Value)> = asked(&rig)
        .into_iter()
        .map(|(name, value)| (name, without_nulls(value)))
        .collect();
    assert_eq!(
        dense,
        [
            (names::stop_sessions, json!({"project": "app"})),
            (names::kill_workers, json!({"id": "c"})),
            (names::kill_session, json!({"id": "w/../x y"})),
            (names::send_message, json!({"id": "w", "content": "-rf $(x)"})),
            (names::resume_session, json!({"id": "w", "fresh": true})),
            (names::restore_work, json!({"id": "w", "backup": "r"})),
            (names::get_restore, json!({"id": SESSION_ID})),
            (names::remove_project, json!({"id": "a b"})),
            (
                names::create_session,
                json!({"projectId": "app", "title": "Fix it", "prompt": "`x`", "conductor": true, "workspace": "in-place"})
            ),
            (
                names::create_session,
                json!({"parent": "c", "prompt": "do", "permissionMode": "acceptEdits", "base": "main"})
            ),
            (names::stop_sessions, json!({"all": true})),
            (names::shutdown_engine, json!({"sessions": "stop"})),
        ]
    );
}

#[tokio::test]
async fn text_may_begin_with_a_hyphen_and_options_still_work() {
    let rig = Rig::start(host(|name, _| match name {
        names::send_message => Ok(json!({"message": 7, "state": "delivered", "detail": "x"})),
        _ => Ok(session("w", "spawning")),
    }))
    .await;
    for words in [
        &[
            "new", "- title", "-p", "app", "--prompt", "- fix a", "--branch", "-b",
        ][..],
        &["spawn", "-x", "-p", "app", "--json"],
        &["send", "w", "- item", "--json"],
        &["send", "w", "-1"],
    ] {
        let said = rig.run(words).await;
        assert_eq!(said.code, 0, "{words:?}: {said:?}");
        assert_eq!(said.out.starts_with('{'), words.contains(&"--json"), "{said:?}");
    }
    let empty = rig.run(&["spawn", " ", "-p", "app"]).await;
    assert!(
        empty.code == 2 && empty.err.contains("the task is empty"),
        "{empty:?}"
    );
    let dense: Vec<Value> = asked(&rig)
        .into_iter()
        .map(|(_, value)| without_nulls(value))
        .collect();
    assert_eq!(
        dense,
        [
            json!({"projectId": "app", "title": "- title", "prompt": "- fix a", "branch": "-b"}),
            json!({"projectId": "app", "prompt": "-x"}),
            json!({"id": "w", "content": "- item"}),
            json!({"id": "w", "content": "-1"}),
        ]
    );
}

fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

#[tokio::test]
async fn a_removal_refused_without_force_lists_the_unsaved_work() {
    let rig = Rig::start(host(|name, arguments| match (name, arguments["force"].as_bool()) {
        (names::remove_workspace, Some(true)) => Ok(json!({
            "id": SESSION_ID, "deletedBranch": "feature/x",
            "backup": {"name": "refs/downbeat/backup/s/1", "commit": "c", "files": 2, "at": "2026-01-01T00:00:00Z"}
        })),
        (names::remove_workspace, _) => Err(ApiError::new(Code::UnsavedWork, "w has work that is not safe")),
        _ => Ok(json!({
            "id": SESSION_ID, "path": "/w", "branch": "b", "dirty": ["a\nb", "c"], "dirtyCount": 7,
            "unpushed": 3, "changedCopies": [".env"], "blocked": null, "bytes": 1,
            "ignored": [{"path": "big.bin", "files": 1, "bytes": 99, "saved": false}, {"path": "n", "files": 1, "bytes": 2, "saved": true}],
            "ignoredCount": 2
        })),
    }))
    .await;
    let said = rig.run(&["remove", "w"]).await;
    let want = "error: w has work that is not safe\n  a b\n  c\n  .env\n  big.bin (99 bytes, ignored by git, NOT \
                SAVED)\n  n (2 bytes, ignored by git)\n  and 5 more\n  3 unpushed commits\nhint: --force \
                removes it anyway; what can be saved is saved first, and `downbeat restore-work` restores it\n";
    assert_eq!((said.code, said.err.as_str()), (4, want));
    let said = rig.run(&["remove", "w", "--force", "--branch", "--forget"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("refs/downbeat/backup/s/1") && said.out.contains("deleted branch feature/x"));
    let forced = asked(&rig).pop().unwrap().1;
    assert_eq!(
        forced,
        json!({"id": "w", "force": true, "deleteBranch": true, "forget": true})
    );
}

#[tokio::test]
async fn the_api_command_sends_any_request() {
    let rig = Rig::start(host(|_, _| Ok(session("w", "queued")))).await;
    let mut api = command(rig.home.path());
    let said = run(api.args(["api", "post", "/api/sessions", "-d", r#"{"title":"é"}"#])).await;
    assert_eq!((said.code, &said.json()["name"]), (0, &json!("w")));
    assert_eq!(asked(&rig)[0].1["title"], "é");
    assert_eq!(rig.run(&["api", "GET", "/api/nothing"]).await.code, 3);
    assert_eq!(
        rig.run(&["api", "POST", "/api/sessions", "-d", "{"]).await.code,
        2
    );
}

#[tokio::test]
async fn a_message_can_come_from_standard_input() {
    let rig = Rig::start(host(|_, _| {
        Ok(json!({"message": 7, "state": "uncertain", "detail": "no hooks"}))
    }))
    .await;
    let mut child = command(rig.home.path())
        .args(["send", "w", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"two\nlines").await.unwrap();
    drop(stdin);
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        said,
        json!({"message": 7, "state": "uncertain", "detail": "no hooks"})
    );
    assert_eq!(asked(&rig)[0].1["content"], "two\nlines");
}

#[tokio::test]
async fn watching_prints_again_when_sessions_change() {
    let host = host(|_, _| Ok(session("w", "running")));
    let (send, items) = mpsc::channel(4);
    *host.items.lock().unwrap() = Some(items);
    let rig = Rig::start(host).await;
    let mut child = command(rig.home.path())
        .args(["status", "w", "--watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for seq in 1..3 {
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&line).unwrap(),
            session("w", "running")
        );
        send.send(StreamItem::Resync { seq }).await.unwrap();
    }
    child.kill().await.unwrap();
}

#[tokio::test]
async fn watching_all_reads_only_the_session_that_changed() {
    let other = |n: u32, status: &str| {
        let mut one = summary(&format!("w{n}"), status);
        one["id"] = json!(format!("s{n:012}"));
        one
    };
    let host = host(move |_, request| match &request["ids"] {
        Value::Null => Ok(json!([other(1, "running"), other(2, "running")])),
        ids => {
            assert_eq!(*ids, json!(["s000000000002"]));
            Ok(json!([other(2, "idle")]))
        }
    });
    let (send, items) = mpsc::channel(4);
    *host.items.lock().unwrap() = Some(items);
    let rig = Rig::start(host).await;
    let mut child = command(rig.home.path())
        .args(["status", "--watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = async || {
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
        serde_json::from_str::<Value>(&line.unwrap().unwrap().unwrap()).unwrap()
    };
    assert_eq!(next().await, json!([other(1, "running"), other(2, "running")]));
    let change = json!({"type": "change", "seq": 1, "at": "2026-01-01T00:00:00Z", "kind": "session-status", "subject": "session:s000000000002",
        "projectId": null, "sessionId": "s000000000002", "invalidates": ["session", "engine"]});
    send.send(serde_json::from_value(change).unwrap()).await.unwrap();
    assert_eq!(next().await, json!([other(1, "running"), other(2, "idle")]));
    child.kill().await.unwrap();
}

#[tokio::test]
async fn a_foreign_program_on_a_dead_engines_port_gets_no_request() {
    let rig = Rig::start(host(|_, _| Ok(json!([])))).await;
    // The program that listens there now does not know the token of this home.
    let path = rig.home.path().join("engine.json");
    let foreign = std::fs::read_to_string(&path)
        .unwrap()
        .replace("owner-token", "another");
    std::fs::write(&path, foreign).unwrap();
    std::fs::remove_file(rig.home.path().join("engine.lock")).unwrap();
    let said = rig.run(&["doctor", "--json"]).await;
    let findings = said.json();
    let engine = findings
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["what"] == "engine")
        .unwrap();
    assert_ne!(engine["verdict"], json!("fail"), "{engine}");
    assert!(rig.host.calls().is_empty());
}
