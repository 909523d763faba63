//! Tests of merges of whole plans: what is merged in which order, and what is left with which reason.

use crate::merging::{commit, project, said};
use crate::plans::{completes, proposed, reaches};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

async fn run(sandbox: &Sandbox, plan: &str) {
    let path = format!("/api/plans/{plan}/run");
    sandbox.post(&path, json!({})).await.unwrap();
}

/// Runs a plan of one task that is done as a template says, to its end; returns it. Every worker does what `work` says.
async fn by_template(sandbox: &Sandbox, template: &str, work: &str) -> Value {
    let tasks = json!([{ "id": "it", "title": "Make it", "description": work, "domain": "it" }]);
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true, "template": template });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap();
    run(sandbox, id).await;
    completes(sandbox, id).await
}

/// Requests the merge of a plan, and returns what was done for each worker, in order.
async fn merge(sandbox: &Sandbox, plan: &Value) -> Vec<(String, String)> {
    let path = format!("/api/plans/{}/merge", plan["id"].as_str().unwrap());
    let made = sandbox.post(&path, json!({})).await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let workers = made["workers"].as_array().unwrap().iter();
    workers
        .map(|one| (text(&one["result"]), text(&one["said"])))
        .collect()
}

/// Waits until so many workers of a plan landed, or more: of two that made the same commit, both do.
async fn lands(sandbox: &Sandbox, plan: &Value, count: usize) {
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    until("the work to land", async || {
        let plan = sandbox.get(&path).await.ok()?;
        let workers = plan["workers"].as_array()?.iter();
        let landed = workers.filter(|one| {
            one["landed"]
                .as_str()
                .is_some_and(|at| at.starts_with("main as "))
        });
        (landed.count() >= count).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_work_of_a_plan_is_merged_in_the_order_of_its_needs() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made", "dependencies": ["a"] },
        { "id": "a", "title": "Make a", "domain": "a", "description": "commit a.txt made" },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    let early = said(&sandbox.cli(&["plan", "merge", &plan]), 1);
    assert!(
        early.contains("a: it is waiting\n") && early.contains("b: it needs the work of a"),
        "{early}"
    );
    run(&sandbox, &plan).await;
    completes(&sandbox, &plan).await;
    let merged = said(&sandbox.cli(&["plan", "merge", &plan]), 0);
    let lines: Vec<&str> = merged.lines().collect();
    assert!(
        lines[0].starts_with("a: the merge of ") && lines[1].starts_with("b: the merge of "),
        "{merged}"
    );
    until("both are on main", async || {
        let files = git(&repository, &[], &["ls-tree", "--name-only", "main"]);
        (files.contains("a.txt") && files.contains("b.txt")).then_some(())
    })
    .await;
    until("both merges are recorded", async || {
        let again = sandbox.cli(&["plan", "merge", &plan]);
        let again = String::from_utf8_lossy(&again.stdout).into_owned();
        (again.matches("its work has landed").count() == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn work_by_hand_is_not_merged_and_neither_is_what_needs_it() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "commit half.txt made\ndie 3" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made", "dependencies": ["a"] },
        { "id": "c", "title": "Make c", "domain": "c", "description": "commit c.txt made" },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    run(&sandbox, &plan).await;
    reaches(&sandbox, &plan, "a", "failed").await;
    let mine = ["commit-tree", "main^{tree}", "-p", "main", "-m", "by hand"];
    let mine = git(&repository, &[], &mine);
    git(&repository, &[], &["branch", "mine", mine.trim()]);
    let careless = said(&sandbox.cli(&["plan", "done", &plan, "a"]), 1);
    assert!(
        careless.contains("has commits of this worker") && careless.contains("to take them"),
        "{careless}"
    );
    said(&sandbox.cli(&["plan", "done", &plan, "a", "--branch", "mine"]), 0);
    completes(&sandbox, &plan).await;
    let left = sandbox.cli(&["plan", "merge", &plan]);
    let (asked, left) = (String::from_utf8_lossy(&left.stdout).into_owned(), said(&left, 1));
    assert!(
        asked.contains("c: the merge of ") && !asked.contains("b: "),
        "{asked}"
    );
    assert!(
        left.contains("a: it was done by hand; merge that branch yourself")
            && left.contains("--by-hand-merged")
            && left.contains("b: it needs the work of a"),
        "{left}"
    );
    until("c is on main", async || {
        let files = git(&repository, &[], &["ls-tree", "--name-only", "main"]);
        files.contains("c.txt").then_some(())
    })
    .await;
    let files = git(&repository, &[], &["ls-tree", "--name-only", "main"]);
    assert!(!files.contains("half.txt") && !files.contains("b.txt"), "{files}");
    let rest = said(&sandbox.cli(&["plan", "merge", &plan, "--by-hand-merged"]), 0);
    assert!(rest.contains("b: the merge of "), "{rest}");
}

#[tokio::test]
async fn work_by_hand_that_is_on_the_default_branch_has_landed() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "die 3" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "report done Nothing to change." },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    let early = said(&sandbox.cli(&["plan", "pause", &plan]), 1);
    assert!(
        early.contains("the plan was not run yet") && early.contains("downbeat plan run"),
        "{early}"
    );
    run(&sandbox, &plan).await;
    reaches(&sandbox, &plan, "a", "failed").await;
    commit(&repository, &[("a.txt", "by hand")]);
    said(&sandbox.cli(&["plan", "done", &plan, "a", "--branch", "main"]), 0);
    completes(&sandbox, &plan).await;
    let merged = said(&sandbox.cli(&["plan", "merge", &plan]), 0);
    assert!(
        merged.contains("a: its work has landed") && merged.contains("b: it committed nothing"),
        "{merged}"
    );
    let report = said(&sandbox.cli(&["plan", "report", &plan]), 0);
    assert!(
        report.contains("Landed on main: a\n") && !report.contains("Not landed"),
        "{report}"
    );
    let shown = said(&sandbox.cli(&["plan", "show", &plan]), 0);
    assert!(shown.contains(" done by hand "), "{shown}");
}

#[tokio::test]
async fn a_conflict_that_was_resolved_in_the_worktree_is_merged_with_the_plan() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "commit same.txt from-a" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit same.txt from-b" },
    ]);
    let id = proposed(&sandbox, "shop", tasks).await;
    run(&sandbox, &id).await;
    let plan = completes(&sandbox, &id).await;
    merge(&sandbox, &plan).await;
    let path = format!("/api/plans/{id}");
    let failed = until("one of them to be in conflict", async || {
        let plan = sandbox.get(&path).await.ok()?;
        let workers = plan["workers"].as_array()?;
        let is_there = workers.iter().any(|one| one["landed"].is_string());
        let failed = workers.iter().find(|one| one["mergeFailed"].is_string())?;
        is_there.then_some(failed.clone())
    })
    .await;
    let (name, why) = (
        failed["name"].as_str().unwrap(),
        failed["mergeFailed"].as_str().unwrap(),
    );
    assert!(why.contains("in conflict with main"), "{why}");
    let report = said(&sandbox.cli(&["plan", "report", &id]), 0);
    assert!(
        report.contains(&format!("\n{name} could not be merged: ")),
        "{report}"
    );
    let shown = said(&sandbox.cli(&["plan", "show", &id]), 0);
    assert!(shown.contains(" not merged "), "{shown}");

    let session = failed["sessionId"].as_str().unwrap();
    let place = crate::deliveries::workspace(&sandbox, session).await;
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(
        &place,
        &[],
        &[&me[..], &["merge", "-q", "-s", "ours", "main"]].concat(),
    );
    let mended = commit(&place, &[("same.txt", "from-both")]);
    let again = merge(&sandbox, &plan).await;
    let of_it = again.iter().find(|(result, _)| result == "requested").unwrap();
    assert!(of_it.1.contains("the last one failed: "), "{again:?}");
    lands(&sandbox, &plan, 2).await;
    let landed = git(&repository, &[], &["show", "main:same.txt"]);
    assert_eq!(landed.trim(), "from-both", "{mended}");
    let plan = sandbox.get(&path).await.unwrap();
    assert!(
        !plan["report"].as_str().unwrap().contains("could not be merged"),
        "{plan:#}"
    );
}

