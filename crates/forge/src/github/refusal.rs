//! What a status and its headers mean. The order matters: GitHub uses 403 for limits, scopes, single sign-on and archived
//! repositories alike, and 404 for what a token may not see.

use crate::error::{ForgeError, Login};
use crate::http::asked::{Asked, Dialect, Refusal, listed};
use crate::http::meter::{Headers, retry_after, text};
use crate::text::line;
use crate::types::write::Write;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde::Deserialize;

/// How GitHub differs from other forges.
pub(super) static DIALECT: Dialect = Dialect {
    login: Login::Gh,
    limits: Headers::GitHub,
    requests: "core",
    headers: &[
        ("accept", "application/vnd.github+json"),
        ("x-github-api-version", "2022-11-28"),
    ],
    scheme: "Bearer ",
    refused,
};

#[derive(Deserialize, Default)]
struct Body {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<serde_json::Value>,
}

/// Returns the error for a status other than 2xx and 3xx, and notes limits in the meter.
fn refused(asked: &Asked<'_>, refusal: &Refusal<'_>) -> ForgeError {
    let body: Body = serde_json::from_slice(refusal.body).unwrap_or_default();
    let why = words(&body);
    match refusal.status.as_u16() {
        401 => asked.rejected(),
        403 | 429 => limited(asked, refusal, &why)
            .or_else(|| not_allowed(asked, refusal.headers, &why))
            .unwrap_or_else(|| asked.forbidden(why)),
        404 | 410 | 451 => missing_scopes(asked, refusal.headers).unwrap_or_else(|| asked.gone()),
        500.. => asked.failed_with(refusal.status, &why),
        status if why.is_empty() => asked.will_not(format!("status {status}")),
        _ => refusal_of(asked, why),
    }
}

/// The errors of limits.
fn limited(asked: &Asked<'_>, refusal: &Refusal<'_>, why: &str) -> Option<ForgeError> {
    let Refusal {
        headers, meter, now, ..
    } = *refusal;
    let named = retry_after(headers, now);
    if named.is_none() && text(headers, "x-ratelimit-remaining") == Some("0") {
        return Some(asked.exhausted(meter, now));
    }
    let lower = why.to_ascii_lowercase();
    let secondary = lower.contains("secondary rate limit") || lower.contains("abuse detection");
    if named.is_some() || secondary || refusal.status == StatusCode::TOO_MANY_REQUESTS {
        return Some(asked.slower(named, meter, now));
    }
    None
}

/// The errors of single sign-on, archived repositories and scopes.
fn not_allowed(asked: &Asked<'_>, headers: &HeaderMap, why: &str) -> Option<ForgeError> {
    sign_on(headers)
        .or_else(|| asked.archived(why))
        .or_else(|| missing_scopes(asked, headers))
}

/// Names the scopes of a classic token, or the permissions of a fine-grained one, if none of them is there.
fn missing_scopes(asked: &Asked<'_>, headers: &HeaderMap) -> Option<ForgeError> {
    let list = |name| text(headers, name).map(|names| listed(names, ','));
    let has = list("x-oauth-scopes");
    let needs = match (&has, list("x-accepted-oauth-scopes")) {
        (Some(has), Some(needs)) if !needs.is_empty() && !needs.iter().any(|one| has.contains(one)) => needs,
        (None, _) => list("x-accepted-github-permissions").filter(|needs| !needs.is_empty())?,
        _ => return None,
    };
    Some(asked.scopes(needs, has.unwrap_or_default()))
}

/// The forge understood and will not. The words are GitHub's own; they are the same for years, and whoever does not know
/// them gets them as they are.
pub(super) fn refusal_of(asked: &Asked<'_>, why: String) -> ForgeError {
    let lower = why.to_ascii_lowercase();
    if lower.contains("a pull request already exists") {
        return ForgeError::AlreadyExists;
    }
    if lower.contains("base branch was modified") {
        let what = asked.what.to_owned();
        return ForgeError::BaseMoved { what };
    }
    asked.will_not(why)
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
