//! Compares the statuses of the real agents, ten times a second, with what their model does, and measures for
//! how long a status was wrong by more than a second. Between a message and the first request of its turn
//! both statuses are right: the agent has the message, but has not asked its model yet. While the agent still draws an answer
//! that its model has finished, both are right, too: a turn ends when its answer is on the screen.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Unit};
use crate::rows::messages::rests;
use crate::rows::search::Dice;
use crate::scale::Scale;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// The interval between two checks.
const LOOK: Duration = Duration::from_millis(100);

/// The allowed delay of a status.
const LATE: Duration = Duration::from_secs(1);

/// The allowed delay of the first request of a turn: agents write and request other things first.
const AHEAD: Duration = Duration::from_secs(3);

/// An agent that has drawn nothing for this long has drawn its answer.
const DRAWN: Duration = Duration::from_millis(500);

/// The maximum pause between two turns, in milliseconds.
const PAUSE: u64 = 4000;

/// The time after which a new conversation begins: agents get slower with the length of theirs, and send all of it in
/// each request.
const ROUND: Duration = Duration::from_secs(240);

/// Measures all agents in parallel.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let all = ["claude", "codex", "opencode"].map(|agent| one(agent, scale.statuses));
    for (agent, seen) in try_join_all(all).await? {
        let line = |what: &str, value: f64, goal| {
            Line::new(
                &format!("status of {agent}: {what}"),
                Unit::Count,
                value,
                &[],
                goal,
            )
        };
        report.add(line(
            "seconds watched",
            seen.watched.as_secs_f64().round(),
            Goal::Open,
        ));
        report.add(line("turns", seen.turns as f64, Goal::Open));
        report.add(line(
            "seconds wrong by more than one",
            seen.wrong.as_secs_f64(),
            Goal::Most(0.0),
        ));
        report.add(line(
            "longest wrong, in seconds",
            seen.longest.as_secs_f64(),
            Goal::Open,
        ));
    }
    Ok(())
}

#[derive(Default)]
struct Seen {
    watched: Duration,
    turns: usize,
    /// The time beyond the allowed second.
    wrong: Duration,
    longest: Duration,
    /// The text of the last message.
    turn: String,
    drawing: Drawing,
}

/// How much an agent has drawn, and when it last drew.
#[derive(Default)]
struct Drawing {
    bytes: u64,
    at: Option<Instant>,
}

impl Drawing {
    /// Looks at the output that the keeper has written to disk, and returns when the agent last drew.
    fn look(&mut self, keeper: &Path) -> Option<Instant> {
        let bytes = bytes_in(keeper);
        if bytes != self.bytes {
            (self.bytes, self.at) = (bytes, Some(Instant::now()));
        }
        self.at
    }
}

/// Returns the size of all files in a folder and in those below it.
fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => bytes_in(&entry.path()),
        Ok(about) if about.is_file() => about.len(),
        _ => 0,
    });
    sizes.sum()
}

fn script() -> Script {
    let long = "All of it is done, and this is how. ".repeat(8000);
    Script::new()
        .when(
            "slowly",
            [Step::say("I thought about it.").after(Duration::from_millis(2500))],
        )
        .when("at length", [Step::say(&long)])
        .when("soon", [Step::say("Yes.").after(Duration::from_millis(200))])
}

async fn one(agent: &'static str, seconds: u64) -> Done<(&'static str, Seen)> {
    let mut seen = Seen::default();
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut dice = Dice::new(seconds + agent.len() as u64);
    while Instant::now() < until {
        conversation(agent, until.min(Instant::now() + ROUND), &mut dice, &mut seen).await?;
    }
    Ok((agent, seen))
}

/// Watches one conversation.
async fn conversation(agent: &str, until: Instant, dice: &mut Dice, seen: &mut Seen) -> Done<()> {
    let model = ModelServer::start(script()).await?;
    let world = Sandbox::with_agents(&model, &[agent]).await;
    let project = world.project("shop").await;
    let body = json!({ "projectId": project, "title": "Watched", "agent": agent, "prompt": "begin" });
    let id = engine::session(&world, body).await?;
    rests(&world, &id).await?;
    let mut send_at = Instant::now();
    while Instant::now() < until {
        if Instant::now() >= send_at && open(&world, &id).await? == 0 && !model.works().0 {
            let how = ["slowly", "soon", "at length", "at once"][usize::try_from(dice.below(4))?];
            let text = format!("turn {} {how}", seen.turns);
            let path = format!("/api/sessions/{id}/message");
            let body = json!({ "content": &text, "waitSeconds": 0 });
            engine::ask(&world, "POST", &path, Some(body)).await?;
            seen.turns += 1;
            seen.turn = text;
            send_at = Instant::now() + Duration::from_millis(1000 + dice.below(PAUSE));
        }
        look(agent, &world, &id, &model, seen).await?;
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Returns the number of messages that are not delivered yet.
async fn open(world: &Sandbox, id: &str) -> Done<u64> {
    let session = engine::ask(world, "GET", &format!("/api/sessions/{id}"), None).await?;
    Ok(session["queued"].as_u64().unwrap_or_default())
}

/// Checks once, with the model before and after: if the model changed in between, nothing is counted.
async fn look(agent: &str, world: &Sandbox, id: &str, model: &ModelServer, seen: &mut Seen) -> Done<()> {
    let (works, since) = model.works();
    let session = engine::ask(world, "GET", &format!("/api/sessions/{id}"), None).await?;
    let drew = seen.drawing.look(&world.data().join("keepers").join(id));
    seen.watched += LOOK;
    let stable = model.works() == (works, since) && session["queued"] == 0;
    let wanted = if works { "running" } else { "idle" };
    if !stable || session["status"] == wanted {
        return Ok(());
    }
    // A message that was taken precedes its first request.
    let changed = since_of(&session).filter(|changed| *changed > since);
    let drawn = drew.filter(|_| !works).map(|at| at + DRAWN);
    let late = changed.unwrap_or(since).max(drawn.unwrap_or(since)).elapsed();
    let allowed = if changed.is_some() && !works { AHEAD } else { LATE };
    let Some(wrong) = late.checked_sub(allowed).filter(|wrong| !wrong.is_zero()) else {
        return Ok(());
    };
    if wrong <= LOOK * 2 {
        let (status, evidence) = (&session["status"], &session["statusEvidence"]["detail"]);
        let turn = &seen.turn;
        eprintln!("  {agent}: {status} where it should be {wanted}, in {turn:?}: {evidence}");
    }
    seen.wrong += LOOK;
    seen.longest = seen.longest.max(wrong);
    Ok(())
}

/// Returns when a session's status changed, by this process's clock.
fn since_of(session: &Value) -> Option<Instant> {
    let at: jiff::Timestamp = session["statusSince"].as_str()?.parse().ok()?;
    let age = Duration::try_from(jiff::Timestamp::now().duration_since(at)).ok()?;
    Instant::now().checked_sub(age)
}
