//! Requests of each kind of notifier, sent to a receiver with the limits of the real one, and what its answers mean.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

use downbeat_model::reactions::NoticePriority;
use downbeat_model::{NewNotice, NoticeKind};
use downbeat_notifiers::{Answer, Client, Message, Reply, Sources, Target};
use downbeat_tests::receiver::{Act, Receiver, SECRET};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::Duration;

/// Each kind, as it is configured for a receiver at `url`, with this secret.
fn targets(url: &str, secret: &str) -> Vec<Target> {
    let hook = |kind: &str| format!("{url}/{kind}/{secret}");
    [
        (
            "slack",
            json!({"webhookUrl": "${HOOK}", "channel": "#a"}),
            hook("slack"),
        ),
        (
            "discord",
            json!({"webhookUrl": "${HOOK}", "threadId": "7"}),
            hook("discord"),
        ),
        (
            "hook",
            json!({"kind": "webhook", "url": "${HOOK}", "secret": "${KEY}"}),
            format!("{url}/hook"),
        ),
        (
            "openclaw",
            json!({"url": "${HOOK}", "token": "${KEY}"}),
            format!("{url}/hooks/agent"),
        ),
        (
            "composio",
            json!({"url": "${HOOK}", "composioApiKey": "${KEY}", "channelName": "#a"}),
            url.to_owned(),
        ),
        (
            "phone",
            json!({"kind": "ntfy", "url": "${HOOK}", "token": "${KEY}"}),
            format!("{url}/topic"),
        ),
    ]
    .into_iter()
    .map(|(name, config, address)| target(name, config, &address, secret))
    .collect()
}

fn target(name: &str, config: Value, address: &str, secret: &str) -> Target {
    let variable = |name: &str| match name {
        "HOOK" => Some(address.to_owned()),
        "KEY" => Some(secret.to_owned()),
        _ => None,
    };
    let sources = Sources {
        variable: &variable,
        file: &|_| Err(String::new()),
        keychain: &|_| Err(String::new().into()),
    };
    Target::of(name, &serde_json::from_value(config).unwrap(), &sources).unwrap()
}

fn message(text: &str) -> Message {
    let notice = NewNotice {
        kind: NoticeKind::NeedsInput,
        priority: NoticePriority::Urgent,
        session_id: None,
        plan_id: None,
        project_id: None,
        title: "Cart".into(),
        text: text.into(),
        at: Timestamp::now(),
    };
    Message::of(&notice, Some("shop"))
}

async fn sent(client: &Client, target: &Target, text: &str) -> (Answer, Reply) {
    let request = target.request(&message(text), "msg_1", Timestamp::now());
    let reply = client.post(&request).await;
    (target.answer(&reply, Timestamp::now()), reply)
}

#[tokio::test]
async fn each_kind_is_taken_also_with_a_text_beyond_every_limit() {
    let (receiver, client) = (Receiver::start().await, Client::default());
    for target in targets(&receiver.url, SECRET) {
        for text in ["Which?", "", &"<@everyone> 😀*".repeat(50_000)] {
            let (answer, reply) = sent(&client, &target, text).await;
            assert_eq!(answer, Answer::Delivered, "{:?}: {reply:?}", target.kind);
        }
    }
    assert_eq!(receiver.got().len(), 18);
}

#[tokio::test]
async fn a_wrong_secret_is_given_up_and_not_repeated() {
    let (receiver, client) = (Receiver::start().await, Client::default());
    for target in targets(&receiver.url, "wr0ng-and-private") {
        let (answer, _) = sent(&client, &target, "Which?").await;
        let Answer::GiveUp(why) = answer else {
            panic!("{:?}: {answer:?}", target.kind);
        };
        let is_named = ["401", "403", "404"].iter().any(|status| why.contains(status));
        assert!(is_named && !why.contains("wr0ng"), "{:?}: {why}", target.kind);
    }
    let nowhere = json!({"url": "${HOOK}", "composioApiKey": "${KEY}", "channelName": "#nowhere"});
    let composio = target("composio", nowhere, &receiver.url, SECRET);
    let (answer, _) = sent(&client, &composio, "Which?").await;
    assert_eq!(
        answer,
        Answer::GiveUp("its tool failed: channel_not_found".into())
    );
}

#[tokio::test]
async fn what_receivers_do_is_understood() {
    let receiver = Receiver::start().await;
    let client = Client::with_timeout(Duration::from_millis(300));
    let targets = targets(&receiver.url, SECRET);
    let (slack, discord, composio) = (&targets[0], &targets[1], &targets[4]);
    let again = |why: &str, may_have_arrived| Answer::Again {
        why: why.into(),
        may_have_arrived,
    };
    let answered = |status, after, text: &str| Act::Answer(status, after, text.into());
    for (target, act, wanted) in [
        (
            slack,
            answered(429, Some("3"), "slow"),
            Answer::Wait(SignedDuration::from_secs(3)),
        ),
        (
            discord,
            answered(429, Some("9"), r#"{"retry_after": 1.5}"#),
            Answer::Wait(SignedDuration::from_millis(1500)),
        ),
        (
            slack,
            answered(502, None, "bad gateway"),
            again("it answered 502 (bad gateway)", false),
        ),
        (slack, Act::Truncate(200), Answer::Delivered),
        (slack, Act::Truncate(500), again("it answered 500", false)),
        (composio, Act::Truncate(200), again("its answer is cut off", true)),
        (slack, Act::Hang, again("no answer within 0.3 s", true)),
        (
            slack,
            answered(302, None, ""),
            Answer::GiveUp("it answered 302: it points elsewhere; use its new address".into()),
        ),
    ] {
        let shown = format!("{act:?}");
        receiver.next([act]);
        assert_eq!(sent(&client, target, "Which?").await.0, wanted, "{shown}");
    }
    let gone = format!("http://127.0.0.1:{}/slack/{SECRET}", free_port());
    let nobody = target("slack", json!({"webhookUrl": "${HOOK}"}), &gone, SECRET);
    let (answer, _) = sent(&client, &nobody, "Which?").await;
    let Answer::Again {
        why,
        may_have_arrived: false,
    } = answer
    else {
        panic!("{answer:?}");
    };
    assert!(why.contains("refused") && !why.contains(SECRET), "{why}");
}

/// Returns a port on which nobody listens.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn an_endless_answer_is_read_in_part() {
    let receiver = Receiver::start().await;
    receiver.next([Act::Answer(200, None, "x".repeat(10 << 20))]);
    let client = Client::default();
    let (answer, reply) = sent(&client, &targets(&receiver.url, SECRET)[0], "Which?").await;
    assert_eq!(answer, Answer::Delivered);
    let Reply::Answer { body, .. } = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(body.len(), 64 * 1024);
}
