//! Tests of how plans begin: from a file below a hidden folder, with a task that is edited at that moment, and anew after all plans were
//! cancelled.

use crate::crashes::{held, reached};
use crate::deliveries::workspace;
use crate::merging::{project, read, said};
use crate::plans::{completes, proposed, reaches, worker};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until, within};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn all_plans_that_run_are_cancelled_at_once_and_their_tasks_run_again() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let task = |id: &str| json!([{ "id": id, "title": format!("Make {id}"), "description": "work nowhere", "domain": id }]);
    let mut plans = Vec::new();
    for id in ["running", "paused", "proposed"] {
        plans.push(proposed(&sandbox, &project, task(id)).await);
    }
    let mut sessions = Vec::new();
    for (id, name) in plans.iter().zip(["running", "paused"]) {
        sandbox
            .post(&format!("/api/plans/{id}/run"), json!({}))
            .await
            .unwrap();
        let plan = reaches(&sandbox, id, name, "running").await;
        let session = worker(&plan, name)["sessionId"].as_str().unwrap().to_owned();
        sandbox.status(&session, &["running"]).await;
        sessions.push(session);
    }
    said(&sandbox.cli(&["plan", "pause", &plans[1]]), 0);
    let killed = said(&sandbox.cli(&["orchestrate", "--kill-all"]), 0);
    assert!(
        killed.contains(&plans[0]) && killed.contains(&plans[1]) && !killed.contains(&plans[2]),
        "{killed}"
    );
    for (id, state) in plans.iter().zip(["cancelled", "cancelled", "proposed"]) {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.unwrap();
        assert_eq!(plan["state"], state, "{plan:#}");
    }
    for session in &sessions {
        sandbox.status(session, &["killed", "exited"]).await;
    }
    let none = said(&sandbox.cli(&["orchestrate", "--kill-all"]), 0);
    assert_eq!(none, "No plan runs.\n");
    // What was given up can be begun anew, as before.
    let task = json!([{ "id": "a", "title": "Make a", "description": "commit a.txt made", "domain": "a" }]);
    let again = proposed(&sandbox, &project, task).await;
    said(&sandbox.cli(&["plan", "run", &again]), 0);
    completes(&sandbox, &again).await;
}

#[tokio::test]
async fn a_plan_below_a_hidden_folder_is_run_from_the_projects_folder() {
    let sandbox = Sandbox::started().await;
    let (_, shop) = project(&sandbox, None).await;
    let text = "# User sign-in\n\n- [ ] Make the page [Skill: frontend-design] (domain: frontend)\n  commit ui.txt made\n\
                - [ ] Make the API [Skill: api-design] (domain: backend)\n  commit api.txt made\n";
    let file = shop.join(".opencode/plans/user-auth-plan.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    for words in [
        vec!["execute tasks from .opencode/plans/user-auth-plan.md"],
        vec!["execute", "tasks", "from", ".opencode/plans/user-auth-plan.md"],
    ] {
        std::fs::write(&file, text).unwrap();
        let mut command = sandbox.command(program("downbeat"));
        command.current_dir(&shop).arg("orchestrate").args(&words);
        let made = command.args(["--yes", "--json"]).output().unwrap();
        let plan: Value = serde_json::from_slice(&made.stdout).unwrap_or_else(|_| panic!("{made:?}"));
        assert_eq!(plan["file"], ".opencode/plans/user-auth-plan.md", "{words:?}");
        completes(&sandbox, plan["id"].as_str().unwrap()).await;
        let ticked = until("all boxes are ticked", async || {
            let now = std::fs::read_to_string(&file).ok()?;
            (!now.contains("[ ]")).then_some(now)
        })
        .await;
        assert_eq!(ticked, text.replace("[ ]", "[x]"), "nothing else changed");
    }
}

