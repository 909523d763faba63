//! Tests of pull requests that a forge does not find any more: the card says so, the person is told once, rules do nothing, and a
//! pull request that is found again is shown as it is.

use crate::pulls::{cart, commit, look, of, said, session, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Returns the notices that a pull request is gone.
async fn told(sandbox: &Sandbox) -> Vec<String> {
    let notices = sandbox.notices().await;
    let texts = notices.iter().filter_map(|notice| notice["text"].as_str());
    texts
        .filter(|text| text.contains("does not find"))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn a_pull_request_of_a_deleted_repository_is_shown_as_gone_until_it_is_found_again() {
    let forge = TestForge::start().await;
    let (mut sandbox, repository) = shop(&forge).await;
    let (cart, pull, _) = cart(&forge, &sandbox, &repository).await;
    look(&sandbox).await;
    let stage = async |sandbox: &Sandbox| -> Value { of(sandbox, &cart).await["lifecycle"].clone() };
    assert_eq!(stage(&sandbox).await["stage"], "mergeable");

    forge.set(&repository, json!({ "deleted": true })).await;
    look(&sandbox).await;
    let gone = json!({ "stage": "pr_open", "reason": { "kind": "gone" }, "pull": format!("pull:github.com/{pull}") });
    assert_eq!(stage(&sandbox).await, gone);
    let forges = said(&sandbox, &["pr", "forges"]);
    assert!(
        forges.contains("#1 of cart is not found in acme/shop: it or the repository was deleted"),
        "{forges}"
    );
    let listed = said(&sandbox, &["pr", "list"]);
    assert!(
        listed.contains("not found at the forge") && listed.contains("`downbeat pr forges`"),
        "{listed}"
    );
    let merge = said(&sandbox, &["merge", "cart"]);
    assert!(merge.contains("is gone, or the token may not see it"), "{merge}");
    look(&sandbox).await;
    // The next engine asks again, and does not tell it again.
    sandbox.kill_engine();
    sandbox.start().await;
    look(&sandbox).await;
    assert_eq!(stage(&sandbox).await, gone);
    let notices = told(&sandbox).await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(
        notices[0].contains("github.com does not find pull request #1 any more")
            && notices[0].contains("`downbeat pr forges`"),
        "{notices:?}"
    );

    forge.set(&repository, json!({ "deleted": false })).await;
    until("it is found again", async || {
        look(&sandbox).await;
        (stage(&sandbox).await["stage"] == "mergeable").then_some(())
    })
    .await;
    assert_eq!(told(&sandbox).await.len(), 1);
}

#[tokio::test]
async fn a_merge_request_of_a_deleted_project_is_shown_as_gone_until_it_is_found_again() {
    let forge = TestForge::start_gitlab().await;
    let (sandbox, repository) = shop(&forge).await;
    let (cart, place) = session(&sandbox, "Cart").await;
    let values = json!({ "branch": "cart", "commit": commit(&place, "cart.txt"), "title": "Add a cart" });
    forge.pull(&repository, values).await;
    let card = async || {
        look(&sandbox).await;
        of(&sandbox, &cart).await["lifecycle"]["reason"]["kind"].clone()
    };
    until("it is found", async || {
        look(&sandbox).await;
        (of(&sandbox, &cart).await["pulls"][0]["title"] == "Add a cart").then_some(())
    })
    .await;
    forge.set(&repository, json!({ "deleted": true })).await;
    until("it is gone", async || (card().await == "gone").then_some(())).await;
    let forges = said(&sandbox, &["pr", "forges"]);
    assert!(
        forges.contains("of cart is not found in group/sub/shop: it or the repository was deleted"),
        "{forges}"
    );
    look(&sandbox).await;
    let notices = told(&sandbox).await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(
        notices[0].contains("gitlab.com does not find pull request #1 any more"),
        "{notices:?}"
    );
    forge.set(&repository, json!({ "deleted": false })).await;
    until("it is found again", async || {
        (card().await != "gone").then_some(())
    })
    .await;
    assert_eq!(told(&sandbox).await.len(), 1);
}

#[tokio::test]
async fn what_a_token_may_not_see_any_more_stays_as_it_was_and_one_notice_says_why() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = shop(&forge).await;
    let (cart, pull, _) = cart(&forge, &sandbox, &repository).await;
    let (till, place) = session(&sandbox, "Till").await;
    let values = json!({ "branch": "till", "commit": commit(&place, "till.txt"), "title": "Add a till" });
    forge.pull(&repository, values).await;
    look(&sandbox).await;
    forge.set(&repository, json!({ "denied": true })).await;
    for _ in 0..2 {
        look(&sandbox).await;
    }
    for id in [&cart, &till] {
        let shown = of(&sandbox, id).await;
        let why = shown["lifecycle"]["reason"]["why"].as_str().unwrap_or_default();
        assert!(
            why.contains("Resource not accessible") && why.contains("ask whoever administers"),
            "{shown:#}"
        );
        assert_eq!(shown["pulls"][0]["state"], "open", "{shown:#}");
    }
    let listed = said(&sandbox, &["pr", "list"]);
    assert!(
        listed.contains("as it was last seen: github.com refuses") && listed.contains("Add a cart"),
        "{listed}"
    );
    let forges = said(&sandbox, &["pr", "forges"]);
    assert!(
        forges.contains("#1 of cart is shown as it was") && forges.contains("of till is shown as it was"),
        "{forges}"
    );
    let merge = said(&sandbox, &["merge", "cart"]);
    assert!(merge.contains("was not merged: github.com refuses"), "{merge}");
    let notices = sandbox.notices().await;
    let texts = notices.iter().filter_map(|notice| notice["text"].as_str());
    let about: Vec<_> = texts.filter(|text| text.contains("is shown as it was")).collect();
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(told(&sandbox).await.is_empty(), "it is not gone");

    forge.set(&repository, json!({ "denied": false })).await;
    until("it is seen again", async || {
        look(&sandbox).await;
        (of(&sandbox, &cart).await["lifecycle"]["stage"] == "mergeable").then_some(())
    })
    .await;
    assert_eq!(
        of(&sandbox, &cart).await["pulls"][0]["id"],
        format!("pull:github.com/{pull}")
    );
    assert!(!said(&sandbox, &["pr", "forges"]).contains("as it was"));
}

#[tokio::test]
async fn a_repository_that_was_given_to_somebody_else_is_followed_and_its_new_place_is_named() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = shop(&forge).await;
    let (cart, pull, _) = cart(&forge, &sandbox, &repository).await;
    look(&sandbox).await;
    let moved = json!({ "op": "rename", "repository": repository, "owner": "globex", "name": "store" });
    forge.control(moved).await;
    forge.set(&pull, json!({ "title": "Add a big cart" })).await;
    until("it is seen at its new place", async || {
        look(&sandbox).await;
        let url = of(&sandbox, &cart).await["pulls"][0]["url"].clone();
        (url == "https://github.com/globex/store/pull/1").then_some(())
    })
    .await;
    let listed = said(&sandbox, &["pr", "list"]);
    assert!(
        listed.contains("Add a big cart") && listed.contains("ready to merge"),
        "{listed}"
    );
    let forges = said(&sandbox, &["pr", "forges"]);
    assert!(
        forges.contains("#1 of cart is in globex/store now, which no remote names")
            && forges.contains("`git remote set-url origin https://github.com/globex/store.git` follows it"),
        "{forges}"
    );
    let merged = said(&sandbox, &["merge", "cart"]);
    assert!(merged.contains("landed on main"), "{merged}");
    assert!(!said(&sandbox, &["pr", "forges"]).contains("globex"));
}
