//! Tests of requests whose answer is lost because their engine ends: commands and the bridge repeat them to
//! the next engine, with the same idempotency key.

use crate::bridge::Client;
use crate::rig::{Rig, command, engine, run, session};
use crate::scripted::Scripted;
use downbeat_wire::names;
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns a host that answers `get_engine` and never answers anything else.
fn silent() -> Arc<Scripted> {
    Scripted::slow(|call| {
        Box::pin(async move {
            match call.name {
                names::get_engine => Ok(about()),
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
            names::get_engine => about(),
            names::send_message => json!({ "message": 7, "state": "delivered", "detail": "its hook" }),
            names::ask_conductor | names::create_session => session("auth", "spawning"),
            _ => json!({}),
        })
    })
}

/// Returns the keys of the requests for an operation, in order.
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
async fn a_command_is_repeated_to_the_next_engine_with_the_same_key() {
    let rig = Rig::start(silent()).await;
    let next = answering();
    let mut words = command(rig.home.path());
    words.args(["send", "auth", "go"]);
    let (said, ()) = tokio::join!(run(&mut words), async {
        asked(&rig.host, names::send_message).await;
        rig.shutdown.cancel();
        engine(next.clone(), rig.home.path()).await;
    });
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "delivered: its hook\n"),
        "{said:?}"
    );
    let first = keys(&rig.host, names::send_message);
    assert!(first[0].is_some());
    assert_eq!(keys(&next, names::send_message), first);
    // The next command is another request, with another key.
    run(command(rig.home.path()).args(["send", "auth", "go"])).await;
    let all = keys(&next, names::send_message);
    assert_ne!(all[0], all[1]);
}

#[tokio::test]
async fn a_tool_call_is_repeated_with_the_same_key() {
    let rig = Rig::start(silent()).await;
    let mut client = Client::start(&rig).await;
    let next = answering();
    for (tool, arguments, operation) in [
        ("spawn_worker", json!({ "task": "x" }), names::create_session),
        (
            "send_to_worker",
            json!({ "worker": "auth", "message": "go" }),
            names::send_message,
        ),
    ] {
        let is_first = operation == names::create_session;
        let (answer, ()) = tokio::join!(client.tool(tool, arguments), async {
            if is_first {
                asked(&rig.host, operation).await;
                rig.shutdown.cancel();
                engine(next.clone(), rig.home.path()).await;
            }
        });
        assert_eq!(answer["isError"], false, "{answer}");
    }
    assert_eq!(
        keys(&next, names::create_session),
        keys(&rig.host, names::create_session)
    );
    let (spawned, sent) = (
        keys(&next, names::create_session),
        keys(&next, names::send_message),
    );
    assert!(spawned[0].is_some() && sent[0].is_some() && spawned != sent);
}
