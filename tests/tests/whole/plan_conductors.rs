//! Tests of what a conductor may do with plans, through its session's token: no more than by spawning workers itself.

use crate::merging::project;
use crate::security::{port, token_of};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Sends a request with a session's token, and returns the status and the answer.
async fn ask(sandbox: &Sandbox, token: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://127.0.0.1:{}{path}", port(sandbox));
    let request = client.request(method.parse().unwrap(), url).bearer_auth(token);
    let request = match method {
        "GET" => request,
        _ => request.json(&body),
    };
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap())
}

async fn idle(sandbox: &Sandbox, project: &str, title: &str, conductor: bool) -> (String, String) {
    let ask = json!({ "projectId": project, "title": title, "prompt": "say hello", "conductor": conductor });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let token = token_of(&id).await;
    (id, token)
}

#[tokio::test]
async fn a_conductors_plan_is_its_own_and_its_workers_are_its_workers() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let (lead, token) = idle(&sandbox, &project, "Lead", true).await;
    let (_, others) = idle(&sandbox, &project, "Other", true).await;
    let task = |id: &str, needs: &[&str]| json!({ "id": id, "title": format!("Make {id}"), "description": format!("commit {id}.txt made"), "dependencies": needs, "domain": id });
    let tasks = json!([task("db", &[]), task("api", &["db"])]);
    let text = json!({ "text": tasks.to_string(), "file": true });
    let (status, plan) = ask(&sandbox, &token, "POST", "/api/plans", text).await;
    assert_eq!((status, &plan["conductor"]), (200, &json!(lead)), "{plan}");
    let id = plan["id"].as_str().unwrap();
    let (run, change) = (format!("/api/plans/{id}/run"), format!("/api/plans/{id}/change"));

    // Another session finds nothing, and no file of the project's is written for an agent.
    let (status, all) = ask(&sandbox, &others, "GET", "/api/plans", json!({})).await;
    assert_eq!((status, all), (200, json!([])));
    assert_eq!(ask(&sandbox, &others, "POST", &run, json!({})).await.0, 404);
    let cancel = json!({ "change": "cancel" });
    assert_eq!(ask(&sandbox, &others, "POST", &change, cancel).await.0, 404);
    let file = json!({ "path": "README.md" });
    assert_eq!(ask(&sandbox, &token, "POST", "/api/plans", file).await.0, 403);
    let shell = json!({ "text": "rm -rf .", "agent": "shell" });
    assert_eq!(ask(&sandbox, &token, "POST", "/api/plans", shell).await.0, 403);

    // What the person paused stays paused.
    assert_eq!(ask(&sandbox, &token, "POST", &run, json!({})).await.0, 200);
    sandbox.post(&change, json!({ "change": "pause" })).await.unwrap();
    assert_eq!(ask(&sandbox, &token, "POST", &run, json!({})).await.0, 403);
    let more = json!({ "change": "resume", "minutes": 0 });
    assert_eq!(ask(&sandbox, &token, "POST", &change, more).await.0, 403);
    sandbox.post(&run, json!({})).await.unwrap();

    let path = format!("/api/plans/{id}");
    let done = until("the plan is complete", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await;
    for worker in done["workers"].as_array().unwrap() {
        let session = worker["sessionId"].as_str().unwrap();
        let session = sandbox.get(&format!("/api/sessions/{session}")).await.unwrap();
        assert_eq!((&session["parent"], &session["depth"]), (&json!(lead), &json!(1)));
    }
}

#[tokio::test]
async fn a_killed_conductors_plan_starts_nothing_further() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let (lead, token) = idle(&sandbox, &project, "Lead", true).await;
    let gate = sandbox.path().join("gate");
    let work = format!("work {}\ncommit a.txt made", gate.display());
    let tasks = json!([
        { "id": "a", "title": "Make a", "description": work, "domain": "a" },
        { "id": "b", "title": "Make b", "description": "commit b.txt made", "domain": "b", "dependencies": ["a"] },
    ]);
    let text = json!({ "text": tasks.to_string(), "file": true });
    let (_, plan) = ask(&sandbox, &token, "POST", "/api/plans", text).await;
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    assert_eq!(
        ask(&sandbox, &token, "POST", &format!("{path}/run"), json!({}))
            .await
            .0,
        200
    );
    until("a is at work", async || {
        let plan = sandbox.get(&path).await.ok()?;
        plan["workers"][0]["sessionId"].as_str().map(str::to_owned)
    })
    .await;
    sandbox.delete(&format!("/api/sessions/{lead}")).await.unwrap();
    let paused = until("the plan is paused", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "paused").then_some(plan)
    })
    .await;
    assert!(paused["why"].as_str().unwrap().contains("was killed"), "{paused}");
    std::fs::write(&gate, "").unwrap();
    until("a is done", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["workers"][0]["state"] == "done").then_some(())
    })
    .await;
    let plan = sandbox.get(&path).await.unwrap();
    assert_eq!(plan["workers"][1]["sessionId"], Value::Null, "{plan}");
}

