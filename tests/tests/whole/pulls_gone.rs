//! Tests of pull requests that a forge does not find any more: the card says so, the person is told once, rules do nothing, and a
//! pull request that is found again is shown as it is.

use crate::pulls::{cart, look, of, said, shop};
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
