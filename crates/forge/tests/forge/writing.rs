//! Everything that changes something: done once, guarded by the commit that it is about, and told apart when its outcome
//! is not known.

use crate::loopback::{Pull, TestForge, observe, quick, shop};
use downbeat_forge::Options;
use downbeat_forge::github::GitHub;
use downbeat_forge::{
    Forge, ForgeError, MergeStrategy, NodeId, Oid, PullState, Retry, Subject, Verdict, Write, Written,
};
use serde_json::json;
use std::time::{Duration, Instant};

fn create(repository: &NodeId, branch: &str) -> Write {
    Write::Create {
        repository: repository.clone(),
        base: "main".to_owned(),
        branch: branch.to_owned(),
        head_repository: None,
        title: "A title".to_owned(),
        body: "A text".to_owned(),
        draft: true,
    }
}

fn merge(pull: &Pull) -> Write {
    Write::Merge {
        pull: pull.id.clone(),
        head: Oid(pull.head.clone()),
        strategy: MergeStrategy::Squash,
        headline: Some("One (#1)".to_owned()),
        message: None,
    }
}

async fn done(github: &GitHub, write: Write) {
    assert_eq!(
        github.write(&write).await.expect("written"),
        Written::Done,
        "{write:?}"
    );
}

#[tokio::test]
async fn a_pull_request_is_opened_once_and_changed() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    forge
        .control(json!({ "op": "branch", "repository": repository, "name": "cart" }))
        .await;
    let github = forge.github();
    let Written::Pull { id, number, url } = github.write(&create(&repository, "cart")).await.expect("opened")
    else {
        panic!("no pull request")
    };
    assert!(
        number == 1 && url.ends_with("/acme/shop/pull/1"),
        "{number} {url}"
    );
    let again = github
        .write(&create(&repository, "cart"))
        .await
        .expect_err("there is one");
    assert_eq!(
        (again.clone(), again.retry()),
        (ForgeError::AlreadyExists, Retry::AfterLooking)
    );
    let nothing = github
        .write(&create(&repository, "no-such-branch"))
        .await
        .expect_err("no branch");
    assert!(
        matches!(&nothing, ForgeError::Refused { why, .. } if why.contains("Head ref must be a branch")),
        "{nothing}"
    );

    let (title, base) = (Some("Better".to_owned()), None);
    done(
        &github,
        Write::Update {
            pull: id.clone(),
            title,
            body: None,
            base,
        },
    )
    .await;
    done(
        &github,
        Write::Draft {
            pull: id.clone(),
            draft: false,
        },
    )
    .await;
    let pull = Pull {
        id: id.clone(),
        number,
        head: String::new(),
    };
    let found = observe(&github, &pull).await;
    assert_eq!((found.title.as_str(), found.draft), ("Better", false));
    let kept = forge.control(json!({ "op": "show", "id": id })).await;
    assert_eq!(kept["body"], "A text", "what was not named stays");
    done(
        &github,
        Write::Draft {
            pull: id.clone(),
            draft: true,
        },
    )
    .await;
    assert!(observe(&github, &pull).await.draft);
    done(&github, Write::Close { pull: id }).await;
    assert_eq!(observe(&github, &pull).await.state, PullState::Closed);
}

