//! Merge requests of GitLab as they are observed: checks, mergeability, reviews, discussions, logs, issues.

use crate::loopback::{Pull, TOKEN, TestForge, observe, quick};
use downbeat_forge::{
    CheckState, Detail, FailureDetail, Forge, MergeState, Mergeable, NodeId, Observed, Options, PullState,
    RepositoryName, ReviewDecision, Verdict,
};
use serde_json::{Value, json};

pub fn name() -> RepositoryName {
    RepositoryName::parse("group/sub/shop").expect("a name")
}

/// A GitLab with a project and a merge request.
pub async fn shop(values: Value) -> (TestForge, NodeId, Pull) {
    let forge = TestForge::start_gitlab().await;
    let repository = forge.repository("group/sub/shop").await;
    let pull = forge.pull(&repository, values).await;
    (forge, repository, pull)
}

async fn pipeline(forge: &TestForge, pull: &Pull, values: Value) -> Value {
    forge.add("pipeline", pull, values).await
}

#[tokio::test]
async fn a_merge_request_is_known_by_gitlabs_id_and_its_head() {
    let values = json!({ "branch": "cart", "title": "Add a cart", "draft": true, "labels": ["feature"] });
    let (forge, repository, pull) = shop(values).await;
    let client = forge.gitlab();
    let seen = observe(&client, &pull).await;
    assert_eq!((&seen.id, seen.number), (&pull.id, pull.number));
    assert_eq!(
        (seen.title.as_str(), seen.draft, seen.merge_state),
        ("Add a cart", true, MergeState::Draft)
    );
    assert_eq!(
        (seen.head.oid.0.as_str(), seen.head.branch.as_str()),
        (pull.head.as_str(), "cart")
    );
    let base = seen.base.repository.expect("its repository");
    assert_eq!((base.id, base.name), (repository.clone(), name()));
    assert!(!seen.head.from_fork && seen.url.ends_with("/group/sub/shop/-/merge_requests/1"));
    assert_eq!(seen.labels, Some(vec!["feature".to_owned()]));

    // Another merge request with the same number is another one: ids do not come again.
    let other = NodeId(pull.id.0.replacen("mr-", "mr-9", 1));
    for gone in [other, NodeId("PR_kwDO".to_owned())] {
        let found = client
            .observe(std::slice::from_ref(&gone), Detail::Whole)
            .await
            .expect("an answer");
        assert_eq!(found, [Observed::Gone(gone)]);
    }
    // It keeps its id when the project is renamed.
    forge
        .control(json!({ "op": "rename", "repository": repository, "owner": "other", "name": "store" }))
        .await;
    let seen = observe(&client, &pull).await;
    assert_eq!(
        seen.head.repository.expect("a repository").name.to_string(),
        "other/store"
    );
    let found = client.repository(&name()).await.expect("by its former name");
    assert!(
        found.renamed && found.name.to_string() == "other/store",
        "{found:?}"
    );
}

#[tokio::test]
async fn the_branch_of_a_fork_is_in_its_own_project() {
    let (forge, repository, _) = shop(json!({})).await;
    let fork = forge.repository("me/shop").await;
    let pull = forge
        .pull(&repository, json!({ "branch": "cart", "fork": fork.clone() }))
        .await;
    let gone = forge
        .pull(&repository, json!({ "branch": "lost", "fork": null }))
        .await;
    let client = forge.gitlab();
    let made = pipeline(
        &forge,
        &pull,
        json!({ "jobs": [{ "name": "test", "status": "failed" }], "status": "failed" }),
    )
    .await;
    let seen = observe(&client, &pull).await;
    let head = seen.head.repository.as_ref().expect("a fork");
    assert_eq!((&head.id, head.name.to_string()), (&fork, "me/shop".to_owned()));
    assert!(seen.head.from_fork);
    // Its pipeline runs in the fork.
    assert_eq!(
        seen.checks.runs[0].id.0,
        made["jobs"][0]["node"].as_str().expect("an id")
    );
    assert_eq!(observe(&client, &gone).await.head.repository, None);
    let listed = client.open_pulls(&name()).await.expect("a list");
    let forks: Vec<_> = listed.iter().map(|one| one.head_repository.as_deref()).collect();
    assert_eq!(forks, [None, Some("me/shop"), Some("group/sub/shop")]);
    let from_forks: Vec<_> = listed.iter().map(|one| one.from_fork).collect();
    assert_eq!(from_forks, [true, true, false]);
    assert!(listed.iter().all(|one| one.author.is_some()));
}

