//! Talks to the engine's HTTP API by walking the same table the server walks. Only an engine that is
//! just being replaced, and refuses everything, is asked again; the bridge that agents use has its
//! own rules (see [`crate::mcp`]).

use crate::failure::Failure;
use crate::headless;
use crate::home::{Home, Manifest};
use crate::inside::{self, Inside};
use downbeat_wire::{ApiError, Code, OPERATIONS};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// How long connecting to a loopback port may take.
const CONNECT: Duration = Duration::from_secs(2);

/// How long a connection is kept for the next request: less than an engine keeps it.
const REST: Duration = Duration::from_secs(5);

/// How long an engine may take to say that it is there.
const PING: Duration = Duration::from_secs(3);

/// How long an engine that is being replaced is waited for: a handover takes under five seconds.
const REPLACED: Duration = Duration::from_secs(10);

/// Between two tries meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// A client of one engine.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    port: u16,
    token: String,
    /// Whether the token is that of the session around this command.
    is_session: bool,
    /// Where the engine that takes over is looked for.
    home: Option<Home>,
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// Nobody listens: the request never arrived.
    NotReached,
    /// The connection broke after the request may have arrived.
    Broken(String),
    /// The engine said no.
    Refused(ApiError),
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::NotReached => Self::new("the engine does not answer").hint("downbeat doctor"),
            CallError::Broken(why) => Self::new(format!("the engine broke off: {why}"))
                .hint("the engine may have been replaced; look at `downbeat list` before trying again"),
            CallError::Refused(error) => Self(error),
        }
    }
}

impl Client {
    /// A client for a port and a token.
    pub(crate) fn new(port: u16, token: impl Into<String>) -> Result<Self, Failure> {
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .pool_idle_timeout(REST)
            .no_proxy()
            .build();
        Ok(Self {
            http: http.map_err(|error| Failure::new(format!("no HTTP client: {error}")))?,
            port,
            token: token.into(),
            is_session: false,
            home: None,
        })
    }

    /// The engine that runs now, if one does. Inside a session it is asked as that session.
    pub(crate) async fn running(home: &Home) -> Result<Option<Self>, Failure> {
        let Some(Manifest { port, token, .. }) = home.manifest() else {
            return Ok(None);
        };
        let (mut client, path) = match Inside::of(home) {
            None => (Self::new(port, token)?, "/api/engine".to_owned()),
            Some(inside) => {
                let path = format!("/api/sessions/{}/status", encode(&inside.session));
                let mut client = Self::new(port, inside.token)?;
                client.is_session = true;
                (client, path)
            }
        };
        client.home = Some(home.clone());
        let ping = client.request(Method::GET, &path).timeout(PING).send().await;
        let status = ping.map(|answer| answer.status());
        if client.is_session && matches!(status, Ok(StatusCode::UNAUTHORIZED)) {
            let failure = Failure::forbidden("the token of this session does not count (any more)");
            return Err(failure.hint(inside::WAY_OUT));
        }
        // A refusal means that someone else got the port of a dead engine.
        Ok(status.is_ok_and(|status| status.is_success()).then_some(client))
    }

    /// The engine that runs now, else one started without a window.
    pub(crate) async fn ready(home: &Home) -> Result<Self, Failure> {
        match Self::running(home).await? {
            Some(client) => Ok(client),
            None => headless::start(home).await,
        }
    }

    /// Where it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Whether it acts as the session around this command rather than as the person.
    pub(crate) fn is_session(&self) -> bool {
        self.is_session
    }

