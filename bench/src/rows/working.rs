//! Measures many sessions that all work: agents that draw ten times a second, write a line and change their
//! title each second, and post a hook every other second. Compares what the engine and the keepers use for
//! each with tmux running the same program in as many windows.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Unit};
use crate::scale::Scale;
use crate::tmux::Tmux;
use crate::usage::{self, Ran};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::time::{Duration, Instant};

/// The size of a terminal.
const SIZE: (u16, u16) = (120, 36);

/// The time until all agents draw steadily.
const SETTLE: Duration = Duration::from_secs(5);

/// Measures both, one after the other.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let count = scale.working;
    let theirs = windows(scale).await?;
    let (world, _, project) = engine::started_with(1).await?;
    let mut ids = Vec::new();
    for n in 0..count {
        let body = json!({ "projectId": project, "title": format!("Busy {n}"), "agent": "claude", "prompt": "spin" });
        ids.push(engine::session(&world, body).await?);
    }
    for id in &ids {
        engine::keeper_shows(&world, id, "Working").await?;
    }
    let manifest = world.manifest().ok_or("no engine runs")?;
    let of_engine = u32::try_from(manifest["pid"].as_u64().ok_or("the engine has no process")?)?;
    let keepers = usage::keepers(&world.data());
    let engine = used(&[of_engine], scale).await;
    let keepers = used(&keepers, scale).await;
    all_work(&world, count).await?;
    let each = |share: f64| share / f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let name = format!("{count} sessions that work");
    let beside = [("tmux for each window", each(theirs))];
    let ours = each(engine + keepers);
    let what = format!("{name}: engine and keepers, for each");
    report.add(Line::new(&what, Unit::Core, ours, &beside, Goal::Open));
    let what = format!("{name}: of it the engine");
    report.add(Line::new(&what, Unit::Core, each(engine), &[], Goal::Open));
    Ok(())
}

/// Measures which share of a core processes use, once everything is running.
async fn used(pids: &[u32], scale: &Scale) -> f64 {
    tokio::time::sleep(SETTLE).await;
    let (start, before) = (Instant::now(), Ran::until_now(pids));
    tokio::time::sleep(Duration::from_secs(scale.idle)).await;
    let ran = Ran::until_now(pids).since(&before);
    ran as f64 / start.elapsed().as_nanos() as f64 * 100.0
}

/// Checks that the measured sessions work, and that the engine knows it.
async fn all_work(world: &Sandbox, count: usize) -> Done<()> {
    let sessions = engine::ask(world, "GET", "/api/sessions", None).await?;
    let sessions = sessions.as_array().map(Vec::as_slice).unwrap_or_default();
    let working = sessions.iter().filter(|session| session["status"] == "running");
    match working.count() {
        all if all == count => Ok(()),
        some => Err(format!("{some} of {count} sessions work").into()),
    }
}

async fn windows(scale: &Scale) -> Done<f64> {
    let world = engine::world()?;
    let agent = program("fake-claude");
    let line = [agent.to_string_lossy().into_owned(), "spin".into()];
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    let tmux = Tmux::start(&world, SIZE, &line)?;
    for _ in 1..scale.working {
        tmux.run(&[&["new-window", "-d"], line.as_slice()].concat())?;
    }
    Ok(used(&[tmux.pid()?], scale).await)
}
