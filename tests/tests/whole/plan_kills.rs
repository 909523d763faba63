//! Kills the engine at random moments of plans: each task is worked on once, begins with what it needs, the report is true, and nothing
//! stays behind.

use crate::deliveries::workspace;
use crate::merging::{project, read, said};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The number of times that the engine is killed, over as many plans as that takes.
const KILLS: u32 = 50;

/// The longest time between two kills, in milliseconds.
const APART: u64 = 400;

/// Six tasks, and what each needs.
const TASKS: [(&str, &[&str]); 6] = [
    ("db", &[]),
    ("docs", &[]),
    ("api", &["db"]),
    ("ui", &["api"]),
    ("e2e", &["ui", "docs"]),
    ("audit", &["api"]),
];

/// Returns the next number of a sequence that looks random; the same for the same seed.
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Returns the state of a plan, once an engine answers.
async fn shown(sandbox: &Sandbox, id: &str) -> Value {
    let path = format!("/api/plans/{id}");
    let shown = within(PATIENCE, async || sandbox.get(&path).await.ok());
    shown.await.expect("the engine answers")
}

/// Proposes the tasks, and runs them.
async fn begin(sandbox: &Sandbox, project: &str) -> String {
    let tasks = TASKS.map(|(id, needs)| {
        let work = format!("commit {id}.txt {id}");
        json!({ "id": id, "title": format!("Make {id}"), "description": work, "domain": id, "dependencies": needs })
    });
    let ask = json!({ "projectId": project, "text": json!(tasks).to_string(), "file": true, "atOnce": 3 });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap().to_owned();
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    id
}

/// Waits for the end of a plan, and checks that each task was worked on once, with what it needs, and that the report says so.
async fn is_true(sandbox: &Sandbox, repository: &Path, id: &str) {
    let path = format!("/api/plans/{id}");
    let done = within(3 * PATIENCE, async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    });
    let Some(plan) = done.await else {
        panic!("{:#}", shown(sandbox, id).await);
    };
    let report = plan["report"].as_str().unwrap();
    assert!(
        report.starts_with("[COMPLETE] All 6 workers finished\n"),
        "{report}"
    );
    for (place, (task, needs)) in TASKS.iter().enumerate() {
        let worker = &plan["workers"][place];
        assert_eq!(worker["state"], "done", "{task}");
        let session = worker["sessionId"].as_str().unwrap();
        let folder = workspace(sandbox, session).await;
        for name in needs.iter().chain([task]) {
            assert_eq!(read(&folder, &format!("{name}.txt")), *name, "{task} has {name}");
        }
        let file = format!("{task}.txt");
        let commit = worker["commit"].as_str().unwrap();
        let made = git(repository, &[], &["log", "--format=%H", commit, "--", &file]);
        assert_eq!(made.lines().count(), 1, "{task} was committed once");
    }
    until("nothing keeps what was merged for its workers", async || {
        let pins = git(repository, &[], &["for-each-ref", "refs/downbeat/queue"]);
        pins.is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_engine_killed_at_random_moments_loses_and_repeats_no_task() {
    let mut sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    // `DOWNBEAT_SEED` repeats a run, as far as times can be repeated.
    let given = std::env::var("DOWNBEAT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    let mut seed: u64 = given.unwrap_or(u64::from(now.subsec_nanos()) | 1);
    println!("seed: {seed}");
    let mut plans = vec![begin(&sandbox, &project).await];
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(next(&mut seed) % APART)).await;
        sandbox.kill_engine();
        sandbox.start().await;
        let last = plans.last().unwrap();
        if shown(&sandbox, last).await["state"] == "complete" {
            plans.push(begin(&sandbox, &project).await);
        }
    }
    println!("plans: {}", plans.len());
    for plan in &plans {
        is_true(&sandbox, &repository, plan).await;
    }
    let sessions = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(
        sessions.as_array().unwrap().len(),
        plans.len() * TASKS.len(),
        "no worker was started twice"
    );
}
