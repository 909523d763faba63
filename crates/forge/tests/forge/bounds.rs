//! Everything from outside is bounded: answers, and what is asked for at a time.

use crate::loopback::{TestForge, quick, shop};
use downbeat_forge::Options;
use downbeat_forge::{Detail, Forge, ForgeError, NodeId, Observed};
use serde_json::json;

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_read() {
    let forge = TestForge::start().await;
    forge.repository("acme/shop").await;
    forge
        .fault(json!({ "kind": "oversized", "bytes": 1_u64 << 30 }))
        .await;
    let github = forge.client(Options {
        answer_bytes: 1 << 20,
        ..quick()
    });
    for error in [
        github.open_pulls(&shop()).await.expect_err("too large"),
        github
            .observe(&[NodeId("PR_x".to_owned())], Detail::Checks)
            .await
            .expect_err("too large"),
    ] {
        assert!(
            matches!(error, ForgeError::TooLarge { limit: 1_048_576, .. }),
            "{error}"
        );
    }
}

/// Opens this many pull requests in a new repository.
async fn pulls(forge: &TestForge, number: usize) -> Vec<NodeId> {
    let repository = forge.repository("acme/shop").await;
    let mut ids = Vec::new();
    for _ in 0..number {
        ids.push(forge.pull(&repository, json!({})).await.id);
    }
    ids
}

#[tokio::test]
async fn a_query_that_the_forge_gives_up_on_is_asked_in_halves() {
    let forge = TestForge::start().await;
    let ids = pulls(&forge, 40).await;
    let github = forge.github();
    forge
        .fault(json!({ "kind": "status", "status": 502, "match": "graphql Observe", "times": 2 }))
        .await;
    forge.seen().await;
    let found = github.observe(&ids, Detail::Whole).await.expect("in parts");
    let numbers: Vec<u64> = found
        .into_iter()
        .filter_map(Observed::pull)
        .map(|pull| pull.number)
        .collect();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>(), "in order, each once");
    let sizes: Vec<usize> = forge
        .seen()
        .await
        .iter()
        .filter_map(|one| Some(one["variables"]["ids"].as_array()?.len()))
        .collect();
    assert_eq!(sizes, [40, 20, 10, 10, 20]);
}

#[tokio::test]
async fn one_pull_request_that_cannot_be_read_hides_no_other() {
    let forge = TestForge::start().await;
    let ids = pulls(&forge, 8).await;
    let github = forge.github();
    // Of 8, 4, 2, and of the first one alone.
    let fault = json!({ "kind": "status", "status": 502, "match": "graphql Observe", "times": 4 });
    forge.fault(fault).await;
    let found = github.observe(&ids, Detail::Whole).await.expect("in parts");
    assert!(
        matches!(&found[0], Observed::Failed(id, ForgeError::ServerFault { .. }) if *id == ids[0]),
        "{:?}",
        found[0]
    );
    assert_eq!(found.into_iter().filter_map(Observed::pull).count(), 7);
    let fault = json!({ "kind": "status", "status": 502, "match": "graphql Observe" });
    forge.fault(fault).await;
    forge.seen().await;
    github
        .observe(&ids, Detail::Whole)
        .await
        .expect_err("the forge is down");
    assert!(forge.seen().await.len() <= 8, "it is not asked about each");
}
