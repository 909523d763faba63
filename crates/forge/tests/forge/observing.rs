//! Pull requests as observed: every field, forks, checks required and expected, pages, and what it costs.

use crate::loopback::{TestForge, observe, shop};
use downbeat_forge::schedule::observe_cost;
use downbeat_forge::{
    CheckKind, CheckState, Detail, Forge, MergeState, MergeStrategy, Mergeable, NodeId, Observed, PullState,
    ReviewDecision, Verdict,
};
use serde_json::{Value, json};

#[tokio::test]
async fn a_pull_request_has_all_its_facts() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let values = json!({
        "branch": "cart", "title": "Cart\u{1b}[31m\nsecond line", "draft": true, "labels": ["bug", "ui"],
        "review": "APPROVED", "mergeState": "UNSTABLE", "autoMerge": "2026-01-01T00:00:00Z",
    });
    let pull = forge.pull(&repository, values).await;
    forge
        .add(
            "check",
            &pull,
            json!({ "name": "build", "status": "IN_PROGRESS", "conclusion": null }),
        )
        .await;
    forge
        .add("review", &pull, json!({ "state": "APPROVED", "author": "ada" }))
        .await;
    let github = forge.github();
    let found = observe(&github, &pull).await;
    assert_eq!(
        (found.id, found.number, found.title.as_str()),
        (pull.id, 1, "Cart second line")
    );
    assert_eq!(
        (found.state, found.draft, found.author.as_deref()),
        (PullState::Open, true, Some("me"))
    );
    assert_eq!(
        (found.head.oid.0.as_str(), found.head.branch.as_str()),
        (pull.head.as_str(), "cart")
    );
    assert!(!found.head.from_fork && found.head.repository == found.base.repository);
    assert_eq!(
        (found.mergeable, found.merge_state),
        (Mergeable::Yes, MergeState::Unstable)
    );
    assert_eq!(
        (found.review, found.auto_merge_since.is_some()),
        (Some(ReviewDecision::Approved), true)
    );
    assert_eq!(found.labels.expect("asked for"), ["bug", "ui"]);
    let reviews = found.reviews.expect("asked for");
    assert_eq!(
        (reviews[0].author.as_deref(), reviews[0].decision),
        (Some("ada"), Some(ReviewDecision::Approved))
    );
    assert_eq!(reviews[0].commit, Some(found.head.oid));
    let [check] = found.checks.runs.as_slice() else {
        panic!("{:?}", found.checks)
    };
    assert_eq!((check.state, check.required), (CheckState::Pending, false));
    assert!(
        matches!(&check.kind, CheckKind::Job { job: Some(job), workflow: Some(_) } if *job > u64::from(u32::MAX))
    );
}

#[tokio::test]
async fn no_review_required_and_no_checks_are_neither_unreviewed_nor_green() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let found = observe(&forge.github(), &pull).await;
    assert_eq!((found.review, found.checks.verdict()), (None, Verdict::None));
}

#[tokio::test]
async fn forks_deleted_forks_and_what_is_gone_are_told_apart_by_position() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let fork = forge.repository("ada/shop").await;
    let from_fork = forge
        .pull(&repository, json!({ "branch": "main", "fork": fork }))
        .await;
    let orphan = forge
        .pull(&repository, json!({ "branch": "main", "fork": null }))
        .await;
    let ids = [
        from_fork.id.clone(),
        NodeId("PR_gone".to_owned()),
        repository,
        orphan.id.clone(),
    ];
    let found = forge
        .github()
        .observe(&ids, Detail::Checks)
        .await
        .expect("an answer");
    let [
        Observed::Pull(one),
        Observed::Gone(gone),
        Observed::Gone(_),
        Observed::Pull(two),
    ] = found.as_slice()
    else {
        panic!("{found:?}")
    };
    assert_eq!(
        (&one.id, gone.0.as_str(), &two.id),
        (&from_fork.id, "PR_gone", &orphan.id)
    );
    assert!(
        one.head.from_fork
            && one
                .head
                .repository
                .as_ref()
                .is_some_and(|fork| fork.name.owner() == "ada")
    );
    assert_eq!(two.head.repository, None);
    assert!(one.labels.is_none() && one.talk.is_none(), "not asked for");
}

