//! Tests repeated requests: a request with an idempotency key is carried out once, whatever became of the
//! engine that received it first.

use crate::crashes::{held, reached};
use crate::deliveries::workspace;
use crate::queue::{becomes, idle, queue, send};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::process::{Child, Stdio};

async fn sessions(sandbox: &Sandbox, title: &str) -> Vec<Value> {
    let all = sandbox.get("/api/sessions").await.unwrap();
    let own = all.as_array().unwrap().iter();
    own.filter(|session| session["title"] == title).cloned().collect()
}

async fn sent(sandbox: &Sandbox, id: &str, text: &str) -> usize {
    let all = queue(sandbox, id).await;
    all.iter().filter(|message| message["text"] == text).count()
}

fn start(sandbox: &Sandbox, words: &[&str]) -> Child {
    let mut command = sandbox.command(program("downbeat"));
    command.args(words).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command runs")
}

/// Returns the output of a command after it succeeded.
fn said(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[tokio::test]
async fn one_key_makes_one_session_across_concurrent_requests_and_engines() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = |title: &str| json!({ "projectId": project, "title": title, "agent": "shell" });
    let make = async || {
        sandbox
            .post_keyed("/api/sessions", ask("Once"), "k")
            .await
            .unwrap()
    };
    let (a, b, c) = tokio::join!(make(), make(), make());
    let later = make().await;
    assert_eq!([&b["id"], &c["id"], &later["id"]], [&a["id"]; 3]);
    let other = sandbox.post_keyed("/api/sessions", ask("Other"), "k").await;
    let other = other.unwrap_err();
    assert_eq!((other.status, &other.body["code"]), (400, &json!("invalid")));
    sandbox.kill_engine();
    sandbox.start().await;
    let again = sandbox
        .post_keyed("/api/sessions", ask("Once"), "k")
        .await
        .unwrap();
    assert_eq!(again["id"], a["id"]);
    assert_eq!(sessions(&sandbox, "Once").await.len(), 1);
    assert_eq!(sessions(&sandbox, "Other").await.len(), 0);
    // The refused request left nothing behind, so its key can be used again.
    let path = format!("/api/sessions/{}/unarchive", a["id"].as_str().unwrap());
    assert_eq!(
        sandbox
            .post_keyed(&path, json!({}), "u")
            .await
            .unwrap_err()
            .status,
        409
    );
    sandbox
        .delete(&format!("/api/sessions/{}", a["id"].as_str().unwrap()))
        .await
        .unwrap();
    let archive = path.replace("unarchive", "archive");
    sandbox.post_keyed(&archive, json!({}), "a").await.unwrap();
    for _ in 0..2 {
        let back = sandbox.post_keyed(&path, json!({}), "u").await.unwrap();
        assert_eq!(back["archivedAt"], Value::Null);
    }
}

#[tokio::test]
async fn a_crash_between_an_effect_and_its_answer_repeats_nothing() {
    let mut sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Target").await;
    let project = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()["projectId"].clone();
    let message = format!("/api/sessions/{id}/message");
    let spawn = json!({ "projectId": project, "title": "Made", "agent": "shell" });
    let cases = [
        ("spawn-created", "/api/sessions", spawn),
        (
            "message-queued",
            message.as_str(),
            json!({ "content": "say once" }),
        ),
    ];
    // The message stays in the queue, since a message that is being typed at the crash may become uncertain.
    send(&sandbox, &id, "work go", json!({ "waitSeconds": 0 })).await;
    sandbox.status(&id, &["running"]).await;
    for (point, path, body) in cases {
        let file = held(&mut sandbox, point).await;
        let (lost, ()) = tokio::join!(
            async { sandbox.post_keyed(path, body.clone(), point).await },
            async {
                reached(&file).await;
                let pid = sandbox.manifest().unwrap()["pid"].to_string();
                sandbox.command("kill").args(["-KILL", &pid]).status().unwrap();
            }
        );
        assert_eq!(lost.unwrap_err().status, 0, "{point}: the answer is lost");
        sandbox.set_env("DOWNBEAT_PAUSE_AT", "");
        sandbox.kill_engine();
        sandbox.start().await;
        let _ = std::fs::remove_file(&file);
        let answer = sandbox.post_keyed(path, body, point).await.unwrap();
        match point {
            "spawn-created" => {
                let made = sessions(&sandbox, "Made").await;
                assert_eq!(
                    made.iter().map(|one| &one["id"]).collect::<Vec<_>>(),
                    [&answer["id"]]
                );
            }
            _ => {
                std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
                becomes(&sandbox, &id, "say once", "delivered").await;
                assert_eq!(sent(&sandbox, &id, "say once").await, 1);
            }
        }
    }
}

#[tokio::test]
async fn commands_that_start_an_engine_at_once_start_one() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("shop");
    let add = ["project", "add", repository.to_str().unwrap()];
    said(start(&sandbox, &add));
    said(start(&sandbox, &["stop", "--all"]));
    until("the engine is gone", async || {
        sandbox.get("/api/engine").await.is_err().then_some(())
    })
    .await;
    let titles: Vec<String> = (0..6).map(|n| format!("At once {n}")).collect();
    let made: Vec<Child> = titles
        .iter()
        .map(|title| start(&sandbox, &["new", title, "-a", "shell", "-p", "shop"]))
        .collect();
    for child in made {
        said(child);
    }
    for title in &titles {
        assert_eq!(sessions(&sandbox, title).await.len(), 1, "{title}");
    }
    // Those that found another one in their place end by themselves.
    until("one engine is left", async || {
        (engines(&sandbox) == 1).then_some(())
    })
    .await;
    said(start(&sandbox, &["stop", "--all"]));
}

/// Returns the number of engines that run with the data directory of a sandbox.
fn engines(sandbox: &Sandbox) -> usize {
    let home = format!("DOWNBEAT_HOME={}", sandbox.data().display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let is_engine = |folder: std::path::PathBuf| {
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
        let has =
            |bytes: &[u8], wanted: &str| bytes.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes());
        has(&read("cmdline"), "serve") && has(&read("environ"), &home)
    };
    processes.filter(|entry| is_engine(entry.path())).count()
}

#[tokio::test]
async fn commands_across_handovers_take_effect_exactly_once() {
    let mut sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Busy").await;
    send(&sandbox, &id, "work go", json!({ "waitSeconds": 0 })).await;
    sandbox.status(&id, &["running"]).await;
    let waits = start(&sandbox, &["send", &id, "say across"]);
    until("the message is in the queue", async || {
        (sent(&sandbox, &id, "say across").await == 1).then_some(())
    })
    .await;
    let mut made = Vec::new();
    for round in 0..2 {
        made.extend((0..3).map(|n| {
            let title = format!("Spawned {round} {n}");
            start(&sandbox, &["new", &title, "-a", "shell", "-p", "shop"])
        }));
        // The running engine hands over to this one.
        sandbox.start().await;
    }
    std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
    becomes(&sandbox, &id, "say across", "delivered").await;
    let told = said(waits);
    assert!(
        told.starts_with("delivered") || told.starts_with("queued"),
        "{told}"
    );
    assert_eq!(sent(&sandbox, &id, "say across").await, 1);
    for child in made {
        said(child);
    }
    for round in 0..2 {
        for n in 0..3 {
            let title = format!("Spawned {round} {n}");
            assert_eq!(sessions(&sandbox, &title).await.len(), 1, "{title}");
        }
    }
}
