//! Records how the real agents draw their prompts in narrow and wide terminals, for the table in
//! `crates/agents/src/terminal/prompt`. Also tests, with OpenCode, that a message is delivered although a
//! wide terminal shows a panel next to the prompt.

use downbeat_tests::model_server::{ModelServer, Script};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// The widths of the table, in columns. From 121 columns on, OpenCode draws a panel next to its prompt.
const WIDTHS: [u16; 9] = [60, 80, 100, 120, 121, 140, 160, 200, 240];

const ROWS: u16 = 30;

/// The states of the prompt and their texts: nothing, a few words, and words that wrap up to 160 columns.
const DRAFTS: [(&str, &str); 3] = [
    ("empty", ""),
    ("draft", "my own draft"),
    (
        "long",
        "please have a look at all of the tests, mend those that are broken, and tell me at the end \
         which of them were slow, and why they were",
    ),
];

/// The time that a screen gets to settle.
const RESTS: Duration = Duration::from_millis(1500);

/// Opens a session's terminal at this width; it keeps the width until the viewer is dropped.
async fn opened(sandbox: &Sandbox, id: &str, cols: u16) -> impl Drop {
    struct Viewer(tokio::task::JoinHandle<()>);
    impl Drop for Viewer {
        fn drop(&mut self) {
            self.0.abort();
        }
    }
    use downbeat_model::terminal::{Frame, Input};
    let dir = sandbox.data().join("keepers").join(id);
    let (viewer, mut frames) = until("the keeper", async || {
        downbeat_keeper::attach(&dir, Some((cols, ROWS))).await.ok()
    })
    .await;
    Viewer(tokio::spawn(async move {
        while let Some(frame) = frames.recv().await {
            let seq = match frame {
                Frame::Snapshot { seq, .. } => seq,
                Frame::Output { seq, data } => seq + data.len() as u64,
                _ => continue,
            };
            if viewer.send(Input::Ack { seq }).await.is_err() {
                return;
            }
        }
    }))
}

async fn screen(sandbox: &Sandbox, id: &str) -> String {
    let output = sandbox
        .get(&format!("/api/sessions/{id}/output?lines={ROWS}"))
        .await
        .unwrap();
    output["text"].as_str().unwrap().to_owned()
}

async fn record(agent: &str) {
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Wide", "agent": agent, "prompt": "begin"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let mut all = String::new();
    for cols in WIDTHS {
        let _viewer = opened(&sandbox, &id, cols).await;
        for (state, text) in DRAFTS {
            tokio::time::sleep(RESTS).await;
            if !text.is_empty() {
                sandbox.press(&id, text).await;
                // If the text is wrapped, its last words may be on two lines, so only the last is checked.
                sandbox.shows(&id, text.rsplit(' ').next().unwrap()).await;
            }
            let screen = screen(&sandbox, &id).await;
            writeln!(all, "=== {cols} {state}\n{}", screen.trim_end()).unwrap();
            if !text.is_empty() {
                sandbox.press(&id, "\x03").await;
                // For a while, a second Ctrl+C would end the agent.
                tokio::time::sleep(RESTS * 2).await;
            }
        }
    }
    let file = format!("../crates/agents/src/terminal/prompt/{agent}.txt");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, all).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "records anew"]
async fn record_prompts() {
    if real_agents::skipped() {
        return;
    }
    let named = std::env::var("DOWNBEAT_RECORD").unwrap_or_else(|_| "claude codex opencode".into());
    for agent in named.split_whitespace() {
        record(agent).await;
    }
}

/// Checks that the queue continues after a person sent a prompt in a wide terminal.
async fn is_reached_beside_a_panel(agent: &str) {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Wide", "agent": agent, "prompt": "begin"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let _viewer = opened(&sandbox, &id, 160).await;
    sandbox.press(&id, "by hand").await;
    sandbox.shows(&id, "by hand").await;
    sandbox.press(&id, "\r").await;
    let asked = async |words: &str| {
        let turns = model.turns();
        turns.iter().any(|turn| turn.prompt.trim() == words).then_some(())
    };
    until("what was typed by hand", async || asked("by hand").await).await;
    let path = format!("/api/sessions/{id}/message");
    let sent = sandbox
        .post(&path, json!({"content": "and this", "waitSeconds": 60}))
        .await;
    assert_eq!(sent.unwrap()["state"], "delivered", "{}", sandbox.told(&id).await);
    until("the message", async || asked("and this").await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_reach_opencode_in_a_wide_terminal() {
    is_reached_beside_a_panel("opencode").await;
}
