//! Tests of what an agent is told of a conflict of its pull request: the files and the commits of both sides, or which command
//! brings what is not here.

use crate::pulls::{commit, look, session, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;
use std::path::Path;

/// Waits for the message of Downbeat to a session.
async fn told(sandbox: &Sandbox, id: &str) -> String {
    until("the agent is told", async || {
        sandbox.sent_to(id).await.into_iter().next()
    })
    .await
}

fn committed(place: &Path, text: &str, subject: &str) -> String {
    std::fs::write(place.join("README.md"), text).unwrap();
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(place, &[], &["add", "-A"]);
    git(place, &[], &[&me[..], &["commit", "-qm", subject]].concat());
    git(place, &[], &["rev-parse", "HEAD"]).trim().to_owned()
}

#[tokio::test]
async fn a_conflict_names_the_files_and_the_commits_of_both_sides_or_how_to_fetch_them() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = shop(&forge).await;
    let (cart, place) = session(&sandbox, "Cart").await;
    let (sums, other) = session(&sandbox, "Sums").await;
    let head = committed(&place, "ours", "Describe the cart");
    let base = committed(&sandbox.path().join("shop"), "theirs", "Rename it\u{1b}[31m all");
    let main = json!({ "op": "branch", "repository": repository, "name": "main", "values": { "oid": base } });
    forge.control(main).await;
    let values = json!({ "branch": "cart", "commit": head, "title": "Cart", "mergeable": "CONFLICTING" });
    forge.pull(&repository, values).await;
    look(&sandbox).await;
    let text = told(&sandbox, &cart).await;
    let described = format!(
        "conflicts with main (automatic, from Downbeat):\n    > README.md\nCommits of main that changed them:\n    > {} \
         Rename it [31m all\nCommits of your branch that changed them:\n    > {} Describe the cart\nLines that begin",
        &base[..8],
        &head[..8]
    );
    assert!(text.contains(&described), "{text}");
    assert!(
        text.ends_with("Merge main into your branch, resolve the conflicts, commit, push and end your turn."),
        "{text}"
    );

    let newer = "e".repeat(40);
    let main =
        json!({ "op": "branch", "repository": repository, "name": "main", "values": { "oid": newer } });
    forge.control(main).await;
    let head = commit(&other, "sums.txt");
    let values = json!({ "branch": "sums", "commit": head, "title": "Sums", "mergeable": "CONFLICTING" });
    forge.pull(&repository, values).await;
    look(&sandbox).await;
    let text = told(&sandbox, &sums).await;
    assert!(
        text.contains("because commit eeeeeeee of main was not fetched yet: run `git fetch origin main`.\n"),
        "{text}"
    );
}
