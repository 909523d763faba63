//! Measures three workers with tasks of equal length against the same tasks one after the other: what is lost on the way to
//! three times as fast. Each task is a wait, as that of an agent is for its model, and a commit in its own worktree.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::json;
use std::time::{Duration, Instant};

/// The number of files in the repository.
const FILES: usize = 500;

/// The number of workers.
const WORKERS: usize = 3;

/// The interval between checks whether a worker is done.
const LOOK: Duration = Duration::from_millis(10);

/// Measures both, alternately.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let (world, _, project) = engine::started_with(FILES).await?;
    let (mut ours, mut sequence) = (Samples::default(), Samples::default());
    for turn in 0..scale.rounds {
        let start = Instant::now();
        let titles: Vec<_> = (0..WORKERS).map(|n| format!("At once {turn} {n}")).collect();
        let all = titles
            .iter()
            .map(|title| task(&world, &project, title, scale.task));
        try_join_all(all).await?;
        ours.add(ms(start));

        let start = Instant::now();
        for n in 0..WORKERS {
            task(&world, &project, &format!("In sequence {turn} {n}"), scale.task).await?;
        }
        sequence.add(ms(start));
    }
    let what = format!(
        "{WORKERS} workers with tasks of {} s, to the last commit",
        scale.task
    );
    let beside = [("one after the other", sequence.median())];
    report.add(Line::new(
        &what,
        Unit::Ms,
        ours.median(),
        &beside,
        Goal::Faster(2.9),
    ));
    Ok(())
}

/// Starts a worker, and waits until it has committed its work and ended.
async fn task(world: &Sandbox, project: &str, title: &str, seconds: u64) -> Done<()> {
    let body = json!({
        "projectId": project, "title": title, "agent": "task", "prompt": seconds.to_string(),
    });
    let id = engine::session(world, body).await?;
    let ended = engine::soon("the end of a worker", async || {
        let session = world.get(&format!("/api/sessions/{id}")).await.ok()?;
        if session["status"] == "exited" {
            return Some(session["exitCode"].as_i64());
        }
        tokio::time::sleep(LOOK).await;
        None
    });
    match ended.await? {
        Some(0) => Ok(()),
        code => Err(format!("a worker ended with {code:?}").into()),
    }
}
