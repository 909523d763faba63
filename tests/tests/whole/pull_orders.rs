//! Tests of orders to open and to change pull requests: whatever step the engine is killed at, the next one finishes the order once,
//! asked again or not.

use crate::crashes::{doomed, successor};
use crate::pull_writes::{at_forge, cli, pushing};
use crate::pulls::{commit, of, session};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::{Sandbox, until};
use downbeat_tests::shapes::Kind;
use serde_json::{Value, json};

const KEY: &str = "key-of-the-test";

/// A session with an open pull request, and its id.
async fn opened(forge: &TestForge) -> (Sandbox, String, Value) {
    let (sandbox, repository) = pushing(forge).await;
    let (id, place) = session(&sandbox, "Cart").await;
    commit(&place, "cart.txt");
    cli(&sandbox, &["pr", "create", "cart"]).unwrap();
    let card = of(&sandbox, &id).await["pulls"][0].clone();
    assert_eq!(card["number"], 1, "{card:#}");
    (sandbox, id, json!({ "card": card, "repository": repository }))
}

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn a_kill_at_any_step_of_opening_opens_one_pull_request() {
    opening(Kind::GitHub).await;
}

#[tokio::test]
async fn a_kill_at_any_step_of_opening_opens_one_merge_request() {
    opening(Kind::GitLab).await;
}

async fn opening(kind: Kind) {
    for point in [
        "pull-ordered",
        "pull-pushed",
        "pull-sending",
        "pull-opened",
        "pull-recorded",
    ] {
        let forge = kind.start().await;
        let (mut sandbox, repository) = pushing(&forge).await;
        let (id, place) = session(&sandbox, "Cart").await;
        let head = commit(&place, "cart.txt");
        doomed(&mut sandbox, point).await;
        let path = format!("/api/sessions/{id}/pulls");
        let ask = json!({ "title": "Add a cart" });
        let lost = sandbox.post_keyed(&path, ask.clone(), KEY).await;
        assert!(lost.is_err(), "{point}: the engine dies before it answers");
        successor(&mut sandbox, point).await;
        until("the next engine finishes it unasked", async || {
            let shown = of(&sandbox, &id).await;
            (count(&shown["pulls"]) == 1).then_some(())
        })
        .await;
        let answer = sandbox.post_keyed(&path, ask.clone(), KEY).await.unwrap();
        assert_eq!(
            (&answer["number"], &answer["wasOpen"]),
            (&json!(1), &json!(false)),
            "{point}: {answer:#}"
        );
        let again = sandbox.post_keyed(&path, ask, KEY).await.unwrap();
        assert_eq!(again, answer, "{point}: a repeat has the same answer");
        let shown = of(&sandbox, &id).await;
        let card = &shown["pulls"][0];
        assert_eq!(
            (&card["head"], &card["title"]),
            (&json!(head), &json!("Add a cart")),
            "{point}: {card:#}"
        );
        let next =
            json!({ "op": "pull", "repository": repository, "branch": "next", "commit": "a".repeat(40) });
        assert_eq!(
            forge.control(next).await["number"],
            2,
            "{point}: there is one pull request"
        );
    }
}

#[tokio::test]
async fn a_kill_at_any_step_of_a_comment_or_a_reply_writes_it_once() {
    saying(Kind::GitHub).await;
}

#[tokio::test]
async fn a_kill_at_any_step_of_a_note_writes_it_once() {
    saying(Kind::GitLab).await;
}

