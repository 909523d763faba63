//! A notifier with its secrets, ready to be asked. Not the requests that it gets.

use crate::address;
use crate::config::{Kind, NotifierConfig};
use crate::secret::{Absent, Named, Secret, Sources};
use url::Url;

/// The address of a local OpenClaw.
const OPENCLAW: &str = "http://127.0.0.1:18789/hooks/agent";

/// The address of Composio.
const COMPOSIO: &str = "https://backend.composio.dev/";

/// The file in which OpenClaw keeps its token, below the home directory.
const OPENCLAW_FILE: &str = "~/.openclaw/openclaw.json";

/// The shortest part of an address or a value that is taken for a secret by itself; a shorter one is an ordinary word.
const PART: usize = 6;

/// A notifier that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its kind.
    pub kind: Kind,
    /// Its address.
    pub url: Address,
    /// The token, the key, or what signs its messages.
    pub secret: Option<Secret>,
    /// Further headers with their values.
    pub headers: Vec<(String, Secret)>,
    /// Everything that is no secret.
    pub config: NotifierConfig,
}

/// An address, whose `Debug` leaves out what may be secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(pub Url);

impl std::fmt::Debug for Address {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&address::shown(&self.0))
    }
}

/// Why a notifier cannot be asked, with the way out. It contains no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unready {
    /// What is missing.
    pub why: String,
    /// What helps.
    pub hint: String,
    /// Whether it may be ready later although nothing is configured: the keychain is locked.
    pub may_pass: bool,
}

impl Target {
    /// Returns a notifier with its secrets.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn of(name: &str, config: &NotifierConfig, sources: &Sources<'_>) -> Result<Self, Unready> {
        let kind = config.kind(name).filter(|kind| *kind != Kind::Desktop);
        let kind = kind.ok_or_else(|| Unready {
            why: "notices of this machine are shown by the window or `downbeat serve`".to_owned(),
            hint: "`downbeat doctor` says whether this desktop shows them".to_owned(),
            may_pass: false,
        })?;
        let find = |value: &Named| value.find(sources).map_err(|absent| missing(kind, &absent));
        let or = |value: &Option<Named>, variable: &str| match value {
            Some(value) => find(value),
            None => find(&Named::new(&format!("${{{variable}}}"))),
        };
        let set = |value: &Option<Named>| value.as_ref().map(find).transpose();
        let (url, secret) = match kind {
            Kind::Slack => (or(&config.webhook_url, "SLACK_WEBHOOK_URL")?, None),
            Kind::Discord => (or(&config.webhook_url, "DISCORD_WEBHOOK_URL")?, None),
            Kind::Composio => (
                set(&config.url)?.unwrap_or_else(|| Secret::new(COMPOSIO, "")),
                Some(or(&config.composio_api_key, "COMPOSIO_API_KEY")?),
            ),
            Kind::Openclaw => (
                set(&config.url)?.unwrap_or_else(|| Secret::new(OPENCLAW, "")),
                Some(openclaw_token(config, sources)?),
            ),
            Kind::Ntfy => (or(&config.url, "NTFY_URL")?, ntfy_token(config, sources)?),
            Kind::Webhook | Kind::Desktop => (or(&config.url, "WEBHOOK_URL")?, set(&config.secret)?),
        };
        let read = address::read(url.text())
            .map_err(|why| missing(kind, &format!("{}: {why}", url.origin()).into()))?;
        let headers = config
            .headers
            .iter()
            .map(|(name, value)| Ok((name.clone(), find(value)?)));
        Ok(Self {
            kind,
            url: Address(read),
            secret,
            headers: headers.collect::<Result<_, Unready>>()?,
            config: config.clone(),
        })
    }

    /// Returns the address for people.
    #[must_use]
    pub fn shown(&self) -> String {
        address::shown(&self.url.0)
    }

    /// Returns every text that must not be shown: addresses and values as a whole, and their longer parts, the longest first.
    #[must_use]
    pub fn secrets(&self) -> Vec<&str> {
        let url = &self.url.0;
        let least = if self.kind == Kind::Ntfy { 1 } else { PART };
        let segments = url.path_segments().into_iter().flatten();
        let segments = segments.filter(|part| part.len() >= least);
        let queries = url.query().into_iter().flat_map(|query| query.split(['&', '=']));
        let values = self.headers.iter().map(|(_, value)| value.text());
        let values = values.chain(self.secret.as_ref().map(Secret::text));
        let values: Vec<&str> = values
            .flat_map(|text| std::iter::once(text).chain(text.split_whitespace()))
            .collect();
        let parts = queries.chain(values).filter(|part| part.len() >= PART);
        let path = Some(url.path()).filter(|path| path.len() > 1);
        let mut all: Vec<&str> = path.into_iter().chain(segments).chain(parts).collect();
        all.sort_unstable_by_key(|text| std::cmp::Reverse(text.len()));
        all
    }
}

fn missing(kind: Kind, absent: &Absent) -> Unready {
    let hint = match kind {
        Kind::Slack => "set SLACK_WEBHOOK_URL, or name the webhook as `webhookUrl` in downbeat.yaml",
        Kind::Discord => "set DISCORD_WEBHOOK_URL, or name the webhook as `webhookUrl` in downbeat.yaml",
        Kind::Composio => "set COMPOSIO_API_KEY, or name the key as `composioApiKey` in downbeat.yaml",
        Kind::Openclaw => "set OPENCLAW_HOOKS_TOKEN, or name the token as `token` in downbeat.yaml",
        Kind::Ntfy | Kind::Webhook | Kind::Desktop => {
            "check the notifier in downbeat.yaml, and the variables that it names"
        }
    };
    Unready {
        why: absent.why.clone(),
        hint: format!("{hint}; Downbeat reads the environment at its start"),
        may_pass: absent.may_pass,
    }
}

