//! The connection to one engine, which is asked once. Every connection begins with the engine's proof that it
//! knows the token (see [`downbeat_engine::proven`]); only then is the token sent on it.

use super::request::Request;
use crate::failure::Failure;
use crate::home::{Home, Manifest};
use crate::inside;
use downbeat_engine::proven::{Connection, Lost, Unproven};
use downbeat_wire::{ApiError, Code, Operation, key};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// The time for which a connection is kept for the next request: less than an engine keeps it.
const REST: Duration = Duration::from_secs(5);

/// The connection to one engine.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// Idle connections, and since when. Locked for a push or a pop only.
    resting: Arc<Mutex<Vec<(Connection, Instant)>>>,
    port: u16,
    token: String,
    /// Whether the token is that of the session around this command.
    is_session: bool,
}

/// The reason why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The request was never sent: nobody listens there, or the listener has not proved itself.
    NotReached,
    /// The connection broke after the request may have arrived.
    Broken(String),
    /// The engine refused.
    Refused(ApiError),
}

impl CallError {
    /// Returns whether another engine may answer: this one is missing, closed the connection, or is about to end.
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
            CallError::Broken(why) => Self::new(format!("the engine closed the connection: {why}"))
                .hint("the engine may have been replaced; check `downbeat list` before you try again"),
            CallError::Refused(error) => Self(error),
        }
    }
}

impl Link {
    /// Builds a link to the engine at a port, for the owner of a token.
    pub(crate) fn new(port: u16, token: impl Into<String>) -> Self {
        Self {
            resting: Arc::default(),
            port,
            token: token.into(),
            is_session: false,
        }
    }

    /// Connects to the running engine, if there is one and it proves itself. Inside a session, requests are
    /// sent as that session.
    pub(super) async fn running(home: &Home) -> Result<Option<Self>, Failure> {
        let Some(Manifest { port, token, .. }) = home.manifest() else {
            return Ok(None);
        };
        let inside = home.inside();
        let is_session = inside.is_some();
        let mut link = Self::new(port, inside.map_or(token, |inside| inside.token));
        link.is_session = is_session;
        match Connection::open(port, &link.token).await {
            Ok(connection) => {
                link.rest(connection);
                Ok(Some(link))
            }
            Err(Unproven::Stranger(_)) if is_session => {
                let failure =
                    Failure::forbidden("the token of this session is not valid, or no longer valid");
                Err(failure.hint(inside::WAY_OUT))
            }
            Err(why) => {
                tracing::debug!("no engine: {why}");
                Ok(None)
            }
        }
    }

    /// Returns the port of the engine.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether requests are sent as the session around this command rather than as the person.
    pub(crate) fn is_session(&self) -> bool {
        self.is_session
    }

    /// Returns the token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Attempts an operation once, with JSON on both ends.
    pub(crate) async fn once(
        &self,
        row: &Operation,
        request: Value,
        key: Option<String>,
    ) -> Result<Value, CallError> {
        self.ask(&Request::operation(row, request, key)).await
    }

    /// Attempts a request once.
    pub(super) async fn ask(&self, request: &Request) -> Result<Value, CallError> {
        self.answer(request).await.map_err(|error| match error {
            CallError::Refused(error) if self.is_session && error.code == Code::Forbidden => {
                let hint = error.hint.clone().unwrap_or_else(|| inside::WAY_OUT.to_owned());
                CallError::Refused(error.hint(hint))
            }
            other => other,
        })
    }

    async fn answer(&self, request: &Request) -> Result<Value, CallError> {
        let body = request.body.as_ref().map(|body| body.to_string().into_bytes());
        let key = request.key.as_deref().map(|key| (key::HEADER, key));
        loop {
            let rested = self.rested();
            let is_new = rested.is_none();
            let mut connection = match rested {
                Some(connection) => connection,
                None => self.open().await?,
            };
            let sent = connection.send(&request.method, &request.path, key, body.clone());
            match sent.await {
                Ok((status, answer)) => {
                    self.rest(connection);
                    return read(status, &answer);
                }
                // The connection ended while it was idle; the attempt on a new one decides.
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

    /// Opens a proven connection, without the token on it yet.
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

fn strange(status: u16) -> ApiError {
    ApiError::new(
        Code::Failed,
        format!("the engine answered {status} without saying why"),
    )
    .hint("another program may use that port; `downbeat doctor` checks")
}
