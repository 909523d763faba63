//! Takes webhooks of forges. Their senders have no token; the engine checks that they know the secret. What is read before
//! that is bounded in size, in time and in number.

use crate::body;
use crate::face::Face;
use crate::refusal::Refusal;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use downbeat_wire::webhook::{Webhook, WebhookFrom, WebhookOutcome};
use downbeat_wire::{ApiError, Code};
use std::collections::BTreeMap;

/// The maximum size of a webhook's body, in bytes. Those about pull requests have some ten to some hundred thousand.
const BODY_LIMIT: usize = 4 << 20;

/// The maximum number of webhooks that are read at the same time.
pub(crate) const AT_ONCE: usize = 8;

/// The longest header that is passed on, in bytes.
const LONGEST_HEADER: usize = 1024;

/// What the headers of forges begin with.
const OF_FORGES: [&str; 5] = ["x-hub-", "x-github-", "x-gitlab-", "webhook-", "idempotency-key"];

/// Seconds after which to try again if there are too many.
const AGAIN: HeaderValue = HeaderValue::from_static("30");

pub(crate) async fn github(State(face): State<Face>, request: Request) -> Response {
    answer(&face, WebhookFrom::GitHub, request).await
}

pub(crate) async fn gitlab(State(face): State<Face>, request: Request) -> Response {
    answer(&face, WebhookFrom::GitLab, request).await
}

async fn answer(face: &Face, from: WebhookFrom, request: Request) -> Response {
    match take(face, from, request).await {
        Ok(response) => response,
        Err(refusal) => {
            let mut response = refusal.into_response();
            if response.status() == StatusCode::TOO_MANY_REQUESTS {
                response.headers_mut().insert(RETRY_AFTER, AGAIN);
            }
            response
        }
    }
}

async fn take(face: &Face, from: WebhookFrom, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    is_json(&parts.headers)?;
    let Ok(_place) = face.webhooks.try_acquire() else {
        let error = ApiError::new(Code::LimitReached, "too many webhooks arrive at the same time");
        return Err(Refusal::with_status(StatusCode::TOO_MANY_REQUESTS, error));
    };
    let webhook = Webhook {
        from,
        headers: headers(&parts.headers)?,
        body: body::read(body, BODY_LIMIT).await?,
    };
    let receipt = face
        .host
        .take_webhook(webhook)
        .await
        .map_err(|error| match error.code {
            Code::Forbidden => Refusal::with_status(StatusCode::UNAUTHORIZED, error),
            Code::LimitReached => Refusal::with_status(StatusCode::TOO_MANY_REQUESTS, error),
            _ => error.into(),
        })?;
    let status = match receipt.outcome {
        WebhookOutcome::Taken => StatusCode::ACCEPTED,
        WebhookOutcome::Ignored | WebhookOutcome::Repeated => StatusCode::OK,
    };
    Ok((status, Json(receipt)).into_response())
}

/// Refuses a body that does not say that it is JSON.
fn is_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = said.unwrap_or_default().split(';').next().unwrap_or_default();
    match kind.trim().eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => {
            let error = ApiError::invalid("a webhook is application/json")
                .hint("choose that content type at the forge");
            Err(Refusal::with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, error))
        }
    }
}

/// Returns the headers that forges set. Each may be there once.
fn headers(all: &HeaderMap) -> Result<BTreeMap<String, String>, ApiError> {
    let mut found = BTreeMap::new();
    for (name, value) in all {
        let name = name.as_str();
        if !OF_FORGES.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let text = value.to_str().ok().filter(|text| text.len() <= LONGEST_HEADER);
        let text = text.ok_or_else(|| ApiError::invalid(format!("the header {name} is not a short text")))?;
        if found.insert(name.to_owned(), text.to_owned()).is_some() {
            return Err(ApiError::invalid(format!("the header {name} is there twice")));
        }
    }
    Ok(found)
}