#[tokio::test]
async fn a_task_that_is_edited_while_its_worker_starts_begins_as_edited_at_once() {
    let mut sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let file = held(&mut sandbox, "plan-due").await;
    let task = json!({ "id": "a", "title": "Make a", "description": "commit old.txt made", "domain": "a" });
    let id = proposed(&sandbox, &project, json!([task])).await;
    let path = format!("/api/plans/{id}");
    sandbox.post(&format!("{path}/run"), json!({})).await.unwrap();
    reached(&file).await;
    let edit = json!({ "change": "edit", "task": "a", "description": "commit new.txt made" });
    sandbox.post(&format!("{path}/change"), edit).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    // Much sooner than plans are looked at again without a change.
    let soon = Duration::from_secs(15);
    let started = within(soon, async || {
        let plan = sandbox.get(&path).await.ok()?;
        worker(&plan, "a")["sessionId"].as_str().map(str::to_owned)
    });
    let session = started.await.expect("it starts at once");
    completes(&sandbox, &id).await;
    let place = workspace(&sandbox, &session).await;
    assert_eq!(read(&place, "new.txt"), "made");
    assert!(!place.join("old.txt").exists());
}

#[tokio::test]
async fn a_worker_that_is_done_makes_room_for_one_that_a_limit_holds_back() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    sandbox.configure("limits:\n  sessionsPerProject: 1\n");
    until("the limit counts", async || {
        let settings = sandbox.get("/api/settings").await.ok()?;
        (settings["sessionsPerProject"] == 1).then_some(())
    })
    .await;
    let hold = sandbox.path().join("hold");
    let first = format!("work {}\ncommit first.txt made", hold.display());
    let tasks = json!([
        { "id": "first", "title": "Make the first", "domain": "first", "description": first },
        { "id": "second", "title": "Make the second", "domain": "second", "description": "commit second.txt made" },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    let path = format!("/api/plans/{plan}");
    sandbox.post(&format!("{path}/run"), json!({})).await.unwrap();
    let held = until("the second worker says why it waits", async || {
        let plan = sandbox.get(&path).await.ok()?;
        let why = worker(&plan, "second")["why"].as_str()?.to_owned();
        why.contains("the project's limit of 1 session").then_some(plan)
    })
    .await;
    assert_eq!(
        worker(&held, "second")["startedAt"],
        Value::Null,
        "it does not work yet"
    );
    std::fs::write(&hold, "").unwrap();
    let done = completes(&sandbox, &plan).await;
    assert!(
        done["notes"].to_string().contains("was stopped so that"),
        "{done:#}"
    );
    let first = worker(&done, "first")["sessionId"].as_str().unwrap();
    let first = sandbox.get(&format!("/api/sessions/{first}")).await.unwrap();
    assert_eq!(first["status"], "exited", "{first:#}");
    let at = |name: &str, what: &str| worker(&done, name)[what].as_str().unwrap().to_owned();
    assert!(at("second", "startedAt") >= at("first", "endedAt"), "{done:#}");
}

#[tokio::test]
async fn a_paused_plan_starts_no_worker_that_a_limit_held_back() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    sandbox.configure("limits:\n  sessionsPerProject: 1\n");
    until("the limit counts", async || {
        let settings = sandbox.get("/api/settings").await.ok()?;
        (settings["sessionsPerProject"] == 1).then_some(())
    })
    .await;
    let tasks = json!([
        { "id": "first", "title": "Make the first", "domain": "first", "description": "work nowhere" },
        { "id": "second", "title": "Make the second", "domain": "second", "description": "commit second.txt made" },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    let path = format!("/api/plans/{plan}");
    sandbox.post(&format!("{path}/run"), json!({})).await.unwrap();
    let waits_for = async |what: &str| {
        until(what, async || {
            let plan = sandbox.get(&path).await.ok()?;
            let why = worker(&plan, "second")["why"].as_str()?.to_owned();
            why.contains(what).then_some(plan)
        })
        .await
    };
    let held = waits_for("the project's limit of 1 session").await;
    said(&sandbox.cli(&["plan", "pause", &plan]), 0);
    waits_for("its plan is paused").await;
    let first = worker(&held, "first")["sessionId"].as_str().unwrap();
    sandbox.delete(&format!("/api/sessions/{first}")).await.unwrap();
    sandbox.status(first, &["killed"]).await;
    let second = worker(&held, "second")["sessionId"].as_str().unwrap();
    let starts = within(Duration::from_secs(1), async || {
        let session = sandbox.get(&format!("/api/sessions/{second}")).await.ok()?;
        (session["status"] != "queued").then_some(session)
    });
    assert_eq!(starts.await, None, "there is room, but its plan is paused");
    said(&sandbox.cli(&["plan", "resume", &plan]), 0);
    reaches(&sandbox, &plan, "second", "done").await;
}