/// Has a session propose and run a plan of one task, whose worker may have workers; returns the session of the worker.
async fn divided(sandbox: &Sandbox, token: &str, work: &str) -> String {
    let task = json!([{ "id": "a", "title": "Look around", "description": work, "domain": "a" }]);
    let text = json!({ "text": task.to_string(), "file": true, "conductors": true });
    let (status, plan) = ask(sandbox, token, "POST", "/api/plans", text).await;
    assert_eq!((status, &plan["conductors"]), (200, &json!(true)), "{plan}");
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    let run = ask(sandbox, token, "POST", &format!("{path}/run"), json!({})).await;
    assert_eq!(run.0, 200);
    until("its worker begins", async || {
        let plan = sandbox.get(&path).await.ok()?;
        plan["workers"][0]["sessionId"].as_str().map(str::to_owned)
    })
    .await
}

#[tokio::test]
async fn by_default_workers_have_workers_and_those_have_none() {
    let mut sandbox = Sandbox::new();
    // What the person's terminal says of another program reaches nobody.
    sandbox.set_env("ORCH_DEPTH", "7");
    sandbox.start().await;
    let (project, _) = project(&sandbox, None).await;
    let (mut session, mut token) = idle(&sandbox, &project, "Lead", true).await;
    for depth in 0..=2 {
        let path = format!("/api/sessions/{session}");
        let shown = sandbox.get(&path).await.unwrap();
        let is_leaf = depth == 2;
        assert_eq!(
            (&shown["depth"], &shown["conducts"]),
            (&json!(depth), &json!(!is_leaf)),
            "{shown:#}"
        );
        let look = json!({ "content": "env ORCH_DEPTH\nenv ORCH_MAX_DEPTH\nenv ORCH_WORKER_NAME" });
        sandbox.post(&format!("{path}/message"), look).await.unwrap();
        for wanted in [
            format!("ORCH_DEPTH={depth}"),
            "ORCH_MAX_DEPTH=2".to_owned(),
            format!("ORCH_WORKER_NAME={}", shown["name"].as_str().unwrap()),
        ] {
            sandbox.shows(&session, &wanted).await;
        }
        if is_leaf {
            let text = json!({ "text": "Create API (id: api) (depends_on: db), Set up database (id: db)" });
            let (status, refused) = ask(&sandbox, &token, "POST", "/api/plans", text).await;
            let said = refused.to_string();
            assert_eq!(status, 422, "{said}");
            assert!(
                said.contains("Max depth reached, no worker spawning allowed")
                    && said.contains("1. Set up database\\n2. Create API"),
                "{said}"
            );
            break;
        }
        session = divided(&sandbox, &token, "say hello").await;
        sandbox.status(&session, &["idle"]).await;
        token = token_of(&session).await;
    }
}

#[tokio::test]
async fn at_the_deepest_level_the_tasks_are_done_one_after_another() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("limits:\n  maxDepth: 0\n");
    sandbox.start().await;
    let (project, _) = project(&sandbox, None).await;
    let (_, token) = idle(&sandbox, &project, "Alone", false).await;
    let text = json!({ "text": "Create API (id: api) (depends_on: db), Set up database (id: db)" });
    let (status, refused) = ask(&sandbox, &token, "POST", "/api/plans", text).await;
    assert_eq!(status, 422, "{refused}");
    let said = refused.to_string();
    assert!(
        said.contains("Max depth reached, no worker spawning allowed"),
        "{said}"
    );
    assert!(
        said.contains("mode: sequential") && said.contains("1. Set up database\\n2. Create API"),
        "{said}"
    );
}
