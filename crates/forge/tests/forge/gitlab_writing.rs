//! Everything that changes something at GitLab, each with its guards.

use crate::gitlab_observing::{name, shop};
use crate::loopback::observe;
use downbeat_forge::{Forge, ForgeError, MergeStrategy, NodeId, Oid, Retry, Subject, Write, Written};
use serde_json::json;

fn create(repository: &NodeId, draft: bool) -> Write {
    Write::Create {
        repository: repository.clone(),
        base: "main".to_owned(),
        branch: "cart".to_owned(),
        head_repository: None,
        title: "Add a cart".to_owned(),
        body: "It holds things.".to_owned(),
        draft,
    }
}

#[tokio::test]
async fn a_merge_request_is_opened_once_and_from_a_fork() {
    let (forge, repository, _) = shop(json!({})).await;
    let client = forge.gitlab();
    let error = client
        .write(&create(&repository, false))
        .await
        .expect_err("no branch");
    assert!(
        error.to_string().contains("source_branch: does not exist"),
        "{error}"
    );
    let fork = forge.repository("me/shop").await;
    for place in [&repository, &fork] {
        // A branch without a merge request.
        let made = forge.pull(place, json!({ "branch": "cart" })).await;
        forge.set(&made.id, json!({ "state": "CLOSED" })).await;
    }
    let Written::Pull { id, number, url } = client.write(&create(&repository, true)).await.expect("made")
    else {
        panic!("something else");
    };
    assert!(url.ends_with(&format!("/-/merge_requests/{number}")));
    let shown = forge.control(json!({ "op": "show", "id": id })).await;
    assert_eq!(
        (&shown["title"], &shown["draft"], &shown["body"]),
        (&json!("Add a cart"), &json!(true), &json!("It holds things."))
    );
    let error = client
        .write(&create(&repository, false))
        .await
        .expect_err("there is one");
    assert_eq!(error, ForgeError::AlreadyExists);

    let mut from_fork = create(&repository, false);
    if let Write::Create { head_repository, .. } = &mut from_fork {
        *head_repository = Some(fork);
    }
    let written = client.write(&from_fork).await.expect("made");
    assert!(matches!(written, Written::Pull { .. }), "{written:?}");
    let found = client.open_pulls(&name()).await.expect("a list");
    assert!(
        found
            .iter()
            .any(|one| one.head_repository.as_deref() == Some("me/shop")),
        "{found:?}"
    );
}