/// The token of OpenClaw: as configured, from the environment, or from OpenClaw's own file.
fn openclaw_token(config: &NotifierConfig, sources: &Sources<'_>) -> Result<Secret, Unready> {
    let fail = |why: String| missing(Kind::Openclaw, &why.into());
    if let Some(token) = &config.token {
        return token
            .find(sources)
            .map_err(|absent| missing(Kind::Openclaw, &absent));
    }
    if let Ok(token) = Named::new("${OPENCLAW_HOOKS_TOKEN}").find(sources) {
        return Ok(token);
    }
    let text = (sources.file)(OPENCLAW_FILE)
        .map_err(|why| fail(format!("OPENCLAW_HOOKS_TOKEN is not set, and {why}")))?;
    let file: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    let token = file.as_ref().and_then(|file| file["hooks"]["token"].as_str());
    token
        .filter(|token| !token.is_empty() && !token.contains("${"))
        .map(|token| Secret::new(token, OPENCLAW_FILE))
        .ok_or_else(|| fail(format!("{OPENCLAW_FILE} has no `hooks.token` as text")))
}

/// The token of ntfy, which public topics do not need.
fn ntfy_token(config: &NotifierConfig, sources: &Sources<'_>) -> Result<Option<Secret>, Unready> {
    match &config.token {
        Some(token) => token
            .find(sources)
            .map(Some)
            .map_err(|absent| missing(Kind::Ntfy, &absent)),
        None => Ok(Named::new("${NTFY_TOKEN}").find(sources).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(name: &str, config: serde_json::Value) -> Result<Target, Unready> {
        let variable = |name: &str| match name {
            "SLACK_WEBHOOK_URL" => Some("https://hooks.slack.com/services/T/B/s3cret".to_owned()),
            "BAD" => Some("http://example.com/s3cret".to_owned()),
            "KEY" => Some("s3cret".to_owned()),
            _ => None,
        };
        let file = |path: &str| match path {
            "~/.openclaw/openclaw.json" => Ok(r#"{"hooks": {"token": "s3cret"}}"#.to_owned()),
            _ => Err(format!("{path} is not there")),
        };
        let config = serde_json::from_value(config).unwrap();
        let sources = Sources {
            variable: &variable,
            file: &file,
            keychain: &|_| Err(String::new().into()),
        };
        Target::of(name, &config, &sources)
    }

    #[test]
    fn a_locked_keychain_may_be_open_later_and_a_missing_secret_is_missing() {
        let config = serde_json::from_value(json!({"webhookUrl": "keychain:slack"})).unwrap();
        for may_pass in [true, false] {
            let absent = |name: &str| Absent {
                why: format!("{name} cannot be read"),
                may_pass,
            };
            let sources = Sources {
                variable: &|_| None,
                file: &|_| Err(String::new()),
                keychain: &|name| Err(absent(name)),
            };
            let unready = Target::of("slack", &config, &sources).unwrap_err();
            assert_eq!(
                (unready.why.as_str(), unready.may_pass),
                ("slack cannot be read", may_pass)
            );
        }
    }

    #[test]
    fn secrets_come_from_where_they_are_by_default_or_as_configured() {
        let slack = of("slack", json!({})).unwrap();
        assert_eq!(slack.shown(), "hooks.slack.com/…");
        let hook = of(
            "hook",
            json!({"kind": "webhook", "url": "https://x/y", "secret": "${KEY}", "headers": {"A": "b ${KEY}"}}),
        );
        let hook = hook.unwrap();
        assert_eq!(hook.headers[0].1.text(), "b s3cret");
        let claw = of("openclaw", json!({})).unwrap();
        assert_eq!(claw.secret.clone().unwrap().origin(), "~/.openclaw/openclaw.json");
        assert!(
            of("phone", json!({"kind": "ntfy", "url": "https://ntfy.sh/a"}))
                .unwrap()
                .secret
                .is_none()
        );
        for target in [slack, hook, claw] {
            assert!(!format!("{target:?}").contains("s3cret"), "{target:?}");
            assert!(target.secrets().iter().any(|secret| secret.contains("s3cret")));
        }
    }

    #[test]
    fn what_is_missing_is_said_without_secrets() {
        for (name, config, why) in [
            ("discord", json!({}), "DISCORD_WEBHOOK_URL is not set"),
            (
                "slack",
                json!({"webhookUrl": "${BAD}"}),
                "BAD: expected an https:// address, or http:// on this machine",
            ),
            ("composio", json!({}), "COMPOSIO_API_KEY is not set"),
            (
                "slack",
                json!({"webhookUrl": "file:/nowhere"}),
                "/nowhere is not there",
            ),
        ] {
            let unready = of(name, config).unwrap_err();
            assert_eq!(unready.why, why);
            assert!(!format!("{unready:?}").contains("s3cret"));
        }
        assert!(of("desktop", json!({})).unwrap_err().why.contains("the window"));
    }
}