#[tokio::test]
async fn comments_replies_threads_labels_and_reviewers() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({ "labels": ["old"] })).await;
    let thread = forge
        .add("thread", &pull, json!({ "comments": [{ "body": "why?" }] }))
        .await;
    let thread = NodeId(thread["id"].as_str().expect("an id").to_owned());
    let github = forge.github();
    let said = github
        .write(&Write::Comment {
            on: pull.id.clone(),
            body: "hello".to_owned(),
        })
        .await
        .expect("said");
    let replied = github
        .write(&Write::Reply {
            thread: thread.clone(),
            body: "because".to_owned(),
        })
        .await
        .expect("said");
    done(
        &github,
        Write::Resolve {
            thread: thread.clone(),
            resolved: true,
        },
    )
    .await;
    let talk = observe(&github, &pull).await.conversation.expect("asked for");
    assert!(talk.threads[0].resolved);
    assert!(matches!(&said, Written::Comment { id, .. } if *id == talk.comments[0].id));
    assert!(matches!(&replied, Written::Comment { id, .. } if *id == talk.threads[0].comments[1].id));
    done(
        &github,
        Write::Resolve {
            thread,
            resolved: false,
        },
    )
    .await;

    let on = Subject {
        id: pull.id.clone(),
        repository: shop(),
        number: pull.number,
    };
    let (add, remove) = (
        vec!["needs work/now".to_owned()],
        vec!["old".to_owned(), "never there".to_owned()],
    );
    done(
        &github,
        Write::Label {
            on: on.clone(),
            add,
            remove,
        },
    )
    .await;
    done(
        &github,
        Write::RequestReview {
            pull: on.clone(),
            people: vec!["ada".to_owned()],
            teams: vec![],
        },
    )
    .await;
    let found = observe(&github, &pull).await;
    assert_eq!(found.labels.expect("asked for"), ["needs work/now"]);
    assert!(!found.conversation.expect("asked for").threads[0].resolved);
    assert_eq!(
        forge.control(json!({ "op": "show", "id": pull.id })).await["reviewers"],
        json!(["ada"])
    );
    let remove = vec!["needs work/now".to_owned()];
    done(
        &github,
        Write::Label {
            on,
            add: vec![],
            remove,
        },
    )
    .await;
    assert_eq!(
        observe(&github, &pull).await.labels.expect("asked for"),
        Vec::<String>::new()
    );
    let issue = forge
        .control(json!({ "op": "issue", "repository": repository, "values": {} }))
        .await;
    let number = issue["number"].as_u64().expect("a number");
    let subject = Subject {
        id: NodeId(issue["id"].as_str().expect("an id").to_owned()),
        repository: shop(),
        number,
    };
    for to in ["ada", "me"] {
        let (issue, to) = (subject.clone(), to.to_owned());
        done(&github, Write::Assign { issue, to }).await;
    }
    let assigned = github.issue(&shop(), number).await.expect("an answer");
    assert_eq!(assigned.assignees, ["ada", "me"]);
    done(
        &github,
        Write::CloseIssue {
            issue: NodeId(issue["id"].as_str().expect("an id").to_owned()),
        },
    )
    .await;
    assert!(!github.issue(&shop(), number).await.expect("an answer").open);
}