#[tokio::test]
async fn jobs_are_checks_and_what_may_fail_is_optional() {
    let (forge, _, pull) = shop(json!({})).await;
    let client = forge.gitlab();
    let seen = observe(&client, &pull).await;
    assert_eq!(seen.checks.verdict(), Verdict::None, "no pipeline is not green");

    let jobs = json!([
        { "name": "build", "status": "success", "stage": "build" },
        { "name": "lint", "status": "failed", "allow_failure": true },
        { "name": "deploy", "status": "manual", "allow_failure": true },
    ]);
    pipeline(&forge, &pull, json!({ "status": "success", "jobs": jobs })).await;
    let seen = observe(&client, &pull).await;
    assert_eq!(
        seen.checks.required_verdict(),
        Verdict::Green,
        "{:#?}",
        seen.checks
    );
    let states: Vec<_> = seen
        .checks
        .runs
        .iter()
        .map(|run| (run.name.as_str(), run.state, run.required))
        .collect();
    assert_eq!(
        states,
        [
            ("build", CheckState::Passed, true),
            ("lint", CheckState::Failed, false),
            ("deploy", CheckState::Skipped, false)
        ]
    );

    // A push makes the old pipeline nobody's.
    forge.control(json!({ "op": "push", "pull": pull.id })).await;
    assert_eq!(observe(&client, &pull).await.checks.verdict(), Verdict::None);

    // A pipeline with a mistake in its file has no jobs.
    pipeline(
        &forge,
        &pull,
        json!({ "status": "failed", "yaml_errors": "jobs:test config is empty" }),
    )
    .await;
    let seen = observe(&client, &pull).await;
    assert_eq!(
        (seen.checks.required_verdict(), seen.checks.runs[0].name.as_str()),
        (Verdict::Failed, "pipeline")
    );
    let why = client
        .failure(&name(), &seen.checks.runs[0], FailureDetail::Log)
        .await
        .expect("a reason");
    assert!(
        why.summary
            .expect("words")
            .text
            .contains("jobs:test config is empty")
    );

    // One of the merge with the base runs on a commit of its own.
    let jobs = json!([{ "name": "build", "status": "running" }]);
    pipeline(
        &forge,
        &pull,
        json!({ "status": "running", "jobs": jobs, "merged": true }),
    )
    .await;
    assert_eq!(
        observe(&client, &pull).await.checks.required_verdict(),
        Verdict::Pending
    );

    // More than a page.
    let many: Vec<_> = (0..130)
        .map(|number| json!({ "name": format!("job {number}") }))
        .collect();
    pipeline(
        &forge,
        &pull,
        json!({ "jobs": many, "bridges": [{ "name": "child", "status": "failed" }], "status": "failed" }),
    )
    .await;
    let seen = observe(&client, &pull).await;
    assert_eq!((seen.checks.runs.len(), seen.checks.complete), (131, true));
    assert_eq!(seen.checks.required_verdict(), Verdict::Failed);
}

#[tokio::test]
async fn what_gitlab_requires_and_no_job_stands_for_is_expected_by_name() {
    let (forge, repository, pull) = shop(json!({ "unknown": 1 })).await;
    let client = forge.gitlab();
    let seen = observe(&client, &pull).await;
    assert_eq!(
        (seen.mergeable, seen.merge_state),
        (Mergeable::Unknown, MergeState::Unknown)
    );
    let seen = observe(&client, &pull).await;
    assert_eq!(
        (seen.mergeable, seen.merge_state),
        (Mergeable::Yes, MergeState::Clean)
    );

    let settings = json!({ "only_allow_merge_if_pipeline_succeeds": true,
        "only_allow_merge_if_all_discussions_are_resolved": true });
    forge.set(&repository, json!({ "settings": settings })).await;
    let seen = observe(&client, &pull).await;
    assert_eq!(
        (seen.checks.expected.clone(), seen.checks.verdict()),
        (vec!["pipeline".to_owned()], Verdict::Pending)
    );
    // A job that has to be started by hand holds the pipeline up.
    let jobs = json!([{ "name": "build" }, { "name": "sign", "status": "manual" }]);
    pipeline(&forge, &pull, json!({ "status": "manual", "jobs": jobs })).await;
    assert_eq!(observe(&client, &pull).await.checks.expected, ["pipeline"]);
    pipeline(
        &forge,
        &pull,
        json!({ "status": "success", "jobs": [{ "name": "build" }] }),
    )
    .await;
    assert_eq!(observe(&client, &pull).await.checks.verdict(), Verdict::Green);

    let notes = json!([{ "body": "Why?" }]);
    forge
        .add("discussion", &pull, json!({ "path": "a.rs", "notes": notes }))
        .await;
    let seen = observe(&client, &pull).await;
    assert_eq!(
        (seen.checks.expected.as_slice(), seen.merge_state),
        (&["resolved threads".to_owned()][..], MergeState::Blocked)
    );
    for (status, mergeable, state) in [
        ("conflict", Mergeable::Conflicts, MergeState::Conflicts),
        ("need_rebase", Mergeable::Yes, MergeState::Behind),
        ("merge_request_blocked", Mergeable::Yes, MergeState::Blocked),
    ] {
        forge.set(&pull.id, json!({ "status": status })).await;
        let seen = observe(&client, &pull).await;
        assert_eq!((seen.mergeable, seen.merge_state), (mergeable, state), "{status}");
    }
    let demands = client.protection(&name(), "main").await.expect("an answer");
    assert!(demands.resolved_threads && !demands.linear_history && !demands.merge_queue);
}