#[tokio::test]
async fn what_a_merge_request_says_and_who_reviews_it_can_be_changed() {
    let (forge, repository, pull) = shop(json!({ "draft": true, "labels": ["old"] })).await;
    let client = forge.gitlab();
    let show = async || forge.control(json!({ "op": "show", "id": pull.id })).await;
    let id = pull.id.clone();
    let update = Write::Update {
        pull: id.clone(),
        title: Some("Another".into()),
        body: None,
        base: Some("next".into()),
    };
    client.write(&update).await.expect("changed");
    let shown = show().await;
    assert_eq!(
        (&shown["title"], &shown["draft"], &shown["base"], &shown["body"]),
        (&json!("Another"), &json!(true), &json!("next"), &json!(""))
    );
    client
        .write(&Write::Draft {
            pull: id.clone(),
            draft: false,
        })
        .await
        .expect("ready");
    assert_eq!(show().await["draft"], false);

    let on = Subject {
        id: id.clone(),
        repository: name(),
        number: pull.number,
    };
    let label = Write::Label {
        on: on.clone(),
        add: vec!["new".into(), "two words".into()],
        remove: vec!["old".into(), "never".into()],
    };
    client.write(&label).await.expect("labelled");
    assert_eq!(show().await["labels"], json!(["new", "two words"]));

    forge.control(json!({ "op": "user", "name": "ada" })).await;
    forge.control(json!({ "op": "user", "name": "bob" })).await;
    let ask = |people: &[&str], teams: &[&str]| Write::RequestReview {
        pull: on.clone(),
        people: people.iter().map(|one| (*one).to_owned()).collect(),
        teams: teams.iter().map(|one| (*one).to_owned()).collect(),
    };
    client.write(&ask(&["ada"], &[])).await.expect("asked");
    client.write(&ask(&["bob", "ada"], &[])).await.expect("asked");
    let reviewers: Vec<_> = show().await["reviewers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["user"].clone())
        .collect();
    assert_eq!(reviewers, [json!("ada"), json!("bob")]);
    for (write, words) in [
        (ask(&["nobody"], &[]), "no account nobody"),
        (ask(&[], &["core"]), "no teams to ask"),
    ] {
        let error = client.write(&write).await.expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
    client.write(&Write::Close { pull: id }).await.expect("closed");
    assert_eq!(show().await["state"], "CLOSED");

    let made = forge
        .control(json!({ "op": "issue", "repository": repository, "values": {} }))
        .await;
    let issue = NodeId(made["id"].as_str().expect("an id").to_owned());
    client
        .write(&Write::Comment {
            on: issue.clone(),
            body: "Done.".into(),
        })
        .await
        .expect("said");
    let subject = Subject {
        id: issue.clone(),
        repository: name(),
        number: made["number"].as_u64().unwrap_or_default(),
    };
    for to in ["ada", "nobody"] {
        let (issue, to) = (subject.clone(), to.to_owned());
        let written = client
            .write(&Write::Assign {
                issue,
                to: to.clone(),
            })
            .await;
        assert_eq!(written.is_ok(), to == "ada", "{written:?}");
    }
    client
        .write(&Write::CloseIssue { issue: issue.clone() })
        .await
        .expect("closed");
    let shown = forge.control(json!({ "op": "show", "id": issue })).await;
    assert_eq!(
        (&shown["state"], &shown["notes"][0]["body"], &shown["assignees"]),
        (&json!("CLOSED"), &json!("Done."), &json!(["ada"]))
    );
}

#[tokio::test]
async fn comments_and_replies_are_said_and_threads_resolved() {
    let (forge, _, pull) = shop(json!({})).await;
    let client = forge.gitlab();
    let notes = json!([{ "body": "Why?" }]);
    let made = forge
        .add("discussion", &pull, json!({ "path": "a.rs", "notes": notes }))
        .await;
    let thread = NodeId(made["id"].as_str().expect("an id").to_owned());
    let said = client
        .write(&Write::Reply {
            thread: thread.clone(),
            body: "Because.".into(),
        })
        .await
        .expect("said");
    let Written::Comment { id, url } = said else {
        panic!("something else")
    };
    assert!(url.contains("/-/merge_requests/1#note_"), "{url}");
    let talk = observe(&client, &pull)
        .await
        .conversation
        .expect("a conversation");
    assert_eq!(
        (&talk.threads[0].comments[1].id, talk.threads[0].resolved),
        (&id, false)
    );
    for resolved in [true, false] {
        client
            .write(&Write::Resolve {
                thread: thread.clone(),
                resolved,
            })
            .await
            .expect("done");
        let talk = observe(&client, &pull)
            .await
            .conversation
            .expect("a conversation");
        assert_eq!(talk.threads[0].resolved, resolved);
    }
    client
        .write(&Write::Comment {
            on: pull.id.clone(),
            body: "Please look.".into(),
        })
        .await
        .expect("said");
    let talk = observe(&client, &pull)
        .await
        .conversation
        .expect("a conversation");
    assert_eq!(talk.comments[0].body.text, "Please look.");
}

#[tokio::test]
async fn a_merge_is_at_its_commit_or_not_at_all() {
    let (forge, repository, pull) = shop(json!({ "branch": "cart" })).await;
    let client = forge.gitlab();
    let merge = |head: &str, strategy| Write::Merge {
        pull: pull.id.clone(),
        head: Oid(head.to_owned()),
        strategy,
        headline: None,
        message: None,
    };
    let error = client
        .write(&merge(&"d".repeat(40), MergeStrategy::Merge))
        .await
        .expect_err("moved");
    assert!(matches!(error, ForgeError::HeadMoved { .. }), "{error}");
    forge.set(&pull.id, json!({ "conflicts": true })).await;
    let error = client
        .write(&merge(&pull.head, MergeStrategy::Merge))
        .await
        .expect_err("conflicts");
    assert!(
        error.to_string().contains("its page says what is missing") && error.retry() == Retry::Never,
        "{error}"
    );
    forge.set(&pull.id, json!({ "conflicts": false })).await;
    // GitLab answers 401 to whoever may not merge: the token is fine.
    forge.set(&repository, json!({ "access": 30 })).await;
    let error = client
        .write(&merge(&pull.head, MergeStrategy::Merge))
        .await
        .expect_err("not allowed");
    assert!(
        error.to_string().contains("may not merge into this branch"),
        "{error}"
    );
    forge.set(&repository, json!({ "access": 40 })).await;

    let delete = Write::DeleteBranch {
        repository: repository.clone(),
        branch: "cart".into(),
        head: Oid(pull.head.clone()),
    };
    let moved = Write::DeleteBranch {
        repository: repository.clone(),
        branch: "cart".into(),
        head: Oid("d".repeat(40)),
    };
    let error = client.write(&moved).await.expect_err("moved");
    assert!(matches!(error, ForgeError::HeadMoved { .. }), "{error}");
    let written = client
        .write(&merge(&pull.head, MergeStrategy::Squash))
        .await
        .expect("merged");
    let Written::Merged { commit: Some(commit) } = written else {
        panic!("{written:?}")
    };
    let shown = forge.control(json!({ "op": "show", "id": pull.id })).await;
    assert_eq!(
        (&shown["state"], &shown["squashed"], &shown["mergeCommit"]),
        (&json!("MERGED"), &json!(true), &json!(commit.0))
    );
    for _ in 0..2 {
        client.write(&delete).await.expect("deleted, also if it is gone");
    }
    let branches = forge
        .control(json!({ "op": "branches", "repository": repository }))
        .await;
    assert_eq!(branches, json!(["main"]));
}

#[tokio::test]
async fn gitlab_merges_later_where_something_is_missing_and_a_train_takes_its_turn() {
    let (forge, repository, pull) = shop(json!({ "required": 1 })).await;
    let client = forge.gitlab();
    let head = Oid(pull.head.clone());
    let later = Write::AutoMerge {
        pull: pull.id.clone(),
        head: head.clone(),
        strategy: MergeStrategy::Merge,
    };
    client.write(&later).await.expect("it waits");
    assert!(observe(&client, &pull).await.auto_merge_since.is_some());
    client
        .write(&Write::NoAutoMerge {
            pull: pull.id.clone(),
        })
        .await
        .expect("taken back");
    assert_eq!(observe(&client, &pull).await.auto_merge_since, None);
    forge
        .set(
            &repository,
            json!({ "settings": { "merge_trains_enabled": true } }),
        )
        .await;
    assert!(
        client
            .protection(&name(), "main")
            .await
            .expect("an answer")
            .merge_queue
    );
    // Nothing is merged around a train.
    let merge = Write::Merge {
        pull: pull.id.clone(),
        head: head.clone(),
        strategy: MergeStrategy::Merge,
        headline: None,
        message: None,
    };
    let error = client.write(&merge).await.expect_err("refused");
    assert!(error.to_string().contains("by its merge train"), "{error}");
    client
        .write(&later)
        .await
        .expect("it gets on once it is approved");
    let seen = observe(&client, &pull).await;
    assert!(
        seen.auto_merge_since.is_some() && seen.queue.is_none(),
        "{seen:#?}"
    );
    let cancel = Write::NoAutoMerge {
        pull: pull.id.clone(),
    };
    client.write(&cancel).await.expect("taken back");
    let approval = json!({ "user": "ada", "state": "approved" });
    forge.add("review", &pull, approval).await;
    let enqueue = Write::Enqueue {
        pull: pull.id.clone(),
        head,
    };
    let written = client.write(&enqueue).await.expect("queued");
    assert_eq!(written, Written::Queued { position: None });
    let seen = observe(&client, &pull).await;
    let entry = seen.queue.expect("it is on the train");
    assert_eq!(
        (entry.position, entry.state.as_str(), seen.auto_merge_since),
        (Some(1), "idle", None)
    );
    let other = forge.pull(&repository, json!({ "branch": "behind" })).await;
    let behind = Write::Enqueue {
        pull: other.id.clone(),
        head: Oid(other.head.clone()),
    };
    client.write(&behind).await.expect("queued");
    let entry = observe(&client, &other).await.queue.expect("it is on the train");
    assert_eq!(entry.position, Some(2));
    assert_eq!(client.left_queue(&pull.id).await.expect("an answer"), None);
    let drop = json!({ "op": "drop", "id": pull.id, "reason": "the pipeline did not succeed" });
    forge.control(drop).await;
    assert_eq!(observe(&client, &pull).await.queue, None);
    let why = client.left_queue(&pull.id).await.expect("an answer");
    assert_eq!(why.as_deref(), Some("the pipeline did not succeed"));
    // A project that is archived takes no change.
    forge.set(&repository, json!({ "archived": true })).await;
    let error = client
        .write(&Write::Close { pull: pull.id })
        .await
        .expect_err("read-only");
    assert!(matches!(error, ForgeError::Archived { .. }), "{error}");
    assert!(error.to_string().contains("unarchive it"), "{error}");
}
