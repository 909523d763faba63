//! Tests of a goal without a planner: a session makes the plan and hands it in; the person is told, and runs it.

use crate::family::as_session;
use crate::merging::{commit, project, said};
use crate::security::token_of;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

#[tokio::test]
async fn a_session_hands_in_a_plan_that_only_the_person_runs() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let printed = said(
        &sandbox.cli(&[
            "plan",
            "new",
            "--goal",
            "say hello\nto all",
            "--project",
            "shop",
            "--split",
            "task",
            "--minutes",
            "90",
        ]),
        0,
    );
    assert!(
        printed.starts_with("plan-say-hello makes the plan. A notice says when it is there"),
        "{printed}"
    );
    let all = sandbox.get("/api/sessions").await.unwrap();
    let id = all[0]["id"].as_str().unwrap().to_owned();
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(
        (&session["title"], &session["role"]),
        (&json!("Plan: say hello"), &json!("conductor")),
        "{session:#}"
    );
    assert!(
        session["task"]
            .as_str()
            .unwrap()
            .ends_with("The goal:\nsay hello\nto all\n"),
        "{session:#}"
    );
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(sandbox.get("/api/plans").await.unwrap(), json!([]));

    let token = token_of(&id).await;
    let task = |id: &str| json!({ "id": id, "title": format!("Make {id}"), "description": format!("commit {id}.txt made"), "domain": "backend" });
    let text = json!({ "text": json!([task("a"), task("b")]).to_string(), "file": true, "minutes": 5 });
    let (status, plan) = as_session(&sandbox, &token, "POST", "/api/plans", text).await;
    assert_eq!(
        (status, &plan["conductor"], &plan["title"]),
        (200, &json!(id), &json!("say hello")),
        "{plan:#}"
    );
    assert_eq!(
        (&plan["state"], &plan["personRuns"]),
        (&json!("proposed"), &json!(true))
    );
    assert_eq!(plan["minutes"], 90, "what the person chose counts");
    assert_eq!(plan["workers"].as_array().unwrap().len(), 2, "one for each task");
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    let notice = until("the person is told", async || {
        let all = sandbox.notices().await;
        all.into_iter()
            .find(|one| one["title"] == "plan to look at: say hello")
    })
    .await;
    let words = notice["text"].as_str().unwrap();
    assert!(
        words.starts_with("plan-say-hello made a plan with 2 tasks for 2 workers. Nothing runs yet."),
        "{words}"
    );

    for (path, body) in [
        (format!("{path}/run"), json!({})),
        (format!("{path}/change"), json!({ "change": "resume" })),
    ] {
        let (status, refused) = as_session(&sandbox, &token, "POST", &path, body).await;
        assert_eq!(status, 403, "{path}: {refused}");
    }
    // Nor by a way around it: a pause that is taken back, or workers without a plan.
    let pause = json!({ "change": "pause" });
    let _ = as_session(&sandbox, &token, "POST", &format!("{path}/change"), pause).await;
    for (at, body) in [
        (format!("{path}/run"), json!({})),
        (format!("{path}/change"), json!({ "change": "resume" })),
        ("/api/sessions".to_owned(), json!({ "prompt": "say hello" })),
        (
            "/api/sessions".to_owned(),
            json!({ "prompt": "say hello", "conductor": true }),
        ),
    ] {
        let (status, refused) = as_session(&sandbox, &token, "POST", &at, body).await;
        assert_eq!(status, 403, "{at}: {refused}");
    }
    let goal = json!({ "goal": "another", "projectId": "shop" });
    let (status, refused) = as_session(&sandbox, &token, "POST", "/api/plans/goal", goal).await;
    assert_eq!(status, 403, "{refused}");

    sandbox.post(&format!("{path}/run"), json!({})).await.unwrap();
    let done = until("the plan is complete", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await;
    let worker = done["workers"][0]["sessionId"].as_str().unwrap();
    let worker: Value = sandbox.get(&format!("/api/sessions/{worker}")).await.unwrap();
    assert_eq!(
        worker["parent"],
        json!(id),
        "its workers are those of the session"
    );
}

#[tokio::test]
async fn what_a_session_cannot_plan_is_said_before_one_starts() {
    let mut sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let new = |sandbox: &Sandbox, more: &[&str]| {
        let words = ["orchestrate", "--goal", "Sell shoes", "--project", "shop"];
        sandbox.cli(&words.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let shown = said(&new(&sandbox, &["--dry-run"]), 2);
    assert!(
        shown.contains("there is no planner, so a session makes the plan"),
        "{shown}"
    );
    let shell = said(&new(&sandbox, &["--agent", "shell"]), 2);
    assert!(shell.contains("Shell cannot hand in a plan"), "{shell}");
    let both = sandbox.cli(&[
        "plan",
        "new",
        "Build UI",
        "--goal",
        "Sell shoes",
        "--project",
        "shop",
    ]);
    said(&both, 2);

    // A repository names no program that runs as the person.
    let text = "planner: { command: [touch, /tmp/never] }\n";
    commit(&repository, &[("downbeat.yaml", text)]);
    let wrong = "`planner` belongs in your own downbeat.yaml";
    let validated = sandbox.cli(&[
        "config",
        "validate",
        repository.join("downbeat.yaml").to_str().unwrap(),
    ]);
    assert!(said(&validated, 1).contains(wrong));
    let refused = new(&sandbox, &[]);
    assert!(
        !refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains(wrong),
        "{refused:?}"
    );
    commit(&repository, &[("downbeat.yaml", "")]);

    sandbox.kill_engine();
    sandbox.configure("limits: { maxDepth: 0 }\n");
    sandbox.start().await;
    let deep = new(&sandbox, &[]);
    assert!(
        String::from_utf8_lossy(&deep.stderr).contains("limits.maxDepth"),
        "{deep:?}"
    );
    assert_eq!(
        sandbox.get("/api/sessions").await.unwrap(),
        json!([]),
        "no session was started"
    );

    sandbox.configure("");
    let later = until("the new configuration", async || {
        let made = new(&sandbox, &["--yes"]);
        made.status.success().then(|| said(&made, 0))
    })
    .await;
    assert!(later.contains("It does not run by itself"), "{later}");
}

#[tokio::test]
async fn what_the_person_chose_counts_for_the_plan_that_a_session_hands_in() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let new = |template: &'static str| {
        let goal = ["plan", "new", "--goal", "say hello", "--project", "shop"];
        [
            &goal[..],
            &["--template", template, "--priority", "high", "--conductors"],
        ]
        .concat()
    };
    let wrong = said(&sandbox.cli(&new("revue")), 2);
    assert!(wrong.contains("there is no template revue"), "{wrong}");
    said(&sandbox.cli(&new("review")), 0);
    let all = sandbox.get("/api/sessions").await.unwrap();
    let id = all[0]["id"].as_str().unwrap().to_owned();
    sandbox.status(&id, &["idle"]).await;
    let token = token_of(&id).await;
    let (status, plan) = as_session(
        &sandbox,
        &token,
        "POST",
        "/api/plans",
        json!({ "text": "Make it" }),
    )
    .await;
    assert_eq!(status, 200, "{plan:#}");
    let titles: Vec<&str> = plan["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|task| task["title"].as_str())
        .collect();
    assert_eq!(titles, ["Make it", "Review: Make it"], "{plan:#}");
    assert_eq!(
        (&plan["priority"], &plan["conductors"]),
        (&json!("high"), &json!(true)),
        "{plan:#}"
    );
}
