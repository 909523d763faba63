//! Tests of templates of plans: each task is done as one says, part after part, with workers of their own.

use crate::merging::{project, said};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::Value;

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
