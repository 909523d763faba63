//! Measures plans that run: how much sooner 3, 6 and 12 independent tasks are done than one after the other, and how long it takes
//! from the end of a task to the start of the one that waited for it. Each task is a wait, as that of an agent is for its model, and
//! a commit in its own worktree.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::sandbox::Sandbox;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The number of files in the repository.
const FILES: usize = 500;

/// The numbers of tasks that are done at once, and how many times as fast as one after the other they are to be: 0.95 of the ideal,
/// where there is a goal.
const WIDTHS: [(usize, Goal); 3] = [(3, Goal::Faster(2.85)), (6, Goal::Faster(5.7)), (12, Goal::Open)];

/// The number of tasks of a chain.
const CHAIN: usize = 8;

/// The most milliseconds from the end of a task to the start of the next one, in 95 of 100 cases.
const HANDED_ON: f64 = 150.0;

/// The interval between checks whether a plan is complete.
const LOOK: Duration = Duration::from_millis(10);

/// Measures both.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let (world, _, project) = engine::started_with(FILES).await?;
    // Long enough that starting a dozen workers on two cores does not decide.
    let seconds = scale.task * 3;
    let mut alone = Samples::default();
    for turn in 0..scale.rounds {
        let start = Instant::now();
        run(
            &world,
            &project,
            tasks(&format!("alone {turn}"), 1, seconds, false),
        )
        .await?;
        alone.add(ms(start));
    }
    for (width, goal) in WIDTHS {
        let mut ours = Samples::default();
        for turn in 0..scale.rounds {
            let start = Instant::now();
            let all = tasks(&format!("{width} at once {turn}"), width, seconds, false);
            run(&world, &project, all).await?;
            ours.add(ms(start));
        }
        let what = format!("plans: {width} tasks of {seconds} s, to the end of the plan");
        let beside = [("one after the other", alone.median() * width as f64)];
        report.add(Line::new(&what, Unit::Ms, ours.median(), &beside, goal));
    }
    let mut between = Samples::default();
    for turn in 0..scale.rounds {
        let plan = run(&world, &project, tasks(&format!("chain {turn}"), CHAIN, 1, true)).await?;
        handed_on(&world, &plan, &mut between).await?;
    }
    let what = "plans: end of a task to the start of the next one, p95";
    let goal = Goal::Most(HANDED_ON);
    report.add(Line::new(what, Unit::Ms, between.percentile(95), &[], goal));
    Ok(())
}

/// Returns tasks with a worker for each; in a chain each needs the one before it.
fn tasks(title: &str, count: usize, seconds: u64, is_chain: bool) -> Value {
    let all = (0..count).map(|n| {
        let needs = (is_chain && n > 0).then(|| format!("t{}", n - 1));
        json!({
            "id": format!("t{n}"), "title": format!("{title}, task {n}"), "domain": format!("d{n}"),
            "description": format!("sleep {seconds} seconds"), "dependencies": needs.as_slice(),
        })
    });
    all.collect()
}

/// Runs a plan, and returns it once it is complete.
async fn run(world: &Sandbox, project: &str, tasks: Value) -> Done<Value> {
    let body = json!({
        "projectId": project, "text": tasks.to_string(), "file": true, "split": "task", "agent": "planned", "atOnce": 50,
    });
    let plan = engine::ask(world, "POST", "/api/plans", Some(body)).await?;
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap_or_default());
    engine::ask(world, "POST", &format!("{path}/run"), Some(json!({}))).await?;
    let complete = async || {
        let plan = world.get(&path).await.ok()?;
        if plan["state"] == "complete" {
            return Some(plan);
        }
        tokio::time::sleep(LOOK).await;
        None
    };
    engine::soon("the end of a plan", complete).await
}

/// Adds the time from the end of each worker's process to the start of the next worker, whose worktree is made after that.
async fn handed_on(world: &Sandbox, plan: &Value, between: &mut Samples) -> Done<()> {
    let time = |value: &Value| value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let all = plan["workers"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (before, next) in all.iter().zip(all.iter().skip(1)) {
        let id = before["sessionId"].as_str().unwrap_or_default();
        let session = engine::ask(world, "GET", &format!("/api/sessions/{id}"), None).await?;
        let (ended, started) = (time(&session["statusSince"]), time(&next["startedAt"]));
        let (Some(ended), Some(started)) = (ended, started) else {
            return Err("a worker of the chain has no start or no end".into());
        };
        between.add(started.duration_since(ended).as_secs_f64() * 1_000.0);
    }
    Ok(())
}
