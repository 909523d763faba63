//! Tests of result files: what a program that does a worker's tasks elsewhere writes counts as the person's own word does, once, and
//! whatever else stands there does not.

use crate::crashes::{doomed, successor};
use crate::family::{as_session, token_of};
use crate::merging::{project, said};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Proposes a chain of three tasks, of which the first is done by a worker here.
async fn chain(sandbox: &Sandbox) -> String {
    let tasks = json!([
        { "id": "db", "title": "Make db", "description": "commit db.txt made", "domain": "db" },
        { "id": "api", "title": "Make api", "description": "spin", "domain": "api", "dependencies": ["db"] },
        { "id": "ui", "title": "Make ui", "description": "commit ui.txt made", "domain": "ui", "dependencies": ["api"] }
    ]);
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    plan["id"].as_str().unwrap().to_owned()
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

/// Waits for a note with these words.
async fn noted(sandbox: &Sandbox, id: &str, words: &str) -> Value {
    until(&format!("a note says {words}"), async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        let all = plan["notes"].as_array()?;
        let is_it = |note: &Value| note.as_str().is_some_and(|note| note.contains(words));
        all.iter().any(is_it).then(|| plan.clone())
    })
    .await
}

/// Commits a file on a new branch that begins at a commit.
fn work(sandbox: &Sandbox, repository: &Path, branch: &str, from: &str, file: &str) {
    let place = sandbox.path().join(format!("tree-{branch}"));
    let arguments = [
        "worktree",
        "add",
        "-q",
        "-b",
        branch,
        place.to_str().unwrap(),
        from,
    ];
    git(repository, &[], &arguments);
    fs::write(place.join(file), "elsewhere").unwrap();
    git(&place, &[], &["add", file]);
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(&place, &[], &[&me[..], &["commit", "-q", "-m", file]].concat());
}

fn prompts(sandbox: &Sandbox, id: &str) -> PathBuf {
    let folder = sandbox.path().join("prompts");
    let told = said(
        &sandbox.cli(&["plan", "prompts", id, folder.to_str().unwrap()]),
        0,
    );
    assert!(told.contains("counts by itself"), "{told}");
    folder
}