/// The checks pass from the fourth commit on: the project has two.
const GROWS: &str = r#"
checks:
  - name: grows
    run: { sh: 'test "$(git rev-list --count HEAD)" -gt 3' }
"#;

#[tokio::test]
async fn failing_tests_land_with_the_code_that_makes_them_pass() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, Some(GROWS)).await;
    let plan = by_template(&sandbox, "red-green", "commit it.txt made").await;
    let made = merge(&sandbox, &plan).await;
    let [(red, with), (green, _), (tidy, _)] = made.as_slice() else {
        panic!("{made:?}")
    };
    assert_eq!(
        (red.as_str(), green.as_str(), tidy.as_str()),
        ("nothing", "requested", "requested")
    );
    assert!(with.starts_with("its work lands with that of "), "{with}");
    lands(&sandbox, &plan, 3).await;
    let again = merge(&sandbox, &plan).await;
    assert!(
        again.iter().all(|(_, said)| said == "its work has landed"),
        "{again:?}"
    );
}

/// A template whose second part finds nothing to change.
const CALM: &str = r#"
planTemplates:
  calm: |
    [{"id": "work", "title": "{task}", "description": "commit work.txt made"},
     {"title": "Review: {task}", "description": "report done Nothing to mend.", "dependencies": ["work"]}]
