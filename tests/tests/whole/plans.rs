//! Tests of plans: a goal is shown, run and reported; what needs work begins with it; a failure holds only what needs it; and a
//! crash at any step starts each worker once.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::merging::{project, read, said};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};

/// Proposes the tasks as a planner's JSON, and returns the id of the plan.
pub async fn proposed(sandbox: &Sandbox, project: &str, tasks: Value) -> String {
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

pub fn worker<'a>(plan: &'a Value, name: &str) -> &'a Value {
    let mut all = plan["workers"].as_array().unwrap().iter();
    all.find(|worker| worker["name"] == name).unwrap()
}

pub async fn reaches(sandbox: &Sandbox, id: &str, name: &str, state: &str) -> Value {
    until(&format!("{name} is {state}"), async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (worker(&plan, name)["state"] == state).then_some(plan)
    })
    .await
}

pub async fn completes(sandbox: &Sandbox, id: &str) -> Value {
    let path = format!("/api/plans/{id}");
    let complete = within(PATIENCE, async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    });
    match complete.await {
        Some(plan) => plan,
        None => panic!(
            "the plan was never complete: {:#}",
            sandbox.get(&path).await.unwrap_or_default()
        ),
    }
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
    let listed = sandbox.get("/api/plans").await.unwrap();
    let whole = sandbox.get(&format!("/api/plans/{plan}")).await.unwrap();
    let first = |plan: &Value| (plan["isSummary"].clone(), plan["tasks"][0]["description"].clone());
    assert_eq!(
        first(&listed[0]),
        (json!(true), Value::Null),
        "a list has no long texts"
    );
    assert_eq!(first(&whole), (Value::Null, json!("commit frontend.txt x")));
    assert_eq!(listed[0]["tasks"][0]["title"], "Do frontend");
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
async fn a_replaced_or_skipped_worker_is_stopped_and_a_cancelled_plan_stops_all() {
    let mut sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let task = |id: &str, work: &str| json!({ "id": id, "title": format!("Make {id}"), "description": work, "domain": id });
    let tasks = json!([
        task("a", "work nowhere"),
        task("b", "work nowhere"),
        task("c", "say hello")
    ]);
    let id = proposed(&sandbox, &project, tasks).await;
    let change = async |sandbox: &Sandbox, change: &str, task: &str| {
        let ask = json!({ "change": change, "task": task });
        sandbox.post(&format!("/api/plans/{id}/change"), ask).await
    };
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let plan = reaches(&sandbox, &id, "b", "running").await;
    let session = |plan: &Value, name: &str| worker(plan, name)["sessionId"].as_str().unwrap().to_owned();
    let (a, b) = (session(&plan, "a"), session(&plan, "b"));
    sandbox.status(&a, &["running"]).await;
    sandbox.status(&b, &["running"]).await;
    for (point, action, task, left) in [("plan-leaves", "skip", "a", &a), ("plan-left", "skip", "b", &b)] {
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let _ = change(&sandbox, action, task).await;
        successor(&mut sandbox, point).await;
        // It may also have died of what was left of the step before, without having taken the change.
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
        if point == "plan-left" && worker(&plan, task)["state"] == "running" {
            change(&sandbox, action, task).await.unwrap();
        }
        sandbox.status(left, &["exited"]).await;
    }
    change(&sandbox, "retry", "a").await.unwrap();
    let again = until("a has another worker", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        let again = worker(&plan, "a")["sessionId"].as_str()?.to_owned();
        (again != a).then_some(again)
    })
    .await;
    sandbox.status(&again, &["running"]).await;
    let edited = json!({ "change": "edit", "task": "a", "title": "Make another" });
    let refused = sandbox.post(&format!("/api/plans/{id}/change"), edited).await;
    assert!(
        refused
            .unwrap_err()
            .body
            .to_string()
            .contains("somebody has begun task a")
    );
    said(&sandbox.cli(&["plan", "cancel", &id]), 0);
    sandbox.status(&again, &["exited"]).await;
    let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
    assert_eq!(plan["state"], "cancelled");
}

