//! Tests of what is changed in a plan that runs: needs, workers, the plan itself; and of what nobody meant to change.

use crate::merging::{project, said};
use crate::plans::{completes, proposed, reaches, worker};
use crate::security::token_of;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

async fn run(sandbox: &Sandbox, plan: &str) {
    let path = format!("/api/plans/{plan}/run");
    sandbox.post(&path, json!({})).await.unwrap();
}

#[tokio::test]
async fn a_task_that_needs_less_than_before_starts_at_once() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "die 3" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made", "dependencies": ["a"] },
    ]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    run(&sandbox, &plan).await;
    let failed = reaches(&sandbox, &plan, "a", "failed").await;
    let why = worker(&failed, "a")["why"].as_str().unwrap().to_owned();
    assert!(why.contains("ended with exit code 3"), "{why}");
    said(&sandbox.cli(&["plan", "edit", &plan, "b", "--needs", ""]), 0);
    reaches(&sandbox, &plan, "b", "done").await;
}

#[tokio::test]
async fn an_edit_that_changes_nothing_leaves_a_failed_worker_its_task() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let tasks = json!([{ "id": "a", "title": "Make a", "domain": "a", "description": "die 3" }]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    run(&sandbox, &plan).await;
    let failed = reaches(&sandbox, &plan, "a", "failed").await;
    let nothing = said(&sandbox.cli(&["plan", "edit", &plan, "a"]), 2);
    assert!(nothing.contains("nothing to change is named"), "{nothing}");
    said(
        &sandbox.cli(&["plan", "edit", &plan, "make A", "--title", "Make a"]),
        0,
    );
    let same = sandbox.get(&format!("/api/plans/{plan}")).await.unwrap();
    assert_eq!(worker(&same, "a"), worker(&failed, "a"));
}

#[tokio::test]
async fn a_worker_at_work_is_replaced_only_when_that_is_said() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let gate = sandbox.path().join("gate");
    let work = format!("work {}\ncommit a.txt made", gate.display());
    let tasks = json!([{ "id": "a", "title": "Make a", "domain": "a", "description": work }]);
    let plan = proposed(&sandbox, "shop", tasks).await;
    run(&sandbox, &plan).await;
    let first = reaches(&sandbox, &plan, "a", "running").await;
    let refused = said(&sandbox.cli(&["plan", "retry", &plan, "a"]), 1);
    assert!(
        refused.contains("a is at work") && refused.contains("--stop"),
        "{refused}"
    );
    said(&sandbox.cli(&["plan", "retry", &plan, "a", "--stop"]), 0);
    let before = worker(&first, "a")["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/api/plans/{plan}");
    until("another worker has the task", async || {
        let plan = sandbox.get(&path).await.ok()?;
        let session = worker(&plan, "a")["sessionId"].as_str()?.to_owned();
        (session != before).then_some(())
    })
    .await;
    sandbox.status(&before, &["killed", "exited"]).await;
    std::fs::write(&gate, "").unwrap();
    completes(&sandbox, &plan).await;
}

#[tokio::test]
async fn the_plan_itself_is_changed_and_a_limit_that_is_used_up_pauses_it() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, None).await;
    let tasks =
        json!(["a", "b", "c"].map(
            |id| json!({ "id": id, "title": format!("Make {id}"), "domain": id, "description": "spin" })
        ));
    let ask = json!({ "projectId": "shop", "text": tasks.to_string(), "file": true, "atOnce": 1 });
    let plan = sandbox.post("/api/plans", ask).await.unwrap();
    let plan = plan["id"].as_str().unwrap().to_owned();
    let edit = |of: &[&'static str]| {
        let words = ["plan", "edit", &plan].into_iter().chain(of.iter().copied());
        sandbox.cli(&words.collect::<Vec<_>>())
    };
    let nothing = said(&edit(&[]), 2);
    assert!(nothing.contains("nothing to change is named"), "{nothing}");
    let needs = said(&edit(&["--needs", "a"]), 2);
    assert!(needs.contains("needs: a plan has none of its own"), "{needs}");
    said(&edit(&["--at-once", "0"]), 2);
    let shown = said(
        &edit(&[
            "--title",
            "Three things",
            "--at-once",
            "2",
            "--budget",
            "5",
            "--minutes",
            "90",
        ]),
        0,
    );
    for words in [
        "Three things",
        "at most 2 at once",
        "paused after $5.00 or 90 min",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    run(&sandbox, &plan).await;
    let path = format!("/api/plans/{plan}");
    let running = async |count: usize| {
        until("so many are at work", async || {
            let plan = sandbox.get(&path).await.ok()?;
            let workers = plan["workers"].as_array()?.iter();
            (workers.filter(|worker| worker["state"] == "running").count() == count).then_some(())
        })
        .await;
    };
    running(2).await;
    let tokens = said(&edit(&["--budget-tokens", "900000", "--at-once", "3"]), 0);
    assert!(tokens.contains("$5.00 or 900000 tokens or 90 min"), "{tokens}");
    running(3).await;
    let of_task = said(&sandbox.cli(&["plan", "edit", &plan, "a", "--minutes", "5"]), 2);
    assert!(of_task.contains("leave out the task"), "{of_task}");
}

#[tokio::test]
async fn the_conductor_of_a_plan_is_told_that_a_task_cannot_begin() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let token = token_of(&lead).await;
    // Both change the same line, so that what needs both has no branch to begin with.
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "commit same.txt one" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit same.txt two" },
        { "id": "c", "title": "Make c", "domain": "c", "description": "commit c.txt made", "dependencies": ["a", "b"] },
    ]);
    let body = json!({ "text": tasks.to_string(), "file": true });
    let plan = asked(&sandbox, &token, "/api/plans", body).await;
    let id = plan["id"].as_str().unwrap();
    let change = format!("/api/plans/{id}/change");
    let url = format!("http://127.0.0.1:{}{change}", crate::security::port(&sandbox));
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let edit = json!({ "change": "edit", "atOnce": 50 });
    let answer = client
        .post(url)
        .bearer_auth(&token)
        .json(&edit)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 403, "only the person changes a plan itself");
    asked(&sandbox, &token, &format!("/api/plans/{id}/run"), json!({})).await;
    reaches(&sandbox, id, "c", "failed").await;
    until("the conductor gets a message", async || {
        let messages = sandbox
            .get(&format!("/api/sessions/{lead}/messages"))
            .await
            .ok()?;
        messages
            .to_string()
            .contains("Plan update (automatic, from Downbeat)")
            .then_some(())
    })
    .await;
}

async fn asked(sandbox: &Sandbox, token: &str, path: &str, body: Value) -> Value {
    let url = format!("http://127.0.0.1:{}{path}", crate::security::port(sandbox));
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client
        .post(url)
        .bearer_auth(token)
        .json(&body)
        .send()
        .await
        .unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    answer.json().await.unwrap()
}
