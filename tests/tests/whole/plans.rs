//! Tests of plans: a goal is shown, run and reported; what needs work begins with it; a failure holds only what needs it; and a
//! crash at any step starts each worker once.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::merging::{project, read, said};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Proposes the tasks as a planner's JSON, and returns the id of the plan.
async fn proposed(sandbox: &Sandbox, project: &str, tasks: Value) -> String {
    let ask = json!({ "projectId": project, "text": tasks.to_string(), "file": true });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    plan["id"].as_str().unwrap().to_owned()
}

/// Returns the three tasks of a chain, whose scripts commit one file each, and a fourth task that needs nothing.
fn chain() -> Value {
    let task = |id: &str, needs: &[&str]| json!({ "id": id, "title": format!("Make {id}"), "description": format!("commit {id}.txt made"), "dependencies": needs, "domain": id });
    json!([
        task("db", &[]),
        task("api", &["db"]),
        task("ui", &["api"]),
        task("docs", &[])
    ])
}

fn worker<'a>(plan: &'a Value, name: &str) -> &'a Value {
    let mut all = plan["workers"].as_array().unwrap().iter();
    all.find(|worker| worker["name"] == name).unwrap()
}

async fn reaches(sandbox: &Sandbox, id: &str, name: &str, state: &str) -> Value {
    until(&format!("{name} is {state}"), async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (worker(&plan, name)["state"] == state).then_some(plan)
    })
    .await
}

async fn completes(sandbox: &Sandbox, id: &str) -> Value {
    until("the plan is complete", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await
}

#[tokio::test]
async fn four_domains_are_shown_then_run_by_four_workers() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let goal = "frontend: commit a.txt a | backend: commit b.txt b | testing: commit c.txt c | security: commit d.txt d";
    let shown = said(
        &sandbox.cli(&["orchestrate", goal, "--project", "shop", "--dry-run"]),
        0,
    );
    assert!(shown.contains("4 tasks can run at once, in 4 domains"), "{shown}");
    assert_eq!(
        sandbox.get("/api/plans").await.unwrap(),
        json!([]),
        "nothing is kept"
    );
    let tasks = ["frontend", "backend", "testing", "security"].map(|domain| {
        json!({ "title": format!("Do {domain}"), "domain": domain, "description": format!("commit {domain}.txt x") })
    });
    let plan = proposed(&sandbox, "shop", json!(tasks)).await;
    let wrong = said(&sandbox.cli(&["plan", "retry", &plan, "frontend"]), 1);
    assert!(wrong.contains("did not fail"), "{wrong}");
    said(&sandbox.cli(&["plan", "run", &plan]), 0);
    let done = completes(&sandbox, &plan).await;
    let report = done["report"].as_str().unwrap();
    assert!(
        report.starts_with("[COMPLETE] All 4 workers finished\n- frontend: 1/1 tasks ✓\n"),
        "{report}"
    );
    let notices = sandbox.notices().await;
    assert!(
        notices
            .iter()
            .any(|one| one["title"].as_str().unwrap().starts_with("plan complete")),
        "{notices:?}"
    );
    let listed = said(&sandbox.cli(&["plan", "list"]), 0);
    assert!(listed.contains(&plan) && listed.contains("4/4"), "{listed}");
}

#[tokio::test]
async fn later_tasks_begin_with_what_they_need_and_a_failure_holds_only_what_needs_it() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let mut tasks = chain();
    tasks[1]["description"] = json!("die 3");
    let id = proposed(&sandbox, &project, tasks).await;
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    reaches(&sandbox, &id, "api", "failed").await;
    let plan = reaches(&sandbox, &id, "docs", "done").await;
    let held = worker(&plan, "ui");
    assert_eq!(
        (&held["state"], held["why"].as_str()),
        (&json!("waiting"), Some("held: api failed; retry or skip it"))
    );
    until("the person is told", async || {
        let told = sandbox.notices().await;
        told.iter()
            .any(|one| one["title"].as_str().unwrap().starts_with("plan needs you"))
            .then_some(())
    })
    .await;
    let api = worker(&plan, "api")["sessionId"].as_str().unwrap().to_owned();
    let place = workspace(&sandbox, &api).await;
    assert_eq!(
        read(&place, "db.txt"),
        "made",
        "it began with the work that it needs"
    );
    said(&sandbox.cli(&["plan", "skip", &id, "api"]), 0);
    let plan = completes(&sandbox, &id).await;
    assert!(
        plan["report"]
            .as_str()
            .unwrap()
            .starts_with("[COMPLETE] 3 of 4 workers finished")
    );
}

#[tokio::test]
async fn a_crash_at_any_step_starts_each_worker_once() {
    let mut sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    for (number, point) in ["plan-due", "spawn-created", "plan-started"]
        .into_iter()
        .enumerate()
    {
        let id = proposed(&sandbox, &project, chain()).await;
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let _ = sandbox.post(&format!("/api/plans/{id}/run"), json!({})).await;
        successor(&mut sandbox, point).await;
        let plan = completes(&sandbox, &id).await;
        let ui = worker(&plan, "ui")["sessionId"].as_str().unwrap().to_owned();
        let place = workspace(&sandbox, &ui).await;
        for file in ["db.txt", "api.txt", "ui.txt"] {
            assert_eq!(read(&place, file), "made", "{point}: {file}");
        }
        let sessions = sandbox.get("/api/sessions").await.unwrap();
        assert_eq!(sessions.as_array().unwrap().len(), 4 * (number + 1), "{point}");
    }
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_with_its_reason() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    for (goal, words) in [
        (
            "A (id: a) (depends_on: b), B (id: b) (depends_on: a)",
            "these tasks wait for each other: a → b → a",
        ),
        ("A (id: api), B (depends_on: apj)", "did you mean api?"),
        ("execute nowhere.md", "nowhere.md cannot be read"),
        (" , ", "there is no task in it"),
    ] {
        let refused = said(
            &sandbox.cli(&["orchestrate", goal, "-p", "shop"]),
            if words.contains("cannot be read") { 1 } else { 2 },
        );
        assert!(refused.contains(words), "{goal}: {refused}");
    }
}
