//! What an agent's hook costs the agent, and how soon everybody sees what it told: beside a program
//! that does nothing, and beside a plain HTTP POST that is told over a WebSocket.

use crate::done::Done;
use crate::engine;
use crate::plain::{self, Server};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::sandbox::{Sandbox, program};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Between two posts, so that each finds everything at rest.
const PAUSE: Duration = Duration::from_millis(5);

/// Turns, so that what else the machine does meets all of them.
const TURNS: usize = 8;

/// All of it, in turns.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let world = engine::started().await?;
    let repository = engine::repository(&world, 1)?;
    let project = engine::project(&world, &repository).await?;
    let body = json!({ "projectId": project, "title": "hooks", "agent": "claude", "prompt": "conversation" });
    let id = engine::session(&world, body).await?;
    let conversation = conversation(&world, &id).await?;
    world.status(&id, &["idle"]).await;
    let server = Server::start().await?;
    let mut hooks = Hooks {
        ours: engine::changes(&world)?,
        theirs: engine::socket(server.port, "events", None)?,
        world: &world,
        id: &id,
        conversation,
        port: server.port.to_string(),
    };
    // The first text says that it is told from here on.
    hooks.theirs.read()?;
    let [mut ours, mut theirs, mut cost, mut nothing] = [const { Samples::new() }; 4];
    hooks.seen(2)?;
    for _ in 0..TURNS {
        let count = (scale.keys / 10).max(2);
        ours.join(&hooks.seen(count)?);
        theirs.join(&hooks.told(count)?);
        cost.join(&hooks.cost(count)?);
        nothing.join(&hooks.nothing(count)?);
    }
    for percent in [50, 95] {
        let [ours, theirs] = [&ours, &theirs].map(|samples| samples.percentile(percent));
        let beside = [("a plain POST and WebSocket", theirs)];
        let what = format!("a hook, to the change that everybody sees, p{percent}");
        report.add(Line::new(&what, Unit::Ms, ours, &beside, Goal::Times(1.5)));
        let [cost, nothing] = [&cost, &nothing].map(|samples| samples.percentile(percent));
        let beside = [("`true`", nothing)];
        let what = format!("what a hook costs the agent, p{percent}");
        report.add(Line::new(&what, Unit::Ms, cost, &beside, Goal::Over(20.0)));
    }
    Ok(())
}

/// The conversation that the fake agent said it has.
async fn conversation(world: &Sandbox, id: &str) -> Done<String> {
    let path = format!("/api/sessions/{id}/output");
    engine::soon("the conversation", async || {
        let output = engine::ask(world, "GET", &path, None).await.ok()?;
        let mut lines = output["text"].as_str()?.lines();
        let said = lines.find_map(|line| line.strip_prefix("conversation "))?;
        Some(said.trim().to_owned())
    })
    .await
}

struct Hooks<'a> {
    world: &'a Sandbox,
    id: &'a str,
    conversation: String,
    ours: engine::Socket,
    theirs: engine::Socket,
    port: String,
}

impl Hooks<'_> {
    /// The posts of a turn: it begins, it ends.
    fn post(&self, n: usize) -> String {
        let (name, extra) = match n % 2 {
            0 => ("UserPromptSubmit", json!({ "prompt": "go on" })),
            _ => ("Stop", json!({ "stop_hook_active": false })),
        };
        let mut body = json!({ "session_id": self.conversation, "hook_event_name": name });
        if let (Some(body), Value::Object(extra)) = (body.as_object_mut(), extra) {
            body.extend(extra);
        }
        body.to_string()
    }

    fn hook(&self) -> Command {
        let mut command = self.world.command(program("downbeat-hook"));
        let keeper = self.world.data().join("keepers").join(self.id);
        command.env("DOWNBEAT_KEEPER", keeper);
        command
    }

    /// From the start of a hook to the change of status, in the stream of changes.
    fn seen(&mut self, count: usize) -> Done<Samples> {
        let mut samples = Samples::new();
        for n in 0..count / 2 * 2 {
            std::thread::sleep(PAUSE);
            let (body, mut command) = (self.post(n), self.hook());
            let start = Instant::now();
            let run = Running::start(&mut command, &body)?;
            loop {
                let item: Value = serde_json::from_str(self.ours.read()?.to_text()?)?;
                if item["kind"] == "session-status" && item["sessionId"] == self.id {
                    break;
                }
            }
            samples.add(ms(start));
            run.end()?;
        }
        Ok(samples)
    }

    /// From the start of a post to what the WebSocket tells.
    fn told(&mut self, count: usize) -> Done<Samples> {
        let own = std::env::current_exe()?;
        let mut samples = Samples::new();
        for n in 0..count {
            std::thread::sleep(PAUSE);
            let (body, mut command) = (self.post(n), self.world.command(&own));
            command.args([plain::OPTION, &self.port]);
            let start = Instant::now();
            let run = Running::start(&mut command, &body)?;
            self.theirs.read()?;
            samples.add(ms(start));
            run.end()?;
        }
        Ok(samples)
    }

    /// From the start of a hook to its end: what the agent waits for. A tool's, which changes no status.
    fn cost(&mut self, count: usize) -> Done<Samples> {
        let body = json!({ "session_id": self.conversation, "hook_event_name": "PostToolUse",
            "tool_name": "Read", "tool_response": "x".repeat(8 << 10) });
        let mut samples = Samples::new();
        for _ in 0..count {
            std::thread::sleep(PAUSE);
            let mut command = self.hook();
            let start = Instant::now();
            Running::start(&mut command, &body.to_string())?.end()?;
            samples.add(ms(start));
        }
        // A turn that it began is over again.
        self.seen(2)?;
        Ok(samples)
    }

    fn nothing(&self, count: usize) -> Done<Samples> {
        let mut samples = Samples::new();
        for _ in 0..count {
            std::thread::sleep(PAUSE);
            let mut command = self.world.command("true");
            let start = Instant::now();
            Running::start(&mut command, "")?.end()?;
            samples.add(ms(start));
        }
        Ok(samples)
    }
}

/// A program that was given its input.
struct Running(std::process::Child);

impl Running {
    fn start(command: &mut Command, body: &str) -> Done<Self> {
        let command = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that does nothing may be gone before it is all written.
            let _ = stdin.write_all(body.as_bytes());
        }
        Ok(Self(child))
    }

    fn end(mut self) -> Done<()> {
        match self.0.wait()?.success() {
            true => Ok(()),
            false => Err("a post failed".into()),
        }
    }
}
