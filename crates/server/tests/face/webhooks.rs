//! Tests of webhooks at the server: what reaches the engine without a token, and what is refused before.

use crate::rig::{Rig, told};
use crate::scripted::Scripted;
use downbeat_wire::{ApiError, Code};
use serde_json::{Value, json};

const PATH: &str = "/hooks/github";

fn taking(outcome: &'static str) -> std::sync::Arc<Scripted> {
    Scripted::new(move |_| Ok(json!({ "outcome": outcome })))
}

async fn send(rig: &Rig, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> (u16, Value) {
    let mut request = rig.bare("POST", path).body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    told(request.send().await).await
}

#[tokio::test]
async fn a_webhook_reaches_the_engine_without_a_token_and_with_the_headers_of_its_forge_only() {
    let rig = Rig::start(taking("taken")).await;
    let headers = [
        ("content-type", "application/json; charset=utf-8"),
        ("host", "tunnel.example"),
        ("x-hub-signature-256", "sha256=00"),
        ("x-github-event", "ping"),
        ("authorization", "Bearer x"),
        ("cookie", "a=b"),
    ];
    let (status, answer) = send(&rig, PATH, &headers, b"{}".to_vec()).await;
    assert_eq!((status, answer), (202, json!({ "outcome": "taken" })));
    let call = rig.host.calls().pop().unwrap();
    let passed = json!({ "x-github-event": "ping", "x-hub-signature-256": "sha256=00" });
    assert_eq!(
        (call.name, call.arguments),
        ("take_webhook", json!([PATH, passed, 2]))
    );
    for outcome in ["ignored", "repeated"] {
        let rig = Rig::start(taking(outcome)).await;
        let json = [("content-type", "application/json")];
        assert_eq!(send(&rig, "/hooks/gitlab", &json, Vec::new()).await.0, 200);
    }
}

#[tokio::test]
async fn what_is_no_webhook_is_refused_before_the_engine_sees_it() {
    let rig = Rig::start(taking("taken")).await;
    let json = ("content-type", "application/json");
    let long = "x".repeat(2000);
    for (headers, size, expected) in [
        (vec![], 2, 415),
        (
            vec![("content-type", "application/x-www-form-urlencoded")],
            2,
            415,
        ),
        (vec![("content-type", "text/plain; application/json")], 2, 415),
        (vec![json], (4 << 20) + 1, 413),
        (vec![json, ("origin", "http://127.0.0.1")], 2, 403),
        (vec![json, ("origin", "null")], 2, 403),
        (vec![json, ("x-gitlab-token", &*long)], 2, 400),
        (vec![json, ("webhook-id", "a"), ("webhook-id", "b")], 2, 400),
    ] {
        let (status, answer) = send(&rig, PATH, &headers, vec![b' '; size]).await;
        assert_eq!(status, expected, "{headers:?} {answer}");
        assert!(answer["message"].is_string());
    }
    assert_eq!(rig.host.calls(), []);
    let (status, _) = told(rig.bare("GET", PATH).send().await).await;
    assert_eq!(status, 405);
    // Everything else stays under its own names, with a token.
    let strange = rig.bare("POST", "/hooks/other").header("host", "tunnel.example");
    assert_eq!(strange.send().await.unwrap().status(), 403);
    for path in ["/hooks/github/../../api/sessions", "/api/sessions"] {
        let strange = rig.owner("GET", path).header("host", "tunnel.example");
        assert_eq!(strange.send().await.unwrap().status(), 403, "{path}");
    }
    assert_eq!(told(rig.bare("GET", "/api/sessions").send().await).await.0, 401);
    assert_eq!(rig.host.calls(), []);
}

#[tokio::test]
async fn refusals_of_the_engine_have_the_status_that_forges_understand() {
    for (code, expected) in [
        (Code::Forbidden, 401),
        (Code::LimitReached, 429),
        (Code::NotFound, 404),
        (Code::Invalid, 400),
    ] {
        let rig = Rig::start(Scripted::new(move |_| Err(ApiError::new(code, "as told")))).await;
        let request = rig.bare("POST", PATH).header("content-type", "application/json");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), expected, "{code:?}");
        assert_eq!(answer.headers().contains_key("retry-after"), expected == 429);
        assert_eq!(answer.headers()["cache-control"], "no-store");
    }
}
