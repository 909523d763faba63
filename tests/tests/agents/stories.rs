//! Records stories of the real agents for `tests/recordings`: their output, with marks that say what the
//! agent was doing. The marks come from the agents' hooks, as their keepers recorded them, and from this
//! script for what no hook reports: questions before the first hook, answers, Esc. They never come from the
//! rules for titles and screens, which `tests/replays.rs` tests with the recordings.

use downbeat_model::terminal::{Frame, Input};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::sandbox::{Sandbox, until};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SIZE: (u16, u16) = (100, 30);

/// The time for which each state is recorded, so that a wrong status can show.
const STANDS: Duration = Duration::from_millis(2500);

/// An event of an asciicast: its time, type and data.
type Event = (Timestamp, &'static str, String);

/// A session that is being recorded.
struct Recording<'a> {
    sandbox: &'a Sandbox,
    id: String,
    events: Arc<Mutex<Vec<Event>>>,
    _viewer: tokio::sync::mpsc::Sender<Input>,
}

impl<'a> Recording<'a> {
    /// Starts a session and records it from its first byte.
    async fn start(sandbox: &'a Sandbox, ask: Value) -> Self {
        let id = sandbox.session(ask).await;
        let dir = sandbox.data().join("keepers").join(&id);
        let (viewer, mut frames) = until("the keeper", async || {
            downbeat_keeper::attach(&dir, Some(SIZE)).await.ok()
        })
        .await;
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let (acks, kept) = (viewer.clone(), Arc::clone(&events));
        tokio::spawn(async move {
            let mut cut = Vec::new();
            while let Some(frame) = frames.recv().await {
                let (seq, data) = match frame {
                    Frame::Snapshot { seq, data, .. } => (seq, data),
                    Frame::Output { seq, data } => (seq + data.len() as u64, data),
                    Frame::Resize { cols, rows, .. } => {
                        let size = format!("{cols}x{rows}");
                        kept.lock().unwrap().push((Timestamp::now(), "r", size));
                        continue;
                    }
                    Frame::Screen { .. } => continue,
                    Frame::Exit { .. } | Frame::Closed { .. } => return,
                };
                cut.extend_from_slice(&data);
                let whole = match std::str::from_utf8(&cut) {
                    Ok(text) => text.len(),
                    Err(error) => error.valid_up_to(),
                };
                let rest = cut.split_off(whole);
                let text = String::from_utf8(std::mem::replace(&mut cut, rest)).unwrap();
                kept.lock().unwrap().push((Timestamp::now(), "o", text));
                if acks.send(Input::Ack { seq }).await.is_err() {
                    return;
                }
            }
        });
        let recording = Self {
            sandbox,
            id,
            events,
            _viewer: viewer,
        };
        recording.does("starts", "started");
        recording
    }

    /// Adds a mark for what the agent does from now on, and how that is known.
    fn does(&self, does: &str, why: &str) {
        let mark = format!("{does}: {why}");
        self.events.lock().unwrap().push((Timestamp::now(), "m", mark));
    }

    async fn stands(&self) {
        tokio::time::sleep(STANDS).await;
    }

    /// Waits until the screen shows `words`, which are part of a question.
    async fn asks_on_screen(&self, words: &str) {
        self.sandbox.shows(&self.id, words).await;
        self.does("asks", words);
        self.stands().await;
    }

    async fn asks(&self) {
        until("a permission question", async || {
            let path = format!("/api/sessions/{}", self.id);
            let session = self.sandbox.get(&path).await.ok()?;
            let asks = session["status"] == "waiting" && session["question"]["kind"] == "permission";
            asks.then_some(())
        })
        .await;
        self.stands().await;
    }

    async fn rests(&self) {
        self.sandbox.status(&self.id, &["idle"]).await;
        self.stands().await;
    }

    /// Answers by keys, since an answer through the engine takes until its next look at the screen. `then` is
    /// what the agent does next, if no hook reports the answer.
    async fn answer(&self, keys: &[&str], then: Option<&str>) {
        self.press(keys).await;
        if let Some(then) = then {
            self.does(then, "answered");
        }
    }

    async fn send(&self, text: &str) {
        let message = format!("/api/sessions/{}/message", self.id);
        let sent = self
            .sandbox
            .post(&message, json!({ "content": text, "waitSeconds": 60 }))
            .await;
        assert_eq!(sent.unwrap()["state"], "delivered");
    }

