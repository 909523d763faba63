//! A receiver of notices on loopback: it records requests, and refuses what Slack, Discord, ntfy, Composio, OpenClaw and a
//! signed webhook would refuse. Not their interfaces beyond that.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt as _;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The secret in every address, token and key that this receiver accepts.
pub const SECRET: &str = "s3cret-of-the-receiver";

/// A request that was received.
#[derive(Debug, Clone, PartialEq)]
pub struct Got {
    /// The path, with the query.
    pub path: String,
    /// The headers.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
}

/// What a receiver does once, instead of judging the request.
#[derive(Debug, Clone)]
pub enum Act {
    /// Answers with this status, this `Retry-After` and this text.
    Answer(u16, Option<&'static str>, String),
    /// Never answers.
    Hang,
    /// Ends the connection in the middle of the answer's body.
    Truncate(u16),
}

/// A running receiver, which ends when this is dropped.
pub struct Receiver {
    /// Its address, without a slash at the end.
    pub url: String,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    got: Mutex<Vec<Got>>,
    acts: Mutex<VecDeque<Act>>,
}

impl Receiver {
    /// Listens on a free port of loopback.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        let app = Router::new()
            .fallback(any(answer))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, shared, task }
    }

    /// Lets the next requests get these, in order.
    pub fn next(&self, acts: impl IntoIterator<Item = Act>) {
        let mut next = self.shared.acts.lock().unwrap_or_else(PoisonError::into_inner);
        next.extend(acts);
    }

    /// Returns what was received.
    pub fn got(&self) -> Vec<Got> {
        self.shared
            .got
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns what was received at paths that begin like this.
    pub fn at(&self, path: &str) -> Vec<Got> {
        let mut got = self.got();
        got.retain(|one| one.path.starts_with(path));
        got
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let headers = headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    let text = String::from_utf8_lossy(&body).into_owned();
    let got = Got {
        path: uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        headers: headers.collect(),
        body: serde_json::from_str(&text).unwrap_or(Value::Null),
    };
    shared
        .got
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(got.clone());
    let act = shared
        .acts
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pop_front();
    match act {
        None => judged(&got, &text),
        Some(Act::Hang) => std::future::pending().await,
        Some(Act::Truncate(status)) => {
            let start = async { Ok(Bytes::from_static(b"{\"successful\": ")) };
            let cut = async {
                // What comes before is sent meanwhile.
                tokio::task::yield_now().await;
                Err(std::io::Error::other("cut"))
            };
            let pieces = futures_util::stream::once(start).chain(futures_util::stream::once(cut));
            let body = Body::from_stream(pieces);
            (StatusCode::from_u16(status).unwrap(), body).into_response()
        }
        Some(Act::Answer(status, retry_after, text)) => {
            let mut response = (StatusCode::from_u16(status).unwrap(), text).into_response();
            if let Some(after) = retry_after {
                response
                    .headers_mut()
                    .insert("retry-after", after.parse().unwrap());
            }
            response
        }
    }
}

/// Answers as the receiver at this path would.
fn judged(got: &Got, text: &str) -> Response {
    let refused =
        |status: u16, why: &str| (StatusCode::from_u16(status).unwrap(), why.to_owned()).into_response();
    let verdict = match got.path.split(['?', '/']).nth(1).unwrap_or_default() {
        "slack" => slack(got),
        "discord" => discord(got),
        "hooks" => openclaw(got),
        "api" => composio(got),
        "hook" => webhook(got, text),
        "" => ntfy(got),
        _ => Err((404, "nothing is here")),
    };
    match verdict {
        Ok(answer) => answer.to_string().into_response(),
        Err((status, why)) => refused(status, why),
    }
}

type Verdict = Result<Value, (u16, &'static str)>;

fn units(text: &Value) -> usize {
    text.as_str().unwrap_or_default().encode_utf16().count()
}

fn slack(got: &Got) -> Verdict {
    if !got.path.ends_with(SECRET) {
        return Err((404, "no_service"));
    }
    let blocks = got.body["blocks"].as_array().cloned().unwrap_or_default();
    let fits = |block: &Value| match block["type"].as_str() {
        Some("header") => (1..=150).contains(&units(&block["text"]["text"])),
        Some("section") => (1..=3000).contains(&units(&block["text"]["text"])),
        Some("context") => true,
        _ => false,
    };
    match blocks.len() <= 50 && blocks.iter().all(fits) && units(&got.body["text"]) <= 40_000 {
        true => Ok(json!("ok")),
        false => Err((400, "invalid_blocks")),
    }
}

fn discord(got: &Got) -> Verdict {
    let (path, query) = got.path.split_once('?').unwrap_or((&got.path, ""));
    if !path.ends_with(SECRET) {
        return Err((401, r#"{"message": "Invalid Webhook Token", "code": 50027}"#));
    }
    let embeds = got.body["embeds"].as_array().cloned().unwrap_or_default();
    let length = |embed: &Value| {
        let parts = [&embed["title"], &embed["description"], &embed["footer"]["text"]];
        parts.map(units).into_iter().sum::<usize>()
    };
    let fits = |embed: &Value| units(&embed["title"]) <= 256 && units(&embed["description"]) <= 4096;
    let is_within =
        embeds.len() <= 10 && embeds.iter().all(fits) && embeds.iter().map(length).sum::<usize>() <= 6000;
    let is_quiet = got.body["allowed_mentions"]["parse"] == json!([]);
    match is_within && is_quiet && query.split('&').any(|part| part == "wait=true") {
        true => Ok(json!({ "id": "1" })),
        false => Err((400, r#"{"code": 50035, "message": "Invalid Form Body"}"#)),
    }
}

fn bearer(got: &Got) -> bool {
    got.headers
        .get("authorization")
        .is_some_and(|value| *value == format!("Bearer {SECRET}"))
}

fn openclaw(got: &Got) -> Verdict {
    match () {
        () if got.path.contains("token=") => Err((400, "tokens in the query are refused")),
        () if !bearer(got) => Err((401, "Unauthorized")),
        () if got.body.get("sessionKey").is_some() => Err((400, "sessionKey is not allowed")),
        () if got.body["message"].is_string() => Ok(json!({ "ok": true, "runId": "1" })),
        () => Err((400, "message is required")),
    }
}

fn composio(got: &Got) -> Verdict {
    if got.headers.get("x-api-key").is_none_or(|key| key != SECRET) {
        return Err((401, r#"{"error": {"message": "Invalid API key"}}"#));
    }
    let has_user = got.body.get("user_id").is_some() || got.body.get("connected_account_id").is_some();
    let is_there = got.body["arguments"]["channel"] != json!("#nowhere");
    match (has_user, is_there) {
        (true, true) => Ok(json!({ "successful": true, "data": {}, "error": null })),
        (true, false) => Ok(json!({ "successful": false, "data": {}, "error": "channel_not_found" })),
        (false, _) => Err((400, "user_id is required")),
    }
}

fn ntfy(got: &Got) -> Verdict {
    let message = got.body["message"].as_str().unwrap_or_default();
    match (bearer(got), got.body["topic"].as_str()) {
        (false, _) => Err((403, "forbidden")),
        (true, Some("topic")) if message.len() <= 4096 => Ok(json!({ "id": "x", "event": "message" })),
        (true, _) => Err((400, "invalid request")),
    }
}

/// Checks the signature as Standard Webhooks describes; the key is the secret itself.
fn webhook(got: &Got, body: &str) -> Verdict {
    let header = |name: &str| got.headers.get(name).cloned().unwrap_or_default();
    let signed = format!("{}.{}.{body}", header("webhook-id"), header("webhook-timestamp"));
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    let wanted = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    match header("webhook-signature") == wanted {
        true => Ok(json!({})),
        false => Err((401, "the signature is wrong")),
    }
}
