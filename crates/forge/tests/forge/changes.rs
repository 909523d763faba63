//! Whether anything changed: free of cost if not, and nothing is skipped if the caller does not get to store it.

use crate::loopback::{TestForge, shop};
use downbeat_forge::{CheckState, Forge, Oid, PullState, Seen};
use serde_json::json;

#[tokio::test]
async fn nothing_changed_is_free_and_each_list_changes_by_itself() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let github = forge.github();
    let first = github
        .changes(&shop(), &Seen::default())
        .await
        .expect("an answer");
    assert_eq!(first.pulls.as_ref().expect("new to us")[0].id, pull.id);
    let used = github.limits().requests_used;
    let again = github.changes(&shop(), &first.seen).await.expect("an answer");
    assert!(again.is_nothing() && again.seen == first.seen);
    assert_eq!(github.limits().requests_used, used, "304 costs nothing");

    forge
        .add("check", &pull, json!({ "status": "QUEUED", "conclusion": null }))
        .await;
    let runs = github.changes(&shop(), &again.seen).await.expect("an answer");
    let run = &runs.runs.as_ref().expect("a new run")[0];
    assert_eq!(
        (run.head.0.as_str(), run.state),
        (pull.head.as_str(), CheckState::Pending)
    );
    assert!(runs.pulls.is_none(), "checks do not change a pull request");

    let head = forge.control(json!({ "op": "push", "pull": pull.id })).await;
    // Asked with what was stored before: the same changes are seen again, and the new one.
    let later = github.changes(&shop(), &first.seen).await.expect("an answer");
    assert_eq!(
        later.pulls.expect("pushed")[0].head.0,
        head.as_str().expect("a commit")
    );
}

#[tokio::test]
async fn merged_and_closed_pull_requests_are_listed_among_the_changes_only() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let merged = forge
        .pull(
            &repository,
            json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" }),
        )
        .await;
    let closed = forge.pull(&repository, json!({ "state": "CLOSED" })).await;
    let open = forge.pull(&repository, json!({})).await;
    let github = forge.github();
    let changes = github
        .changes(&shop(), &Seen::default())
        .await
        .expect("an answer");
    let mut states: Vec<_> = changes
        .pulls
        .expect("new to us")
        .into_iter()
        .map(|one| (one.id, one.state))
        .collect();
    states.sort_by_key(|(id, _)| id.clone());
    let mut expected = vec![
        (merged.id, PullState::Merged),
        (closed.id, PullState::Closed),
        (open.id.clone(), PullState::Open),
    ];
    expected.sort_by_key(|(id, _)| id.clone());
    assert_eq!(states, expected);
    let listed = github.open_pulls(&shop()).await.expect("an answer");
    assert_eq!(listed.iter().map(|one| &one.id).collect::<Vec<_>>(), [&open.id]);
}

#[tokio::test]
async fn pull_requests_are_found_by_their_commit_whoever_opened_them() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge
        .pull(&repository, json!({ "branch": "by-hand", "author": "ada" }))
        .await;
    let github = forge.github();
    let found = github
        .pulls_with(&shop(), &Oid(pull.head.clone()))
        .await
        .expect("an answer");
    assert_eq!(
        (found.len(), &found[0].id, found[0].branch.as_str()),
        (1, &pull.id, "by-hand")
    );
    let none = github
        .pulls_with(&shop(), &Oid("0".repeat(40)))
        .await
        .expect("an answer");
    assert!(none.is_empty());
}

#[tokio::test]
async fn lists_say_which_pull_requests_come_from_forks_and_whose_they_are() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let fork = forge.repository("eve/shop").await;
    for values in [
        json!({ "branch": "here", "author": "ada" }),
        json!({ "branch": "there", "author": "eve", "fork": fork }),
    ] {
        forge.pull(&repository, values).await;
    }
    let github = forge.github();
    let changes = github
        .changes(&shop(), &Seen::default())
        .await
        .expect("an answer");
    for listed in [
        github.open_pulls(&shop()).await.expect("an answer"),
        changes.pulls.expect("new to us"),
    ] {
        let mut found: Vec<_> = listed
            .iter()
            .map(|one| {
                let of = one.head_repository.as_deref();
                (one.branch.as_str(), of, one.from_fork, one.author.as_deref())
            })
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                ("here", Some("acme/shop"), false, Some("ada")),
                ("there", Some("eve/shop"), true, Some("eve")),
            ]
        );
    }
}

#[tokio::test]
async fn more_than_a_page_of_open_pull_requests_is_listed() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    for _ in 0..130 {
        forge.pull(&repository, json!({})).await;
    }
    let listed = forge.github().open_pulls(&shop()).await.expect("an answer");
    assert_eq!(listed.len(), 130);
}
