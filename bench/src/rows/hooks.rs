//! Measures the cost of a hook for the agent, and how soon its change is visible: against a program that does
//! nothing, and against a plain HTTP POST that is forwarded over a WebSocket.

use crate::done::Done;
use crate::engine;
use crate::plain::{self, Server};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The pause between two posts, so that each finds everything idle.
const PAUSE: Duration = Duration::from_millis(5);

/// The number of turns, so that other load on the machine affects all of them.
const TURNS: usize = 8;

/// Measures everything in turns.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let (world, _, project) = engine::started_with(1).await?;
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
    // The first text says that posts are forwarded from now on.
    engine::next(&mut hooks.theirs)?;
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

/// Returns the id of the conversation that the fake agent printed.
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
    /// Returns the post with this number: alternately the start and the end of a turn.
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

    /// Measures from the start of a hook to the change of status in the stream of changes.
    fn seen(&mut self, count: usize) -> Done<Samples> {
        let mut samples = Samples::new();
        for n in 0..count / 2 * 2 {
            std::thread::sleep(PAUSE);
            let (body, mut command) = (self.post(n), self.hook());
            let start = Instant::now();
            let run = Running::start(&mut command, &body)?;
            loop {
                let item: Value = serde_json::from_str(engine::next(&mut self.ours)?.to_text()?)?;
                if item["kind"] == "session-status" && item["sessionId"] == self.id {
                    break;
                }
            }
            samples.add(ms(start));
            run.end()?;
        }
        Ok(samples)
    }

    /// Measures from the start of a post to the message on the WebSocket.
    fn told(&mut self, count: usize) -> Done<Samples> {
        let own = std::env::current_exe()?;
        let mut samples = Samples::new();
        for n in 0..count {
            std::thread::sleep(PAUSE);
            let (body, mut command) = (self.post(n), self.world.command(&own));
            command.args([plain::OPTION, &self.port]);
            let start = Instant::now();
            let run = Running::start(&mut command, &body)?;
            engine::next(&mut self.theirs)?;
            samples.add(ms(start));
            run.end()?;
        }
        Ok(samples)
    }

    /// Measures from the start of a hook to its end, for which the agent waits. The hook is a tool's, which
    /// changes no status.
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
        // Ends a turn that the post began.
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

/// A running program that was given its input.
struct Running(std::process::Child);

impl Running {
    fn start(command: &mut Command, body: &str) -> Done<Self> {
        let command = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does nothing may exit before everything is written.
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
