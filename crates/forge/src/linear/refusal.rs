//! What a status and an error of GraphQL mean. Linear says what is wrong in `extensions` of the first error, with a status that
//! may be 200 or 400 (<https://linear.app/developers/graphql>, <https://linear.app/developers/rate-limiting>).

use crate::error::{ForgeError, Login};
use crate::http::asked::{Asked, Dialect, Refusal};
use crate::http::meter::{Headers, Meter, retry_after, text};
use crate::text::line;
use hyper::header::HeaderMap;
use jiff::Timestamp;
use serde::Deserialize;
use std::time::Duration;

/// A personal key stands alone in its header.
pub(super) static WITH_KEY: Dialect = Dialect {
    login: Login::Linear,
    limits: Headers::Linear,
    requests: "requests",
    headers: &[("accept", "application/json")],
    scheme: "",
    refused,
};

/// A token of OAuth.
pub(super) static WITH_TOKEN: Dialect = Dialect {
    scheme: "Bearer ",
    ..WITH_KEY
};

/// The longest wait that Linear's limits ask for: they are of an hour.
const LONGEST: Duration = Duration::from_secs(3600);

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub(super) struct GraphError {
    message: String,
    extensions: Extensions,
}

#[derive(Debug, Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Extensions {
    code: Option<String>,
    user_presentable_message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Body {
    errors: Vec<GraphError>,
}

/// Returns the error for a status other than 2xx and 3xx.
fn refused(asked: &Asked<'_>, refusal: &Refusal<'_>) -> ForgeError {
    let body: Body = serde_json::from_slice(refusal.body).unwrap_or_default();
    let error = body.errors.into_iter().next();
    let with = (refusal.headers, refusal.meter, refusal.now);
    match (refusal.status.as_u16(), error) {
        (401, _) => asked.rejected(),
        (429, _) => limited(asked, with),
        (500.., error) => asked.failed_with(
            refusal.status,
            &error.map(|error| error.words()).unwrap_or_default(),
        ),
        (_, Some(error)) => error.meaning(asked, with),
        (403, None) => asked.forbidden(String::new()),
        (404, None) => asked.gone(),
        (status, None) => asked.will_not(format!("status {status}")),
    }
}

impl GraphError {
    /// Returns the error that it stands for.
    pub(super) fn meaning(&self, asked: &Asked<'_>, with: (&HeaderMap, &Meter, Timestamp)) -> ForgeError {
        let why = self.words();
        if self.is_repeat() {
            return ForgeError::AlreadyExists;
        }
        match self.extensions.code.as_deref().unwrap_or_default() {
            "RATELIMITED" => limited(asked, with),
            "AUTHENTICATION_ERROR" => asked.rejected(),
            "FORBIDDEN" => asked.forbidden(why),
            "INTERNAL_SERVER_ERROR" => asked.server_fault(why),
            _ if self.message.starts_with("Entity not found") => asked.gone(),
            _ => asked.will_not(why),
        }
    }

    /// Whether it says that something with this id is there already.
    fn is_repeat(&self) -> bool {
        let lower = self.words().to_ascii_lowercase();
        lower.contains("already exists") || lower.contains("conflict on insert")
    }

    fn words(&self) -> String {
        line(
            self.extensions
                .user_presentable_message
                .as_deref()
                .unwrap_or(&self.message),
        )
    }
}

/// Requests came too fast: until the time that the answer names.
fn limited(asked: &Asked<'_>, (headers, meter, now): (&HeaderMap, &Meter, Timestamp)) -> ForgeError {
    let reset = text(headers, "x-ratelimit-requests-reset").and_then(|text| text.parse().ok());
    let until = reset.and_then(|millisecond: i64| Timestamp::from_millisecond(millisecond).ok());
    let left = until.and_then(|until| Duration::try_from(until.duration_since(now)).ok());
    let named = retry_after(headers, now).or(left.filter(|left| *left <= LONGEST));
    asked.slower(named, meter, now)
}
