//! Tests of a forge that lets requests hang: it holds up nothing else.

use crate::pull_writes::{cli, pushing};
use crate::pulls::{commit, session};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::until;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_hangs_does_not_hold_up_a_pull_request_of_another() {
    let forge = TestForge::start().await;
    let (sandbox, _) = pushing(&forge).await;
    let (_, place) = session(&sandbox, "Cart").await;
    commit(&place, "cart.txt");
    // Several, so that asking one after the other would take minutes.
    for name in ["bill", "mail", "stock"] {
        let repository = sandbox.repository(name);
        let url = format!("https://github.com/acme/{name}.git");
        git(&repository, &[], &["remote", "add", "origin", &url]);
        let ask = json!({ "path": repository, "trust": true });
        sandbox.post("/api/projects", ask).await.unwrap();
        forge.repository("acme", name).await;
        let ask = json!({ "projectId": name, "title": format!("Work {name}"), "prompt": "say hello" });
        sandbox.session(ask).await;
    }
    let hangs =
        json!({ "op": "fault", "match": "/repos/acme/(bill|mail|stock)/", "kind": "slow", "ms": 600_000 });
    forge.control(hangs).await;
    let manifest = sandbox.manifest().unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://127.0.0.1:{}/api/forges/look", manifest["port"]);
    let request = client.post(url).bearer_auth(manifest["token"].as_str().unwrap());
    let look = tokio::spawn(request.json(&json!({})).send());
    until("a request hangs", async || {
        let asked = forge.asked().await;
        asked
            .iter()
            .any(|what| what.contains("/repos/acme/bill/"))
            .then_some(())
    })
    .await;
    let opened = cli(&sandbox, &["pr", "create", "cart"]).unwrap();
    assert!(opened.contains("#1 is open"), "{opened}");
    assert!(!look.is_finished(), "nothing waited for the requests that hang");
    look.abort();
}