#[tokio::test]
async fn what_the_token_may_not_see_is_denied_with_the_reason_and_not_gone() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let seen = forge.pull(&repository, json!({})).await;
    let hidden = forge.pull(&repository, json!({ "denied": true })).await;
    let ids = [hidden.id.clone(), seen.id, NodeId("PR_gone".to_owned())];
    let found = forge
        .github()
        .observe(&ids, Detail::Whole)
        .await
        .expect("an answer");
    let [Observed::Denied(id, why), Observed::Pull(_), Observed::Gone(_)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(*id, hidden.id);
    assert!(
        why.contains("Resource not accessible by personal access token")
            && why.contains("ask whoever administers"),
        "{why}"
    );
}

#[tokio::test]
async fn required_optional_and_expected_checks_are_kept_apart() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let rules = json!([
        { "type": "REQUIRED_STATUS_CHECKS", "parameters": {
            "__typename": "RequiredStatusChecksParameters", "strictRequiredStatusChecksPolicy": true,
            "requiredStatusChecks": [{ "context": "security", "integrationId": 7 }] } },
        { "type": "PULL_REQUEST", "parameters": {
            "__typename": "PullRequestParameters", "requiredApprovingReviewCount": 2, "requireCodeOwnerReview": true,
            "requiredReviewThreadResolution": true } },
        { "type": "MERGE_QUEUE", "parameters": null },
        { "type": "REQUIRED_LINEAR_HISTORY", "parameters": null },
    ]);
    let values = json!({ "contexts": ["build", "test"], "approvals": 1, "rules": rules });
    forge
        .control(json!({ "op": "branch", "repository": repository, "name": "main", "values": values }))
        .await;
    let pull = forge.pull(&repository, json!({})).await;
    forge.add("check", &pull, json!({ "name": "build" })).await;
    forge
        .add("check", &pull, json!({ "name": "lint", "conclusion": "FAILURE" }))
        .await;
    let github = forge.github();
    let mut found = observe(&github, &pull).await;
    let names =
        |checks: Vec<&downbeat_forge::Check>| checks.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(found.checks.required().collect()), ["build"]);
    assert_eq!(names(found.checks.optional().collect()), ["lint"]);
    assert_eq!(found.checks.expected, ["test"]);
    assert_eq!(
        (found.checks.required_verdict(), found.checks.verdict()),
        (Verdict::Pending, Verdict::Failed)
    );
    let protection = github.protection(&shop(), "main").await.expect("an answer");
    assert_eq!(protection.names(), ["build", "security", "test"]);
    assert_eq!(
        (
            protection.approvals,
            protection.code_owners,
            protection.resolved_threads
        ),
        (2, true, true)
    );
    assert!(protection.merge_queue && protection.linear_history && protection.up_to_date);
    found.checks.require(&protection.names());
    assert_eq!(found.checks.expected, ["security", "test"]);
}

#[tokio::test]
async fn a_run_that_was_repeated_counts_once_with_its_newest_result() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let run = |event: &str, started: &str, conclusion: &str| json!({ "name": "build", "event": event, "startedAt": format!("2026-01-01T{started}:00Z"), "conclusion": conclusion });
    forge
        .add("check", &pull, run("pull_request", "10:05", "SUCCESS"))
        .await;
    forge
        .add("check", &pull, run("pull_request", "10:00", "FAILURE"))
        .await;
    forge.add("check", &pull, run("push", "09:00", "FAILURE")).await;
    forge
        .add(
            "check",
            &pull,
            json!({ "kind": "status", "name": "build", "conclusion": "PENDING", "url": null }),
        )
        .await;
    let states: Vec<CheckState> = observe(&forge.github(), &pull)
        .await
        .checks
        .runs
        .iter()
        .map(|run| run.state)
        .collect();
    assert_eq!(
        states,
        [CheckState::Passed, CheckState::Failed, CheckState::Pending]
    );
}

#[tokio::test]
async fn three_hundred_checks_are_paged_and_pages_of_another_commit_are_dropped() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    for n in 0..300 {
        forge
            .add("check", &pull, json!({ "name": format!("check {n}") }))
            .await;
    }
    let github = forge.github();
    let found = observe(&github, &pull).await;
    assert_eq!(
        (
            found.checks.runs.len(),
            found.checks.complete,
            found.checks.verdict()
        ),
        (300, true, Verdict::Green)
    );
    assert_eq!(
        forge
            .asked()
            .await
            .iter()
            .filter(|one| *one == "graphql Contexts")
            .count(),
        2
    );
    forge
        .control(json!({ "op": "pushWhilePaging", "pull": pull.id }))
        .await;
    let found = observe(&github, &pull).await;
    assert_eq!(
        (found.checks.complete, found.checks.verdict()),
        (false, Verdict::Pending),
        "not of one commit"
    );
}

