//! Tests of collisions: two workers that change the same lines know within a turn, on every face; their conductor is told once;
//! and what landed collides no more.

use crate::deliveries::workspace;
use crate::family::as_session;
use crate::merging::{commit, project, said};
use crate::security::token_of;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Starts a worker of `lead` that works until there is a file `go`.
async fn worker(sandbox: &Sandbox, lead: &str, title: &str) -> (String, PathBuf) {
    let token = token_of(lead).await;
    let ask = json!({ "title": title, "prompt": "work go" });
    let (status, worker) = as_session(sandbox, &token, "POST", "/api/sessions", ask).await;
    assert_eq!(status, 200, "{worker:#}");
    let id = worker["id"].as_str().unwrap().to_owned();
    sandbox.status(&id, &["running"]).await;
    let place = workspace(sandbox, &id).await;
    (id, place)
}

/// Waits until the session collides with these sessions, and returns how.
async fn colliding(sandbox: &Sandbox, id: &str, with: &[&str]) -> Value {
    let path = format!("/api/sessions?ids={id}");
    until(&format!("{id} collides with {with:?}"), async || {
        let listed = sandbox.get(&path).await.ok()?;
        let all = listed[0]["collisions"].clone();
        let known: Vec<&str> = all
            .as_array()?
            .iter()
            .filter_map(|one| one["session"].as_str())
            .collect();
        (known == with).then(|| all.clone())
    })
    .await
}

/// The messages of a session about collisions, queued or delivered.
async fn told(sandbox: &Sandbox, lead: &str) -> Vec<String> {
    let path = format!("/api/sessions/{lead}/messages");
    let all = sandbox.get(&path).await.unwrap();
    let texts = all
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["text"].as_str());
    let lines = texts
        .flat_map(str::lines)
        .filter(|line| line.contains("changed the same lines"));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn two_workers_that_change_the_same_lines_are_told_apart_until_one_lands() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let (one, first) = worker(&sandbox, &lead, "Login").await;
    let (two, second) = worker(&sandbox, &lead, "Cart").await;
    let (three, third) = worker(&sandbox, &lead, "Docs").await;
    commit(&first, &[("README.md", "a login\n"), ("go", "")]);
    // Not committed.
    std::fs::write(second.join("README.md"), "a cart\n").unwrap();
    std::fs::write(second.join("go"), "").unwrap();
    commit(&third, &[("guide.md", "a guide\n"), ("go", "")]);
    for id in [&one, &two, &three] {
        sandbox.status(id, &["idle"]).await;
    }
    let seen = colliding(&sandbox, &one, &[&two]).await;
    let file = json!({ "path": "README.md", "samePlace": true, "conflicts": true });
    assert_eq!(
        (&seen[0]["files"], &seen[0]["conflicts"]),
        (&json!([file]), &json!(true)),
        "{seen:#}"
    );
    colliding(&sandbox, &two, &[&one]).await;
    colliding(&sandbox, &three, &[]).await;

    let listed = said(&sandbox.cli(&["list"]), 0);
    assert!(
        listed.contains("both change README.md (merging both would conflict)"),
        "{listed}"
    );
    let status = said(&sandbox.cli(&["status", &one]), 0);
    assert!(
        status.contains("with cart in README.md (merging both would conflict)"),
        "{status}"
    );
    let lines = until("the conductor is told", async || {
        let lines = told(&sandbox, &lead).await;
        (!lines.is_empty()).then_some(lines)
    })
    .await;
    assert!(
        lines[0].ends_with("in README.md; merging both would conflict"),
        "{lines:?}"
    );

    // The same again is no news.
    let before = sandbox.get(&format!("/api/sessions/{two}")).await.unwrap()["collisions"][0]["at"].clone();
    said(&sandbox.cli(&["send", &two, "say more"]), 0);
    until("compared again", async || {
        let now = sandbox.get(&format!("/api/sessions/{two}")).await.ok()?;
        (now["collisions"][0]["at"] != before).then_some(())
    })
    .await;
    sandbox.status(&lead, &["idle"]).await;
    assert_eq!(told(&sandbox, &lead).await.len(), 1);

    said(&sandbox.cli(&["merge", &one, "--unchecked"]), 0);
    colliding(&sandbox, &one, &[]).await;
    colliding(&sandbox, &two, &[]).await;
}

#[tokio::test]
async fn changes_in_other_places_are_said_to_be_mergeable_and_an_edit_away_ends_the_collision() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    let text = |changed: usize| -> String {
        let line = |number| {
            if number == changed {
                "mine\n".to_owned()
            } else {
                format!("line {number}\n")
            }
        };
        (0..40).map(line).collect()
    };
    commit(&repository, &[("poem.txt", &text(99))]);
    let start = async |title: &str| {
        let ask = json!({ "projectId": project, "title": title, "prompt": "work go" });
        let id = sandbox.session(ask).await;
        sandbox.status(&id, &["running"]).await;
        let place = workspace(&sandbox, &id).await;
        (id, place)
    };
    let (one, first) = start("One").await;
    let (two, second) = start("Two").await;
    for (place, line) in [(&first, 3), (&second, 30)] {
        std::fs::write(place.join("poem.txt"), text(line)).unwrap();
        std::fs::write(place.join("go"), "").unwrap();
    }
    let seen = colliding(&sandbox, &one, &[&two]).await;
    assert_eq!(
        (&seen[0]["samePlace"], &seen[0]["conflicts"]),
        (&json!(false), &json!(false)),
        "{seen:#}"
    );
    // Neither repository nor worktree was touched for it.
    let status = downbeat_tests::repository::git(&first, &[], &["status", "--porcelain"]);
    assert_eq!(status.trim(), "M poem.txt\n?? go".trim());

    std::fs::write(second.join("poem.txt"), text(99)).unwrap();
    said(&sandbox.cli(&["send", &two, "say more"]), 0);
    colliding(&sandbox, &one, &[]).await;
    colliding(&sandbox, &two, &[]).await;
}
