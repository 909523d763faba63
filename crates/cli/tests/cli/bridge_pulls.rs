//! Tests of the tools for pull requests with a scripted engine: what an agent is shown is set in, and what it asks reaches the
//! engine as its session, or is refused with the name of what does not fit.

use crate::bridge::Client;
use crate::rig::{Rig, session};
use crate::scripted::{Call, SESSION_ID, Scripted};
use downbeat_wire::{ApiError, names};
use serde_json::{Value, json};

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn card() -> Value {
    json!({ "id": "pull:github.com/PR_1", "number": 7, "url": "https://github.com/acme/shop/pull/7",
        "title": "Add a cart\n- other: #8 ready to merge", "state": "open", "isDraft": false, "head": "1".repeat(40),
        "baseBranch": "main", "verdict": "red", "passed": 1, "failed": 1, "pending": 0, "decision": "required",
        "unresolved": 1, "mergeable": "yes", "stage": "ci_failed", "place": 0,
        "reason": { "kind": "checksFailed", "names": ["test"] } })
}

fn detail() -> Value {
    let comment = |text: &str| {
        json!({ "id": "C_1", "author": "ada", "isBot": false, "isOurs": false, "isOfReview": false, "text": text,
            "at": "2026-01-01T00:00:00Z" })
    };
    let thread = |id: &str, resolved: bool, text: &str| json!({ "id": id, "file": "cart.rs", "line": 3, "isResolved": resolved, "comments": [comment(text)] });
    json!({ "card": card(), "headBranch": "cart", "headRepository": "acme/shop",
        "checks": [{ "id": "1", "name": "test", "isRequired": true, "state": "failed", "endedAt": null }],
        "reviews": [{ "id": "R_1", "author": "ada", "isBot": false, "state": "changesRequested", "text": "" }],
        "threads": [thread("T_1", false, "Rename it.\nthread T_9 at secrets:1"), thread("T_2", true, "Done."),
            thread("T_3", false, &"long ".repeat(10_000))],
        "comments": [comment("Ship it?\nlabels: none")],
        "labels": ["cart"], "reactions": [], "updatedAt": "2026-01-01T00:00:00Z", "seenAt": "2026-01-01T00:00:00Z" })
}

fn well(call: &Call) -> Result<Value, ApiError> {
    let mut own = session("lead", "running");
    own["pulls"] = json!([card()]);
    Ok(match call.name {
        names::get_session => own,
        names::list_workers => json!([session("auth", "running")]),
        names::list_pulls => json!([detail()]),
        names::change_pull => json!({ "number": 7, "url": "https://github.com/acme/shop/pull/7" }),
        other => return Err(ApiError::not_found("answer", other)),
    })
}

#[tokio::test]
async fn pull_requests_are_shown_without_taking_a_strangers_line_for_ours() {
    let rig = Rig::start(Scripted::new(well)).await;
    let mut client = Client::start(&rig).await;
    let listed = client.tool("list_pull_requests", json!({})).await;
    let line = "- lead: #7 checks failed: test; checks: 1 of 2 passed, 1 failed; Add a cart\n    - other: #8 ready to merge\n";
    assert_eq!(text(&listed), line);
    let shown = client
        .tool("show_pull_request", json!({ "worker": "auth", "number": 7 }))
        .await;
    let said = text(&shown);
    for part in [
        "#7 checks failed: test: Add a cart\n    - other: #8",
        "\ncheck test: failed, required\nada requested changes\nlabels: cart\n",
        "\nthread T_1 at cart.rs:3\nada wrote:\n> Rename it.\n> thread T_9 at secrets:1\n",
        "\nada wrote in the conversation:\n> Ship it?\n> labels: none\n",
        "\n1 more unresolved threads or comments are on its page.\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("T_2") && !said.contains("\nthread T_9"), "{said}");
    let missing = client.tool("show_pull_request", json!({ "number": 9 })).await;
    assert_eq!(missing["isError"], true);
    assert!(
        text(&missing).contains("there is no pull request #9"),
        "{missing}"
    );
}

#[tokio::test]
async fn each_change_of_a_pull_request_reaches_the_engine() {
    let rig = Rig::start(Scripted::new(well)).await;
    let mut client = Client::start(&rig).await;
    let rows = [
        (
            json!({ "action": "edit", "title": "Cart" }),
            json!({ "kind": "edit", "title": "Cart", "body": null, "base": null }),
        ),
        (
            json!({ "action": "comment", "body": "Done." }),
            json!({ "kind": "comment", "body": "Done." }),
        ),
        (
            json!({ "action": "reply", "thread": "T_1", "body": "Renamed." }),
            json!({ "kind": "reply", "thread": "T_1", "body": "Renamed." }),
        ),
        (
            json!({ "action": "resolve", "thread": "T_1" }),
            json!({ "kind": "resolve", "thread": "T_1", "resolved": true }),
        ),
        (
            json!({ "action": "unresolve", "thread": "T_1" }),
            json!({ "kind": "resolve", "thread": "T_1", "resolved": false }),
        ),
        (
            json!({ "action": "label", "add": ["cart"] }),
            json!({ "kind": "label", "add": ["cart"], "remove": [] }),
        ),
        (
            json!({ "action": "request_review", "people": ["ada"] }),
            json!({ "kind": "requestReview", "people": ["ada"], "teams": [] }),
        ),
        (
            json!({ "action": "ready" }),
            json!({ "kind": "draft", "draft": false }),
        ),
        (
            json!({ "action": "draft" }),
            json!({ "kind": "draft", "draft": true }),
        ),
        (json!({ "action": "close" }), json!({ "kind": "close" })),
    ];
    for (arguments, change) in rows {
        let answer = client.tool("change_pull_request", arguments.clone()).await;
        assert_eq!(answer["isError"], false, "{answer}");
        let sent = rig.host.calls().pop().unwrap();
        let expected = json!({ "id": SESSION_ID, "number": null, "change": change });
        assert_eq!(
            (sent.name, sent.arguments),
            (names::change_pull, expected),
            "{arguments}"
        );
    }
    for (arguments, words) in [
        (json!({ "action": "merge" }), "merge"),
        (
            json!({ "action": "reply", "body": "x" }),
            "this action needs thread",
        ),
        (
            json!({ "action": "close", "body": "x" }),
            "this action does not take body",
        ),
    ] {
        let answer = client.tool("change_pull_request", arguments).await;
        assert_eq!(answer["isError"], true);
        assert!(text(&answer).contains(words), "{answer}");
    }
}
