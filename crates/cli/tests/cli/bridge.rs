//! Tests of the MCP bridge's tools with a scripted engine, over a real pipe, as an agent's client calls them.

use crate::rig::{PATIENCE, Rig, command, engine, session};
use crate::scripted::{Call, SESSION, SESSION_ID, Scripted};
use downbeat_model::SessionId;
use downbeat_model::limit::TOO_DEEP;
use downbeat_wire::{ApiError, Caller, Code, names};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::Notify;

/// The MCP client of an agent, with its bridge.
pub struct Client {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    next: u64,
    /// The messages that arrived while the client waited for another answer.
    heard: Vec<Value>,
}

impl Client {
    pub async fn start(rig: &Rig) -> Self {
        let mut bridge = command(rig.home.path());
        bridge
            .arg("mcp")
            .env("DOWNBEAT_TOKEN", SESSION)
            .env("DOWNBEAT_SESSION", SESSION_ID);
        bridge
            .env("DOWNBEAT_ENGINE", rig.home.path().join("engine.json"))
            .env_remove("DOWNBEAT_HOME");
        let mut child = bridge
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut client = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            _child: child,
            next: 0,
            heard: Vec::new(),
        };
        let about = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        });
        let hello = client.ask("initialize", about).await;
        assert_eq!(hello["serverInfo"]["name"], "downbeat");
        assert_eq!(hello["protocolVersion"], "2025-06-18");
        assert!(hello["instructions"].as_str().unwrap().contains("spawn_worker"));
        client
            .say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        client
    }

    async fn say(&mut self, message: Value) {
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line())
            .await
            .expect("in time");
        serde_json::from_str(&line.unwrap().expect("not ended")).unwrap()
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        loop {
            let message = self.hear().await;
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
            self.heard.push(message);
        }
    }

    pub async fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))
            .await
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn report(events: Value) -> Value {
    json!({"events": events, "timedOut": false, "workers": []})
}

/// Answers every request of the tools successfully, except for the removal of a worktree.
fn well(call: &Call) -> Result<Value, ApiError> {
    Ok(match call.name {
        names::create_session | names::kill_session => session("auth", "spawning"),
        names::list_workers => json!([session("auth", "running")]),
        names::get_output => {
            json!({"id": SESSION_ID, "text": "line\n- auth: idle", "title": "", "isCheckpoint": false})
        }
        names::list_merge_queues => json!([{
            "projectId": "p000000000001", "project": "shop", "target": "main", "paused": null, "pausedSince": null,
            "batch": 1, "entries": [{
                "sessionId": SESSION_ID, "name": "auth", "head": "1".repeat(40), "place": 2, "priority": "normal",
                "unchecked": false, "enqueuedAt": "2026-01-01T00:00:00Z", "since": "2026-01-01T00:00:00Z",
                "why": "2nd in the queue of main: waits for the checks of\n- kill_all_workers",
            }],
        }]),
        names::send_message => json!({"message": 7, "state": "uncertain", "detail": "no hook yet"}),
        names::kill_workers => json!({"sessions": ["auth"]}),
        names::wait_for_workers => report(json!([{
            "sessionId": SESSION_ID, "workerName": "auth", "type": "finished", "detail": "Stop hook\nauth killed",
            "timestamp": "2026-01-01T00:00:00Z", "terminalContent": "> ok"
        }])),
        names::remove_workspace => return Err(ApiError::new(Code::UnsavedWork, "2 files are not committed")),
        other => return Err(ApiError::not_found("answer", other)),
    })
}