async fn saying(kind: Kind) {
    let forge = kind.start().await;
    let (mut sandbox, id, about) = opened(&forge).await;
    let card = about["card"].clone();
    let pull = card["id"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();
    let thread = forge.thread(&pull, "cart.txt", "Why?").await;
    sandbox.post("/api/forges/look", json!({})).await.unwrap();
    // The same text was written before, on purpose.
    for arguments in [
        &["pr", "comment", "cart", "Have a look"][..],
        &["pr", "comment", "cart", "--thread", &thread, "Because"],
    ] {
        cli(&sandbox, arguments).unwrap();
    }
    let path = format!("/api/sessions/{id}/pulls/change");
    for (done, point) in ["pull-ordered", "pull-sending", "pull-changed", "pull-recorded"]
        .into_iter()
        .enumerate()
    {
        let changes = [
            json!({ "kind": "comment", "body": "Have a look" }),
            json!({ "kind": "reply", "thread": thread, "body": "Because" }),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let (key, ask) = (format!("{point}-{index}"), json!({ "change": change }));
            doomed(&mut sandbox, point).await;
            let lost = sandbox.post_keyed(&path, ask.clone(), &key).await;
            assert!(lost.is_err(), "{point}: the engine dies before it answers");
            successor(&mut sandbox, point).await;
            let written = async || {
                let (comments, replies) = forge.said(&pull).await;
                if index == 0 { comments } else { replies - 1 }
            };
            until("the next engine finishes it unasked", async || {
                (written().await == done + 2).then_some(())
            })
            .await;
            let answer = sandbox.post_keyed(&path, ask.clone(), &key).await.unwrap();
            assert_ne!(answer["url"], card["url"], "{point}: the page of the comment");
            let again = sandbox.post_keyed(&path, ask, &key).await.unwrap();
            assert_eq!(again, answer, "{point}: a repeat has the same answer");
            assert_eq!(written().await, done + 2, "{point}: it is written once");
        }
    }
}

#[tokio::test]
async fn a_kill_at_any_step_of_another_change_leaves_it_made() {
    changing(Kind::GitHub).await;
}

#[tokio::test]
async fn a_kill_at_any_step_of_another_change_at_gitlab_leaves_it_made() {
    changing(Kind::GitLab).await;
}

async fn changing(kind: Kind) {
    let forge = kind.start().await;
    let (mut sandbox, id, about) = opened(&forge).await;
    let card = about["card"].clone();
    let path = format!("/api/sessions/{id}/pulls/change");
    let rows = [
        (
            "pull-sending",
            json!({ "kind": "edit", "title": "A cart" }),
            "title",
            json!("A cart"),
        ),
        (
            "pull-changed",
            json!({ "kind": "label", "add": ["shop"] }),
            "labels",
            json!(["shop"]),
        ),
        (
            "pull-changed",
            json!({ "kind": "draft", "draft": true }),
            "draft",
            json!(true),
        ),
        (
            "pull-sending",
            json!({ "kind": "draft", "draft": false }),
            "draft",
            json!(false),
        ),
        (
            "pull-changed",
            json!({ "kind": "close" }),
            "state",
            json!("CLOSED"),
        ),
    ];
    // At GitLab, those whose outcome is looked up there.
    let is_run =
        |change: &Value| kind == Kind::GitHub || change["kind"] == "draft" || change["kind"] == "close";
    let rows = rows.into_iter().filter(|(_, change, ..)| is_run(change));
    for (number, (point, change, shown, wanted)) in rows.enumerate() {
        let key = format!("{point}-{number}");
        doomed(&mut sandbox, point).await;
        let ask = json!({ "change": change });
        let lost = sandbox.post_keyed(&path, ask.clone(), &key).await;
        assert!(lost.is_err(), "{point}: the engine dies before it answers");
        successor(&mut sandbox, point).await;
        until("the next engine finishes it unasked", async || {
            (at_forge(&forge, &card).await[shown] == wanted).then_some(())
        })
        .await;
        let answer = sandbox.post_keyed(&path, ask, &key).await.unwrap();
        assert_eq!(answer["number"], 1, "{change}: {answer:#}");
    }
}

#[tokio::test]
async fn a_lost_answer_writes_a_comment_once_and_finds_it() {
    let forge = TestForge::start().await;
    let (sandbox, _, about) = opened(&forge).await;
    let lost = json!({ "op": "fault", "match": "graphql Comment$", "kind": "after", "times": 5 });
    forge.control(lost).await;
    let said = cli(&sandbox, &["pr", "comment", "cart", "Have a look"]).unwrap();
    assert!(said.contains("#1 commented: ") && said.contains("IC_"), "{said}");
    let there = at_forge(&forge, &about["card"]).await;
    assert_eq!(count(&there["comments"]), 1, "{there:#}");
}

#[tokio::test]
async fn what_the_next_engine_cannot_finish_is_told_and_not_tried_for_ever() {
    let forge = TestForge::start().await;
    let (mut sandbox, id, about) = opened(&forge).await;
    doomed(&mut sandbox, "pull-ordered").await;
    let path = format!("/api/sessions/{id}/pulls/change");
    let ask = json!({ "change": { "kind": "comment", "body": "Have a look" } });
    assert!(sandbox.post_keyed(&path, ask, KEY).await.is_err());
    let repository = about["repository"].as_str().unwrap();
    forge.set(repository, json!({ "archived": true })).await;
    successor(&mut sandbox, "pull-ordered").await;
    until("the person is told", async || {
        let notices = sandbox.get("/api/notices").await.unwrap();
        let told = notices.to_string();
        told.contains("Pull request #1 did not get the comment")
            .then_some(())
    })
    .await;
    let there = at_forge(&forge, &about["card"]).await;
    assert_eq!(count(&there["comments"]), 0, "{there:#}");
}

#[tokio::test]
async fn an_order_that_was_sent_is_not_dropped_while_the_forge_cannot_be_asked() {
    let forge = TestForge::start().await;
    let (mut sandbox, id, about) = opened(&forge).await;
    let path = format!("/api/sessions/{id}/pulls/change");
    let ask = json!({ "change": { "kind": "comment", "body": "Have a look" } });
    doomed(&mut sandbox, "pull-changed").await;
    assert!(sandbox.post_keyed(&path, ask.clone(), KEY).await.is_err());
    forge
        .control(json!({ "op": "fault", "match": "", "kind": "status", "status": 502 }))
        .await;
    successor(&mut sandbox, "pull-changed").await;
    let refused = sandbox.post_keyed(&path, ask.clone(), KEY).await.unwrap_err();
    let refused = format!("{refused:?}");
    assert!(refused.contains("do not send it again"), "{refused}");
    let draft = json!({ "change": { "kind": "draft", "draft": true } });
    let refused = sandbox.post(&path, draft.clone()).await.unwrap_err();
    let refused = format!("{refused:?}");
    assert!(
        refused.contains("an earlier change of this session's pull request"),
        "{refused}"
    );
    forge.control(json!({ "op": "clear" })).await;
    until("the order is finished", async || {
        let answer = sandbox.post_keyed(&path, ask.clone(), KEY).await;
        answer.is_ok_and(|answer| answer["number"] == 1).then_some(())
    })
    .await;
    sandbox.post(&path, draft).await.unwrap();
    let there = at_forge(&forge, &about["card"]).await;
    assert_eq!(
        (count(&there["comments"]), &there["draft"]),
        (1, &json!(true)),
        "{there:#}"
    );
}
