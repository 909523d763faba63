//! Sends many messages at random times to each real agent, in terminals of three widths, a tenth of them for
//! immediate delivery, and kills the engine in between. Counts how many are in the conversation at the end
//! once and complete, and how many are missing, duplicated, garbled, or reported as delivered although they
//! are missing. The result compares the model's conversation with the state of the queue.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Unit};
use crate::rows::search::Dice;
use crate::scale::Scale;
use downbeat_model::terminal::{Frame, Input};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The widths of the terminal, one after the other.
const WIDTHS: [u16; 3] = [80, 120, 200];

const ROWS: u16 = 40;

/// The maximum pause between two messages, in milliseconds.
const PAUSE: u64 = 2500;

/// The maximum number of waiting messages; above it, none is sent for a while.
const WAITING: usize = 6;

/// One of this many messages is for immediate delivery.
const NOW: u64 = 10;

/// The engine is killed each time after this many messages.
const KILLED: usize = 25;

/// The interval between reads of the queue, which keeps some of the closed messages.
const LOOK: Duration = Duration::from_millis(300);

/// The time limit for the last messages.
const PATIENCE: Duration = Duration::from_secs(600);

/// The last message: it arrives alone only if no draft was left.
const LAST: &str = "[the last one]";

/// Measures the agents one after the other, since they would slow each other down.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let chosen = std::env::var("DOWNBEAT_BENCH_AGENT").ok();
    let all = ["claude", "codex", "opencode"].into_iter();
    for agent in all.filter(|agent| chosen.as_deref().is_none_or(|chosen| chosen == *agent)) {
        let counts = one(agent, scale.messages).await?;
        let line = |what: &str, count: usize, goal| {
            let what = format!("{} messages to {agent}: {what}", scale.messages);
            Line::new(&what, Unit::Count, count as f64, &[], goal)
        };
        report.add(line("in the conversation once, whole", counts.once, Goal::Open));
        report.add(line("told as interrupted", counts.interrupted, Goal::Open));
        report.add(line("told as uncertain", counts.uncertain, Goal::Open));
        report.add(line("lost", counts.lost, Goal::Most(0.0)));
        report.add(line(
            "told as delivered, and missing",
            counts.untrue,
            Goal::Most(0.0),
        ));
        report.add(line("doubled", counts.twice, Goal::Most(0.0)));
        report.add(line("garbled", counts.garbled, Goal::Most(0.0)));
        report.add(line("left as a draft", counts.drafts, Goal::Most(0.0)));
        report.add(line("times the engine was killed", counts.kills, Goal::Open));
    }
    Ok(())
}

/// The mark of a note that the engine was killed.
const KILL: &str = "kill";

#[derive(Default)]
struct Counts {
    once: usize,
    /// Missing, and the queue reports it, with a way to send the message again.
    interrupted: usize,
    /// The queue does not know; the message may be there or not.
    uncertain: usize,
    /// Missing, and neither reported as missing nor as delivered.
    lost: usize,
    /// Missing, and the queue reports it as delivered.
    untrue: usize,
    twice: usize,
    garbled: usize,
    drafts: usize,
    kills: usize,
}

struct Soak {
    world: Sandbox,
    model: ModelServer,
    id: String,
    /// By the text's mark: the newest state that was seen.
    states: BTreeMap<String, String>,
    /// By the text's mark: the text that was sent.
    sent: BTreeMap<String, String>,
    /// The states of each message in their order, which are printed for messages that did not arrive.
    seen: Vec<(String, String)>,
    begun: Instant,
}

fn mark(n: usize) -> String {
    format!("[m{n:04}]")
}

/// Returns the end of each message, which shows whether it was cut.
fn tail(n: usize) -> String {
    format!("[e{n:04}]")
}

async fn one(agent: &'static str, count: usize) -> Done<Counts> {
    let script = Script::new()
        .when(
            "slowly",
            [Step::say("I thought about it.").after(Duration::from_millis(1500))],
        )
        .when("soon", [Step::say("Yes.").after(Duration::from_millis(200))]);
    let model = ModelServer::start(script).await?;
    let world = Sandbox::with_agents(&model, &[agent]).await;
    let project = world.project("shop").await;
    let body = json!({ "projectId": project, "title": "Soak", "agent": agent, "prompt": "begin" });
    let id = engine::session(&world, body).await?;
    rests(&world, &id).await?;
    let mut soak = Soak {
        world,
        model,
        id,
        states: BTreeMap::new(),
        sent: BTreeMap::new(),
        seen: Vec::new(),
        begun: Instant::now(),
    };
    let mut dice = Dice::new(count as u64 + agent.len() as u64);
    let counts = soak.run(count, &mut dice).await;
    if counts.is_err() {
        soak.tell().await;
    }
    counts
}