/// Also that a need may be an existing task, and that nothing is added to a plan that is over.
#[tokio::test]
async fn tasks_are_added_to_a_plan_that_runs() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks =
        json!([{ "id": "db", "title": "Make db", "description": "commit db.txt made", "domain": "db" }]);
    let id = proposed(&sandbox, "shop", tasks).await;
    let wrong = said(
        &sandbox.cli(&["plan", "add", &id, "Make ui (depends_on: dbs)"]),
        2,
    );
    assert!(wrong.contains("did you mean db?"), "{wrong}");
    std::fs::write(
        repository.join("downbeat.yaml"),
        "domains: { pages: [landing page, footer] }\n",
    )
    .unwrap();
    let shown = said(
        &sandbox.cli(&["orchestrate", "Draw the footer", "--project", "shop", "--dry-run"]),
        0,
    );
    assert!(shown.contains("pages"), "{shown}");
    let wrong = said(&sandbox.cli(&["plan", "add", &id, "Make ui (agent: cluade)"]), 3);
    assert!(wrong.contains("cluade"), "{wrong}");
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    said(&sandbox.cli(&["plan", "pause", &id]), 0);
    let more = [
        "Make ui (id: ui) (domain: ui) (depends_on: db)",
        "Make docs (domain: docs)",
    ];
    let shown = said(&sandbox.cli(&[&["plan", "add", &id], &more[..]].concat()), 0);
    assert!(shown.contains("Make docs"), "{shown}");
    for (task, work) in [
        ("ui", "commit ui.txt made"),
        ("Make docs", "commit docs.txt made"),
    ] {
        said(
            &sandbox.cli(&["plan", "edit", &id, task, "--description", work]),
            0,
        );
    }
    said(&sandbox.cli(&["plan", "resume", &id]), 0);
    let done = completes(&sandbox, &id).await;
    assert_eq!(done["workers"].as_array().unwrap().len(), 3);
    let tip = worker(&done, "ui")["commit"].as_str().unwrap();
    for file in ["db.txt", "ui.txt"] {
        git(&repository, &[], &["cat-file", "-e", &format!("{tip}:{file}")]);
    }
    let late = said(&sandbox.cli(&["plan", "add", &id, "Make more"]), 1);
    assert!(late.contains("the plan is complete"), "{late}");
}

#[tokio::test]
async fn work_that_conflicts_is_merged_by_hand_and_the_task_that_needs_both_goes_on() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let task = |id: &str, work: &str, needs: &[&str]| json!({ "id": id, "title": format!("Make {id}"), "description": work, "dependencies": needs, "domain": id });
    let tasks = json!([
        task("a", "commit shared.txt from-a", &[]),
        task("b", "commit shared.txt from-b", &[]),
        task("c", "commit c.txt made", &["a", "b"])
    ]);
    let id = proposed(&sandbox, &project, tasks).await;
    let run = format!("/api/plans/{id}/run");
    sandbox.post(&run, json!({})).await.unwrap();
    let plan = reaches(&sandbox, &id, "c", "failed").await;
    let why = worker(&plan, "c")["why"].as_str().unwrap().to_owned();
    assert!(
        why.contains("conflicts with") && why.contains("merge one into the other in its worktree"),
        "{why}"
    );
    let session = |name: &str| worker(&plan, name)["sessionId"].as_str().unwrap().to_owned();
    let (of_a, of_b) = (
        workspace(&sandbox, &session("a")).await,
        workspace(&sandbox, &session("b")).await,
    );
    let other = git(&of_a, &[], &["rev-parse", "HEAD"]).trim().to_owned();
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let merge = ["merge", "-q", "-X", "ours", "-m", "Merge both", &other];
    git(&of_b, &[], &[&me[..], &merge].concat());
    let ask = json!({ "change": "retry", "task": "c" });
    let change = format!("/api/plans/{id}/change");
    sandbox.post(&change, ask).await.unwrap();
    let plan = completes(&sandbox, &id).await;
    let place = workspace(&sandbox, worker(&plan, "c")["sessionId"].as_str().unwrap()).await;
    let shared = std::fs::read_to_string(place.join("shared.txt")).unwrap();
    assert!(
        shared.contains("from-b") && place.join("c.txt").exists(),
        "{shared}"
    );
}

