//! What a status and its headers mean. The order matters: GitHub uses 403 for limits, scopes, single sign-on and archived
//! repositories alike, and 404 for what a token may not see.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::write::Write;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde::Deserialize;
use std::time::Duration;

use super::meter::{Meter, Resource, retry_after, text};
use jiff::Timestamp;

/// The wait after a secondary limit that names none
/// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, "at least one minute").
const UNNAMED: Duration = Duration::from_secs(60);

/// What a refused request was.
pub(super) struct Asked<'a> {
    /// The host.
    pub(super) host: &'a str,
    /// Where the token came from.
    pub(super) origin: &'a str,
    /// What was asked, as in "merge the pull request".
    pub(super) what: &'a str,
    /// Whether it changes something.
    pub(super) writes: bool,
    /// The limit that it counts against.
    pub(super) resource: Resource,
}

#[derive(Deserialize, Default)]
struct Body {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<serde_json::Value>,
}

impl Asked<'_> {
    /// Returns the error for a status other than 2xx and 3xx, and notes limits in the meter.
    pub(super) fn refused(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        meter: &Meter,
        now: Timestamp,
    ) -> ForgeError {
        let body: Body = serde_json::from_slice(body).unwrap_or_default();
        let why = words(&body);
        match status.as_u16() {
            401 => ForgeError::TokenRejected {
                host: self.host.to_owned(),
                origin: self.origin.to_owned(),
            },
            403 | 429 => self
                .limited(status, headers, &why, meter, now)
                .or_else(|| self.not_allowed(headers, &why))
                .unwrap_or_else(|| self.forbidden(why)),
            404 | 410 | 451 => self.missing_scopes(headers).unwrap_or_else(|| self.gone()),
            500.. => self.server_fault(format!("status {}{}", status.as_u16(), after_colon(&why))),
            _ => self.refusal(if why.is_empty() {
                format!("status {}", status.as_u16())
            } else {
                why
            }),
        }
    }

    /// The errors of limits.
    fn limited(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        why: &str,
        meter: &Meter,
        now: Timestamp,
    ) -> Option<ForgeError> {
        let named = retry_after(headers, now);
        if named.is_none() && text(headers, "x-ratelimit-remaining") == Some("0") {
            return Some(self.exhausted(meter, now));
        }
        let lower = why.to_ascii_lowercase();
        let secondary = lower.contains("secondary rate limit") || lower.contains("abuse detection");
        if named.is_some() || secondary || status == StatusCode::TOO_MANY_REQUESTS {
            return Some(self.slower(named, meter, now));
        }
        None
    }

    /// The hourly limit is used up.
    pub(super) fn exhausted(&self, meter: &Meter, now: Timestamp) -> ForgeError {
        let resets_in = meter.exhaust(self.resource, now);
        ForgeError::LimitReached {
            host: self.host.to_owned(),
            resource: self.resource.word().to_owned(),
            resets_in,
        }
    }

    /// Requests came too fast.
    pub(super) fn slower(&self, named: Option<Duration>, meter: &Meter, now: Timestamp) -> ForgeError {
        let retry_after = named.unwrap_or(UNNAMED);
        meter.hold(retry_after, now);
        ForgeError::SlowDown {
            host: self.host.to_owned(),
            retry_after,
        }
    }

    /// The errors of single sign-on, archived repositories and scopes.
    fn not_allowed(&self, headers: &HeaderMap, why: &str) -> Option<ForgeError> {
        sign_on(headers)
            .or_else(|| self.archived(why))
            .or_else(|| self.missing_scopes(headers))
    }

    fn archived(&self, why: &str) -> Option<ForgeError> {
        let lower = why.to_ascii_lowercase();
        let archived =
            lower.contains("archived") && (lower.contains("read-only") || lower.contains("read only"));
        archived.then(|| ForgeError::Archived {
            what: self.what.to_owned(),
        })
    }

    /// Names the scopes of a classic token, or the permissions of a fine-grained one, if none of them is there.
    fn missing_scopes(&self, headers: &HeaderMap) -> Option<ForgeError> {
        let list = |name| text(headers, name).map(|names| listed(names, ','));
        let has = list("x-oauth-scopes");
        let needs = match (&has, list("x-accepted-oauth-scopes")) {
            (Some(has), Some(needs)) if !needs.is_empty() && !needs.iter().any(|one| has.contains(one)) => {
                needs
            }
            (None, _) => list("x-accepted-github-permissions").filter(|needs| !needs.is_empty())?,
            _ => return None,
        };
        Some(self.scopes(needs, has.unwrap_or_default()))
    }

    /// The token lacks these scopes.
    pub(super) fn scopes(&self, needs: Vec<String>, has: Vec<String>) -> ForgeError {
        ForgeError::MissingScopes {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
            needs,
            has,
        }
    }

    /// 403 for another reason.
    pub(super) fn forbidden(&self, why: String) -> ForgeError {
        self.archived(&why).unwrap_or_else(|| ForgeError::Forbidden {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
            why: or_silent(why),
        })
    }

    /// Not there.
    pub(super) fn gone(&self) -> ForgeError {
        ForgeError::Gone {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
        }
    }

    /// The forge failed.
    pub(super) fn server_fault(&self, why: String) -> ForgeError {
        let (host, what) = (self.host.to_owned(), self.what.to_owned());
        ForgeError::ServerFault {
            host,
            what,
            why,
            outcome_unknown: self.writes,
        }
    }

    /// The answer cannot be read.
    pub(super) fn unreadable(&self, why: String) -> ForgeError {
        let (host, what) = (self.host.to_owned(), self.what.to_owned());
        ForgeError::Unreadable {
            host,
            what,
            why,
            outcome_unknown: self.writes,
        }
    }

    /// The forge understood and will not. The words are GitHub's own; they are the same for years, and whoever does not
    /// know them gets them as they are.
    pub(super) fn refusal(&self, why: String) -> ForgeError {
        let lower = why.to_ascii_lowercase();
        if lower.contains("a pull request already exists") {
            return ForgeError::AlreadyExists;
        }
        if let Some(archived) = self.archived(&why) {
            return archived;
        }
        ForgeError::Refused {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
            why: or_silent(why),
        }
    }
}

