//! Tests of plans over several repositories: each task is worked on in its project, waits for what it needs in others and is told
//! where that is. Nothing runs where a project is unknown, unusable, or not a conductor's. How their work lands: `plan_landing`.

use crate::deliveries::workspace;
use crate::merging::{commit, project, read, said};
use crate::pull_writes::cli;
use crate::security::{port, token_of};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Adds the project `api` beside `shop`, with these checks if any. Returns its id and its repository.
pub async fn api(sandbox: &Sandbox, checks: Option<&str>) -> (String, PathBuf) {
    let repository = sandbox.repository("api");
    added(sandbox, repository, checks).await
}

pub async fn added(sandbox: &Sandbox, repository: PathBuf, checks: Option<&str>) -> (String, PathBuf) {
    git(&repository, &[], &["config", "user.name", "Ada"]);
    git(&repository, &[], &["config", "user.email", "ada@example.com"]);
    if let Some(checks) = checks {
        commit(&repository, &[("downbeat.yaml", checks)]);
    }
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let id = added["id"].as_str().unwrap().to_owned();
    let approve = json!({ "approveChecks": added["checks"]["hash"] });
    let path = format!("/api/projects/{id}");
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    (id, repository)
}

/// Returns a task whose script commits one file.
pub fn task(id: &str, project: Option<&str>, needs: &[&str]) -> Value {
    json!({ "id": id, "title": format!("Make {id}"), "description": format!("commit {id}.txt {id}"), "dependencies": needs,
        "domain": "backend", "project": project })
}

/// Returns tables in `shop`, routes in `api` that need them, a page in `shop` that needs the routes, and documents in `api`.
pub fn chain() -> Value {
    json!([
        task("tables", None, &[]),
        task("routes", Some("api"), &["tables"]),
        task("page", Some("shop"), &["routes"]),
        task("documents", Some("api"), &[])
    ])
}

async fn proposed(sandbox: &Sandbox, tasks: &Value) -> Value {
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true });
    sandbox.post("/api/plans", ask).await.unwrap()
}

fn id_of(plan: &Value) -> String {
    plan["id"].as_str().unwrap().to_owned()
}

/// Returns the worker of a task.
fn worker<'a>(plan: &'a Value, task: &str) -> &'a Value {
    let mut all = plan["workers"].as_array().unwrap().iter();
    all.find(|worker| worker["tasks"][0] == task).unwrap()
}

pub fn session_of(plan: &Value, task: &str) -> String {
    worker(plan, task)["sessionId"].as_str().unwrap().to_owned()
}

async fn run(sandbox: &Sandbox, id: &str) {
    let path = format!("/api/plans/{id}/run");
    sandbox.post(&path, json!({})).await.unwrap();
}

async fn completes(sandbox: &Sandbox, id: &str) -> Value {
    let path = format!("/api/plans/{id}");
    let done = within(3 * PATIENCE, async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    });
    match done.await {
        Some(plan) => plan,
        None => panic!("{:#}", sandbox.get(&path).await.unwrap()),
    }
}

/// Runs a plan to its end.
pub async fn made(sandbox: &Sandbox, tasks: &Value) -> Value {
    let id = id_of(&proposed(sandbox, tasks).await);
    run(sandbox, &id).await;
    completes(sandbox, &id).await
}

pub async fn session(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()
}

#[tokio::test]
async fn each_task_is_worked_on_in_its_project_and_told_where_the_rest_is() {
    let sandbox = Sandbox::started().await;
    let (shop_id, shop) = project(&sandbox, None).await;
    let (api_id, api) = api(&sandbox, None).await;
    let plan = proposed(&sandbox, &chain()).await;
    let id = id_of(&plan);
    let names: Vec<&Value> = ["tables", "routes", "page", "documents"]
        .map(|task| &worker(&plan, task)["name"])
        .into();
    assert_eq!(names, ["backend", "backend-api", "backend-2", "backend-api-2"]);
    assert_eq!(
        plan["projects"],
        json!([{ "id": shop_id, "name": "shop", "path": shop }, { "id": api_id, "name": "api", "path": api }])
    );
    assert_eq!(
        (&plan["tasks"][0]["project"], &plan["tasks"][1]["project"]),
        (&json!("shop"), &json!("api"))
    );
    for project in ["shop", "api"] {
        let listed = said(&sandbox.cli(&["plan", "list", project]), 0);
        assert!(listed.contains(&id), "{project}: {listed}");
    }
    let shown = said(&sandbox.cli(&["plan", "show", &id]), 0);
    assert!(
        shown.contains("backend-api    api      waiting  routes: Make routes"),
        "{shown}"
    );
    run(&sandbox, &id).await;
    let plan = completes(&sandbox, &id).await;
    assert!(
        plan["report"]
            .as_str()
            .unwrap()
            .contains("- backend in api: 2/2 tasks ✓"),
        "{plan:#}"
    );
    let routes = session_of(&plan, "routes");
    for (task, project, there, elsewhere) in [
        ("tables", &shop_id, &["tables.txt"][..], &["routes.txt"][..]),
        (
            "routes",
            &api_id,
            &["routes.txt"],
            &["tables.txt", "documents.txt"],
        ),
        ("page", &shop_id, &["tables.txt", "page.txt"], &["routes.txt"]),
    ] {
        let own = session_of(&plan, task);
        assert_eq!(
            session(&sandbox, &own).await["projectId"],
            json!(project),
            "{task}"
        );
        let place = workspace(&sandbox, &own).await;
        for file in there {
            assert!(place.join(file).exists(), "{task} has {file}");
        }
        for file in elsewhere {
            assert!(!place.join(file).exists(), "{task} does not have {file}");
        }
    }
    // The page is told of the routes: their branch, their commit and the folder.
    let asked = session(&sandbox, &session_of(&plan, "page")).await["task"].clone();
    let asked = asked.as_str().unwrap();
    let (place, commit) = (
        workspace(&sandbox, &routes).await,
        worker(&plan, "routes")["commit"].as_str().unwrap(),
    );
    let branch = session(&sandbox, &routes).await["branch"]
        .as_str()
        .unwrap()
        .to_owned();
    let line = format!("> backend-api in the project api, branch {branch}, commit {commit}\n");
    assert!(asked.contains(&line), "{asked}");
    assert!(
        asked.contains(&format!(">   folder: {}\n", place.display())),
        "{asked}"
    );
    assert!(
        asked.contains("Your branch has the work of backend already."),
        "{asked}"
    );
}

