//! Tests of pull requests that are opened and changed from here: the branch is pushed by git, the forge is asked once, and
//! what does not work says why.

use crate::pulls::{commit, of, session, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use downbeat_tests::shapes::Kind;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A sandbox whose project `shop` pushes to this forge; and the id of the forge's repository.
pub async fn pushing(forge: &TestForge) -> (Sandbox, String) {
    let (sandbox, id) = shop(forge).await;
    if forge.kind() == Kind::GitLab {
        return (sandbox, id);
    }
    let projects = sandbox.get("/api/projects").await.unwrap();
    let repository = PathBuf::from(projects[0]["path"].as_str().unwrap());
    forge.take_pushes(&repository);
    git(&repository, &[], &["push", "-q", "origin", "main"]);
    (sandbox, id)
}

pub fn cli(sandbox: &Sandbox, arguments: &[&str]) -> Result<String, String> {
    let output = sandbox.cli(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

/// What the forge has of the pull request on the session's card.
pub async fn at_forge(forge: &TestForge, card: &Value) -> Value {
    let id = card["id"].as_str().unwrap().rsplit('/').next().unwrap();
    forge.control(json!({ "op": "show", "id": id })).await
}

#[tokio::test]
async fn a_session_opens_its_pull_request_and_changes_it() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = pushing(&forge).await;
    let release = json!({ "op": "branch", "repository": repository, "name": "release", "values": {} });
    forge.control(release).await;
    let (id, place) = session(&sandbox, "Cart").await;
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(error.contains("no commits that main does not have"), "{error}");
    commit(&place, "cart.txt");
    std::fs::write(place.join("left.txt"), "left").unwrap();
    let said = cli(
        &sandbox,
        &["pr", "create", "cart", "--body", "Holds things", "--draft"],
    )
    .unwrap();
    assert!(
        said.contains("#1 is open: https://github.com/acme/shop/pull/1")
            && said.contains("1 uncommitted file is not in it"),
        "{said}"
    );
    let shown = of(&sandbox, &id).await;
    let card = &shown["pulls"][0];
    assert_eq!(
        (&card["title"], &card["isDraft"]),
        (&json!("cart.txt"), &json!(true)),
        "{shown:#}"
    );
    let branch = git(&place, &[], &["branch", "--show-current"]);
    assert_eq!(
        git(&place, &[], &["rev-parse", "HEAD"]),
        git(&place, &[], &["rev-parse", &format!("origin/{}", branch.trim())])
    );
    commit(&place, "more.txt");
    let said = cli(&sandbox, &["pr", "create", "cart"]).unwrap();
    assert!(said.contains("#1 is open already"), "{said}");
    let card = of(&sandbox, &id).await["pulls"][0].clone();
    let head = git(&place, &[], &["rev-parse", "HEAD"]);
    assert_eq!(card["head"], head.trim(), "the second commit was pushed, too");

    let thread = forge
        .add(
            "thread",
            card["id"].as_str().unwrap().rsplit('/').next().unwrap(),
            json!({ "path": "cart.txt", "line": 1, "comments": [{ "body": "Why?" }] }),
        )
        .await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    sandbox.post("/api/forges/look", json!({})).await.unwrap();
    for (arguments, said) in [
        (&["pr", "ready", "cart"][..], "#1 is ready for review"),
        (&["pr", "edit", "cart", "--title", "A cart"], "#1 changed"),
        (
            &[
                "pr",
                "edit",
                "cart",
                "--body",
                "- Holds *more* things",
                "--base",
                "release",
            ],
            "#1 changed",
        ),
        (&["pr", "draft", "cart"], "#1 is a draft now"),
        (
            &["pr", "comment", "cart", "Have a look"],
            "#1 commented: https://github.com/c/IC_",
        ),
        (
            &["pr", "comment", "cart", "--thread", &thread, "Because"],
            "#1 replied: https://github.com/c/",
        ),
        (&["pr", "resolve", "cart", &thread], "#1 thread resolved"),
        (
            &["pr", "label", "cart", "--add", "shop", "--add", "ui"],
            "#1 labels changed",
        ),
        (&["pr", "label", "cart", "--remove", "ui"], "#1 labels changed"),
        (
            &["pr", "request-review", "cart", "ada", "--team", "core"],
            "#1 review requested",
        ),
    ] {
        let answer = cli(&sandbox, arguments).unwrap();
        assert!(answer.contains(said), "{arguments:?}: {answer}");
    }
    let there = at_forge(&forge, &card).await;
    assert_eq!(
        (
            &there["draft"],
            &there["title"],
            &there["body"],
            &there["base"],
            &there["labels"],
            &there["reviewers"]
        ),
        (
            &json!(true),
            &json!("A cart"),
            &json!("- Holds *more* things"),
            &json!("release"),
            &json!(["shop"]),
            &json!(["ada", "core"])
        ),
        "{there:#}"
    );
    assert_eq!(there["comments"].as_array().unwrap().len(), 1, "{there:#}");
    let thread = &there["threads"][0];
    assert_eq!(
        (&thread["resolved"], thread["comments"].as_array().unwrap().len()),
        (&json!(true), 2)
    );
    let card = of(&sandbox, &id).await["pulls"][0].clone();
    assert_eq!(
        (&card["title"], &card["baseBranch"], &card["isDraft"]),
        (&json!("A cart"), &json!("release"), &json!(true))
    );
    let said = cli(&sandbox, &["pr", "ready", "cart"]).unwrap();
    assert!(said.contains("#1 is ready for review"), "{said}");
    assert_eq!(at_forge(&forge, &card).await["draft"], false);
    cli(&sandbox, &["pr", "close", "cart"]).unwrap();
    let closed = of(&sandbox, &id).await;
    assert_eq!(closed["pulls"][0]["state"], "closed");
}

#[tokio::test]
async fn a_lost_answer_opens_no_second_pull_request() {
    let forge = TestForge::start().await;
    let (sandbox, _) = pushing(&forge).await;
    let (id, place) = session(&sandbox, "Cart").await;
    commit(&place, "cart.txt");
    forge
        .control(json!({ "op": "fault", "match": "graphql Create$", "kind": "after", "times": 1 }))
        .await;
    let said = cli(&sandbox, &["pr", "create", "cart"]).unwrap();
    assert!(said.contains("#1 is open: "), "{said}");
    let shown = of(&sandbox, &id).await;
    assert_eq!(shown["pulls"].as_array().unwrap().len(), 1, "{shown:#}");
}

#[tokio::test]
async fn a_branch_of_another_name_is_the_sessions_and_anothers_branch_is_not() {
    let forge = TestForge::start().await;
    let (sandbox, _) = pushing(&forge).await;
    let (id, place) = session(&sandbox, "Cart").await;
    let (_, other) = session(&sandbox, "Other").await;
    git(&place, &[], &["switch", "-qc", "feature/renamed"]);
    commit(&place, "cart.txt");
    // A hook could be a file that the agent wrote, so it does not run.
    let hooks = sandbox.path().join("shop/.git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    let hook = hooks.join("pre-push");
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    cli(&sandbox, &["pr", "create", "cart"]).unwrap();
    let shown = of(&sandbox, &id).await;
    assert_eq!(shown["pulls"][0]["number"], 1, "{shown:#}");

    // A branch that the session did not push stays where it is, although it could be moved without force.
    let shop = sandbox.path().join("shop");
    git(
        &shop,
        &[],
        &["push", "-q", "--no-verify", "origin", "main:production"],
    );
    git(&place, &[], &["switch", "-qc", "production"]);
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(
        error.contains("origin has a branch production already"),
        "{error}"
    );
    let address = git(&shop, &[], &["remote", "get-url", "--push", "origin"]);
    let there = git(
        &shop,
        &[],
        &["ls-remote", address.trim(), "refs/heads/production"],
    );
    assert!(
        there.starts_with(git(&shop, &[], &["rev-parse", "main"]).trim()),
        "{there}"
    );
    git(&place, &[], &["switch", "-q", "feature/renamed"]);
    commit(&place, "more.txt");
    cli(&sandbox, &["pr", "create", "cart"]).unwrap();

    let branch = git(&other, &[], &["branch", "--show-current"]).trim().to_owned();
    git(&other, &[], &["switch", "-q", "--detach"]);
    git(&place, &[], &["switch", "-q", &branch]);
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(error.contains("the branch of other"), "{error}");
    git(&place, &[], &["switch", "-q", "--detach"]);
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(error.contains("no branch checked out"), "{error}");
}

#[tokio::test]
async fn what_cannot_be_opened_or_changed_says_why() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = pushing(&forge).await;
    let (id, place) = session(&sandbox, "Cart").await;
    commit(&place, "cart.txt");
    for (request, why) in [
        (json!({ "title": " " }), "title: it is empty"),
        (json!({ "title": "t".repeat(257) }), "more than 256 characters"),
        (
            json!({ "body": "b".repeat(65_537) }),
            "more than 65536 characters",
        ),
    ] {
        let error = sandbox
            .post(&format!("/api/sessions/{id}/pulls"), request)
            .await
            .unwrap_err();
        assert!(error.body["message"].as_str().unwrap().contains(why), "{error:?}");
    }
    let change = async |change: Value| {
        let path = format!("/api/sessions/{id}/pulls/change");
        sandbox
            .post(&path, json!({ "change": change }))
            .await
            .map_err(|error| error.body["message"].as_str().unwrap().to_owned())
    };
    let error = change(json!({ "kind": "close" })).await.unwrap_err();
    assert!(
        error.contains("cart has no open pull request that is known"),
        "{error}"
    );

    // Somebody else pushed to the branch.
    let branch = git(&place, &[], &["branch", "--show-current"]).trim().to_owned();
    git(&place, &[], &["push", "-q", "origin", &format!("main:{branch}")]);
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let theirs = git(
        &place,
        &[],
        &[
            &me[..],
            &["commit-tree", "-p", "main", "-m", "theirs", "main^{tree}"],
        ]
        .concat(),
    );
    git(
        &place,
        &[],
        &[
            "push",
            "-q",
            "origin",
            &format!("{}:refs/heads/{branch}", theirs.trim()),
        ],
    );
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(
        error.contains("has commits that cart does not have") && error.contains("git pull --rebase"),
        "{error}"
    );
    git(&place, &[], &["push", "-q", "origin", &format!(":{branch}")]);

    forge.set(&repository, json!({ "archived": true })).await;
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(
        error.contains("archived") && error.contains("unarchive it"),
        "{error}"
    );
    forge.set(&repository, json!({ "archived": false })).await;
    cli(&sandbox, &["pr", "create", "cart"]).unwrap();
    until("the card is there", async || {
        let shown = of(&sandbox, &id).await;
        (shown["pulls"][0]["state"] == "open").then_some(())
    })
    .await;
    for (asked, why) in [
        (json!({ "kind": "edit" }), "name a title, a text or a base"),
        (json!({ "kind": "comment", "body": " " }), "body: it is empty"),
        (json!({ "kind": "label" }), "name at least one label"),
        (
            json!({ "kind": "label", "add": [""] }),
            "a label has an empty name",
        ),
        (json!({ "kind": "requestReview" }), "name at least one reviewer"),
        (
            json!({ "kind": "resolve", "thread": "PRRT_9", "resolved": true }),
            "no review thread",
        ),
        (json!({ "kind": "merge" }), "unknown variant `merge`"),
    ] {
        let error = change(asked).await.unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let error = cli(&sandbox, &["pr", "close", "cart", "--number", "7"]).unwrap_err();
    assert!(error.contains("no open pull request #7"), "{error}");
    forge.set(&repository, json!({ "archived": true })).await;
    let error = cli(&sandbox, &["pr", "close", "cart"]).unwrap_err();
    assert!(error.contains("read-only"), "{error}");
    cli(&sandbox, &["project", "edit", "shop", "--trust", "no"]).unwrap();
    let error = cli(&sandbox, &["pr", "create", "cart"]).unwrap_err();
    assert!(error.contains("shop is not trusted"), "{error}");
}
