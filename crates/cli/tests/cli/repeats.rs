//! Requests whose answer is lost since their engine goes away: the next engine is asked the same, under the
//! same key, by commands and by the bridge.

use crate::bridge::Client;
use crate::rig::{Rig, command, engine, run, session};
use crate::scripted::Scripted;
use serde_json::{Value, json};
use std::sync::Arc;

/// A host that takes requests and never answers.
fn silent() -> Arc<Scripted> {
    Scripted::slow(|call| {
        Box::pin(async move {
            match call.name {
                "get_engine" => Ok(about()),
                _ => std::future::pending().await,
            }
        })
    })
}

fn about() -> Value {
    json!({
        "version": "0.1.0", "pid": 1, "dataDir": "/d", "headless": true, "seq": 0, "working": 0,
        "needsYou": 0, "live": 0, "busyShells": 0, "awake": false
    })
}

fn answering() -> Arc<Scripted> {
    Scripted::new(|call| {
        Ok(match call.name {
            "get_engine" => about(),
            "send_message" => json!({ "message": 7, "state": "delivered", "detail": "its hook" }),
            "ask_conductor" | "create_session" => session("auth", "spawning"),
            _ => json!({}),
        })
    })
}

/// The keys that an operation came with.
fn keys(host: &Scripted, name: &str) -> Vec<Option<String>> {
    let all = host.keys.lock().unwrap();
    let own = all.iter().filter(|(operation, _)| operation == name);
    own.map(|(_, key)| key.clone()).collect()
}

async fn asked(host: &Scripted, name: &str) {
    while keys(host, name).is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_command_asks_the_next_engine_under_the_same_key() {
    let rig = Rig::start(silent()).await;
    let next = answering();
    let mut words = command(rig.home.path());
    words.args(["send", "auth", "go"]);
    let (said, ()) = tokio::join!(run(&mut words), async {
        asked(&rig.host, "send_message").await;
        rig.shutdown.cancel();
        engine(next.clone(), rig.home.path()).await;
    });
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "delivered: its hook\n"),
        "{said:?}"
    );
    let first = keys(&rig.host, "send_message");
    assert!(first[0].is_some());
    assert_eq!(keys(&next, "send_message"), first);
    // The next command is another request.
    run(command(rig.home.path()).args(["send", "auth", "go"])).await;
    let all = keys(&next, "send_message");
    assert_ne!(all[0], all[1]);
}

#[tokio::test]
async fn a_tool_call_is_repeated_under_the_same_key() {
    let rig = Rig::start(silent()).await;
    let mut client = Client::start(&rig).await;
    let next = answering();
    for (tool, arguments, operation) in [
        ("spawn_worker", json!({ "task": "x" }), "create_session"),
        (
            "send_to_worker",
            json!({ "worker": "auth", "message": "go" }),
            "send_message",
        ),
    ] {
        let is_first = operation == "create_session";
        let (answer, ()) = tokio::join!(client.tool(tool, arguments), async {
            if is_first {
                asked(&rig.host, operation).await;
                rig.shutdown.cancel();
                engine(next.clone(), rig.home.path()).await;
            }
        });
        assert_eq!(answer["isError"], false, "{answer}");
    }
    assert_eq!(keys(&next, "create_session"), keys(&rig.host, "create_session"));
    let (spawned, sent) = (keys(&next, "create_session"), keys(&next, "send_message"));
    assert!(spawned[0].is_some() && sent[0].is_some() && spawned != sent);
}