#[tokio::test]
async fn unknown_and_unusable_projects_are_refused_before_anything_runs() {
    let sandbox = Sandbox::started().await;
    let (_, _) = project(&sandbox, None).await;
    let (_, repository) = api(&sandbox, None).await;
    let goal = "Make tables (id: tables), Make routes (id: routes) (project: apo)";
    let refused = said(&sandbox.cli(&["orchestrate", goal, "-p", "shop"]), 2);
    assert!(
        refused.contains("task routes names the project apo, which Downbeat does not have")
            && refused.contains("did you mean api?"),
        "{refused}"
    );
    let file = json!({ "projectId": "shop", "text": "- [ ] Make it (project: elsewhere)\n", "file": true });
    let error = sandbox.post("/api/plans", file).await.unwrap_err();
    assert!(error.body.to_string().contains("there are: "), "{:#}", error.body);
    assert_eq!(sandbox.get("/api/plans").await.unwrap(), json!([]));

    let id = id_of(&proposed(&sandbox, &json!([task("tables", None, &[])])).await);
    let wrong = said(&sandbox.cli(&["plan", "add", &id, "Routes (project: apo)"]), 2);
    assert!(wrong.contains("names the project apo"), "{wrong}");
    let wrong = said(
        &sandbox.cli(&["plan", "edit", &id, "tables", "--project", "apo"]),
        2,
    );
    assert!(
        wrong.contains("task tables names the project apo") && wrong.contains("did you mean api?"),
        "{wrong}"
    );
    let moved = said(
        &sandbox.cli(&["plan", "edit", &id, "tables", "--project", "api"]),
        0,
    );
    assert!(moved.contains("backend  api      waiting"), "{moved}");

    std::fs::rename(&repository, repository.with_extension("away")).unwrap();
    let refused = cli(&sandbox, &["plan", "run", &id]).unwrap_err();
    assert!(refused.contains("the project api cannot be used: "), "{refused}");
    let late = cli(&sandbox, &["plan", "add", &id, "Routes (project: api)"]).unwrap_err();
    assert!(late.contains("the project api cannot be used: "), "{late}");
    let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
    assert_eq!(plan["state"], "proposed");
    assert_eq!(sandbox.get("/api/sessions").await.unwrap(), json!([]));
    std::fs::rename(repository.with_extension("away"), &repository).unwrap();
    run(&sandbox, &id).await;
    let plan = completes(&sandbox, &id).await;
    let place = workspace(&sandbox, &session_of(&plan, "tables")).await;
    assert_eq!(read(&place, "tables.txt"), "tables");
}

#[tokio::test]
async fn that_a_project_was_removed_is_said_of_all_that_wait_for_it_and_the_task_can_be_moved() {
    let sandbox = Sandbox::started().await;
    let (_, _) = project(&sandbox, None).await;
    let _ = api(&sandbox, None).await;
    let tasks = json!([
        task("routes", Some("api"), &[]),
        task("page", Some("shop"), &["routes"])
    ]);
    let id = id_of(&proposed(&sandbox, &tasks).await);
    said(&sandbox.cli(&["project", "remove", "api"]), 0);
    let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
    let way = format!(
        "its project api was removed: name another one (`downbeat plan edit {id} routes --project NAME`), or go on without it \
         (`downbeat plan skip {id} backend-api`)"
    );
    assert_eq!(worker(&plan, "routes")["why"], json!(way));
    assert_eq!(
        worker(&plan, "page")["why"],
        json!(format!("held: backend-api cannot be worked on: {way}"))
    );
    let shown = said(&sandbox.cli(&["plan", "show", &id]), 0);
    assert!(shown.contains(&way), "{shown}");
    let refused = cli(&sandbox, &["plan", "run", &id]).unwrap_err();
    assert!(
        refused.contains("a project of this plan was removed: `downbeat plan show` says which"),
        "{refused}"
    );
    said(
        &sandbox.cli(&["plan", "edit", &id, "routes", "--project", "shop"]),
        0,
    );
    run(&sandbox, &id).await;
    let plan = completes(&sandbox, &id).await;
    let place = workspace(&sandbox, &session_of(&plan, "page")).await;
    assert_eq!(read(&place, "routes.txt"), "routes");
}