    async fn press(&self, keys: &[&str]) {
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                tokio::time::sleep(Duration::from_millis(150)).await;
            }
            self.sandbox.press(&self.id, key).await;
        }
    }

    /// Writes the recording, with the marks from the hooks merged in by time.
    async fn keep(self, agent: &str) {
        let path = format!("/api/sessions/{}/explain?facts=200", self.id);
        let explained = self.sandbox.get(&path).await.unwrap();
        let mut events = self.events.lock().unwrap().clone();
        for fact in explained["facts"].as_array().unwrap() {
            let word = |name: &str| fact[name].as_str().unwrap_or_default();
            let does = match word("meaning") {
                _ if word("source") != "hook" => continue,
                "took a message" | "works" | "no longer asks" => "works",
                "finished its turn" => "rests",
                "started, with an empty prompt" => "starts",
                meaning if meaning.starts_with("asks: ") => "asks",
                _ => continue,
            };
            let mark = format!("{does}: {}", word("detail"));
            events.push((word("at").parse().unwrap(), "m", mark));
        }
        events.sort_by_key(|(at, ..)| *at);
        let began = events[0].0;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("recordings/{agent}.cast.gz"));
        let file = std::fs::File::create(file).unwrap();
        let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::best());
        let (width, height) = SIZE;
        let head = json!({"version": 2, "width": width, "height": height, "title": agent});
        writeln!(out, "{head}").unwrap();
        for (at, kind, text) in events {
            let seconds = at.duration_since(began).as_secs_f64();
            let seconds = (seconds * 1000.0).round() / 1000.0;
            writeln!(out, "{}", json!([seconds, kind, text])).unwrap();
        }
        out.finish().unwrap();
    }
}

/// The steps of a story for one agent.
struct Story {
    agent: &'static str,
    /// A tool call for which the agent asks permission.
    asked: Step,
    /// A tool call that takes four seconds.
    long: Step,
    /// Whether the agent asks permission for [`Self::long`].
    long_asks: bool,
    /// Words of the question about the folder, and the keys that answer it; `None` if the agent does not ask.
    trust: Option<(&'static str, &'static [&'static str])>,
    /// The keys that interrupt a turn.
    interrupt: &'static [&'static str],
    /// The key that empties the prompt, if the agent puts an interrupted message back into it.
    clear: Option<&'static str>,
}

async fn record(story: Story) {
    let pause = Duration::from_secs(2);
    let script = Script::new()
        .when(
            "make the file",
            [story.asked.after(pause), Step::say("It is made.").after(pause)],
        )
        .when(
            "wait long",
            [story.long.after(pause), Step::say("I waited.").after(pause)],
        )
        .when("think long", [Step::say("I thought.").held("thought")])
        .when("say it", [Step::say("It is said.").after(pause)]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[story.agent]).await;
    let path = sandbox.repository("shop");
    let trusts = story.trust.is_none();
    let answered = Some("works").filter(|_| story.agent != "opencode");
    let project = sandbox
        .post("/api/projects", json!({"path": path, "trust": trusts}))
        .await
        .unwrap();
    let ask = json!({
        "projectId": project["id"], "title": "Maker", "agent": story.agent, "prompt": "make the file",
    });
    let recording = Recording::start(&sandbox, ask).await;
    if let Some((words, answer)) = story.trust {
        recording.asks_on_screen(words).await;
        recording.answer(answer, Some("starts")).await;
    }
    recording.asks().await;
    recording.answer(&["\r"], answered).await;
    recording.rests().await;
    recording.send("wait long").await;
    if story.long_asks {
        recording.asks().await;
        recording.answer(&["\r"], answered).await;
    }
    recording.rests().await;
    recording.send("think long").await;
    until("the model is asked", async || {
        let turns = model.turns();
        turns
            .last()
            .filter(|turn| turn.prompt == "think long")
            .map(|_| ())
    })
    .await;
    recording.stands().await;
    recording.press(story.interrupt).await;
    recording.does("rests", "interrupted");
    recording.rests().await;
    if let Some(key) = story.clear {
        recording.press(&[key]).await;
    }
    recording.send("say it").await;
    recording.rests().await;
    recording.keep(story.agent).await;
}

fn touch(tool: &str, command: &str) -> Step {
    Step::call(tool, json!({"command": command, "description": "make it"}))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "records anew"]
async fn record_claude() {
    record(Story {
        agent: "claude",
        asked: touch("Bash", "touch made.txt"),
        long: touch("Bash", "sleep 4 && touch later.txt"),
        long_asks: true,
        trust: Some(("trust this folder", &["\x1b[B", "\r"])),
        interrupt: &["\x1b"],
        clear: Some("\x03"),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "records anew"]
async fn record_codex() {
    let outside = json!({
        "cmd": "touch /tmp/downbeat-made.txt", "sandbox_permissions": "require_escalated",
        "justification": "because",
    });
    record(Story {
        agent: "codex",
        asked: Step::call("exec_command", outside),
        long: Step::call("exec_command", json!({"cmd": "sleep 4"})),
        long_asks: false,
        trust: Some(("Trust this folder?", &["\r"])),
        interrupt: &["\x1b"],
        clear: None,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "records anew"]
async fn record_opencode() {
    record(Story {
        agent: "opencode",
        asked: touch("bash", "touch made.txt"),
        long: touch("bash", "sleep 4"),
        long_asks: true,
        trust: None,
        interrupt: &["\x1b", "\x1b"],
        clear: None,
    })
    .await;
}
