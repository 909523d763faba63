//! What a person writes about a notifier, with the keys of Agent Orchestrator, and what is wrong with it. Not where secrets
//! are kept ([`crate::secret`]).

use crate::address;
use crate::secret::Named;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kind of a notifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Notifications of this machine.
    Desktop,
    /// An incoming webhook of Slack.
    Slack,
    /// A webhook of Discord.
    Discord,
    /// Any address that takes signed JSON.
    Webhook,
    /// A tool of Composio.
    Composio,
    /// A hook of OpenClaw.
    Openclaw,
    /// A topic of ntfy.
    Ntfy,
}

/// The tool that Composio runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum App {
    /// A message in Slack.
    #[default]
    Slack,
    /// A message in Discord.
    Discord,
    /// A mail.
    Gmail,
}

/// A notifier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NotifierConfig {
    /// The kind; by default the name of the notifier.
    pub kind: Option<Kind>,
    /// `slack`, `discord`: the webhook, as `${NAME}`, `file:PATH` or `keychain:NAME`; by default `${SLACK_WEBHOOK_URL}` or
    /// `${DISCORD_WEBHOOK_URL}`.
    pub webhook_url: Option<Named>,
    /// `slack`, `openclaw`: the channel.
    pub channel: Option<String>,
    /// `slack`, `discord`: the name under which messages appear.
    pub username: Option<String>,
    /// `slack`, `discord`: the address of the picture beside messages.
    pub avatar_url: Option<String>,
    /// `discord`: the thread.
    pub thread_id: Option<String>,
    /// `webhook`, `ntfy`, `openclaw`, `composio`: the address.
    pub url: Option<Named>,
    /// `webhook`, `ntfy`: further headers. Values that prove who asks are named as `${NAME}`.
    pub headers: BTreeMap<String, Named>,
    /// `webhook`: the key that signs messages, as `${NAME}`, `file:PATH` or `keychain:NAME`; `whsec_…` as in Standard Webhooks.
    pub secret: Option<Named>,
    /// `openclaw`, `ntfy`: the token; by default `${OPENCLAW_HOOKS_TOKEN}` or `${NTFY_TOKEN}`.
    pub token: Option<Named>,
    /// The number of further tries after one that failed.
    #[schemars(range(min = 0, max = 10))]
    pub retries: Option<u32>,
    /// Milliseconds until the first of them; each further one waits twice as long.
    #[schemars(range(min = 100, max = 600_000))]
    pub retry_delay_ms: Option<u32>,
    /// `composio`: the key, as `${NAME}`, `file:PATH` or `keychain:NAME`; by default `${COMPOSIO_API_KEY}`.
    pub composio_api_key: Option<Named>,
    /// `composio`: the app that it uses.
    pub default_app: Option<App>,
    /// `composio`: the channel, by its id.
    pub channel_id: Option<String>,
    /// `composio`: the channel, by its name.
    pub channel_name: Option<String>,
    /// `composio`: who gets a mail.
    pub email_to: Option<String>,
    /// `composio`: the user whose account is used.
    pub user_id: Option<String>,
    /// `composio`: the account that is used.
    pub connected_account_id: Option<String>,
    /// `openclaw`: the session; OpenClaw refuses it unless `hooks.allowRequestSessionKey` is set there.
    pub session_key: Option<String>,
    /// `openclaw`: who gets its answer.
    pub to: Option<String>,
    /// `openclaw`: whether its answer is delivered to the channel.
    pub deliver: Option<bool>,
    /// `desktop`: whether notifications make a sound.
    pub sound: Option<bool>,
}

/// The longest text of a key that is no address.
const LONGEST: usize = 200;