#[tokio::test]
async fn work_on_another_base_is_not_done_and_a_budget_of_tokens_pauses() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let gate = sandbox.path().join("gate");
    let work = format!(
        "commit a.txt made\nwork {}\nuse claude-opus-4-5 900 200",
        gate.display()
    );
    let tasks = json!([
        { "id": "a", "title": "Make a", "description": work, "domain": "a" },
        { "id": "b", "title": "Make b", "description": "commit b.txt made", "domain": "b", "dependencies": ["a"] },
    ]);
    let ask = json!({ "projectId": project, "text": tasks.to_string(), "file": true, "budget": { "tokens": 1000 } });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap().to_owned();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let plan = reaches(&sandbox, &id, "a", "running").await;
    let a = worker(&plan, "a")["sessionId"].as_str().unwrap().to_owned();
    let place = workspace(&sandbox, &a).await;
    until("the first commit", async || {
        // The file is written before it is committed.
        let is_there = place.join("a.txt").exists();
        let is_committed = || !git(&place, &[], &["ls-tree", "HEAD", "a.txt"]).is_empty();
        (is_there && is_committed()).then_some(())
    })
    .await;
    // The agent throws the history away.
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let tree = git(&place, &[], &["rev-parse", "HEAD^{tree}"]);
    let orphan = git(
        &place,
        &[],
        &[&me[..], &["commit-tree", tree.trim(), "-m", "alone"]].concat(),
    );
    let own = git(&place, &[], &["rev-parse", "HEAD"]);
    git(&place, &[], &["reset", "-q", "--hard", orphan.trim()]);
    std::fs::write(&gate, "").unwrap();
    let plan = reaches(&sandbox, &id, "a", "failed").await;
    let why = worker(&plan, "a")["why"].as_str().unwrap();
    assert!(
        why.contains("does not contain the commit that it began with"),
        "{why}"
    );
    git(&place, &[], &["reset", "-q", "--hard", own.trim()]);
    // No event reports the repair: the next sweep sees it.
    let paused = within(3 * PATIENCE, async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (plan["state"] == "paused" && worker(&plan, "a")["state"] == "done").then_some(plan)
    });
    let Some(paused) = paused.await else {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
        let session = sandbox.get(&format!("/api/sessions/{a}")).await.unwrap();
        panic!("the budget is used up, and the work is done: {plan:#} {session:#}");
    };
    assert_eq!(paused["why"], "1100 of 1000 tokens are used up");
    assert!(
        paused["report"].as_str().unwrap().contains("1100 tokens"),
        "{paused}"
    );
    let used = sandbox.get("/api/usage").await.unwrap();
    assert_eq!(
        (&used["plans"][0]["id"], &used["plans"][0]["usage"]["output"]),
        (&json!(id), &json!(200)),
        "{used:#}"
    );
    let refused = said(&sandbox.cli(&["plan", "resume", &id]), 1);
    assert!(refused.contains("are used up"), "{refused}");
    said(
        &sandbox.cli(&["plan", "resume", &id, "--budget-tokens", "5000"]),
        0,
    );
    completes(&sandbox, &id).await;
}

#[tokio::test]
async fn tasks_are_ticked_in_the_plans_file_and_nothing_else_is_changed() {
    let mut sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    std::fs::create_dir(repository.join("docs")).unwrap();
    let file = repository.join("docs/plan.md");
    let text = "# Shop\r\n\r\n-  [ ] one: commit\n  commit one.txt made\n- [ ] two (depends_on: 1)\n  commit two.txt made\n- [x] before\nEnd";
    std::fs::write(&file, text).unwrap();
    let near = sandbox
        .post(
            "/api/plans",
            json!({ "projectId": project, "path": "docs/plam.md" }),
        )
        .await;
    assert!(
        near.unwrap_err()
            .body
            .to_string()
            .contains("did you mean plan.md?")
    );
    let shown = said(
        &sandbox.cli(&[
            "orchestrate",
            "execute",
            file.to_str().unwrap(),
            "-p",
            "shop",
            "--json",
        ]),
        0,
    );
    let plan: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(plan["file"], "docs/plan.md");
    let id = plan["id"].as_str().unwrap().to_owned();
    doomed(&mut sandbox, "plan-ticked").await;
    let _ = sandbox.post(&format!("/api/plans/{id}/run"), json!({})).await;
    successor(&mut sandbox, "plan-ticked").await;
    completes(&sandbox, &id).await;
    let all = text.replace("[ ]", "[x]");
    until("all is ticked", async || {
        (std::fs::read_to_string(&file).ok()? == all).then_some(())
    })
    .await;
    let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
    assert_eq!(plan["notes"], Value::Null, "{plan}");
    let ask = json!({ "projectId": project, "text": "- [ ] three\n  commit three.txt made\n", "file": true, "path": "docs/three.md" });
    std::fs::write(
        repository.join("docs/three.md"),
        "- [ ] three\n  commit three.txt made\n",
    )
    .unwrap();
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap().to_owned();
    std::fs::remove_file(repository.join("docs/three.md")).unwrap();
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    completes(&sandbox, &id).await;
    let note = until("a note", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        plan["notes"][0].as_str().map(str::to_owned)
    })
    .await;
    assert_eq!(
        note,
        "three not ticked in docs/three.md: the file was moved or deleted"
    );
    assert!(!repository.join("docs/three.md").exists());
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
        ("/orchestrate execute Readme.md", "did you mean README.md?"),
        (
            "A (id: b, B (depends_on: b)",
            "“(id: b, B (depends_on: b)” is not closed",
        ),
        (" , ", "there is no task in it"),
    ] {
        let refused = said(&sandbox.cli(&["orchestrate", goal, "-p", "shop"]), 2);
        assert!(refused.contains(words), "{goal}: {refused}");
    }
}
