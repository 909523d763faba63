//! Tests that a session's story tells what happened in it, in order, on the API and the command line; that a conductor
//! reads its workers' stories only; and that a story survives the engine.

use crate::checks::{commit, done, one_check, project, worker};
use crate::deliveries::workspace;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::Value;

/// Returns the kinds and texts of a session's story.
async fn told(sandbox: &Sandbox, id: &str) -> Vec<(String, String, String)> {
    let story = sandbox.get(&format!("/api/sessions/{id}/story")).await.unwrap();
    let words = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let entries = story["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| (words(entry, "kind"), words(entry, "text"), words(entry, "detail")))
        .collect()
}

#[tokio::test]
async fn a_story_tells_prompts_answers_commits_checks_and_the_end_in_order() {
    let mut sandbox = Sandbox::started().await;
    let shop = project(&sandbox, &one_check(), true).await;
    let id = worker(&sandbox, &shop, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    let place = workspace(&sandbox, &id).await;
    commit(&place, "good");
    done(&sandbox, &id).await;
    // The answer is read from the agent's own record, which takes a moment.
    until("the answer and the checks are in the story", async || {
        let story = told(&sandbox, &id).await;
        let has = |kind: &str, words: &str| story.iter().any(|(one, text, _)| one == kind && text == words);
        (has("answer", "Answer") && has("checks", "Its work is verified")).then_some(())
    })
    .await;
    assert!(sandbox.cli(&["kill", &id]).status.success());
    let story = told(&sandbox, &id).await;
    let place = |kind: &str| {
        let found = story.iter().position(|(one, ..)| one == kind);
        found.unwrap_or_else(|| panic!("no {kind}: {story:#?}"))
    };
    assert_eq!(story[0].1, "Created", "{story:#?}");
    assert!(story[place("prompt")].2.contains("say hello"), "{story:#?}");
    let order = ["prompt", "answer", "report", "checks"].map(place);
    assert!(
        order.is_sorted() && place("prompt") < place("commit"),
        "{story:#?}"
    );
    assert!(
        story.iter().any(|(_, text, _)| text == "Killed on request"),
        "{story:#?}"
    );

    let printed = sandbox.cli(&["story", &id, "--full"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(
        printed.contains("say hello") && printed.contains("Its work is verified"),
        "{printed}"
    );
    let json = sandbox.cli(&["story", &id, "--limit", "1", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (json["entries"].as_array().unwrap().len(), &json["hasEarlier"]),
        (1, &Value::Bool(true))
    );
    let unknown = sandbox.cli(&["story", "nobody"]);
    assert!(!unknown.status.success() && String::from_utf8_lossy(&unknown.stderr).contains("nobody"));

    sandbox.kill_engine();
    sandbox.start().await;
    assert_eq!(told(&sandbox, &id).await, story);
}