"#;

#[tokio::test]
async fn who_changed_nothing_keeps_nothing_back_and_archived_work_is_merged() {
    let mut sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    sandbox.configure(CALM);
    until("the template is there", async || {
        let settings = sandbox.get("/api/settings").await.ok()?;
        settings["planTemplates"]
            .to_string()
            .contains("calm")
            .then_some(())
    })
    .await;
    let plan = by_template(&sandbox, "calm", "").await;
    for worker in plan["workers"].as_array().unwrap() {
        archive(&sandbox, worker).await;
    }
    // The new engine has read no archived session.
    sandbox.kill_engine();
    sandbox.start().await;
    let made = merge(&sandbox, &plan).await;
    assert_eq!(made[0].0, "requested", "{made:?}");
    assert_eq!(made[1], ("nothing".to_owned(), "it committed nothing".to_owned()));
    lands(&sandbox, &plan, 2).await;
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    let report = sandbox.get(&path).await.unwrap()["report"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!report.contains("Not landed yet"), "{report}");
}

/// Ends the session of a worker, and archives it.
async fn archive(sandbox: &Sandbox, worker: &Value) {
    let session = worker["sessionId"].as_str().unwrap();
    sandbox.delete(&format!("/api/sessions/{session}")).await.unwrap();
    sandbox.status(session, &["killed", "exited"]).await;
    let path = format!("/api/sessions/{session}/archive");
    sandbox.post(&path, json!({})).await.unwrap();
}

#[tokio::test]
async fn of_two_versions_only_the_one_that_is_kept_is_merged() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let plan = by_template(&sandbox, "compare", "commit it.txt made").await;
    let made = merge(&sandbox, &plan).await;
    let versions = (
        "left".to_owned(),
        "there are several versions of its task".to_owned(),
    );
    assert_eq!(made, [versions.clone(), versions]);
    archive(&sandbox, &plan["workers"][1]).await;
    let made = merge(&sandbox, &plan).await;
    assert_eq!(made[0].0, "requested", "{made:?}");
    assert_eq!(
        made[1],
        (
            "nothing".to_owned(),
            "another version of its task was kept".to_owned()
        )
    );
    lands(&sandbox, &plan, 1).await;
}
