//! One engine after the other, asked until there is an answer.

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

/// How long an engine that is being replaced is waited for. A handover takes under five seconds, on a
/// busy machine perhaps three times that.
const REPLACED: Duration = Duration::from_secs(20);

/// Between two tries meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// A client of the engine of one home, whichever that is when it is asked.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// The engine that is asked first.
    link: Link,
    /// Where the engine that takes over is looked for.
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
    /// The engine that runs now, if one does and proves it. Inside a session it is asked as that session.
    pub(crate) async fn running(home: &Home) -> Result<Option<Self>, Failure> {
        let link = Link::running(home).await?;
        Ok(link.map(|link| Self::over(link, home)))
    }

    /// The engine that runs now, else one started without a window.
    pub(crate) async fn ready(home: &Home) -> Result<Self, Failure> {
        match Self::running(home).await? {
            Some(client) => Ok(client),
            None => Self::started(home).await,
        }
    }

    /// An engine without a window, started where none runs.
    pub(crate) async fn started(home: &Home) -> Result<Self, Failure> {
        Ok(Self::over(headless::start(home).await?, home))
    }

    fn over(link: Link, home: &Home) -> Self {
        let home = home.clone();
        Self { link, home }
    }

    /// Any request, as typed: `downbeat api`.
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

    /// Asks until there is an answer: an engine that goes away in the middle has a successor, which is
    /// asked the same, under the same key. For a bounded time.
    async fn repeat(&self, request: &Request) -> Result<Value, CallError> {
        // A request may wait for long by itself: the time runs from the first lost answer on.
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
            // One that cannot be had now may be there at the next look.
            if let Ok(next) = Self::ready(&self.home).await {
                link = next.link;
            }
        }
    }
}
