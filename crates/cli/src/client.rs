//! Talks to the engine's HTTP API by walking the same table the server walks. Every connection begins
//! with the engine's proof that it knows the token (see [`downbeat_engine::proven`]); only then is the
//! token sent on it. Where an engine goes away before it answered, the next one is asked again: each
//! request has one idempotency key for all its attempts, so that it happens once.

use crate::failure::Failure;
use crate::headless;
use crate::home::{Home, Manifest};
use crate::inside::{self, Inside};
use downbeat_engine::proven::{Connection, Lost, Unproven};
use downbeat_wire::{ApiError, Code, Repeat, key, operation};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use uuid::Uuid;

/// How long a connection is kept for the next request: less than an engine keeps it.
const REST: Duration = Duration::from_secs(5);

/// How long an engine that is being replaced is waited for. A handover takes under five seconds, on a
/// busy machine perhaps three times that.
const REPLACED: Duration = Duration::from_secs(20);

/// Between two tries meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// A client of one engine.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// Connections that rest, and since when. Held for a push or a pop only.
    resting: Arc<Mutex<Vec<(Connection, Instant)>>>,
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
    /// The request was never sent: nobody listens there, or who does has not proved itself.
    NotReached,
    /// The connection broke after the request may have arrived.
    Broken(String),
    /// The engine said no.
    Refused(ApiError),
}

impl CallError {
    /// Whether another engine may answer: this one was not there, broke off, or is going away.
    pub(crate) fn is_lost(&self) -> bool {
        match self {
            Self::NotReached | Self::Broken(_) => true,
            Self::Refused(error) => error.code == Code::Unavailable,
        }
    }
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
    pub(crate) fn new(port: u16, token: impl Into<String>) -> Self {
        Self {
            resting: Arc::default(),
            port,
            token: token.into(),
            is_session: false,
            home: None,
        }
    }

    /// The engine that runs now, if one does and proves it. Inside a session it is asked as that session.
    pub(crate) async fn running(home: &Home) -> Result<Option<Self>, Failure> {
        let Some(Manifest { port, token, .. }) = home.manifest() else {
            return Ok(None);
        };
        let inside = Inside::of(home);
        let is_session = inside.is_some();
        let mut client = Self::new(port, inside.map_or(token, |inside| inside.token));
        client.is_session = is_session;
        client.home = Some(home.clone());
        match Connection::open(port, &client.token).await {
            Ok(connection) => {
                client.rest(connection);
                Ok(Some(client))
            }
            Err(Unproven::Stranger(_)) if is_session => {
                let failure = Failure::forbidden("the token of this session is not valid (any more)");
                Err(failure.hint(inside::WAY_OUT))
            }
            Err(why) => {
                tracing::debug!("no engine: {why}");
                Ok(None)
            }
        }
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
        let answer = self
            .repeat(&Asked::operation(name, request, new_key(name))?)
            .await?;
        serde_json::from_value(answer).map_err(broken)
    }

    /// One attempt at an operation, with JSON on both ends.
    pub(crate) async fn call_json(
        &self,
        name: &str,
        request: Value,
        key: Option<String>,
    ) -> Result<Value, CallError> {
        self.ask(&Asked::operation(name, request, key)?).await
    }