/// The commit that a write was about, if it names one.
pub(super) fn expected(write: &Write) -> Option<&str> {
    match write {
        Write::Merge { head, .. }
        | Write::Enqueue { head, .. }
        | Write::AutoMerge { head, .. }
        | Write::DeleteBranch { head, .. } => Some(&head.0),
        _ => None,
    }
}

/// The page on which to authorize a token for single sign-on: `required; url=https://…`.
pub(super) fn sign_on(headers: &HeaderMap) -> Option<ForgeError> {
    let url = text(headers, "x-github-sso")?.split_once("url=")?.1;
    url.starts_with("https://")
        .then(|| ForgeError::SignOnRequired { url: line(url) })
}

/// Splits a list of names.
pub(super) fn listed(names: &str, by: char) -> Vec<String> {
    names
        .split(by)
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(line)
        .collect()
}

fn words(body: &Body) -> String {
    let details = body.errors.iter().take(5).filter_map(|error| {
        let said = error
            .get("message")
            .or_else(|| error.get("code"))
            .or(Some(error))?;
        said.as_str().map(str::to_owned)
    });
    let all: Vec<String> = std::iter::once(body.message.clone())
        .chain(details)
        .filter(|one| !one.is_empty())
        .collect();
    line(&all.join(": "))
}

fn or_silent(why: String) -> String {
    if why.is_empty() {
        "it gave no reason".to_owned()
    } else {
        why
    }
}

fn after_colon(why: &str) -> String {
    if why.is_empty() {
        String::new()
    } else {
        format!(": {why}")
    }
}