#[tokio::test]
async fn a_result_file_counts_once_its_branch_has_what_the_task_needs() {
    let mut sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let id = chain(&sandbox).await;
    let folder = sandbox.path().join("prompts");
    fs::create_dir(&folder).unwrap();
    let result = folder.join("worker-api_result.json");
    // What is there already is of another plan.
    fs::write(&result, r#"{"status": "done", "branch": "main"}"#).unwrap();
    let folder = prompts(&sandbox, &id);
    let prompt = fs::read_to_string(folder.join("worker-api_prompt.md")).unwrap();
    let file = result.canonicalize().unwrap();
    assert!(
        prompt.contains(file.to_str().unwrap()) && prompt.contains(&format!("\"plan\": \"{id}\"")),
        "{prompt}"
    );
    let last = prompt
        .lines()
        .filter(|line| line.starts_with("    claude "))
        .count();
    assert_eq!(last, 1, "{prompt}");
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    let plan = reaches(&sandbox, &id, "api", "running").await;
    assert_eq!(plan["results"], json!(file.parent().unwrap()));
    let tip = worker(&plan, "db")["commit"].as_str().unwrap().to_owned();

    fs::write(&result, r#"{"status": "done", "branch": "nowhere"}"#).unwrap();
    noted(&sandbox, &id, "worker-api_result.json does not count: ").await;
    git(&repository, &[], &["branch", "early", "main"]);
    fs::write(&result, r#"{"status": "done", "branch": "early"}"#).unwrap();
    let plan = noted(&sandbox, &id, "does not have the work of db").await;
    assert_eq!(plan["notes"].as_array().unwrap().len(), 1, "{plan:#}");
    let told = sandbox.notices().await;
    let is_it = |notice: &&Value| {
        notice["title"]
            .as_str()
            .unwrap()
            .starts_with("a result does not count")
    };
    assert_eq!(told.iter().filter(is_it).count(), 2, "each is said once");

    // The engine dies after it looked at the branch, before that is recorded.
    work(&sandbox, &repository, "mine", &tip, "api.txt");
    doomed(&mut sandbox, "result-read").await;
    let text = json!({ "plan": id, "status": "done", "branch": "mine", "summary": "made" });
    fs::write(&result, text.to_string()).unwrap();
    successor(&mut sandbox, "result-read").await;
    let plan = until("the plan is complete", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await;
    let tip = worker(&plan, "ui")["commit"].as_str().unwrap().to_owned();
    let text = git(&repository, &[], &["show", &format!("{tip}:api.txt")]);
    assert_eq!((text.as_str(), &plan["notes"]), ("elsewhere", &Value::Null));
}

#[tokio::test]
async fn a_failure_elsewhere_counts_once_and_a_retry_is_not_undone_by_it() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let id = chain(&sandbox).await;
    let folder = prompts(&sandbox, &id);
    let failed = r#"{"status": "failed", "summary": "no access\u001b[2J"}"#;
    fs::write(folder.join("worker-db_result.json"), failed).unwrap();
    let plan = reaches(&sandbox, &id, "db", "failed").await;
    let why = worker(&plan, "db")["why"].as_str().unwrap();
    assert_eq!(why, "its result file says that it failed: no access [2J");
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    said(&sandbox.cli(&["plan", "retry", &id, "db"]), 0);
    reaches(&sandbox, &id, "db", "done").await;
    // A worker here is not stopped by a failure elsewhere.
    reaches(&sandbox, &id, "api", "running").await;
    fs::write(folder.join("worker-api_result.json"), failed).unwrap();
    noted(&sandbox, &id, "but api has a worker here").await;
    reaches(&sandbox, &id, "api", "running").await;
    said(&sandbox.cli(&["plan", "cancel", &id]), 0);
}

#[tokio::test]
async fn a_result_that_counted_before_a_crash_does_not_count_again() {
    let mut sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let id = chain(&sandbox).await;
    let folder = prompts(&sandbox, &id);
    doomed(&mut sandbox, "result-counted").await;
    let failed = r#"{"status": "failed", "summary": "no access"}"#;
    fs::write(folder.join("worker-db_result.json"), failed).unwrap();
    successor(&mut sandbox, "result-counted").await;
    let plan = reaches(&sandbox, &id, "db", "failed").await;
    let why = worker(&plan, "db")["why"].as_str().unwrap();
    assert_eq!(why, "its result file says that it failed: no access");
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    said(&sandbox.cli(&["plan", "retry", &id, "db"]), 0);
    reaches(&sandbox, &id, "db", "done").await;
    said(&sandbox.cli(&["plan", "cancel", &id]), 0);
}

#[tokio::test]
async fn no_agent_counts_tasks_as_done_and_hostile_files_are_refused() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let id = chain(&sandbox).await;
    let agent = sandbox
        .session(json!({ "projectId": "shop", "prompt": "env DOWNBEAT_TOKEN" }))
        .await;
    let token = token_of(&sandbox, &agent).await;
    let mine = sandbox
        .post("/api/plans", json!({ "projectId": "shop", "text": "a, b" }))
        .await
        .unwrap();
    let change = |folder: &Path| json!({ "change": "results", "folder": folder });
    let path = format!("/api/plans/{}/change", mine["id"].as_str().unwrap());
    let (status, answer) = as_session(&sandbox, &token, "POST", &path, change(sandbox.path())).await;
    assert!(status == 403 || status == 404, "{answer}");
    // An agent that conducts a plan may not, either.
    let own = as_session(&sandbox, &token, "POST", "/api/plans", json!({ "text": "a | b" })).await;
    let path = format!("/api/plans/{}/change", own.1["id"].as_str().unwrap());
    let (status, answer) = as_session(&sandbox, &token, "POST", &path, change(sandbox.path())).await;
    assert_eq!(status, 403, "{answer}");
    // Nor may its worktree be the folder.
    let row = sandbox.get(&format!("/api/sessions/{agent}")).await.unwrap();
    let place = PathBuf::from(row["workspacePath"].as_str().unwrap());
    fs::create_dir(place.join("results")).unwrap();
    let refused = sandbox.cli(&["plan", "prompts", &id, place.join("results").to_str().unwrap()]);
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("result files cannot count in"), "{refused}");
    assert!(!place.join("results/worker-db_prompt.md").exists());
    let whole = format!("/api/plans/{id}/change");
    for folder in ["relative", "", "/nowhere/at/all"] {
        let answer = sandbox
            .post(&whole, json!({ "change": "results", "folder": folder }))
            .await;
        assert_eq!(answer.unwrap_err().status, 400, "{folder}");
    }

    let folder = prompts(&sandbox, &id);
    let outside = sandbox.path().join("outside.json");
    fs::write(&outside, r#"{"status": "done", "branch": "main"}"#).unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("worker-db_result.json")).unwrap();
    noted(
        &sandbox,
        &id,
        "worker-db_result.json does not count: it is a link, not a file",
    )
    .await;
    fs::remove_file(folder.join("worker-db_result.json")).unwrap();
    pipe(&folder.join("worker-db_result.json"));
    noted(&sandbox, &id, "it is a pipe, a socket or a device").await;
    fs::remove_file(folder.join("worker-db_result.json")).unwrap();
    fs::write(folder.join("worker-db_result.json"), "x".repeat(70_000)).unwrap();
    noted(&sandbox, &id, "longer than the 64 KB that are read").await;
    let other = r#"{"plan": "pl000000000000", "status": "done", "branch": "main"}"#;
    fs::write(folder.join("worker-db_result.json"), other).unwrap();
    let plan = noted(&sandbox, &id, "it is a result of the plan pl000000000000").await;
    assert_eq!(worker(&plan, "db")["state"], "waiting", "{plan:#}");
    assert_eq!(plan["notes"].as_array().unwrap().len(), 1);
    // A report in the same folder is not a result.
    said(
        &sandbox.cli(&["plan", "report", &id, "--files", folder.to_str().unwrap()]),
        0,
    );
    // A session that begins to work around the folder afterwards ends it.
    let inside = repository.join("results");
    fs::create_dir(&inside).unwrap();
    said(
        &sandbox.cli(&["plan", "prompts", &id, inside.to_str().unwrap()]),
        0,
    );
    sandbox
        .session(json!({ "projectId": "shop", "workspace": "in-place", "prompt": "say hello" }))
        .await;
    noted(
        &sandbox,
        &id,
        "works there, and its agent could count tasks as done",
    )
    .await;
    fs::write(
        inside.join("worker-db_result.json"),
        r#"{"status": "done", "branch": "main"}"#,
    )
    .unwrap();
    // Another plan, whose file was written later, counts: so this one was looked at.
    let other = chain(&sandbox).await;
    let outside = sandbox.path().join("other");
    fs::create_dir(&outside).unwrap();
    said(
        &sandbox.cli(&["plan", "prompts", &other, outside.to_str().unwrap()]),
        0,
    );
    fs::write(outside.join("worker-db_result.json"), r#"{"status": "failed"}"#).unwrap();
    reaches(&sandbox, &other, "db", "failed").await;
    let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
    assert_eq!(worker(&plan, "db")["state"], "waiting", "{plan:#}");
}

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