/// Sends a request with a session's token, and returns the status and the answer.
async fn asks(sandbox: &Sandbox, token: &str, path: &str, body: Value) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://127.0.0.1:{}{path}", port(sandbox));
    let answer = client
        .post(url)
        .bearer_auth(token)
        .json(&body)
        .send()
        .await
        .unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn a_conductor_plans_only_in_its_project_and_the_person_in_all() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    api(&sandbox, None).await;
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let token = token_of(&lead).await;
    for (name, is_known) in [("api", true), ("nothing", false)] {
        let text = json!({ "text": format!("Make tables (id: t), Make routes (project: {name})") });
        let (status, refused) = asks(&sandbox, &token, "/api/plans", text).await;
        assert_eq!(status, 403, "{refused}");
        let refused = refused.to_string();
        assert!(
            refused.contains("the workers of a conductor work in its own project, shop")
                && refused.contains("the person can run a plan over several projects"),
            "{is_known}: {refused}"
        );
    }
    let own = json!({ "text": "Make tables (id: t) (project: shop), Make routes" });
    let (status, plan) = asks(&sandbox, &token, "/api/plans", own).await;
    assert_eq!((status, &plan["projects"]), (200, &Value::Null), "{plan}");
    // Neither it nor the person adds a worker of the conductor in another project.
    let change = format!("/api/plans/{}/change", id_of(&plan));
    let more = json!({ "change": "add", "tasks": "Make more (project: api)" });
    assert_eq!(asks(&sandbox, &token, &change, more.clone()).await.0, 403);
    let error = sandbox.post(&change, more).await.unwrap_err();
    assert!(
        error
            .body
            .to_string()
            .contains("the workers of a conductor work in"),
        "{:#}",
        error.body
    );
    let edit = json!({ "change": "edit", "task": "t", "project": "api" });
    assert_eq!(asks(&sandbox, &token, &change, edit).await.0, 403);
    let plan = proposed(&sandbox, &chain()).await;
    assert_eq!(plan["projects"].as_array().unwrap().len(), 2, "the person may");
}

#[tokio::test]
async fn the_checks_of_its_own_project_decide_over_a_task() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    api(&sandbox, Some("checks:\n  - test -e good\n")).await;
    let id = id_of(&proposed(&sandbox, &chain()).await);
    run(&sandbox, &id).await;
    let path = format!("/api/plans/{id}");
    let plan = within(3 * PATIENCE, async || {
        let plan = sandbox.get(&path).await.ok()?;
        (worker(&plan, "routes")["state"] == "failed").then_some(plan)
    });
    let plan = plan.await.expect("the checks of api are red");
    assert_eq!(worker(&plan, "routes")["why"], "its checks failed: test -e good");
    assert_eq!(worker(&plan, "tables")["state"], "done", "shop has no checks");
    let held = worker(&plan, "page");
    assert_eq!(
        (&held["state"], &held["why"]),
        (
            &json!("waiting"),
            &json!("held: backend-api failed; retry or skip it")
        )
    );
    // The agent repairs it: the checks run again after its next turn, and what waits begins.
    let routes = session_of(&plan, "routes");
    let message = json!({ "content": "commit good made" });
    sandbox
        .post(&format!("/api/sessions/{routes}/message"), message)
        .await
        .unwrap();
    said(&sandbox.cli(&["plan", "skip", &id, "documents"]), 0);
    let plan = completes(&sandbox, &id).await;
    assert_eq!(worker(&plan, "page")["state"], "done");
}

#[tokio::test]
async fn an_engine_that_is_killed_begins_each_task_once() {
    let mut sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let (_, api) = api(&sandbox, None).await;
    let id = id_of(&proposed(&sandbox, &chain()).await);
    run(&sandbox, &id).await;
    for pause in [300, 900, 100, 1_300, 500] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        sandbox.kill_engine();
        sandbox.start().await;
    }
    let plan = completes(&sandbox, &id).await;
    let sessions = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(
        sessions.as_array().unwrap().len(),
        4,
        "each task has one worker: {sessions:#}"
    );
    let routes = worker(&plan, "routes")["commit"].as_str().unwrap();
    let made = git(&api, &[], &["log", "--format=%H", routes, "--", "routes.txt"]);
    assert_eq!(made.lines().count(), 1, "it was committed once");
}