#[tokio::test]
async fn unknown_mergeability_is_unknown_until_asked_again() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge
        .pull(
            &repository,
            json!({ "unknown": 2, "mergeable": "CONFLICTING", "mergeState": "DIRTY" }),
        )
        .await;
    let github = forge.github();
    let mut found = Vec::new();
    for _ in 0..3 {
        let pull = observe(&github, &pull).await;
        found.push((pull.mergeable, pull.merge_state));
    }
    let unknown = (Mergeable::Unknown, MergeState::Unknown);
    assert_eq!(
        found,
        [unknown, unknown, (Mergeable::Conflicts, MergeState::Conflicts)]
    );
}

#[tokio::test]
async fn a_renamed_repository_answers_under_its_new_name_and_its_pull_requests_keep_their_ids() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let github = forge.github();
    let before = github.repository(&shop()).await.expect("an answer");
    assert!(!before.renamed && before.can_push && before.auto_merge_allowed && !before.archived);
    assert_eq!(before.strategies, [MergeStrategy::Squash, MergeStrategy::Rebase]);
    forge
        .control(json!({ "op": "rename", "repository": repository, "owner": "big", "name": "store" }))
        .await;
    forge.set(&repository, json!({ "archived": true })).await;
    let after = github.repository(&shop()).await.expect("an answer");
    assert_eq!(
        (after.id, after.name.to_string().as_str()),
        (before.id, "big/store")
    );
    assert!(after.renamed && after.archived);
    let found = observe(&github, &pull).await;
    assert_eq!(
        found.base.repository.expect("its repository").name.to_string(),
        "big/store"
    );
    let listed = github
        .open_pulls(&shop())
        .await
        .expect("followed to its new place");
    assert_eq!(listed.iter().map(|one| &one.id).collect::<Vec<_>>(), [&pull.id]);
    forge.set(&repository, json!({ "deleted": true })).await;
    let gone = github.repository(&shop()).await.expect_err("deleted");
    assert!(gone.to_string().contains("does not find"), "{gone}");
}

#[tokio::test]
async fn a_hundred_pull_requests_cost_what_the_schedule_counts_with() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let mut ids = Vec::new();
    for _ in 0..120 {
        ids.push(forge.pull(&repository, json!({})).await.id);
    }
    let github = forge.github();
    forge.seen().await;
    for (count, detail) in [
        (100, Detail::Checks),
        (120, Detail::Checks),
        (100, Detail::Whole),
        (24, Detail::Whole),
        (5, Detail::Talk),
        (6, Detail::Talk),
    ] {
        let before = github.limits().points_used;
        let found = github.observe(&ids[..count], detail).await.expect("an answer");
        assert_eq!(found.len(), count);
        let costs = |seen: Vec<Value>| {
            seen.iter()
                .map(|one| one["cost"].as_u64().expect("a cost"))
                .sum::<u64>()
        };
        let cost = costs(forge.seen().await);
        assert_eq!(
            (cost, github.limits().points_used - before),
            (observe_cost(count, detail), cost),
            "{count} {detail:?}"
        );
    }
    let points = github.limits().points.expect("known");
    assert_eq!(
        (points.limit, points.remaining),
        (5000, 5000 - github.limits().points_used)
    );
}

#[tokio::test]
async fn enterprise_has_its_own_paths() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let github = forge.enterprise();
    assert_eq!(observe(&github, &pull).await.number, 1);
    assert_eq!(github.open_pulls(&shop()).await.expect("an answer").len(), 1);
    forge
        .control(json!({ "op": "rename", "repository": repository, "owner": "big", "name": "store" }))
        .await;
    assert_eq!(github.open_pulls(&shop()).await.expect("an answer").len(), 1);
    let viewer = github.viewer().await.expect("an answer");
    assert_eq!(
        (viewer.login.as_str(), viewer.scopes),
        ("me", vec!["repo".to_owned(), "read:org".to_owned()])
    );
}
