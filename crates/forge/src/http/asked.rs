//! What a refused request was, and the errors that it may lead to. What a status and a body mean differs between forges:
//! each passes a function for that in its [`Dialect`].

use crate::error::{ForgeError, Login};
use crate::text::line;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use jiff::Timestamp;
use std::time::Duration;

use super::meter::{Headers, Meter, Resource};
use super::token::Token;

/// The wait where a forge asks for slower requests and names none.
const UNNAMED: Duration = Duration::from_secs(60);

/// How a forge differs from others below its API.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// How a person logs in.
    pub(crate) login: Login,
    /// The headers of its limits.
    pub(crate) limits: Headers,
    /// Its word for the limit of requests.
    pub(crate) requests: &'static str,
    /// Headers that every request has.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// What stands before the token in the header `authorization`.
    pub(crate) scheme: &'static str,
    /// What a status other than 2xx and 3xx means.
    pub(crate) refused: fn(&Asked<'_>, &Refusal<'_>) -> ForgeError,
}

/// An answer that refuses.
pub(crate) struct Refusal<'a> {
    pub(crate) status: StatusCode,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
    pub(crate) meter: &'a Meter,
    pub(crate) now: Timestamp,
}

/// What a request was.
pub(crate) struct Asked<'a> {
    /// The host.
    pub(crate) host: &'a str,
    /// Its forge.
    pub(crate) dialect: &'static Dialect,
    /// The token that it was sent with.
    pub(crate) token: &'a Token,
    /// What was asked, as in "merge the pull request".
    pub(crate) what: &'a str,
    /// Whether it changes something.
    pub(crate) writes: bool,
    /// The limit that it counts against.
    pub(crate) resource: Resource,
}

impl Asked<'_> {
    /// The token is not accepted.
    pub(crate) fn rejected(&self) -> ForgeError {
        ForgeError::TokenRejected {
            host: self.host.to_owned(),
            origin: self.token.origin().to_owned(),
            login: self.dialect.login,
        }
    }

    /// The limit is used up.
    pub(crate) fn exhausted(&self, meter: &Meter, now: Timestamp) -> ForgeError {
        self.limit_reached(meter.exhaust(self.resource, now))
    }

    /// The limit is used up for this time.
    pub(crate) fn limit_reached(&self, resets_in: Duration) -> ForgeError {
        let resource = match self.resource {
            Resource::Requests => self.dialect.requests,
            Resource::Points => "graphql",
        };
        ForgeError::LimitReached {
            host: self.host.to_owned(),
            resource: resource.to_owned(),
            resets_in,
        }
    }

    /// Requests came too fast.
    pub(crate) fn slower(&self, named: Option<Duration>, meter: &Meter, now: Timestamp) -> ForgeError {
        let retry_after = named.unwrap_or(UNNAMED);
        meter.hold(retry_after, now);
        ForgeError::SlowDown {
            host: self.host.to_owned(),
            retry_after,
        }
    }

    /// The token lacks these scopes.
    pub(crate) fn scopes(&self, needs: Vec<String>, has: Vec<String>) -> ForgeError {
        ForgeError::MissingScopes {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
            needs,
            has,
            login: self.dialect.login,
        }
    }

    /// The repository is archived, if these words say so.
    pub(crate) fn archived(&self, why: &str) -> Option<ForgeError> {
        let lower = why.to_ascii_lowercase();
        let archived =
            lower.contains("archived") && (lower.contains("read-only") || lower.contains("read only"));
        archived.then(|| ForgeError::Archived {
            what: self.what.to_owned(),
        })
    }

    /// 403 for another reason than scopes and limits.
    pub(crate) fn forbidden(&self, why: String) -> ForgeError {
        self.archived(&why).unwrap_or_else(|| ForgeError::Forbidden {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
            why: or_silent(why),
        })
    }

    /// Not there.
    pub(crate) fn gone(&self) -> ForgeError {
        ForgeError::Gone {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
        }
    }

    /// The forge failed.
    pub(crate) fn server_fault(&self, why: String) -> ForgeError {
        let (host, what) = (self.host.to_owned(), self.what.to_owned());
        ForgeError::ServerFault {
            host,
            what,
            why,
            outcome_unknown: self.writes,
        }
    }

    /// The forge failed with a status.
    pub(crate) fn failed_with(&self, status: StatusCode, why: &str) -> ForgeError {
        let said = if why.is_empty() {
            String::new()
        } else {
            format!(": {why}")
        };
        self.server_fault(format!("status {}{said}", status.as_u16()))
    }

    /// The answer cannot be read.
    pub(crate) fn unreadable(&self, why: String) -> ForgeError {
        let (host, what) = (self.host.to_owned(), self.what.to_owned());
        ForgeError::Unreadable {
            host,
            what,
            why,
            outcome_unknown: self.writes,
        }
    }

    /// The head or the branch is not at the commit that the write was about.
    pub(crate) fn head_moved(&self, expected: &str) -> ForgeError {
        ForgeError::HeadMoved {
            what: self.what.to_owned(),
            expected: expected.to_owned(),
        }
    }

    /// The forge understood and will not, for a reason that no other error has.
    pub(crate) fn will_not(&self, why: String) -> ForgeError {
        self.archived(&why).unwrap_or_else(|| ForgeError::Refused {
            host: self.host.to_owned(),
            what: self.what.to_owned(),
            why: or_silent(why),
        })
    }
}

/// Splits a list of names.
pub(crate) fn listed(names: &str, by: char) -> Vec<String> {
    names
        .split(by)
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(line)
        .collect()
}

fn or_silent(why: String) -> String {
    if why.is_empty() {
        "it gave no reason".to_owned()
    } else {
        why
    }
}