#[tokio::test]
async fn approvals_and_requested_changes_are_what_the_reviews_amount_to() {
    let (forge, _, pull) = shop(json!({ "required": 1 })).await;
    let client = forge.gitlab();
    let review = async |state: &str| {
        forge
            .add("review", &pull, json!({ "user": "ada", "state": state }))
            .await;
        observe(&client, &pull).await
    };
    assert_eq!(
        observe(&client, &pull).await.review,
        Some(ReviewDecision::ReviewRequired)
    );
    forge
        .control(json!({ "op": "note", "on": pull.id, "values": { "author": "ada", "body": "Round half cents." } }))
        .await;
    let seen = review("requested_changes").await;
    assert_eq!(seen.review, Some(ReviewDecision::ChangesRequested));
    let talk = seen.conversation.expect("a conversation");
    assert_eq!(
        (
            talk.reviews[0].author.as_deref(),
            talk.reviews[0].body.text.as_str()
        ),
        (Some("ada"), "Round half cents.")
    );
    // It may be hidden behind another reason.
    forge.set(&pull.id, json!({ "draft": true })).await;
    assert_eq!(
        observe(&client, &pull).await.review,
        Some(ReviewDecision::ChangesRequested)
    );
    forge.set(&pull.id, json!({ "draft": false })).await;
    let seen = review("approved").await;
    assert_eq!(seen.review, Some(ReviewDecision::Approved));
    let reviews = seen.reviews.expect("reviews");
    assert_eq!((reviews.len(), reviews[0].author.as_deref()), (1, Some("ada")));
}

#[tokio::test]
async fn a_discussion_is_a_thread_with_its_place_and_it_can_be_resolved() {
    let (forge, _, pull) = shop(json!({})).await;
    let client = forge.gitlab();
    let long = "x".repeat(1 << 20);
    let notes = json!([{ "body": "Why?\u{1b}[31m" }, { "body": long, "author": "me" }, { "body": "changed this line", "system": true }]);
    let made = forge
        .add(
            "discussion",
            &pull,
            json!({ "path": "src/cart.rs", "line": 7, "notes": notes }),
        )
        .await;
    forge
        .add(
            "discussion",
            &pull,
            json!({ "notes": [{ "body": "In general", "author": "renovate-bot" }] }),
        )
        .await;
    forge
        .control(json!({ "op": "note", "on": pull.id, "values": { "body": "Nice." } }))
        .await;
    let talk = client
        .conversations(std::slice::from_ref(&pull.id))
        .await
        .expect("an answer");
    let talk = talk[0].as_ref().expect("it is there");
    let thread = &talk.threads[0];
    assert_eq!(
        (thread.id.0.as_str(), thread.path.as_str(), thread.line),
        (made["id"].as_str().expect("an id"), "src/cart.rs", Some(7))
    );
    assert_eq!(thread.comments.len(), 2);
    assert_eq!(thread.comments[0].body.text, "Why?");
    assert!(thread.comments[1].body.cut && thread.comments[1].author.as_deref() == Some("me"));
    assert_eq!(
        (
            talk.threads[1].path.as_str(),
            talk.threads[1].line,
            talk.threads[1].comments[0].by_bot
        ),
        ("", None, true)
    );
    assert_eq!(
        (
            talk.comments.len(),
            talk.comments[0].body.text.as_str(),
            talk.complete
        ),
        (1, "Nice.", true)
    );
    assert!(talk.comments[0].url.contains("/-/merge_requests/1#note_"));
}