    /// Any request, as typed: `downbeat api`.
    pub(crate) async fn raw(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, CallError> {
        let is_read = method == "GET";
        self.repeat(&Asked {
            repeats: true,
            key: (!is_read).then(|| Uuid::new_v4().to_string()),
            method: method.to_owned(),
            path: path.to_owned(),
            body,
        })
        .await
    }

    /// Asks until there is an answer: an engine that goes away in the middle has a successor, which is
    /// asked the same, under the same key. For a bounded time.
    async fn repeat(&self, asked: &Asked) -> Result<Value, CallError> {
        // A request may wait for long by itself: the time runs from the first lost answer on.
        let mut until = None;
        let mut client = self.clone();
        loop {
            let answer = client.ask(asked).await;
            let is_lost = answer.as_ref().is_err_and(CallError::is_lost);
            let Some(home) = self.home.clone().filter(|_| is_lost && asked.repeats) else {
                return answer;
            };
            if Instant::now() >= *until.get_or_insert_with(|| Instant::now() + REPLACED) {
                return answer;
            }
            tokio::time::sleep(LOOK).await;
            // One that cannot be had now may be there at the next look.
            if let Ok(next) = Box::pin(Self::ready(&home)).await {
                client = next;
            }
        }
    }

    async fn ask(&self, asked: &Asked) -> Result<Value, CallError> {
        self.answer(asked).await.map_err(|error| match error {
            CallError::Refused(error) if self.is_session && error.code == Code::Forbidden => {
                let hint = error.hint.clone().unwrap_or_else(|| inside::WAY_OUT.to_owned());
                CallError::Refused(error.hint(hint))
            }
            other => other,
        })
    }

    async fn answer(&self, asked: &Asked) -> Result<Value, CallError> {
        let body = asked.body.as_ref().map(|body| body.to_string().into_bytes());
        let key = asked.key.as_deref().map(|key| (key::HEADER, key));
        loop {
            let rested = self.rested();
            let is_new = rested.is_none();
            let mut connection = match rested {
                Some(connection) => connection,
                None => self.open().await?,
            };
            let sent = connection.send(&asked.method, &asked.path, key, body.clone());
            match sent.await {
                Ok((status, answer)) => {
                    self.rest(connection);
                    return read(status, &answer);
                }
                // It ended while it rested: a new one says more.
                Err(Lost::Unsent) if !is_new => {}
                Err(Lost::Unsent) => return Err(CallError::NotReached),
                Err(Lost::Broken(why)) => return Err(CallError::Broken(why)),
            }
        }
    }

    async fn open(&self) -> Result<Connection, CallError> {
        let opened = Connection::open(self.port, &self.token).await;
        opened.map_err(|_| CallError::NotReached)
    }

    /// A proven connection, without the token on it yet.
    pub(crate) async fn stream(&self) -> Result<TcpStream, CallError> {
        let stream = self.open().await?.into_stream().await;
        stream.ok_or(CallError::NotReached)
    }

    fn rest(&self, connection: Connection) {
        let mut resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        resting.retain(|(connection, since)| connection.is_open() && since.elapsed() < REST);
        resting.push((connection, Instant::now()));
    }

    fn rested(&self) -> Option<Connection> {
        let mut resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        resting.retain(|(connection, since)| connection.is_open() && since.elapsed() < REST);
        resting.pop().map(|(connection, _)| connection)
    }
}

fn read(status: u16, answer: &[u8]) -> Result<Value, CallError> {
    if (200..300).contains(&status) {
        return serde_json::from_slice(answer).map_err(|_| CallError::Refused(strange(status)));
    }
    Err(CallError::Refused(
        serde_json::from_slice(answer).unwrap_or_else(|_| strange(status)),
    ))
}

/// A request, to be sent as often as it takes.
struct Asked {
    /// Whether it may be sent again when its answer was lost.
    repeats: bool,
    /// The same for every attempt.
    key: Option<String>,
    method: String,
    path: String,
    body: Option<Value>,
}

impl Asked {
    fn operation(name: &str, request: Value, key: Option<String>) -> Result<Self, CallError> {
        let row = operation(name);
        let row = row.ok_or_else(|| CallError::Refused(ApiError::not_found("operation", name)))?;
        let mut fields = match request {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        fields.retain(|_, value| !value.is_null());
        let mut path = fill(row.path, &mut fields);
        let has_body = matches!(row.method, "POST" | "PATCH");
        if !has_body && !fields.is_empty() {
            path.push_str(&query(&fields));
        }
        Ok(Self {
            repeats: row.repeat != Repeat::Never,
            key,
            method: row.method.to_owned(),
            path,
            body: (has_body && !fields.is_empty()).then_some(Value::Object(fields)),
        })
    }
}

/// A key for one more request for an operation, where that takes one.
pub(crate) fn new_key(name: &str) -> Option<String> {
    let is_keyed = operation(name).is_some_and(|row| row.repeat == Repeat::Keyed);
    is_keyed.then(|| Uuid::new_v4().to_string())
}

/// Fields as the query of an address.
fn query(fields: &Map<String, Value>) -> String {
    let pair = |(name, value): (&String, &Value)| format!("{}={}", encode(name), encode(&as_text(value)));
    format!("?{}", fields.iter().map(pair).collect::<Vec<_>>().join("&"))
}

fn strange(status: u16) -> ApiError {
    ApiError::new(
        Code::Failed,
        format!("the engine answered {status} without saying why"),
    )
    .hint("does another program use that port? `downbeat doctor` checks")
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

/// A text as one path segment, or as one part of a query.
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
            assert_eq!(query(&fields), "?n=1");
            assert_eq!(Value::Object(fields), json!({"n": 1}));
        }
    }
}
