//! What GitLab refuses with: each case is an error of its own that names the way out, and no token is in any of them.

use crate::gitlab_observing::{name, shop};
use crate::loopback::{TOKEN, quick};
use downbeat_forge::{Detail, Forge, ForgeError, Options, Retry, Write};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn each_refusal_is_an_error_of_its_own_with_the_way_out() {
    let (forge, _, _) = shop(json!({})).await;
    for (fault, words, retry) in [
        (
            json!({ "kind": "revoked" }),
            "token from GITLAB_TOKEN (revoked or expired): run `glab auth login --hostname gitlab.com`",
            Retry::Never,
        ),
        (
            json!({ "kind": "scopes" }),
            "it needs api or read_api; create one with this scope at https://gitlab.com/-/user_settings/",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 403, "text": { "message": "403 Forbidden - No." } }),
            "403 Forbidden - No.; ask whoever administers",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 404 }),
            "does not find it",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 500 }),
            "status 500: 500 Error",
            Retry::BackOff,
        ),
        (
            json!({ "kind": "status", "status": 503, "text": "<html>" }),
            "status 503)",
            Retry::BackOff,
        ),
        (
            json!({ "kind": "slower", "seconds": 7 }),
            "asks for slower requests; it is tried again in 7 s",
            Retry::After(Duration::from_secs(7)),
        ),
        (json!({ "kind": "truncated" }), "cut off", Retry::BackOff),
        (json!({ "kind": "html" }), "cannot be read", Retry::BackOff),
        (json!({ "kind": "wrong" }), "cannot be read", Retry::BackOff),
        (json!({ "kind": "hangup" }), "did not answer", Retry::BackOff),
    ] {
        forge.control(json!({ "op": "clear" })).await;
        forge.fault(fault.clone()).await;
        let error = forge.gitlab().open_pulls(&name()).await.expect_err("a fault");
        let said = error.to_string();
        assert!(said.contains(words) && !said.contains(TOKEN), "{fault}: {said}");
        assert_eq!(error.retry(), retry, "{fault}");
    }
}

#[tokio::test]
async fn a_limit_that_is_used_up_is_not_asked_again_before_its_time() {
    let (forge, _, _) = shop(json!({})).await;
    forge
        .fault(json!({ "kind": "exhausted", "seconds": 30, "times": 1 }))
        .await;
    let client = forge.gitlab();
    let error = client.open_pulls(&name()).await.expect_err("a fault");
    assert!(matches!(error, ForgeError::LimitReached { .. }), "{error}");
    forge.seen().await;
    let error = client.open_pulls(&name()).await.expect_err("it waits");
    assert!(
        matches!(error, ForgeError::LimitReached { resets_in, .. } if resets_in <= Duration::from_secs(31)),
        "{error}"
    );
    assert!(forge.asked().await.is_empty());
    // An answer tells the limit beforehand.
    let client = forge.gitlab();
    client.open_pulls(&name()).await.expect("a list");
    let limit = client.limits().requests.expect("a limit");
    assert_eq!(limit.limit, 2000);
}

#[tokio::test]
async fn a_slow_answer_is_given_up_and_of_a_write_nobody_knows_what_came() {
    let (forge, _, pull) = shop(json!({})).await;
    let client = forge.gitlab_client(Options {
        request: Duration::from_millis(300),
        ..quick()
    });
    forge.fault(json!({ "kind": "slow", "ms": 3_000 })).await;
    let error = client.open_pulls(&name()).await.expect_err("too slow");
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
    // What is read before a write was not sent yet.
    let close = Write::Close { pull: pull.id };
    let error = client.write(&close).await.expect_err("too slow");
    assert_eq!(error.retry(), Retry::BackOff, "{error}");
    forge.control(json!({ "op": "clear" })).await;
    forge
        .fault(json!({ "match": "^PUT ", "kind": "slow", "ms": 3_000 }))
        .await;
    let error = client.write(&close).await.expect_err("too slow");
    assert_eq!(error.retry(), Retry::AfterLooking, "{error}");
}

#[tokio::test]
async fn the_token_is_a_bearer_token_and_what_it_may_do_is_known() {
    let (forge, _, _) = shop(json!({})).await;
    let client = forge.gitlab();
    let viewer = client.viewer().await.expect("somebody");
    assert_eq!(
        (viewer.login.as_str(), viewer.scopes.as_slice()),
        ("me", &["api".to_owned()][..])
    );
    for one in forge.seen().await {
        assert_eq!(one["token"], json!(format!("Bearer {TOKEN}")));
    }
    // A token of OAuth has no page of its own.
    forge
        .fault(json!({ "match": "personal_access_tokens", "kind": "status", "status": 404 }))
        .await;
    assert!(client.viewer().await.expect("somebody").scopes.is_empty());
}

#[tokio::test]
async fn what_an_edition_does_not_have_is_no_error() {
    let (forge, _, pull) = shop(json!({})).await;
    forge
        .fault(json!({ "match": "approvals|bridges", "kind": "status", "status": 404 }))
        .await;
    forge
        .add("pipeline", &pull, json!({ "jobs": [{ "name": "test" }] }))
        .await;
    let found = forge
        .gitlab()
        .observe(std::slice::from_ref(&pull.id), Detail::Talk)
        .await
        .expect("an answer");
    assert_eq!(found[0].clone().pull().expect("it is there").checks.runs.len(), 1);
}
