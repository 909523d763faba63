//! Sends a request to one engine after the other until there is an answer.

use super::headless;
use super::link::{CallError, Link};
use super::request::{Request, new_key};
use crate::failure::Failure;
use crate::home::Home;
use downbeat_wire::{Misfit, Operation};
use serde_json::Value;
use std::ops::Deref;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The time limit for an engine that is being replaced. A handover takes under five seconds, on a busy
/// machine perhaps three times that.
const REPLACED: Duration = Duration::from_secs(20);

/// The pause between two attempts in that time.
const LOOK: Duration = Duration::from_millis(100);

/// A client of the engine of one home, whichever engine that is at the time of a request.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// The engine that is asked first.
    link: Link,
    /// The home in which the next engine is looked for.
    home: Home,
}

impl Deref for Client {
    type Target = Link;

    fn deref(&self) -> &Link {
        &self.link
    }
}

impl downbeat_wire::Client for Client {
    type Error = CallError;

    async fn call_json(&self, row: &'static Operation, request: Value) -> Result<Value, CallError> {
        self.repeat(&Request::operation(row, request, new_key(row))).await
    }

    fn misfit(misfit: Misfit) -> CallError {
        let (Misfit::Request(error) | Misfit::Answer(error)) = misfit;
        CallError::Broken(format!("unexpected JSON: {error}"))
    }
}

impl Client {
    /// Connects to the running engine, if there is one and it proves itself. Inside a session, requests are
    /// sent as that session.
    pub(crate) async fn running(home: &Home) -> Result<Option<Self>, Failure> {
        let link = Link::running(home).await?;
        Ok(link.map(|link| Self::over(link, home)))
    }

    /// Connects to the running engine, or starts one without a window.
    pub(crate) async fn ready(home: &Home) -> Result<Self, Failure> {
        match Self::running(home).await? {
            Some(client) => Ok(client),
            None => Self::started(home).await,
        }
    }

    /// Connects to an engine without a window, which is started if none runs.
    pub(crate) async fn started(home: &Home) -> Result<Self, Failure> {
        Ok(Self::over(headless::start(home).await?, home))
    }

    fn over(link: Link, home: &Home) -> Self {
        let home = home.clone();
        Self { link, home }
    }

    /// Sends any request, as typed: `downbeat api`.
    pub(crate) async fn raw(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, CallError> {
        let is_read = method == "GET";
        self.repeat(&Request {
            repeats: true,
            key: (!is_read).then(|| Uuid::new_v4().to_string()),
            method: method.to_owned(),
            path: path.to_owned(),
            body,
        })
        .await
    }

    /// Sends a request until there is an answer: if an engine goes away in the middle, its successor gets the
    /// same request, with the same key. The time for that is bounded.
    async fn repeat(&self, request: &Request) -> Result<Value, CallError> {
        // A request may wait long by itself, so the time limit starts at the first lost answer.
        let mut until = None;
        let mut link = self.link.clone();
        loop {
            let answer = link.ask(request).await;
            let is_lost = answer.as_ref().is_err_and(CallError::is_lost);
            if !is_lost || !request.repeats {
                return answer;
            }
            if Instant::now() >= *until.get_or_insert_with(|| Instant::now() + REPLACED) {
                return answer;
            }
            tokio::time::sleep(LOOK).await;
            // An engine that cannot be reached now may be there at the next attempt.
            if let Ok(next) = Self::ready(&self.home).await {
                link = next.link;
            }
        }
    }
}