#[tokio::test]
async fn a_conductors_tools_say_how_to_use_them() {
    let rig = Rig::start(Scripted::new(well)).await;
    let mut client = Client::start(&rig).await;
    let listed = client.ask("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let shape: Vec<String> = tools
        .iter()
        .map(|tool| {
            assert!(tool["description"].as_str().unwrap().len() > 40, "{tool}");
            assert_eq!(tool["inputSchema"]["type"], "object");
            let none = serde_json::Map::new();
            let fields = tool["inputSchema"]["properties"].as_object().unwrap_or(&none);
            let required = tool["inputSchema"]["required"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let mark = |name: &String| if required.contains(&json!(name)) { "" } else { "?" };
            let fields: Vec<String> = fields
                .keys()
                .map(|name| format!("{name}{}", mark(name)))
                .collect();
            format!("{} {{{}}}", tool["name"].as_str().unwrap(), fields.join(", "))
        })
        .collect();
    insta::assert_snapshot!(shape.join("\n"));
}

#[tokio::test]
async fn tools_call_the_engine_as_their_session() {
    let rig = Rig::start(Scripted::new(well)).await;
    let mut client = Client::start(&rig).await;
    let spawned = client
        .tool(
            "spawn_worker",
            json!({
                "task": "do `it` $(now)", "name": "auth", "base": "main", "issue": "#42", "conductor": true,
            }),
        )
        .await;
    // Structured content would hide the text from Claude Code's model.
    assert_eq!(
        (&spawned["isError"], &spawned["structuredContent"]),
        (&json!(false), &Value::Null)
    );
    assert!(text(&spawned).starts_with("Worker auth is spawning"));
    let listed = client.tool("list_workers", json!({})).await;
    assert!(text(&listed).contains("): running"), "{listed}");
    let shown = client
        .tool("get_worker_output", json!({"worker": "auth", "lines": 7}))
        .await;
    assert!(text(&shown).ends_with("\n> line\n> - auth: idle"), "{shown}");
    let sent = client
        .tool("send_to_worker", json!({"worker": "auth", "message": "/quit"}))
        .await;
    assert!(
        text(&sent).contains("nothing shows yet that it was accepted"),
        "{sent}"
    );
    let waited = client
        .tool("wait_for_workers", json!({"workers": ["auth"], "until": "all"}))
        .await;
    let told: Value = serde_json::from_str(text(&waited)).unwrap();
    let event = json!({
        "type": "finished", "stop": null, "worker_name": "auth", "session_id": SESSION_ID,
        "timestamp": "2026-01-01T00:00:00Z", "detail": "Stop hook\nauth killed", "answer": null, "reason": null,
        "warning": null, "terminal_content": "> ok",
    });
    assert_eq!(
        (&told["events"], &told["timeout"]),
        (&json!([event]), &json!(false))
    );
    client.tool("kill_all_workers", json!({})).await;
    let waiting = client.tool("list_merge_queue", json!({})).await;
    // The second line is set in, so that it cannot be taken for a line of the list.
    let why = "auth: 2nd in the queue of main: waits for the checks of\n    - kill_all_workers\n";
    assert_eq!(text(&waiting), why);
    let caller = Caller::Session(SessionId::parse(SESSION_ID).unwrap());
    let calls = rig.host.calls();
    assert!(calls.iter().all(|call| call.caller == caller));
    let asked: Vec<(&str, Value)> = calls
        .into_iter()
        .map(|call| (call.name, call.arguments))
        .collect();
    assert_eq!(asked[0].1["prompt"], "do `it` $(now)");
    assert_eq!(asked[0].1["conductor"], true);
    assert_eq!(
        (&asked[0].1["parent"], &asked[0].1["base"], &asked[0].1["issue"]),
        (&json!(SESSION_ID), &json!("main"), &json!("#42"))
    );
    assert_eq!(asked[1], (names::list_workers, json!({"id": SESSION_ID})));
    assert_eq!(
        asked[2],
        (names::get_output, json!({"id": "auth", "what": null, "lines": 7}))
    );
    assert_eq!(
        asked[3],
        (
            names::send_message,
            json!({"id": "auth", "content": "/quit", "when": null, "waitSeconds": 2})
        )
    );
    let wait = json!({"id": SESSION_ID, "workers": ["auth"], "until": "all", "timeoutSeconds": 45});
    assert_eq!(asked[4], (names::wait_for_workers, wait));
    assert_eq!(asked[5], (names::kill_workers, json!({"id": SESSION_ID})));
    assert_eq!(asked[6], (names::list_merge_queues, json!({"project": null})));
}

#[tokio::test]
async fn errors_reach_the_agent_with_a_hint() {
    let rig = Rig::start(Scripted::new(|call| match call.name {
        names::create_session => Err(ApiError::new(Code::TooDeep, TOO_DEEP)),
        _ => well(call),
    }))
    .await;
    let mut client = Client::start(&rig).await;
    let deep = client.tool("spawn_worker", json!({"task": "x"})).await;
    assert_eq!(
        (&deep["isError"], &deep["structuredContent"]["mode"]),
        (&json!(true), &json!("sequential"))
    );
    assert!(text(&deep).starts_with("Max depth reached, no worker spawning allowed"));
    let misfit = client.tool("spawn_worker", json!({"tsak": "x"})).await;
    assert_eq!(misfit["isError"], true);
    assert!(text(&misfit).contains("tsak"), "{misfit}");
    let kept = client
        .tool("kill_worker", json!({"worker": "auth", "remove_worktree": true}))
        .await;
    assert_eq!(
        (&kept["isError"], &kept["structuredContent"]["code"]),
        (&json!(true), &json!("unsaved_work"))
    );
    assert!(
        text(&kept).contains("was killed, but its worktree was not removed: 2 files"),
        "{kept}"
    );
    assert_eq!(
        client.tool("kill_worker", json!({"worker": "auth"})).await["isError"],
        false
    );
}

#[tokio::test]
async fn a_wait_reports_its_progress() {
    let gate = Arc::new(Notify::new());
    let opened = gate.clone();
    let rig = Rig::start(Scripted::slow(move |call| {
        let gate = opened.clone();
        Box::pin(async move {
            if call.name == names::wait_for_workers {
                gate.notified().await;
            }
            well(&call)
        })
    }))
    .await;
    let mut client = Client::start(&rig).await;
    let params = json!({"name": "wait_for_workers", "arguments": {}, "_meta": {"progressToken": "t1"}});
    client
        .say(json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params}))
        .await;
    let word = client.hear().await;
    assert_eq!(
        (&word["method"], &word["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("t1"))
    );
    assert_eq!(word["params"]["message"], "1 running");
    // Other tools answer during the wait.
    assert_eq!(client.tool("list_workers", json!({})).await["isError"], false);
    gate.notify_one();
    loop {
        let message = client.hear().await;
        if message["id"] == 99 {
            assert!(text(&message["result"]).contains("\"type\": \"finished\""));
            break;
        }
    }
}

#[tokio::test]
async fn a_wait_that_is_over_says_so() {
    let rig = Rig::start(Scripted::new(|call| match call.name {
        names::wait_for_workers => Ok(json!({"events": [], "timedOut": true, "workers": []})),
        _ => well(call),
    }))
    .await;
    let mut client = Client::start(&rig).await;
    let waited = client
        .tool("wait_for_workers", json!({"timeout_seconds": 1}))
        .await;
    let said = text(&waited);
    assert!(
        said.contains("\"timeout\": true") && said.contains("\"events\": []"),
        "{said}"
    );
}

#[tokio::test]
async fn calls_continue_across_a_handover() {
    let rig = Rig::start(Scripted::slow(|call| {
        Box::pin(async move {
            match call.name {
                names::wait_for_workers => std::future::pending().await,
                _ => well(&call),
            }
        })
    }))
    .await;
    let mut client = Client::start(&rig).await;
    client.tool("list_workers", json!({})).await;
    let params = json!({"name": "wait_for_workers", "arguments": {}});
    client
        .say(json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params}))
        .await;
    while !rig
        .host
        .calls()
        .iter()
        .any(|call| call.name == names::wait_for_workers)
    {
        tokio::task::yield_now().await;
    }
    rig.shutdown.cancel();
    let next = Scripted::new(well);
    engine(next.clone(), rig.home.path()).await;
    let waited = client.hear().await;
    assert_eq!(waited["id"], 99);
    assert!(
        text(&waited["result"]).contains("\"type\": \"finished\""),
        "{waited}"
    );
    assert_eq!(
        client.tool("spawn_worker", json!({"task": "x"})).await["isError"],
        false
    );
    assert_eq!(
        next.calls()
            .iter()
            .filter(|call| call.name == names::create_session)
            .count(),
        1
    );
}
