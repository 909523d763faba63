//! Tests of tasks that no worker of Downbeat does: what each would be asked is written as files, and a branch of the person's
//! counts as the work. The report is written as files, too, with the stops of workers.

use crate::merging::{project, said};
use crate::plans::{completes, proposed, reaches, worker};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::fs;

#[tokio::test]
async fn a_task_is_done_by_hand_and_the_next_one_begins_with_that_work() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "db", "title": "Make db", "description": "commit db.txt made", "domain": "db" },
        { "id": "api", "title": "Make api", "description": "spin", "domain": "api", "dependencies": ["db"] },
        { "id": "ui", "title": "Make ui", "description": "commit ui.txt made", "domain": "ui", "dependencies": ["api"] }
    ]);
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap().to_owned();

    let folder = sandbox.path().join("prompts");
    let said_where = said(
        &sandbox.cli(&["plan", "prompts", &id, folder.to_str().unwrap()]),
        0,
    );
    assert!(said_where.contains("downbeat plan done"), "{said_where}");
    let prompt = fs::read_to_string(folder.join("worker-ui_prompt.md")).unwrap();
    assert!(
        prompt.contains("- Make ui\n  commit ui.txt made\n")
            && prompt.contains("has the work of api already"),
        "{prompt}"
    );

    said(&sandbox.cli(&["plan", "run", &id]), 0);
    let path = format!("/api/plans/{id}");
    let worker = |plan: &Value, name: &str| -> Value {
        let all = plan["workers"].as_array().unwrap();
        all.iter().find(|worker| worker["name"] == name).unwrap().clone()
    };
    until("the database is made", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (worker(&plan, "db")["state"] == "done").then_some(())
    })
    .await;
    // A branch without the work that the task needs is refused, and so is one that is not there.
    git(&repository, &[], &["branch", "early", "main"]);
    let done = |branch: &'static str| sandbox.cli(&["plan", "done", &id, "api", "--branch", branch]);
    let refused = said(&done("early"), 2);
    assert!(refused.contains("does not have the work of db"), "{refused}");
    assert!(!done("nowhere").status.success());

    let plan = sandbox.get(&path).await.unwrap();
    let tip = worker(&plan, "db")["commit"].as_str().unwrap().to_owned();
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let place = sandbox.path().join("by-hand");
    git(
        &repository,
        &[],
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "mine",
            place.to_str().unwrap(),
            &tip,
        ],
    );
    fs::write(place.join("api.txt"), "by hand").unwrap();
    git(&place, &[], &["add", "api.txt"]);
    git(
        &place,
        &[],
        &[&me[..], &["commit", "-q", "-m", "Make api"]].concat(),
    );
    said(&done("mine"), 0);
    let complete = until("the plan is complete", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await;
    let tip = worker(&complete, "ui")["commit"].as_str().unwrap().to_owned();
    let text = git(&repository, &[], &["show", &format!("{tip}:api.txt")]);
    assert_eq!(text, "by hand");
    let again = sandbox.cli(&["plan", "done", &id, "api"]);
    assert!(
        String::from_utf8_lossy(&again.stderr).contains("the plan is complete"),
        "{again:?}"
    );
}

#[tokio::test]
async fn what_comes_after_a_skipped_task_has_the_work_before_it() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "db", "title": "Make db", "description": "commit db.txt made", "domain": "db" },
        { "id": "ev", "title": "Make ev", "description": "commit ev.txt made", "domain": "ev" },
        { "id": "mid", "title": "Make mid", "description": "spin", "domain": "mid", "dependencies": ["db", "ev"] },
        { "id": "ui", "title": "Make ui", "description": "commit ui.txt made", "domain": "ui", "dependencies": ["mid"] }
    ]);
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap().to_owned();
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    let path = format!("/api/plans/{id}");
    let state = |plan: &Value, name: &str| -> String {
        let all = plan["workers"].as_array().unwrap();
        let found = all.iter().find(|worker| worker["name"] == name).unwrap();
        found["state"].as_str().unwrap().to_owned()
    };
    until("the task after both is under way", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (state(&plan, "mid") == "running").then_some(())
    })
    .await;
    said(&sandbox.cli(&["plan", "skip", &id, "mid"]), 0);
    let complete = until("the plan is complete", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await;
    let all = complete["workers"].as_array().unwrap();
    let last = all.iter().find(|worker| worker["name"] == "ui").unwrap();
    let tip = last["commit"].as_str().unwrap();
    for file in ["db.txt", "ev.txt", "ui.txt"] {
        git(&repository, &[], &["cat-file", "-e", &format!("{tip}:{file}")]);
    }
}

#[tokio::test]
async fn the_files_of_a_report_have_the_stops_of_workers() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let tasks =
        json!([{ "id": "db", "title": "Make db", "description": "commit db.txt made", "domain": "db" }]);
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap().to_owned();
    said(&sandbox.cli(&["plan", "run", &id]), 0);
    until("the plan is complete", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (plan["state"] == "complete").then_some(())
    })
    .await;
    let folder = sandbox.path().join("report");
    said(
        &sandbox.cli(&["plan", "report", &id, "--files", folder.to_str().unwrap()]),
        0,
    );
    let log = fs::read_to_string(folder.join("event_log.jsonl")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let stopped: Vec<&Value> = lines
        .iter()
        .filter(|line| line["type"] == "worker_stopped")
        .collect();
    assert_eq!(stopped.len(), 1, "{log}");
    assert_eq!(
        (&stopped[0]["worker_name"], &stopped[0]["event"]),
        (&json!("db"), &json!("finished"))
    );
    assert!(stopped[0]["stop"].is_string(), "{log}");
    let unknown = sandbox.get("/api/plans/pl000000000009/stops").await.unwrap_err();
    assert_eq!(unknown.body["code"], "not_found");
}

