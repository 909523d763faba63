//! Tables of what answers mean.

use super::*;
use crate::secret::Sources;
use serde_json::json;

fn target(name: &str) -> Target {
    let config = match name {
        "hook" => json!({"kind": "webhook", "url": "https://x/s3cret", "secret": "${KEY}"}),
        "composio" => json!({"channelId": "1"}),
        _ => json!({}),
    };
    let variable = |name: &str| {
        Some(if name == "KEY" {
            "k3y-k3y".to_owned()
        } else {
            "https://x/s3cret".to_owned()
        })
    };
    let sources = Sources {
        variable: &variable,
        file: &|_| Err(String::new()),
        keychain: &|_| Err(String::new().into()),
    };
    Target::of(name, &serde_json::from_value(config).unwrap(), &sources).unwrap()
}

fn answer(name: &str, status: u16, retry_after: Option<&str>, body: &str) -> Answer {
    let reply = Reply::Answer {
        status,
        retry_after: retry_after.map(str::to_owned),
        body: body.to_owned(),
    };
    target(name).answer(&reply, Timestamp::from_second(0).unwrap())
}

#[test]
fn a_success_is_a_delivery_and_an_ordered_wait_costs_nothing() {
    let wait = |millis| Answer::Wait(SignedDuration::from_millis(millis));
    for (name, status, header, body, wanted) in [
        ("slack", 200, None, "ok", Answer::Delivered),
        ("hook", 204, None, "", Answer::Delivered),
        ("discord", 200, None, "{\"id\": \"1\"", Answer::Delivered),
        (
            "composio",
            200,
            None,
            r#"{"successful": true}"#,
            Answer::Delivered,
        ),
        ("slack", 429, Some("30"), "rate_limited", wait(30_000)),
        ("slack", 429, Some("0"), "", wait(1000)),
        ("slack", 429, Some("-5"), "", wait(1000)),
        (
            "slack",
            429,
            Some("Thu, 01 Jan 1970 00:02:00 GMT"),
            "",
            wait(120_000),
        ),
        ("slack", 429, Some("999999"), "", wait(3_600_000)),
        ("hook", 503, Some("7"), "", wait(7000)),
        (
            "discord",
            429,
            Some("9"),
            r#"{"retry_after": 1.5, "global": false}"#,
            wait(1500),
        ),
        ("discord", 429, Some("9"), "{", wait(9000)),
    ] {
        assert_eq!(
            answer(name, status, header, body),
            wanted,
            "{name} {status} {header:?}"
        );
    }
}

#[test]
fn a_failure_is_tried_again_and_a_refusal_is_not() {
    let again = |why: &str| Answer::Again {
        why: why.to_owned(),
        may_have_arrived: false,
    };
    let gives_up = |why: &str| Answer::GiveUp(why.to_owned());
    for (name, status, body, wanted) in [
        ("slack", 429, "", again("it answered 429")),
        ("slack", 429, "soon", again("it answered 429 (soon)")),
        ("hook", 500, "<html>", again("it answered 500")),
        ("hook", 502, "bad\ngateway", again("it answered 502 (bad)")),
        (
            "slack",
            400,
            "invalid_blocks",
            gives_up("it answered 400 (invalid_blocks)"),
        ),
        (
            "slack",
            403,
            "invalid_token",
            gives_up(
                "it answered 403 (invalid_token); check `webhookUrl` or its variable in the environment",
            ),
        ),
        (
            "slack",
            404,
            "no_service",
            gives_up(
                "it answered 404 (no_service): what `webhookUrl` or its variable in the environment points to is not there",
            ),
        ),
        ("hook", 401, "", gives_up("it answered 401; check KEY")),
        (
            "hook",
            307,
            "",
            gives_up("it answered 307: it points elsewhere; use its new address"),
        ),
        (
            "hook",
            400,
            "no k3y-k3y at /s3cret",
            gives_up("it answered 400 (no … at …)"),
        ),
        (
            "slack",
            400,
            "s3cret is not a token",
            gives_up("it answered 400 (… is not a token)"),
        ),
        (
            "composio",
            200,
            r#"{"successful": false, "error": "no channel"}"#,
            gives_up("its tool failed: no channel"),
        ),
    ] {
        assert_eq!(answer(name, status, None, body), wanted, "{name} {status} {body}");
    }
    let cut = Answer::Again {
        why: "its answer is cut off".to_owned(),
        may_have_arrived: true,
    };
    assert_eq!(answer("composio", 200, None, r#"{"succ"#), cut);
}

#[test]
fn no_answer_is_tried_again() {
    let reply = Reply::Nothing {
        why: "no answer within 10 s".into(),
        may_have_arrived: true,
    };
    let wanted = Answer::Again {
        why: "no answer within 10 s".into(),
        may_have_arrived: true,
    };
    assert_eq!(target("slack").answer(&reply, Timestamp::UNIX_EPOCH), wanted);
}
