//! Tests of templates of plans: each task is done as one says, part after part, with workers of their own.

use crate::merging::{project, said};
use crate::plans::{completes, reaches, worker};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// A template whose second part has to begin with the work of the first one.
const OWN: &str = r#"
planTemplates:
  mine: |
    [{"id": "work", "title": "{task}", "description": "commit work.txt made"},
     {"title": "Review: {task}", "description": "commit review.txt made", "dependencies": ["work"]},
     {"title": "Write it down", "description": "commit docs.txt made"}]
"#;

#[tokio::test]
async fn each_task_is_done_as_the_template_says() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let new = |name: &'static str| {
        [
            "orchestrate",
            "Make it (id: it)",
            "--project",
            "shop",
            "--template",
            name,
        ]
    };
    let wrong = said(&sandbox.cli(&new("mine")), 2);
    assert!(
        wrong.contains("there is no template mine: there are compare, divide, parallel, red-green, review"),
        "{wrong}"
    );
    let refused = said(
        &sandbox.cli(&["config", "set", "planTemplates.mine", "Make it"]),
        2,
    );
    assert!(refused.contains("no task of it says {task}"), "{refused}");
    sandbox.configure(OWN);
    until("the person's template is there", async || {
        let settings = sandbox.get("/api/settings").await.ok()?;
        let all = settings["planTemplates"].as_array()?.clone();
        all.iter().any(|one| one["name"] == "mine").then_some(())
    })
    .await;
    let shown = said(&sandbox.cli(&[&new("review")[..], &["--dry-run"]].concat()), 0);
    assert!(shown.contains("Review: Make it"), "{shown}");
    let made = said(
        &sandbox.cli(&[&new("mine")[..], &["--yes", "--json"]].concat()),
        0,
    );
    let plan: Value = serde_json::from_str(&made).unwrap();
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    let done = until("the plan is complete", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    })
    .await;
    let workers = done["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 3, "{done:#}");
    let tip = workers[2]["commit"].as_str().unwrap();
    for file in ["work.txt", "review.txt", "docs.txt"] {
        git(&repository, &[], &["cat-file", "-e", &format!("{tip}:{file}")]);
    }
}

/// A template whose second part finds nothing to change.
const CALM: &str = r#"
planTemplates:
  calm: |
    [{"id": "work", "title": "{task}", "description": "commit work.txt made"},
     {"title": "Review: {task}", "description": "report done Nothing to mend.", "dependencies": ["work"]}]
"#;

#[tokio::test]
async fn a_worker_that_has_nothing_to_change_reports_that() {
    let sandbox = Sandbox::started().await;
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
    let ask = json!({ "projectId": "shop", "text": "Make it", "template": "calm" });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let done = completes(&sandbox, id).await;
    let workers = done["workers"].as_array().unwrap();
    assert_eq!(workers[0]["commit"], workers[1]["commit"], "{done:#}");
    let reviewer = workers[1]["sessionId"].as_str().unwrap();
    let session = sandbox.get(&format!("/api/sessions/{reviewer}")).await.unwrap();
    assert_eq!(session["report"]["summary"], "Nothing to mend.");
    // What belongs to no plan and no conductor has nobody to report to.
    let alone = sandbox
        .session(json!({ "projectId": "shop", "prompt": "report done Nothing." }))
        .await;
    sandbox.status(&alone, &["idle"]).await;
    let session = sandbox.get(&format!("/api/sessions/{alone}")).await.unwrap();
    assert_eq!(session["report"], Value::Null);
}

/// The checks pass from the fourth commit on: the project has two.
const GROWS: &str = r#"
checks:
  - name: grows
    run: { sh: 'test "$(git rev-list --count HEAD)" -gt 3' }
"#;

#[tokio::test]
async fn tests_that_fail_first_are_not_held_against_their_worker() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, Some(GROWS)).await;
    let tasks =
        json!([{ "id": "it", "title": "Make it", "description": "commit it.txt made", "domain": "it" }]);
    let ask =
        json!({ "projectId": "shop", "text": tasks.to_string(), "file": true, "template": "red-green" });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let done = completes(&sandbox, id).await;
    let checks = done["workers"].as_array().unwrap().iter().map(|one| {
        let id = one["sessionId"].as_str().unwrap().to_owned();
        let sandbox = &sandbox;
        async move { sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()["checks"]["last"].clone() }
    });
    let mut ran = Vec::new();
    for one in checks {
        ran.push(!one.await.is_null());
    }
    assert_eq!(ran, [false, true, true], "{done:#}");
}

#[tokio::test]
async fn who_leaves_an_agent_that_did_nothing_has_not_done_its_task() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let tasks = json!([{ "id": "it", "title": "Make it", "description": "die 0", "domain": "it" }]);
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let id = plan["id"].as_str().unwrap();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let plan = reaches(&sandbox, id, "it", "failed").await;
    assert_eq!(worker(&plan, "it")["why"], "its worker ended without a commit");
}
