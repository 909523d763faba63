//! What an answer means: delivered, wait as long as the receiver says, try again, or give up with the reason. Nothing of an
//! answer is repeated that may contain a secret.

use crate::config::Kind;
use crate::message::cut;
use crate::request::Reply;
use crate::target::Target;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// The longest wait that a receiver may order.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);

/// What is shown of an answer's text.
const SHOWN: usize = 120;

/// The meaning of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The receiver took the message.
    Delivered,
    /// The receiver asks for a pause of this length. It costs no try.
    Wait(SignedDuration),
    /// Another try may succeed.
    Again {
        /// Why this one did not.
        why: String,
        /// Whether the receiver may have got the message.
        may_have_arrived: bool,
    },
    /// No further try can succeed.
    GiveUp(String),
}

impl Target {
    /// Returns what an answer means.
    #[must_use]
    pub fn answer(&self, reply: &Reply, now: Timestamp) -> Answer {
        match reply {
            Reply::Nothing {
                why,
                may_have_arrived,
            } => Answer::Again {
                why: self.clean(why),
                may_have_arrived: *may_have_arrived,
            },
            Reply::Answer {
                status,
                retry_after,
                body,
            } => self.of_status(*status, retry_after.as_deref(), body, now),
        }
    }

    fn of_status(&self, status: u16, retry_after: Option<&str>, body: &str, now: Timestamp) -> Answer {
        let wait = self.wait(status, retry_after, body, now);
        match (status, wait) {
            (200..=299, _) => self.of_success(body),
            (429 | 503, Some(wait)) => Answer::Wait(wait.clamp(SignedDuration::from_secs(1), LONGEST)),
            (408 | 425 | 429 | 500..=599, _) => Answer::Again {
                why: self.said(status, body),
                may_have_arrived: false,
            },
            _ => Answer::GiveUp(self.refusal(status, body)),
        }
    }

    /// Composio answers 200 to what its tool could not do.
    fn of_success(&self, body: &str) -> Answer {
        if self.kind != Kind::Composio {
            return Answer::Delivered;
        }
        let answer: Option<Value> = serde_json::from_str(body).ok();
        match answer.as_ref().and_then(|answer| answer["successful"].as_bool()) {
            Some(true) => Answer::Delivered,
            Some(false) => {
                let error = answer.as_ref().and_then(|answer| answer["error"].as_str());
                Answer::GiveUp(self.clean(&format!(
                    "its tool failed: {}",
                    error.unwrap_or("it says no reason")
                )))
            }
            None => Answer::Again {
                why: "its answer is cut off".to_owned(),
                may_have_arrived: true,
            },
        }
    }

    /// Returns the wait that an answer orders: a header in seconds or as a date, or Discord's own field.
    fn wait(
        &self,
        status: u16,
        retry_after: Option<&str>,
        body: &str,
        now: Timestamp,
    ) -> Option<SignedDuration> {
        let own = || {
            let answer: Value = serde_json::from_str(body).ok()?;
            answer["retry_after"].as_f64()
        };
        let seconds = match (self.kind, status) {
            (Kind::Discord, 429) => own(),
            _ => None,
        };
        let text = retry_after.map(str::trim);
        let seconds = seconds.or_else(|| text?.parse().ok());
        if let Some(seconds) = seconds {
            return SignedDuration::try_from_secs_f64(seconds).ok();
        }
        let date = DateTimeParser::new().parse_timestamp(text?).ok()?;
        Some(date.duration_since(now))
    }

    /// Says why a request was refused, and what helps.
    fn refusal(&self, status: u16, body: &str) -> String {
        let secret = self.secret_origin();
        let said = self.said(status, body);
        match status {
            401 | 403 => format!("{said}; check {secret}"),
            404 | 410 => format!("{said}: what {secret} points to is not there"),
            300..=399 => format!("{said}: it points elsewhere; use its new address"),
            _ => said,
        }
    }

    fn said(&self, status: u16, body: &str) -> String {
        let line = body.lines().next().unwrap_or_default().trim();
        // Pages are for browsers.
        let told = Some(line).filter(|line| !line.is_empty() && !line.starts_with('<'));
        let told = told.map(|line| format!(" ({})", cut(&self.clean(line), SHOWN)));
        format!("it answered {status}{}", told.unwrap_or_default())
    }

    /// Returns where the secret comes from that is probably wrong.
    fn secret_origin(&self) -> String {
        let of_kind = |name: &str| format!("`{name}` or its variable in the environment");
        match self.kind {
            Kind::Slack | Kind::Discord => of_kind("webhookUrl"),
            Kind::Composio => of_kind("composioApiKey"),
            _ => match &self.secret {
                Some(secret) => secret.origin().to_owned(),
                None => "its `url`".to_owned(),
            },
        }
    }

    /// Removes secrets and invisible characters from a text from outside.
    fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.secrets() {
            text = text.replace(secret, "…");
        }
        text.chars().filter(|&c| downbeat_model::name::shows(c)).collect()
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