    /// What it shows to get in.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Runs the operation `name` of the table.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        name: &str,
        request: impl Serialize,
    ) -> Result<R, CallError> {
        let broken = |error: serde_json::Error| CallError::Broken(format!("unexpected JSON: {error}"));
        let request = serde_json::to_value(request).map_err(broken)?;
        let answer = self.call_while_replaced(name, request).await?;
        serde_json::from_value(answer).map_err(broken)
    }

    /// As [`Client::call_json`]; where the engine that was asked is just being replaced, its
    /// successor is asked, for a bounded time. A refused call changed nothing.
    async fn call_while_replaced(&self, name: &str, request: Value) -> Result<Value, CallError> {
        let until = Instant::now() + REPLACED;
        let mut client = self.clone();
        loop {
            let answer = client.call_json(name, request.clone()).await;
            let replaced =
                matches!(&answer, Err(CallError::Refused(error)) if error.code == Code::Unavailable);
            let Some(home) = self
                .home
                .clone()
                .filter(|_| replaced && name != "shutdown_engine")
            else {
                return answer;
            };
            if Instant::now() >= until {
                return answer;
            }
            tokio::time::sleep(LOOK).await;
            // One that cannot be had now may be there at the next look.
            if let Ok(next) = Box::pin(Self::ready(&home)).await {
                client = next;
            }
        }
    }

    /// The same with JSON on both ends.
    pub(crate) async fn call_json(&self, name: &str, request: Value) -> Result<Value, CallError> {
        let row = OPERATIONS.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| CallError::Refused(ApiError::not_found("operation", name)))?;
        let mut fields = match request {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        fields.retain(|_, value| !value.is_null());
        let path = fill(row.path, &mut fields);
        let method = row.method.parse().unwrap_or(Method::GET);
        let sends_body = matches!(row.method, "POST" | "PATCH");
        let request = self.request(method, &path);
        let request = match fields.is_empty() {
            true => request,
            false if sends_body => request.json(&fields),
            false => request.query(
                &fields
                    .iter()
                    .map(|(name, v)| (name, as_text(v)))
                    .collect::<Vec<_>>(),
            ),
        };
        self.send(request).await
    }

    /// Any request, as typed: `downbeat api`.
    pub(crate) async fn raw(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, CallError> {
        let request = self.request(method, path);
        self.send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value, CallError> {
        send(request).await.map_err(|error| match error {
            CallError::Refused(error) if self.is_session && error.code == Code::Forbidden => {
                let hint = error.hint.clone().unwrap_or_else(|| inside::WAY_OUT.to_owned());
                CallError::Refused(error.hint(hint))
            }
            other => other,
        })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        self.http.request(method, url).bearer_auth(&self.token)
    }
}

async fn send(request: RequestBuilder) -> Result<Value, CallError> {
    let response = request.send().await.map_err(|error| match error.is_connect() {
        true => CallError::NotReached,
        false => CallError::Broken(error.to_string()),
    })?;
    let status = response.status();
    let body = response
        .bytes()
        .await
        .map_err(|error| CallError::Broken(error.to_string()))?;
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(|error| CallError::Broken(error.to_string()));
    }
    Err(CallError::Refused(
        serde_json::from_slice(&body).unwrap_or_else(|_| strange(status)),
    ))
}

fn strange(status: StatusCode) -> ApiError {
    ApiError::new(
        Code::Failed,
        format!("the engine answered {status} without saying why"),
    )
    .hint("is that port another program's? `downbeat doctor` looks")
}

/// Puts fields into the braces of a path, taking them out of the request.
fn fill(pattern: &str, fields: &mut Map<String, Value>) -> String {
    let segment = |part: &str| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        Some(name) => encode(&fields.remove(name).map(|v| as_text(&v)).unwrap_or_default()),
        None => part.to_owned(),
    };
    pattern.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text as one path segment.
fn encode(text: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    text.bytes()
        .map(|b| {
            if keep(b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_filled_with_one_segment_whatever_is_inside() {
        for (id, want) in [("a", "/x/a/y"), ("a/../b ü", "/x/a%2F%2E%2E%2Fb%20%C3%BC/y")] {
            let Value::Object(mut fields) = json!({"id": id, "n": 1}) else {
                unreachable!()
            };
            assert_eq!(fill("/x/{id}/y", &mut fields), want);
            assert_eq!(Value::Object(fields), json!({"n": 1}));
        }
    }
}
