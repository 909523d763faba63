//! What changed at GitLab since the last look, and which merge requests have a commit.

use crate::gitlab_observing::{name, shop};
use downbeat_forge::{CheckState, Forge, Oid, Seen};
use serde_json::json;

#[tokio::test]
async fn only_what_changed_since_the_last_look_is_told() {
    let (forge, repository, pull) = shop(json!({ "branch": "cart" })).await;
    let client = forge.gitlab();
    let first = client
        .changes(&name(), &Seen::default())
        .await
        .expect("an answer");
    assert_eq!(first.pulls.as_ref().expect("a list")[0].id, pull.id);
    let again = client.changes(&name(), &first.seen).await.expect("an answer");
    assert!(again.is_nothing(), "{again:?}");
    assert_eq!(again.seen, first.seen);

    let other = forge.pull(&repository, json!({ "branch": "tax" })).await;
    forge.set(&pull.id, json!({ "state": "CLOSED" })).await;
    let changed = client.changes(&name(), &again.seen).await.expect("an answer");
    let list = changed.pulls.expect("a list");
    assert!(
        list.iter().any(|one| one.id == other.id) && list.len() == 2,
        "{list:?}"
    );
    assert!(
        client
            .changes(&name(), &changed.seen)
            .await
            .expect("an answer")
            .is_nothing()
    );

    // A pipeline tells of the head that it is of, also where it runs on the merge with the base.
    let jobs = json!([{ "name": "test", "status": "running" }]);
    let values = json!({ "status": "running", "merged": true, "jobs": jobs });
    forge.add("pipeline", &other, values).await;
    let changed = client.changes(&name(), &changed.seen).await.expect("an answer");
    let runs = changed.runs.expect("a list");
    assert_eq!(
        (runs[0].head.0.as_str(), runs[0].state),
        (other.head.as_str(), CheckState::Pending)
    );
    assert_eq!(changed.pulls, None);
    assert!(
        client
            .changes(&name(), &changed.seen)
            .await
            .expect("an answer")
            .is_nothing()
    );
}

#[tokio::test]
async fn merge_requests_are_found_by_their_head() {
    let (forge, repository, pull) = shop(json!({ "branch": "cart" })).await;
    let client = forge.gitlab();
    let found = client
        .pulls_with(&name(), &Oid(pull.head.clone()))
        .await
        .expect("an answer");
    assert_eq!(found.len(), 1);
    let found = client
        .pulls_with(&name(), &Oid("d".repeat(40)))
        .await
        .expect("an answer");
    assert_eq!(found, [], "a commit that was not pushed");
    for number in 0..120 {
        forge
            .pull(&repository, json!({ "branch": format!("b{number}") }))
            .await;
    }
    assert_eq!(client.open_pulls(&name()).await.expect("a list").len(), 121);
}

#[tokio::test]
async fn where_pipelines_are_off_the_merge_requests_are_seen_nevertheless() {
    let (forge, _, _) = shop(json!({})).await;
    forge
        .fault(json!({ "match": "/pipelines", "kind": "status", "status": 403 }))
        .await;
    let changes = forge
        .gitlab()
        .changes(&name(), &Seen::default())
        .await
        .expect("an answer");
    assert!(changes.pulls.is_some() && changes.runs.is_none());
}
