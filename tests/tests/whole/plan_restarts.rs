//! Tests that a plan goes on after what ends its workers in the middle of their work: a reboot, a usage limit.

use crate::limits;
use crate::merging::{project, said};
use crate::plans::{completes, proposed, reaches, worker};
use crate::processes::{all, kill};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::json;

/// Kills the engine, every keeper and every agent, as when the machine loses its power.
async fn lose_power(sandbox: &mut Sandbox) {
    sandbox.kill_engine();
    let keepers = format!(" keeper {}/", sandbox.data().display());
    let home = format!("DOWNBEAT_HOME={}", sandbox.data().display());
    within(PATIENCE, async || {
        let left = all().into_iter();
        let left: Vec<u32> = left
            .filter(|process| process.line.contains(&keepers) || process.has(&home))
            .map(|process| process.pid)
            .collect();
        left.iter().for_each(|pid| kill(*pid));
        left.is_empty().then_some(())
    })
    .await
    .expect("nothing runs any more");
}

#[tokio::test]
async fn a_plan_goes_on_after_a_reboot_once_its_worker_is_resumed_or_retried() {
    let mut sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": "commit half.txt made\nask ls\ncommit a.txt made" },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made", "dependencies": ["a"] },
        { "id": "c", "title": "Make c", "domain": "c", "description": "ask ls\ncommit c.txt made" },
        { "id": "d", "title": "Make d", "domain": "d", "description": "commit d.txt made" },
    ]);
    let id = proposed(&sandbox, "shop", tasks).await;
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let plan = reaches(&sandbox, &id, "d", "done").await;
    let session = |name: &str| worker(&plan, name)["sessionId"].as_str().unwrap().to_owned();
    let (a, c) = (session("a"), session("c"));
    for id in [&a, &c] {
        sandbox.status(id, &["waiting"]).await;
    }
    let report = said(&sandbox.cli(&["plan", "report", &id]), 0);
    assert!(
        report.contains("a waits: its worker asks: Bash: ls\n"),
        "{report}"
    );
    lose_power(&mut sandbox).await;
    sandbox.start().await;
    let plan = reaches(&sandbox, &id, "a", "failed").await;
    assert_eq!(
        worker(&plan, "b")["state"],
        "waiting",
        "it needs what is not done"
    );
    assert_eq!(worker(&plan, "d")["state"], "done");
    reaches(&sandbox, &id, "c", "failed").await;

    // One worker is resumed with its work and its conversation, the other one starts anew.
    said(&sandbox.cli(&["resume", &a]), 0);
    sandbox.status(&a, &["idle"]).await;
    said(&sandbox.cli(&["send", &a, "commit a.txt made"]), 0);
    said(&sandbox.cli(&["plan", "retry", &id, "c"]), 0);
    let anew = until("the new worker of c to ask", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        let session = worker(&plan, "c")["sessionId"].as_str()?.to_owned();
        (session != c).then_some(session)
    })
    .await;
    sandbox.status(&anew, &["waiting"]).await;
    sandbox.press(&anew, "1\r").await;
    let plan = completes(&sandbox, &id).await;
    assert_eq!(worker(&plan, "a")["sessionId"], json!(a), "its own worker did it");
    let files = |name: &str| {
        let commit = worker(&plan, name)["commit"].as_str().unwrap();
        git(&repository, &[], &["ls-tree", "--name-only", commit])
    };
    for (name, file) in [("b", "half.txt"), ("b", "a.txt"), ("b", "b.txt"), ("c", "c.txt")] {
        assert!(files(name).lines().any(|line| line == file), "{name}: {file}");
    }
    let sessions = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(
        sessions.as_array().unwrap().len(),
        5,
        "each worker once, and c twice"
    );
}

#[tokio::test]
async fn a_plan_goes_on_after_the_usage_limit_of_its_worker() {
    let sandbox = limits::started().await;
    limits::by_itself(&sandbox).await;
    let _ = project(&sandbox, None).await;
    let tasks = json!([
        { "id": "a", "title": "Make a", "domain": "a", "description": limits::limit(3) },
        { "id": "b", "title": "Make b", "domain": "b", "description": "commit b.txt made", "dependencies": ["a"] },
    ]);
    let id = proposed(&sandbox, "shop", tasks).await;
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let a = until("a to be told to continue", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        let a = worker(&plan, "a");
        let session = a["sessionId"].as_str()?.to_owned();
        assert_eq!(a["state"], "running", "a limit is no failure: {plan:#}");
        (limits::taken(&sandbox, &session).await == 1).then_some(session)
    })
    .await;
    said(&sandbox.cli(&["send", &a, "commit a.txt made"]), 0);
    let plan = completes(&sandbox, &id).await;
    let report = plan["report"].as_str().unwrap();
    assert!(
        report.starts_with("[COMPLETE] All 2 workers finished"),
        "{report}"
    );
}
