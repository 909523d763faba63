//! What GitHub refuses with: each case is an error of its own that names the way out, and no token is in any of them.

use crate::loopback::{TOKEN, TestForge, quick, shop};
use downbeat_forge::github::{Endpoint, GitHub};
use downbeat_forge::{Detail, Forge, ForgeError, NodeId, Options, Retry, Seen, Token, Write};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The errors of a fault for a query and for a REST request.
async fn errors(github: &GitHub) -> [ForgeError; 2] {
    let query = github
        .observe(&[NodeId("PR_x".to_owned())], Detail::Checks)
        .await
        .expect_err("a fault");
    [query, github.open_pulls(&shop()).await.expect_err("a fault")]
}

/// The errors of a fault, each with a fresh client: one remembers how long it has to wait.
async fn of(forge: &TestForge, fault: Value) -> [ForgeError; 2] {
    forge.control(json!({ "op": "clear" })).await;
    forge.fault(fault).await;
    let [query, _] = errors(&forge.github()).await;
    let rest = forge.github().open_pulls(&shop()).await.expect_err("a fault");
    [query, rest]
}

#[tokio::test]
async fn each_refusal_is_an_error_of_its_own_with_the_way_out() {
    let forge = TestForge::start().await;
    forge.repository("acme/shop").await;
    for (fault, words, retry) in [
        (
            json!({ "kind": "revoked" }),
            "token from GH_TOKEN (revoked or expired): run `gh auth login --hostname github.com`",
            Retry::Never,
        ),
        (json!({ "kind": "scopes" }), "it needs repo", Retry::Never),
        (
            json!({ "kind": "permissions" }),
            "it needs checks=read",
            Retry::Never,
        ),
        (
            json!({ "kind": "sign-on" }),
            "open https://github.com/orgs/acme/sso?authorization_request=1",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 403, "text": { "message": "No." } }),
            "No.; ask whoever administers",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 404 }),
            "does not find it",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 410 }),
            "does not find it",
            Retry::Never,
        ),
        (
            json!({ "kind": "status", "status": 500 }),
            "status 500: Server Error",
            Retry::BackOff,
        ),
        (
            json!({ "kind": "status", "status": 503, "text": "<html>" }),
            "status 503)",
            Retry::BackOff,
        ),
        (
            json!({ "kind": "secondary", "seconds": 7 }),
            "tried again in 7 s",
            Retry::After(Duration::from_secs(7)),
        ),
        (
            json!({ "kind": "secondary", "seconds": 0 }),
            "tried again in 60 s",
            Retry::After(Duration::from_secs(60)),
        ),
        (
            json!({ "kind": "status", "status": 429, "headers": { "retry-after": "9" } }),
            "9 s",
            Retry::After(Duration::from_secs(9)),
        ),
        (json!({ "kind": "truncated" }), "cut off", Retry::BackOff),
        (json!({ "kind": "wrong" }), "cannot be read", Retry::BackOff),
        (json!({ "kind": "html" }), "cannot be read", Retry::BackOff),
        (json!({ "kind": "hangup" }), "did not answer", Retry::BackOff),
    ] {
        for error in of(&forge, fault.clone()).await {
            let said = error.to_string();
            assert!(said.contains(words), "{fault}: {said}");
            assert_eq!(error.retry(), retry, "{fault}: {said}");
            assert!(!format!("{said} {error:?}").contains(TOKEN), "{said}");
        }
    }
    assert!(!format!("{:?}", forge.github()).contains(TOKEN));
}

#[tokio::test]
async fn missing_scopes_are_named_with_those_that_are_there() {
    let forge = TestForge::start().await;
    for error in of(&forge, json!({ "kind": "scopes" })).await {
        let ForgeError::MissingScopes { needs, has, .. } = &error else {
            panic!("{error}")
        };
        assert!(needs.contains(&"repo".to_owned()) && *has == ["gist"], "{error}");
        assert!(!error.needs_person(), "other repositories may work");
    }
    let [revoked, _] = of(&forge, json!({ "kind": "revoked" })).await;
    assert!(revoked.needs_person());
}