#[tokio::test]
async fn the_log_of_a_failed_job_is_its_script_bounded_and_without_secrets() {
    let (forge, _, pull) = shop(json!({})).await;
    let jobs = json!([{ "name": "test", "status": "failed" }, { "name": "stuck", "status": "failed", "failure_reason": "stuck_or_timeout_failure" }]);
    let made = pipeline(&forge, &pull, json!({ "status": "failed", "jobs": jobs })).await;
    let text = format!(
        "Running with gitlab-runner\nsection_start:1:step_script\r\u{1b}[0K$ cargo test\n\u{1b}[31mleft != right\u{1b}[0m {TOKEN}\n\
         section_end:2:step_script\r\u{1b}[0Ksection_start:2:after\r\u{1b}[0KCleaning up\nERROR: Job failed: exit code 1\n"
    );
    let log = json!({ "op": "log", "job": made["jobs"][0]["id"], "text": text, "repeat": 200_000, "line": "noise ".repeat(10) });
    forge.control(log).await;
    let client = forge.gitlab();
    let seen = observe(&client, &pull).await;
    let why = client
        .failure(&name(), &seen.checks.runs[0], FailureDetail::Log)
        .await
        .expect("a reason");
    let log = why.log.expect("a log");
    assert_eq!(
        (log.text.as_str(), log.of_step),
        ("$ cargo test\nleft != right ***", true)
    );
    let why = client
        .failure(&name(), &seen.checks.runs[1], FailureDetail::Log)
        .await
        .expect("a reason");
    assert_eq!(why.summary.expect("words").text, "stuck or timeout failure");
    assert_eq!(
        why.no_log.as_deref(),
        Some("GitLab has no log of this job (any more)")
    );

    // What is read of a log is bounded, too.
    let short = Options {
        log_bytes: 100_000,
        ..quick()
    };
    let why = forge
        .gitlab_client(short)
        .failure(&name(), &seen.checks.runs[0], FailureDetail::Log)
        .await
        .expect("a reason");
    let log = why.log.expect("a log");
    assert!(
        log.cut
            && !log.of_step
            && log.lines == 151
            && log
                .text
                .ends_with("noise \n[The log goes on; its end was not read in time.]"),
        "{log:?}"
    );
}

#[tokio::test]
async fn before_a_merge_the_statuses_of_other_programs_are_seen_too() {
    let (forge, _, pull) = shop(json!({})).await;
    let jobs = json!([{ "name": "test" }]);
    let statuses = json!([{ "id": 99, "name": "jenkins", "status": "failed" }, { "id": 98, "name": "coverage", "status": "failed", "allow_failure": true }]);
    pipeline(&forge, &pull, json!({ "jobs": jobs, "statuses": statuses })).await;
    let client = forge.gitlab();
    let seen = observe(&client, &pull).await;
    assert_eq!(seen.checks.verdict(), Verdict::Green);
    let demands = client.protection(&name(), "main").await.expect("an answer");
    let confirmed = client.confirm(&seen, &demands).await.expect("an answer");
    assert_eq!(
        (confirmed.overlooked.as_slice(), confirmed.is_clear()),
        (&["jenkins".to_owned()][..], false)
    );
    pipeline(&forge, &pull, json!({ "jobs": [{ "name": "test" }] })).await;
    let seen = observe(&client, &pull).await;
    assert!(
        client
            .confirm(&seen, &demands)
            .await
            .expect("an answer")
            .is_clear()
    );
}

#[tokio::test]
async fn an_issue_has_its_comments_and_a_merged_request_its_commit() {
    let (forge, repository, pull) = shop(json!({})).await;
    let values =
        json!({ "title": "Round half cents", "body": "Twice.", "labels": ["bug"], "assignees": ["me"] });
    let made = forge
        .control(json!({ "op": "issue", "repository": repository, "values": values }))
        .await;
    for values in [
        json!({ "body": "Also in the cart." }),
        json!({ "body": "assigned to me", "system": true }),
    ] {
        forge
            .control(json!({ "op": "note", "on": made["id"], "values": values }))
            .await;
    }
    let client = forge.gitlab();
    let issue = client
        .issue(&name(), made["number"].as_u64().expect("a number"))
        .await
        .expect("an issue");
    assert_eq!(
        (issue.title.as_str(), issue.body.text.as_str(), issue.open),
        ("Round half cents", "Twice.", true)
    );
    assert_eq!(
        (issue.comments.len(), issue.comments[0].body.text.as_str()),
        (1, "Also in the cart.")
    );
    assert_eq!(
        (issue.repository, issue.assignees, issue.labels),
        (name(), vec!["me".to_owned()], vec!["bug".to_owned()])
    );

    forge
        .set(
            &pull.id,
            json!({ "state": "MERGED", "mergeCommit": "e".repeat(40), "mergedAt": "2026-01-01T00:00:00Z" }),
        )
        .await;
    let seen = observe(&client, &pull).await;
    assert_eq!(
        (seen.state, seen.merge_commit.expect("a commit").0),
        (PullState::Merged, "e".repeat(40))
    );
}