impl NotifierConfig {
    /// Returns the kind of the notifier with this name; `None` if neither says it.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<Kind> {
        let named = || serde_json::from_value(serde_json::Value::String(name.to_owned())).ok();
        self.kind.or_else(named)
    }

    /// Returns what is wrong with the notifier of this name: the key, and why. No value is part of it.
    #[must_use]
    pub fn wrong(&self, name: &str) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        let Some(kind) = self.kind(name) else {
            let kinds = "desktop, slack, discord, webhook, composio, openclaw or ntfy";
            return vec![("kind".to_owned(), format!("say which kind it is: {kinds}"))];
        };
        if kind == Kind::Desktop && name != downbeat_model::delivery::DESKTOP {
            wrong.push((
                "kind".to_owned(),
                "the notifier of this machine is called `desktop`".to_owned(),
            ));
        }
        for key in self.set() {
            if !of_kind(kind).contains(&key) {
                wrong.push((
                    key.to_owned(),
                    format!("a notifier of kind `{}` has no such key", kind.word()),
                ));
            }
        }
        for (key, value) in self.secrets() {
            if let Some(message) = value.mistake() {
                wrong.push((key, message.to_owned()));
            }
        }
        if matches!(kind, Kind::Webhook | Kind::Ntfy) && self.url.is_none() {
            wrong.push(("url".to_owned(), "say where it sends to".to_owned()));
        }
        if let Some(url) = self.url.as_ref().filter(|url| url.is_literal()) {
            let found = url.find(&crate::secret::Sources {
                variable: &|_| None,
                file: &|_| Err(String::new()),
                keychain: &|_| Err(String::new().into()),
            });
            let read = found.map_err(|absent| absent.why);
            let message = read.and_then(|url| address::read(url.text())).err();
            wrong.extend(message.map(|message| ("url".to_owned(), message)));
        }
        for (key, text) in self.texts() {
            if text.trim().is_empty() || text.chars().count() > LONGEST || text.contains(char::is_control) {
                wrong.push((
                    key.to_owned(),
                    format!("expected one line of at most {LONGEST} characters"),
                ));
            }
        }
        if kind == Kind::Composio {
            wrong.extend(self.wrong_composio());
        }
        wrong
    }

    fn wrong_composio(&self) -> Option<(String, String)> {
        let (key, is_there) = match self.default_app.unwrap_or_default() {
            App::Gmail => ("emailTo", self.email_to.is_some()),
            App::Slack => (
                "channelId",
                self.channel_id.is_some() || self.channel_name.is_some(),
            ),
            App::Discord => ("channelId", self.channel_id.is_some()),
        };
        (!is_there).then(|| (key.to_owned(), "say who gets the messages".to_owned()))
    }

    /// Returns the keys that are set.
    fn set(&self) -> Vec<&'static str> {
        let all = [
            ("webhookUrl", self.webhook_url.is_some()),
            ("channel", self.channel.is_some()),
            ("username", self.username.is_some()),
            ("avatarUrl", self.avatar_url.is_some()),
            ("threadId", self.thread_id.is_some()),
            ("url", self.url.is_some()),
            ("headers", !self.headers.is_empty()),
            ("secret", self.secret.is_some()),
            ("token", self.token.is_some()),
            ("retries", self.retries.is_some()),
            ("retryDelayMs", self.retry_delay_ms.is_some()),
            ("composioApiKey", self.composio_api_key.is_some()),
            ("defaultApp", self.default_app.is_some()),
            ("channelId", self.channel_id.is_some()),
            ("channelName", self.channel_name.is_some()),
            ("emailTo", self.email_to.is_some()),
            ("userId", self.user_id.is_some()),
            ("connectedAccountId", self.connected_account_id.is_some()),
            ("sessionKey", self.session_key.is_some()),
            ("to", self.to.is_some()),
            ("deliver", self.deliver.is_some()),
            ("sound", self.sound.is_some()),
        ];
        all.into_iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(key, _)| key)
            .collect()
    }

    /// Returns the values that may not be in the file.
    fn secrets(&self) -> Vec<(String, &Named)> {
        let own = [
            ("webhookUrl", &self.webhook_url),
            ("secret", &self.secret),
            ("token", &self.token),
            ("composioApiKey", &self.composio_api_key),
        ];
        let own = own
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value.as_ref()?)));
        let headers = self.headers.iter().filter(|(name, _)| proves(name));
        own.chain(headers.map(|(name, value)| (format!("headers.{name}"), value)))
            .collect()
    }

    fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("channel", &self.channel),
            ("username", &self.username),
            ("threadId", &self.thread_id),
            ("channelId", &self.channel_id),
            ("channelName", &self.channel_name),
            ("emailTo", &self.email_to),
            ("userId", &self.user_id),
            ("connectedAccountId", &self.connected_account_id),
            ("sessionKey", &self.session_key),
            ("to", &self.to),
        ];
        all.into_iter()
            .filter_map(|(key, text)| Some((key, text.as_deref()?)))
    }
}

/// Whether a header proves who asks, by its name.
fn proves(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = [
        "auth",
        "token",
        "secret",
        "cookie",
        "key",
        "signature",
        "password",
    ];
    words.iter().any(|word| name.contains(word))
}

/// Returns the keys of a kind.
const fn of_kind(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Desktop => &["sound"],
        Kind::Slack => &[
            "webhookUrl",
            "channel",
            "username",
            "avatarUrl",
            "retries",
            "retryDelayMs",
        ],
        Kind::Discord => &[
            "webhookUrl",
            "username",
            "avatarUrl",
            "threadId",
            "retries",
            "retryDelayMs",
        ],
        Kind::Webhook => &["url", "headers", "secret", "retries", "retryDelayMs"],
        Kind::Ntfy => &["url", "headers", "token", "retries", "retryDelayMs"],
        Kind::Openclaw => &[
            "url",
            "token",
            "sessionKey",
            "channel",
            "to",
            "deliver",
            "retries",
            "retryDelayMs",
        ],
        Kind::Composio => &[
            "url",
            "composioApiKey",
            "defaultApp",
            "channelId",
            "channelName",
            "emailTo",
            "userId",
            "connectedAccountId",
            "retries",
            "retryDelayMs",
        ],
    }
}

impl Kind {
    /// Returns the word of the kind.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Slack => "slack",
            Self::Discord => "discord",
            Self::Webhook => "webhook",
            Self::Composio => "composio",
            Self::Openclaw => "openclaw",
            Self::Ntfy => "ntfy",
        }
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
