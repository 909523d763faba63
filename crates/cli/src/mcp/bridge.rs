//! Finds the engine for a session and sends requests to it. The engine may be replaced at any moment, so its
//! port is read again from `engine.json` whenever nobody answers.

use crate::client::{CallError, Link, new_key};
use crate::failure::Failure;
use crate::home::{self, Home};
use crate::inside::Inside;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Client as _, Code, Misfit, Operation};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The time that an agent takes until its requests offer the tools whose list it was given. Claude Code on a
/// busy machine continued without them if its prompt came immediately.
const TAKEN_IN: Duration = Duration::from_millis(500);

/// The maximum time for which a handover, or the start of the app after a crash, may keep an agent waiting.
const PATIENCE: Duration = Duration::from_secs(20);

/// The pause between two attempts.
const AGAIN: Duration = Duration::from_millis(200);

/// A session's connection to the engine.
pub(super) struct Bridge {
    manifest: PathBuf,
    token: String,
    /// The session that this bridge belongs to.
    pub(super) session: String,
    /// The kinds of tools that it offers.
    pub(super) tools: String,
    /// The engine that answered last. Locked while it is looked up, never across a call.
    engine: Mutex<Option<Link>>,
}

impl Bridge {
    /// Builds the bridge of the session in which this process runs.
    pub(super) fn from_environment(home: &Home) -> Result<Self, Failure> {
        let Some(inside) = Inside::here().filter(|inside| !inside.token.is_empty()) else {
            return Err(
                Failure::usage("mcp runs inside a session, which names itself in the environment")
                    .hint("start a conductor: `downbeat new --conductor`"),
            );
        };
        Ok(Self {
            manifest: inside.manifest.unwrap_or_else(|| home.manifest_path()),
            token: inside.token,
            session: inside.session,
            tools: inside.tools,
            engine: Mutex::default(),
        })
    }

    /// Returns the session's own direct workers.
    pub(super) async fn workers(&self) -> Result<Vec<Session>, ApiError> {
        let me = SessionRef {
            id: self.session.clone(),
        };
        self.list_workers(me).await
    }

    /// Reports to the engine that the agent was given the list of its tools. Without an engine the prompt is
    /// still typed, a while later.
    pub(super) async fn listed(&self) {
        let me = SessionRef {
            id: self.session.clone(),
        };
        tokio::time::sleep(TAKEN_IN).await;
        let _ = self.tools_listed(me).await;
    }

    async fn once(&self, row: &Operation, request: Value, key: Option<String>) -> Result<Value, CallError> {
        let engine = self.engine().await.ok_or(CallError::NotReached)?;
        engine.once(row, request, key).await
    }

    async fn engine(&self) -> Option<Link> {
        let mut known = self.engine.lock().await;
        if known.is_none() {
            let manifest = home::manifest(&self.manifest)?;
            *known = Some(Link::new(manifest.port, self.token.clone()));
        }
        known.clone()
    }
}

impl downbeat_wire::Client for Bridge {
    type Error = ApiError;

    /// Runs an operation, across a handover too: every attempt has the same idempotency key.
    async fn call_json(&self, row: &'static Operation, request: Value) -> Result<Value, ApiError> {
        // A wait may be long by itself, so the time limit starts at the first lost answer.
        let mut until = None;
        let key = new_key(row);
        loop {
            let error = match self.once(row, request.clone(), key.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let until = *until.get_or_insert_with(|| Instant::now() + PATIENCE);
            if !error.is_lost() || Instant::now() > until {
                return Err(api_error(error));
            }
            *self.engine.lock().await = None;
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn misfit(misfit: Misfit) -> ApiError {
        match misfit {
            Misfit::Request(error) => ApiError::failed("unexpected arguments", error),
            Misfit::Answer(error) => ApiError::failed("unexpected answer", error),
        }
    }
}

fn api_error(error: CallError) -> ApiError {
    match error {
        CallError::Refused(error) => error,
        CallError::NotReached => ApiError::new(Code::Unavailable, "Downbeat's engine is not running")
            .hint("the person has to start Downbeat; your workers keep running meanwhile; try again later"),
        CallError::Broken(why) => ApiError::new(
            Code::Unavailable,
            format!("the engine was replaced meanwhile: {why}"),
        )
        .hint("it may have been done; check with list_workers before you try again"),
    }
}