fn text(n: usize, dice: &mut Dice) -> Done<String> {
    let how = ["slowly", "soon", "at once"][usize::try_from(dice.below(3))?];
    let more =
        ["", "\nand a second line 🎉", "\n\tsome code;\n\n/not a command"][usize::try_from(dice.below(3))?];
    let long = match dice.below(20) {
        0 => "filler ".repeat(1500),
        _ => String::new(),
    };
    Ok(format!("{} answer {how} {long}{more} {}", mark(n), tail(n)))
}

/// Somebody who has the terminal open and sets its width.
struct Viewer(tokio::task::JoinHandle<()>);

impl Viewer {
    async fn open(world: &Sandbox, id: &str, cols: u16) -> Done<Self> {
        let dir = world.data().join("keepers").join(id);
        let (input, mut frames) = downbeat_keeper::attach(&dir, Some((cols, ROWS))).await?;
        Ok(Self(tokio::spawn(async move {
            while let Some(frame) = frames.recv().await {
                let seq = match frame {
                    Frame::Snapshot { seq, .. } => seq,
                    Frame::Output { seq, data } => seq + data.len() as u64,
                    _ => continue,
                };
                if input.send(Input::Ack { seq }).await.is_err() {
                    return;
                }
            }
        })))
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Soak {
    async fn run(&mut self, count: usize, dice: &mut Dice) -> Done<Counts> {
        let (mut kills, mut viewer) = (0, None);
        for n in 0..count {
            if n % count.div_ceil(WIDTHS.len()) == 0 {
                drop(viewer.take());
                let width = WIDTHS[n / count.div_ceil(WIDTHS.len())];
                viewer = Some(Viewer::open(&self.world, &self.id, width).await?);
            }
            let pause = Instant::now() + Duration::from_millis(dice.below(PAUSE));
            while self.look().await? >= WAITING || Instant::now() < pause {
                tokio::time::sleep(LOOK).await;
            }
            let text = text(n, dice)?;
            let when = if dice.below(NOW) == 0 { "now" } else { "when-ready" };
            self.send(&text, when).await?;
            self.sent.insert(mark(n), text);
            if n % KILLED == KILLED - 1 {
                // Kills the engine in the middle of any typing.
                tokio::time::sleep(Duration::from_millis(dice.below(600))).await;
                self.note(KILL, &format!("engine killed after {}", mark(n)));
                self.world.kill_engine();
                self.world.start().await;
                kills += 1;
            }
        }
        let mut counts = self.end(count).await?;
        counts.kills = kills;
        drop(viewer);
        Ok(counts)
    }

    /// Prints the state of a run that failed.
    async fn tell(&self) {
        let id = &self.id;
        for path in ["", "/output?lines=60", "/messages"] {
            let path = format!("/api/sessions/{id}{path}");
            match engine::ask(&self.world, "GET", &path, None).await {
                Ok(told) => match told["text"].as_str() {
                    Some(screen) => eprintln!("{screen}"),
                    None => eprintln!("{told:#}"),
                },
                Err(error) => eprintln!("{error}"),
            }
        }
        eprintln!("{}", self.world.log());
    }

    async fn send(&self, text: &str, when: &str) -> Done<()> {
        let path = format!("/api/sessions/{}/message", self.id);
        let body = json!({ "content": text, "when": when, "waitSeconds": 0 });
        engine::ask(&self.world, "POST", &path, Some(body))
            .await
            .map(drop)
    }

    /// Returns the messages that the queue still has.
    async fn queue(&self) -> Done<Vec<Value>> {
        let path = format!("/api/sessions/{}/messages", self.id);
        let all = engine::ask(&self.world, "GET", &path, None).await?;
        Ok(all.as_array().cloned().unwrap_or_default())
    }

    /// Notes the state of each message, and returns how many are open.
    async fn look(&mut self) -> Done<usize> {
        for message in self.queue().await? {
            let (Some(text), Some(state)) = (message["text"].as_str(), message["state"].as_str()) else {
                continue;
            };
            // Text that was given back is in front of the message that contains it.
            let own = text.rfind("[m").map_or(text, |at| &text[at..]);
            if let Some(end) = own.find(']') {
                let (mark, detail) = (own[..=end].to_owned(), &message["detail"]);
                let others: String = text
                    .match_indices("[m")
                    .map(|(at, _)| &text[at..at + 7])
                    .collect();
                self.note(&mark, &format!("{others} {} {state} {detail}", message["when"]));
                self.states.insert(mark, state.to_owned());
            }
        }
        let open = self
            .states
            .values()
            .filter(|state| ["queued", "typing"].contains(&state.as_str()));
        Ok(open.count())
    }

    /// Notes a new state of a message.
    fn note(&mut self, mark: &str, told: &str) {
        let mut own = self.seen.iter().rev().filter(|(other, _)| other == mark);
        if own.next().is_none_or(|(_, last)| !last.ends_with(told)) {
            let at = self.begun.elapsed().as_secs_f64();
            self.seen.push((mark.to_owned(), format!("{at:.1} s {told}")));
        }
    }

    /// Prints the notes about a message that did not arrive, about those around it and about their turns.
    fn tell_around(&self, n: usize) {
        let near: Vec<String> = (n.saturating_sub(3)..n + 4).map(mark).collect();
        for (_, told) in self
            .seen
            .iter()
            .filter(|(mark, _)| mark == KILL || near.contains(mark))
        {
            eprintln!("    {told}");
        }
        for turn in self.model.turns() {
            let (prompt, own) = (
                turn.prompt.trim(),
                near.iter().any(|mark| turn.prompt.contains(mark)),
            );
            if own {
                eprintln!("    turn: {:?}", prompt.chars().take(200).collect::<String>());
            }
        }
    }

    async fn end(&mut self, count: usize) -> Done<Counts> {
        let until = Instant::now() + PATIENCE;
        self.send(LAST, "when-ready").await?;
        tokio::time::sleep(LOOK).await;
        while self.look().await? > 0 && Instant::now() < until {
            tokio::time::sleep(LOOK).await;
        }
        rests(&self.world, &self.id).await?;
        let held = self.conversation();
        let mut counts = Counts::default();
        for n in 0..count {
            let mark = mark(n);
            let state = self.states.get(&mark).map_or("unseen", String::as_str);
            let times = held.matches(&mark).count();
            let what = match (times, state) {
                (0, "interrupted") => &mut counts.interrupted,
                (0, "uncertain") => &mut counts.uncertain,
                (0, "delivered") => &mut counts.untrue,
                (0, _) => &mut counts.lost,
                (1, _) if !self.is_whole(&held, n) => &mut counts.garbled,
                (1, _) => &mut counts.once,
                _ => &mut counts.twice,
            };
            *what += 1;
            if times != 1 || state != "delivered" {
                eprintln!("  {mark} ({state}) stands {times} times in the conversation:");
                self.tell_around(n);
            }
        }
        let alone = self.model.turns().iter().any(|turn| turn.prompt.trim() == LAST);
        counts.drafts = usize::from(!alone);
        Ok(counts)
    }

    /// Returns everything that persons said in the conversation at the model's last request.
    fn conversation(&self) -> String {
        let requests = self.model.requests();
        let last = requests.iter().rev().map(|asked| &asked.body);
        let last = last
            .filter(|body| body.to_string().contains(LAST))
            .max_by_key(|body| body.to_string().len());
        let mut said = String::new();
        let list = last.and_then(|body| body.get("messages").or_else(|| body.get("input")));
        for message in list.and_then(Value::as_array).into_iter().flatten() {
            if message["role"] == "user" {
                words(&message["content"], &mut said);
            }
        }
        said
    }

    /// Returns whether a message is there letter for letter, except for blanks.
    fn is_whole(&self, held: &str, n: usize) -> bool {
        let (mark, tail) = (mark(n), tail(n));
        let found = held
            .find(&mark)
            .and_then(|start| Some((start, start + held[start..].find(&tail)? + tail.len())));
        let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sent = self.sent.get(&mark).map(|text| bare(text));
        found.is_some_and(|(start, end)| Some(bare(&held[start..end])) == sent)
    }
}

/// Appends the text of a message's content, in either form.
fn words(content: &Value, said: &mut String) {
    match content {
        Value::String(text) => {
            said.push_str(text);
            said.push('\n');
        }
        Value::Array(parts) => parts.iter().for_each(|part| words(&part["text"], said)),
        _ => {}
    }
}

/// Waits until an agent is idle: several that start at the same time are slow.
pub async fn rests(world: &Sandbox, id: &str) -> Done<()> {
    let path = format!("/api/sessions/{id}/status");
    let until = Instant::now() + PATIENCE;
    while engine::ask(world, "GET", &path, None).await?["status"] != "idle" {
        if Instant::now() > until {
            return Err(format!("{id} never rested").into());
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
