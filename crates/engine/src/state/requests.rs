//! Requests under idempotency keys: those in progress, and the result of each, written in the same
//! transaction.

use downbeat_model::{ProjectId, SessionId};
use downbeat_store::RequestRow;
use downbeat_wire::{ApiError, Caller, Key};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// The result of a request, from which its repeats are answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// A session that was made, or changed as requested.
    Session(SessionId),
    /// A shell of a session.
    Shell(SessionId),
    /// A project.
    Project(ProjectId),
    /// A message in a session's queue.
    Message(SessionId, i64),
    /// An order to open or change a pull request, by the key of its effect.
    Pull(String),
    /// The answer itself, for a request that leaves nothing to look at.
    Answer(Value),
}

/// A request under a key, while it runs.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) caller: String,
    pub(crate) key: String,
    pub(crate) operation: String,
    /// The hash of the arguments.
    pub(crate) arguments: String,
    /// The result that was written, or was about to be.
    pub(crate) effect: Mutex<Option<Effect>>,
}

tokio::task_local! {
    /// The request that this task carries out.
    static CURRENT: Arc<Request>;
}

impl Request {
    pub(crate) fn effect(&self) -> Option<Effect> {
        self.effect.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs `work` as this request.
    pub(crate) async fn run<R>(self: &Arc<Self>, work: impl Future<Output = R>) -> R {
        CURRENT.scope(Arc::clone(self), work).await
    }

    pub(crate) fn row(&self, effect: Value, answer: Option<Value>, at: Timestamp) -> RequestRow {
        RequestRow {
            caller: self.caller.clone(),
            key: self.key.clone(),
            operation: self.operation.clone(),
            request: self.arguments.clone(),
            effect,
            answer,
            at,
        }
    }
}

/// Returns the row to be written with a change that has this result; `None` outside of a request under a key.
pub fn claim(effect: Effect, at: Timestamp) -> Option<RequestRow> {
    let stored = serde_json::to_value(&effect).ok()?;
    let claimed = CURRENT.try_with(|request| {
        *request.effect.lock().unwrap_or_else(PoisonError::into_inner) = Some(effect);
        request.row(stored, None, at)
    });
    claimed.ok()
}

/// Reports whether this task carries out a request under a key.
pub fn is_keyed() -> bool {
    CURRENT.try_with(|_| ()).is_ok()
}

pub(crate) type Answer = Result<Value, ApiError>;

/// A request in progress.
pub(crate) struct Running {
    pub(crate) operation: String,
    pub(crate) request: String,
    pub(crate) answer: watch::Receiver<Option<Answer>>,
}

/// The requests under keys in progress; their number is bounded by the faces.
#[derive(Default)]
pub struct Requests(pub(crate) Mutex<HashMap<(Caller, Key), Running>>);

/// A new request, or the running one that it repeats.
pub(crate) enum Turn<'a> {
    Own(Own<'a>),
    Other(watch::Receiver<Option<Answer>>),
}

/// Removes the request from the running ones when it is dropped, however the request ends.
pub(crate) struct Own<'a> {
    pub(crate) requests: &'a Requests,
    pub(crate) id: (Caller, Key),
    pub(crate) answer: watch::Sender<Option<Answer>>,
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        let mut running = self.requests.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.remove(&self.id);
    }
}

impl Requests {
    pub(crate) fn begin(
        &self,
        id: (Caller, Key),
        operation: &str,
        request: &str,
    ) -> Result<Turn<'_>, ApiError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = all.get(&id) {
            same(operation, request, &running.operation, &running.request)?;
            return Ok(Turn::Other(running.answer.clone()));
        }
        let (answer, told) = watch::channel(None);
        let running = Running {
            operation: operation.to_owned(),
            request: request.to_owned(),
            answer: told,
        };
        all.insert(id.clone(), running);
        Ok(Turn::Own(Own {
            requests: self,
            id,
            answer,
        }))
    }
}

/// Refuses a key that was used for another request before.
pub(crate) fn same(operation: &str, request: &str, was: &str, with: &str) -> Result<(), ApiError> {
    if (operation, request) == (was, with) {
        return Ok(());
    }
    let how = match operation == was {
        true => "with other arguments".to_owned(),
        false => format!("for {was}"),
    };
    Err(
        ApiError::invalid(format!("this idempotency key was used before, {how}"))
            .hint("use a new key for each request, and the same key for its repeats"),
    )
}
