//! Tables of notifiers that are wrong, and of what is said about them.

use super::*;
use serde_json::json;

fn wrong(name: &str, config: serde_json::Value) -> Vec<String> {
    let config: NotifierConfig = serde_json::from_value(config).unwrap();
    let wrong = config.wrong(name);
    wrong
        .into_iter()
        .map(|(key, why)| format!("{key}: {why}"))
        .collect()
}

#[test]
fn each_kind_is_fine_with_its_own_keys() {
    for (name, config) in [
        ("slack", json!({})),
        (
            "team",
            json!({"kind": "slack", "webhookUrl": "${HOOK}", "channel": "#a", "username": "D", "retries": 2}),
        ),
        (
            "discord",
            json!({"webhookUrl": "file:/home/me/hook", "threadId": "1", "avatarUrl": "https://x/y.png"}),
        ),
        (
            "hook",
            json!({"kind": "webhook", "url": "https://x/y", "secret": "${KEY}", "headers": {"X-Team": "a"}}),
        ),
        (
            "hook",
            json!({"kind": "webhook", "url": "${URL}", "headers": {"Authorization": "Bearer ${T}"}}),
        ),
        ("composio", json!({"channelName": "#a"})),
        (
            "composio",
            json!({"defaultApp": "gmail", "emailTo": "me@example.com"}),
        ),
        (
            "openclaw",
            json!({"sessionKey": "s", "channel": "last", "to": "me", "deliver": true}),
        ),
        (
            "phone",
            json!({"kind": "ntfy", "url": "https://ntfy.sh/mine", "retryDelayMs": 500}),
        ),
        ("desktop", json!({"sound": true})),
    ] {
        assert!(
            wrong(name, config.clone()).is_empty(),
            "{name}: {:?}",
            wrong(name, config)
        );
    }
}

#[test]
fn what_is_wrong_is_said_with_its_key_and_without_its_value() {
    let literal = "keep it out of this file: write `${NAME}` for a variable of the environment, `file:PATH`, or \
                   `keychain:NAME` after `downbeat secret set NAME`";
    for (name, config, wanted) in [
        (
            "team",
            json!({}),
            "kind: say which kind it is: desktop, slack, discord, webhook, composio, openclaw or ntfy"
                .to_owned(),
        ),
        (
            "slack",
            json!({"threadId": "1"}),
            "threadId: a notifier of kind `slack` has no such key".to_owned(),
        ),
        (
            "slack",
            json!({"webhookUrl": "https://hooks.slack.com/services/T/B/s3cret"}),
            format!("webhookUrl: {literal}"),
        ),
        (
            "hook",
            json!({"kind": "webhook", "url": "https://x", "secret": "whsec_s3cret"}),
            format!("secret: {literal}"),
        ),
        (
            "hook",
            json!({"kind": "webhook", "url": "https://x", "headers": {"X-Api-Key": "s3cret"}}),
            format!("headers.X-Api-Key: {literal}"),
        ),
        (
            "hook",
            json!({"kind": "webhook"}),
            "url: say where it sends to".to_owned(),
        ),
        (
            "hook",
            json!({"kind": "webhook", "url": "http://example.com/s3cret"}),
            "url: expected an https:// address, or http:// on this machine".to_owned(),
        ),
        (
            "composio",
            json!({}),
            "channelId: say who gets the messages".to_owned(),
        ),
        (
            "composio",
            json!({"defaultApp": "gmail"}),
            "emailTo: say who gets the messages".to_owned(),
        ),
        (
            "slack",
            json!({"channel": "a\nb"}),
            "channel: expected one line of at most 200 characters".to_owned(),
        ),
        (
            "screen",
            json!({"kind": "desktop"}),
            "kind: the notifier of this machine is called `desktop`".to_owned(),
        ),
    ] {
        let said = wrong(name, config.clone());
        assert_eq!(said, [wanted], "{name}: {config}");
        assert!(!said[0].contains("s3cret"));
    }
}
