//! Tests of the queue of merges at a forge: one pull request of a base at a time, each looked at again when its turn comes, and each
//! merged once.

use crate::crashes::{doomed, successor};
use crate::pulls::{commit, look, of, said, session, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::{Sandbox, until};
use downbeat_tests::shapes::Kind;
use serde_json::{Value, json};
use std::path::Path;

/// Opens a green pull request of a session for a new commit.
async fn pull(forge: &TestForge, repository: &str, place: &Path, name: &str) -> (String, String) {
    let head = commit(place, &format!("{name}.txt"));
    let values = json!({ "branch": name, "commit": head, "title": name });
    let pull = forge.pull(repository, values).await;
    forge.green(&pull).await;
    (pull, head)
}

async fn order(sandbox: &Sandbox, id: &str) {
    let path = format!("/api/sessions/{id}/merge");
    sandbox.post(&path, json!({})).await.unwrap();
}

/// Waits for the end of a session's merge, and returns its result.
async fn ended(sandbox: &Sandbox, id: &str, head: &str) -> Value {
    until("the merge ends", async || {
        let merges = of(sandbox, id).await["merges"].clone();
        let is_over = merges["underWay"] == json!(false) && merges["last"]["head"] == json!(head);
        is_over.then(|| merges["last"].clone())
    })
    .await
}

#[tokio::test]
async fn after_one_landed_the_next_is_looked_at_again_and_its_wait_is_explained() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = shop(&forge).await;
    let strict =
        json!({ "op": "branch", "repository": repository, "name": "main", "values": { "strict": true } });
    forge.control(strict).await;
    let mut all = Vec::new();
    for name in ["cart", "till", "bill"] {
        let (id, place) = session(&sandbox, name).await;
        let (pull, head) = pull(&forge, &repository, &place, name).await;
        all.push((id, pull, head));
    }
    forge.set(&all[1].1, json!({ "conflictsWith": [1] })).await;
    look(&sandbox).await;
    let slow = json!({ "op": "fault", "match": "graphql Merge$", "kind": "slow", "ms": 3000, "times": 1 });
    forge.control(slow).await;
    forge.merges().await;
    for (id, ..) in &all {
        order(&sandbox, id).await;
    }
    until("its wait is explained", async || {
        let waits = of(&sandbox, &all[1].0).await["merges"]["waits"].clone();
        let sentence = "2nd in the queue of main at github.com/acme/shop: waits until the merge of cart is over; then the \
                        forge is asked about it again";
        (waits == json!(sentence)).then_some(())
    })
    .await;
    let listed = said(&sandbox, &["queue", "shop"]);
    assert!(listed.contains("shop, main at github.com/acme/shop"), "{listed}");
    assert!(
        listed.contains("bill") && listed.contains("waits until the merge of cart"),
        "{listed}"
    );
    let shown = said(&sandbox, &["status", "till"]);
    assert!(
        shown.contains("2nd in the queue of main at github.com/acme/shop"),
        "{shown}"
    );

    assert_eq!(ended(&sandbox, &all[0].0, &all[0].2).await["outcome"], "landed");
    let till = ended(&sandbox, &all[1].0, &all[1].2).await;
    assert_eq!(till["outcome"], "conflict", "{till:#}");
    let bill = ended(&sandbox, &all[2].0, &all[2].2).await;
    assert_eq!(bill["outcome"], "refused", "{bill:#}");
    assert!(
        bill["detail"].as_str().unwrap().contains("has to contain main"),
        "{bill:#}"
    );
    assert_eq!(
        forge.merges().await,
        1,
        "only what was looked at after the landing"
    );
}

#[tokio::test]
async fn an_engine_killed_between_two_merges_makes_each_once_and_a_pause_holds_them() {
    killed(Kind::GitHub).await;
}

#[tokio::test]
async fn an_engine_killed_between_two_merges_at_gitlab_makes_each_once_and_a_pause_holds_them() {
    killed(Kind::GitLab).await;
}

async fn killed(kind: Kind) {
    let forge = kind.start().await;
    let (mut sandbox, repository) = shop(&forge).await;
    let (cart, cart_place) = session(&sandbox, "cart").await;
    let (till, till_place) = session(&sandbox, "till").await;
    for point in ["pull-merge-sent", "pull-merge-made"] {
        let (first, head) = pull(&forge, &repository, &cart_place, &format!("{point}-cart")).await;
        let (second, other) = pull(&forge, &repository, &till_place, &format!("{point}-till")).await;
        look(&sandbox).await;
        doomed(&mut sandbox, point).await;
        assert!(said(&sandbox, &["queue", "pause", "shop"]).contains("the queue is paused"));
        order(&sandbox, &cart).await;
        order(&sandbox, &till).await;
        let waits = of(&sandbox, &till).await["merges"]["waits"].clone();
        assert!(
            waits.as_str().unwrap().ends_with("the queue is paused"),
            "{waits}"
        );
        forge.merges().await;
        // The engine may die before it answers.
        let _ = said(&sandbox, &["queue", "resume", "shop"]);
        successor(&mut sandbox, point).await;
        assert_eq!(
            ended(&sandbox, &cart, &head).await["outcome"],
            "landed",
            "{point}"
        );
        assert_eq!(
            ended(&sandbox, &till, &other).await["outcome"],
            "landed",
            "{point}"
        );
        for pull in [first, second] {
            let there = forge.control(json!({ "op": "show", "id": pull })).await;
            assert_eq!(there["state"], "MERGED", "{point}: {there:#}");
        }
        assert_eq!(forge.merges().await, 2, "{point}");
    }
}