#[tokio::test]
async fn a_used_up_limit_is_respected_until_it_is_renewed_and_only_where_it_applies() {
    let forge = TestForge::start().await;
    forge.repository("acme/shop").await;
    // The clock of the forge is two hours ahead: what counts is the time between its own two times.
    forge
        .control(json!({ "op": "world", "values": { "skew": 7_200_000 } }))
        .await;
    forge
        .control(json!({ "op": "limit", "resource": "graphql", "values": { "remaining": 1 } }))
        .await;
    let github = forge.github();
    github
        .observe(&[NodeId("PR_x".to_owned())], Detail::Checks)
        .await
        .expect("the last point");
    forge.seen().await;
    let error = github
        .observe(&[NodeId("PR_x".to_owned())], Detail::Checks)
        .await
        .expect_err("used up");
    let ForgeError::LimitReached {
        resets_in, resource, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(resource, "graphql");
    assert!((3500..=3601).contains(&resets_in.as_secs()), "{resets_in:?}");
    assert_eq!(
        forge.asked().await,
        Vec::<String>::new(),
        "it is known without asking"
    );
    github
        .open_pulls(&shop())
        .await
        .expect("the other limit is not used up");
    let skew = github.limits().skew.expect("known");
    assert!((skew.as_secs() - 7200).abs() <= 2, "{skew}");
}

#[tokio::test]
async fn limits_in_the_answers_are_told_apart() {
    let forge = TestForge::start().await;
    for error in of(&forge, json!({ "kind": "primary", "seconds": 120 })).await {
        let ForgeError::LimitReached { resets_in, .. } = &error else {
            panic!("{error}")
        };
        assert!((110..=121).contains(&resets_in.as_secs()), "{resets_in:?}");
    }
    // A secondary limit is one for all requests: none is sent before its end.
    forge.control(json!({ "op": "clear" })).await;
    forge
        .fault(json!({ "kind": "secondary", "seconds": 30, "times": 1 }))
        .await;
    let github = forge.github();
    forge.seen().await;
    let [first, second] = errors(&github).await;
    assert!(
        matches!(
            (&first, &second),
            (ForgeError::SlowDown { .. }, ForgeError::SlowDown { .. })
        ),
        "{second}"
    );
    assert_eq!(forge.asked().await.len(), 1);
    assert!(github.limits().not_before.is_some());
}

#[tokio::test]
async fn a_forge_that_is_slow_or_down_is_waited_for_no_longer_than_the_bound() {
    let forge = TestForge::start().await;
    forge.repository("acme/shop").await;
    forge.fault(json!({ "kind": "slow", "ms": 60_000 })).await;
    let github = forge.client(Options {
        request: Duration::from_millis(300),
        ..quick()
    });
    for error in errors(&github).await {
        assert!(
            matches!(&error, ForgeError::Unreachable { why, .. } if why.contains("within 0.3 s")),
            "{error}"
        );
    }
    drop(forge);
    for error in errors(&github).await {
        assert!(
            matches!(&error, ForgeError::Unreachable { .. }) && error.retry() == Retry::BackOff,
            "{error}"
        );
    }
}

#[tokio::test]
async fn errors_of_graphql_without_a_type_or_of_an_old_version_are_told_apart() {
    let forge = TestForge::start().await;
    let said = "Something went wrong while executing your query. Please include `ABCD:1234` when reporting this issue.";
    let [fault, _] = of(&forge, json!({ "kind": "error", "text": said })).await;
    assert!(
        matches!(fault, ForgeError::ServerFault { .. }) && fault.retry() == Retry::BackOff,
        "{fault}"
    );
    let [refused, _] = of(
        &forge,
        json!({ "kind": "error", "type": "UNPROCESSABLE", "text": "It is Tuesday" }),
    )
    .await;
    assert!(
        matches!(&refused, ForgeError::Refused { why, .. } if why == "It is Tuesday"),
        "{refused}"
    );
}

#[tokio::test]
async fn actions_that_may_not_be_seen_do_not_hide_pull_requests() {
    let forge = TestForge::start().await;
    forge.repository("acme/shop").await;
    forge
        .fault(json!({ "kind": "permissions", "match": "actions/runs" }))
        .await;
    let changes = forge
        .github()
        .changes(&shop(), &Seen::default())
        .await
        .expect("an answer");
    assert!(changes.pulls.is_some() && changes.runs.is_none());
}

#[tokio::test]
async fn a_host_that_does_not_prove_itself_gets_no_token() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("https://{}", listener.local_addr().expect("an address"));
    let endpoint = Endpoint::at("github.com", &address, &format!("{address}/graphql")).expect("an address");
    let token = Token::new(TOKEN, "GH_TOKEN").expect("a token");
    let github = GitHub::new(endpoint, token, quick()).expect("a client");
    let host = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut got = vec![0; 4096];
        let length = stream.read(&mut got).await.expect("its first bytes");
        got.truncate(length);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\n\r\n")
            .await
            .expect("no TLS");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        (got, rest)
    });
    let write = Write::Close {
        pull: NodeId("PR_x".to_owned()),
    };
    let error = github.write(&write).await.expect_err("no TLS there");
    assert!(
        matches!(
            &error,
            ForgeError::Unreachable {
                outcome_unknown: false,
                ..
            }
        ),
        "nothing was sent: {error:?}"
    );
    let (first, rest) = host.await.expect("it ended");
    assert_eq!(first[0], 22, "a TLS handshake");
    for bytes in [first, rest] {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains(TOKEN) && !text.contains("PR_x"));
    }
}
