//! Tests of the tracker Linear: what is read of an issue, what is changed, and what its refusals mean.

use crate::loopback::TestForge;
use downbeat_forge::linear::{HOST, KEY, Linear};
use downbeat_forge::{ForgeError, IssueKey, Options, Progress, Retry, Token, Tracker};
use serde_json::{Value, json};
use std::time::Duration;

/// A key in the form of a real one.
const SECRET: &str = "lin_api_0123456789abcdefghijABCDEFGHIJ0123456789";

/// A Linear with the team `ENG` and one issue with two comments.
async fn desk() -> (TestForge, Linear, IssueKey) {
    let forge = TestForge::start_linear().await;
    forge.control(json!({ "op": "team", "key": "ENG" })).await;
    let issue = json!({ "op": "issue", "team": "ENG", "title": "Round half cents",
        "description": "They are rounded \u{1b}[31mtwice." });
    forge.control(issue).await;
    for (author, body) in [("ada", "First."), ("me", "Second.")] {
        forge
            .control(json!({ "op": "comment", "on": "ENG-1", "author": author, "body": body }))
            .await;
    }
    let client = client(&forge, SECRET);
    (forge, client, IssueKey::parse("eng-1").unwrap())
}

fn client(forge: &TestForge, secret: &str) -> Linear {
    let key = Token::new(secret, KEY).unwrap();
    let options = Options {
        write_gap: Duration::ZERO,
        ..Options::default()
    };
    Linear::new(Some(&forge.url("/graphql")), key, options).unwrap()
}

async fn shown(forge: &TestForge) -> Value {
    forge.control(json!({ "op": "show", "id": "ENG-1" })).await
}

#[tokio::test]
async fn an_issue_is_read_with_its_comments_and_the_states_of_its_team() {
    let (forge, client, key) = desk().await;
    let issue = client.issue(&key).await.unwrap();
    assert_eq!(
        (issue.key.to_string(), &*issue.title),
        ("ENG-1".to_owned(), "Round half cents")
    );
    assert_eq!(issue.body.text, "They are rounded twice.");
    assert_eq!(issue.branch.as_deref(), Some("me/eng-1-round-half-cents"));
    assert_eq!(issue.progress, Progress::Waiting);
    let comments: Vec<_> = issue
        .comments
        .iter()
        .map(|one| (one.author.as_deref(), &*one.body.text))
        .collect();
    assert_eq!(comments, [(Some("ada"), "First."), (Some("me"), "Second.")]);
    assert!(issue.complete && issue.assignee.is_none());
    assert_eq!(client.team("ENG").await.unwrap(), "ENG");

    client
        .update(&issue.id, issue.states.begun.as_ref(), Some(&issue.viewer))
        .await
        .unwrap();
    let there = shown(&forge).await;
    assert_eq!(
        (&there["state"], &there["assignee"]),
        (&json!("In Progress"), &json!("me"))
    );
    client
        .update(&issue.id, issue.states.done.as_ref(), None)
        .await
        .unwrap();
    assert_eq!(shown(&forge).await["state"], "Done");
    assert_eq!(client.issue(&key).await.unwrap().progress, Progress::Over);
    // A repeat is no second comment.
    for _ in 0..2 {
        let id = "3c9d0f6e-1111-4222-8333-444455556666";
        client.comment(&issue.id, id, "Merged.").await.unwrap();
    }
    assert_eq!(
        shown(&forge).await["comments"],
        json!(["First.", "Second.", "Merged."])
    );
    let asked = forge.control(json!({ "op": "seen" })).await;
    assert!(
        asked.as_array().unwrap().iter().all(|one| one["token"] == SECRET),
        "{asked:#}"
    );
}

#[tokio::test]
async fn a_change_that_linear_does_not_carry_out_is_a_refusal() {
    let (forge, client, key) = desk().await;
    let issue = client.issue(&key).await.unwrap();
    let undone = json!({ "op": "fault", "kind": "undone", "times": 2 });
    forge.control(undone).await;
    let id = "3c9d0f6e-1111-4222-8333-444455556666";
    for (said, words) in [
        (
            client.update(&issue.id, issue.states.begun.as_ref(), None).await,
            "will not change the issue",
        ),
        (
            client.comment(&issue.id, id, "Merged.").await,
            "will not comment on the issue",
        ),
    ] {
        let error = said.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.retry(), Retry::Never);
    }
}

#[tokio::test]
async fn refusals_are_named_with_the_way_out_and_never_contain_the_key() {
    let (forge, client, key) = desk().await;
    let missing = IssueKey::parse("ENG-9").unwrap();
    let gone = client.issue(&missing).await.unwrap_err();
    assert!(matches!(&gone, ForgeError::Gone { .. }), "{gone}");
    for (fault, words, retry) in [
        (
            json!({ "kind": "revoked" }),
            "create a key at https://linear.app/settings",
            Retry::Never,
        ),
        (
            json!({ "kind": "forbidden" }),
            "do not have access to this team",
            Retry::Never,
        ),
        (
            json!({ "kind": "refused" }),
            "will not read ENG-1: No.",
            Retry::Never,
        ),
        (
            json!({ "kind": "server" }),
            "failed to read ENG-1",
            Retry::BackOff,
        ),
        (json!({ "kind": "hangup" }), "did not answer", Retry::BackOff),
        (json!({ "kind": "truncated" }), "cannot be read", Retry::BackOff),
    ] {
        let mut operation = fault.clone();
        operation["op"] = json!("fault");
        operation["times"] = json!(1);
        forge.control(operation).await;
        let error = client.issue(&key).await.unwrap_err();
        let said = error.to_string();
        assert!(said.contains(words) && said.contains(HOST), "{fault}: {said}");
        assert_eq!(error.retry(), retry, "{fault}");
        assert!(!said.contains(SECRET), "{said}");
        forge.control(json!({ "op": "clear" })).await;
    }
    forge
        .control(json!({ "op": "fault", "kind": "limit", "seconds": 90, "times": 1 }))
        .await;
    let error = client.issue(&key).await.unwrap_err();
    let Retry::After(wait) = error.retry() else {
        panic!("{error}")
    };
    assert!((60..=90).contains(&wait.as_secs()), "{wait:?}");
    // What would be refused is not asked again before its time.
    forge.control(json!({ "op": "seen" })).await;
    assert!(client.issue(&key).await.is_err());
    assert_eq!(forge.control(json!({ "op": "seen" })).await, json!([]));

    let stolen = Linear::new(
        Some("http://linear.example/graphql"),
        Token::new(SECRET, KEY).unwrap(),
        Options::default(),
    );
    assert!(stolen.unwrap_err().to_string().contains("https://"));
    assert!(Linear::no_key().to_string().contains("set LINEAR_API_KEY"));
}