#[tokio::test]
async fn what_the_person_ticks_meanwhile_is_not_done_again() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let hold = sandbox.path().join("hold");
    let file = repository.join("tasks.md");
    let text = format!(
        "- [ ] Make a (id: a)\n  work {}\n  commit a.txt made\n- [ ] Make b (id: b) (depends_on: a)\n  commit b.txt made\n\
         - [ ] Make c (id: c) (depends_on: b)\n  commit c.txt made\n",
        hold.display()
    );
    std::fs::write(&file, &text).unwrap();
    let ask = json!({ "projectId": "shop", "path": "tasks.md", "split": "task" });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    until("the first worker works", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        (plan["workers"][0]["state"] == "running").then_some(())
    })
    .await;
    std::fs::write(&file, text.replace("[ ] Make b", "[x] Make b")).unwrap();
    std::fs::write(&hold, "").unwrap();
    let done = completes(&sandbox, id).await;
    let workers = done["workers"].as_array().unwrap();
    assert_eq!(workers[1]["sessionId"], Value::Null, "{done:#}");
    assert!(workers[2]["sessionId"].is_string(), "{done:#}");
    assert!(
        done["notes"]
            .to_string()
            .contains("its tasks were ticked in tasks.md"),
        "{done:#}"
    );
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        text.replace("[ ]", "[x]")
    );
}

#[tokio::test]
async fn work_by_hand_has_what_it_needs_and_an_edited_task_is_done_again() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "die 3" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made", "dependencies": ["a"] },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    let path = format!("/api/plans/{plan}");
    sandbox.post(&format!("{path}/run"), json!({})).await.unwrap();
    let failed = reaches(&sandbox, &plan, "a", "failed").await;
    git(&repository, &[], &["branch", "mine"]);
    let early = said(&sandbox.cli(&["plan", "done", &plan, "b", "--branch", "mine"]), 1);
    assert!(
        early.contains("the work of a, which these tasks need, is not done yet"),
        "{early}"
    );
    let kept = said(&sandbox.cli(&["project", "remove", "shop", "--force"]), 1);
    assert!(kept.contains("is not over"), "{kept}");
    let edit = ["plan", "edit", &plan, "a", "--description", "commit a.txt made"];
    said(&sandbox.cli(&edit), 0);
    let edited = reaches(&sandbox, &plan, "a", "failed").await;
    assert_eq!(worker(&edited, "a")["why"], "its task was changed: retry it");
    assert_eq!(worker(&edited, "a")["sessionId"], Value::Null, "{edited:#}");
    assert!(worker(&failed, "a")["sessionId"].is_string());
    said(&sandbox.cli(&["plan", "retry", &plan, "a"]), 0);
    completes(&sandbox, &plan).await;
}

#[tokio::test]
async fn the_agent_of_a_worker_is_replaced_for_all_of_its_tasks() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let tasks = ["Make a", "Make b"]
        .map(|title| json!({ "title": title, "domain": "backend", "description": "die 3" }));
    let plan = proposed(&sandbox, "shop", json!(tasks)).await;
    sandbox
        .post(&format!("/api/plans/{plan}/run"), json!({}))
        .await
        .unwrap();
    reaches(&sandbox, &plan, "backend", "failed").await;
    said(&sandbox.cli(&["plan", "edit", &plan, "1", "--agent", "shell"]), 0);
    let edited = sandbox.get(&format!("/api/plans/{plan}")).await.unwrap();
    let agents = [0, 1].map(|at| edited["tasks"][at]["agent"].clone());
    assert_eq!(agents, ["shell", "shell"], "{edited:#}");
}

#[tokio::test]
async fn a_task_whose_needs_were_edited_begins_with_their_work() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "commit a.txt made" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made" },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    let edit = |task: &'static str, of: &[&'static str]| {
        let words = ["plan", "edit", &plan, task]
            .into_iter()
            .chain(of.iter().copied());
        sandbox.cli(&words.collect::<Vec<_>>())
    };
    let unknown = said(&edit("b", &["--needs", "aa"]), 2);
    assert!(
        unknown.contains("needs aa, which is not in the plan"),
        "{unknown}"
    );
    let more = [
        "--needs",
        "a",
        "--check",
        "b.txt is there",
        "--check",
        "it says made",
        "--skill",
        "review",
    ];
    said(&edit("b", &more), 0);
    let circle = said(&edit("a", &["--needs", "b"]), 2);
    assert!(
        circle.contains("these tasks wait for each other: a → b → a"),
        "{circle}"
    );
    let shown = sandbox.get(&format!("/api/plans/{plan}")).await.unwrap();
    assert_eq!(worker(&shown, "b")["needs"], json!(["a"]), "{shown:#}");
    assert_eq!(
        shown["tasks"][1]["checks"],
        json!(["b.txt is there", "it says made"])
    );
    assert_eq!(shown["tasks"][1]["skills"], json!(["review"]));
    assert_eq!(shown["tasks"][0]["needs"], Value::Null, "{shown:#}");
    said(&edit("b", &["--skill", ""]), 0);

    said(&sandbox.cli(&["plan", "run", &plan]), 0);
    let done = completes(&sandbox, &plan).await;
    let tip = worker(&done, "b")["commit"].as_str().unwrap().to_owned();
    let made = git(&repository, &[], &["ls-tree", "--name-only", &tip]);
    assert!(made.contains("a.txt") && made.contains("b.txt"), "{made}");
    assert_eq!(done["tasks"][1]["skills"], Value::Null, "{done:#}");
}