#[tokio::test]
async fn a_merge_is_of_the_verified_commit_or_not_at_all() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({ "branch": "cart" })).await;
    let github = forge.github();
    let old = pull.clone();
    let head = forge.control(json!({ "op": "push", "pull": pull.id })).await;
    let pull = Pull {
        head: head.as_str().expect("a commit").to_owned(),
        ..pull
    };
    let auto = |head: &str| Write::AutoMerge {
        pull: old.id.clone(),
        head: Oid(head.to_owned()),
        strategy: MergeStrategy::Rebase,
    };
    let queue = |head: &str| Write::Enqueue {
        pull: old.id.clone(),
        head: Oid(head.to_owned()),
    };
    for write in [merge(&old), auto(&old.head), queue(&old.head)] {
        let moved = github.write(&write).await.expect_err("somebody pushed");
        assert!(
            matches!(&moved, ForgeError::HeadMoved { expected, .. } if *expected == old.head),
            "{moved}"
        );
        assert_eq!(moved.retry(), Retry::AfterLooking);
    }
    done(&github, auto(&pull.head)).await;
    assert!(observe(&github, &pull).await.auto_merge_since.is_some());
    done(
        &github,
        Write::NoAutoMerge {
            pull: pull.id.clone(),
        },
    )
    .await;
    assert_eq!(
        github.write(&queue(&pull.head)).await.expect("queued"),
        Written::Queued { position: Some(1) }
    );
    assert_eq!(
        observe(&github, &pull).await.queue.expect("in it").position,
        Some(1)
    );
    assert_eq!(github.left_queue(&pull.id).await.expect("an answer"), None);
    let out = json!({ "op": "dequeue", "id": pull.id, "reason": "FAILED_CHECKS" });
    forge.control(out).await;
    let found = observe(&github, &pull).await;
    assert_eq!(found.queue, None);
    let why = github.left_queue(&pull.id).await.expect("an answer");
    assert_eq!(why.as_deref(), Some("failed checks"));
    let Written::Merged { commit: Some(commit) } = github.write(&merge(&pull)).await.expect("merged") else {
        panic!("no commit")
    };
    let found = observe(&github, &pull).await;
    assert_eq!(
        (found.state, found.merge_commit, found.checks.verdict()),
        (PullState::Merged, Some(commit), Verdict::None)
    );
    let again = github.write(&merge(&pull)).await.expect_err("it is merged");
    assert!(matches!(again, ForgeError::Refused { .. }), "{again}");

    let delete = |head: &str| {
        let head = Oid(head.to_owned());
        Write::DeleteBranch {
            repository: repository.clone(),
            branch: "cart".to_owned(),
            head,
        }
    };
    let moved = github
        .write(&delete(&old.head))
        .await
        .expect_err("it has newer commits");
    assert!(matches!(moved, ForgeError::HeadMoved { .. }), "{moved}");
    done(&github, delete(&pull.head)).await;
    assert_eq!(
        forge
            .control(json!({ "op": "branches", "repository": repository }))
            .await,
        json!(["main"])
    );
    done(&github, delete(&pull.head)).await;
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_not_repeated_and_says_that_it_may_have_happened() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let github = forge.github();
    forge
        .fault(json!({ "kind": "after", "match": "graphql Merge", "times": 1 }))
        .await;
    let lost = github.write(&merge(&pull)).await.expect_err("no answer");
    assert_eq!(lost.retry(), Retry::AfterLooking, "{lost}");
    assert_eq!(
        observe(&github, &pull).await.state,
        PullState::Merged,
        "it had happened"
    );
    let merges = forge
        .asked()
        .await
        .iter()
        .filter(|one| *one == "graphql Merge")
        .count();
    assert_eq!(merges, 1);
    for kind in ["truncated", "status", "html"] {
        forge
            .fault(json!({ "kind": kind, "match": "graphql Comment", "times": 1 }))
            .await;
        let write = Write::Comment {
            on: pull.id.clone(),
            body: kind.to_owned(),
        };
        assert_eq!(
            github.write(&write).await.expect_err(kind).retry(),
            Retry::AfterLooking,
            "{kind}"
        );
    }
    // Nobody listens: certainly not sent.
    forge.control(json!({ "op": "clear" })).await;
    drop(forge);
    let error = loop {
        let write = Write::Comment {
            on: pull.id.clone(),
            body: "x".to_owned(),
        };
        let error = github.write(&write).await.expect_err("it is down");
        if error.retry() == Retry::BackOff {
            break error;
        }
    };
    assert!(
        matches!(
            error,
            ForgeError::Unreachable {
                outcome_unknown: false,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn an_archived_repository_takes_no_writes() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    forge.set(&repository, json!({ "archived": true })).await;
    let github = forge.github();
    let on = Subject {
        id: pull.id.clone(),
        repository: shop(),
        number: pull.number,
    };
    let label = Write::Label {
        on,
        add: vec!["a".to_owned()],
        remove: vec![],
    };
    for write in [merge(&pull), label] {
        let error = github.write(&write).await.expect_err("read-only");
        assert!(matches!(error, ForgeError::Archived { .. }), "{error}");
    }
}

#[tokio::test]
async fn writes_are_apart_and_one_after_the_other() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let gap = Duration::from_millis(200);
    let github = forge.client(Options {
        write_gap: gap,
        ..quick()
    });
    let say = |body: &str| Write::Comment {
        on: pull.id.clone(),
        body: body.to_owned(),
    };
    let (one, two, three) = (say("1"), say("2"), say("3"));
    let began = Instant::now();
    let all = tokio::join!(github.write(&one), github.write(&two), github.write(&three));
    assert!(all.0.is_ok() && all.1.is_ok() && all.2.is_ok());
    assert!(began.elapsed() >= 2 * gap, "{:?}", began.elapsed());
}
