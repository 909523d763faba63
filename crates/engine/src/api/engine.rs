//! The engine's description of itself, and its end.

use crate::api::attention;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::shells;
use downbeat_store::SessionRow;
use downbeat_wire::engine::{EngineInfo, OnShutdown};
use downbeat_wire::request::Nothing;
use downbeat_wire::session::StopSessions;
use downbeat_wire::{ApiError, Caller, Code, Host as _, Operations as _};
use std::sync::Arc;

impl Engine {
    /// Returns the engine's version, process id, data directory and counts of sessions.
    pub(crate) async fn info(&self) -> Result<EngineInfo, ApiError> {
        let state = self.ledger.state();
        let count = |keep: fn(&SessionRow) -> bool| {
            u32::try_from(state.sessions.values().filter(|row| keep(row)).count()).unwrap_or(u32::MAX)
        };
        Ok(EngineInfo {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: std::process::id(),
            data_dir: self.paths.root().to_string_lossy().into_owned(),
            headless: self.headless,
            seq: self
                .ledger
                .store()
                .last_seq()
                .await
                .map_err(crate::state::error::store)?,
            working: count(row::works),
            needs_you: attention::count(self, &state),
            live: count(|row| row.status.is_live()),
            busy_shells: shells::busy(&state),
            awake: self.power.is_held(),
        })
    }

    /// Closes the ledger of an engine that has no window, no live session and no request under way; nothing
    /// is written afterwards. Fails if the engine is in use.
    pub(crate) async fn close_unused(&self) -> Result<(), ApiError> {
        let used = || ApiError::new(Code::Conflict, "this engine is in use");
        // A planned session is not stored yet.
        let _planning = self.planning.try_lock().map_err(|_| used())?;
        let headless = self.info().await?.headless;
        let over = |row: &Arc<SessionRow>| row.status.is_ended() && row.intent.is_none();
        let unused = self
            .ledger
            .close_if(|state| headless && state.sessions.values().all(over));
        if unused.await { Ok(()) } else { Err(used()) }
    }
}

/// Ends the engine, after the sessions as requested.
pub async fn shut_down(engine: &Engine, caller: &Caller, sessions: OnShutdown) -> Result<Nothing, ApiError> {
    match sessions {
        OnShutdown::Keep => {}
        OnShutdown::Stop => {
            let all = StopSessions {
                all: Some(true),
                ..StopSessions::default()
            };
            engine.stop_sessions(caller, all).await?;
        }
        OnShutdown::IfUnused => {
            refuse_all_but_owner(caller)?;
            engine.close_unused().await?;
        }
    }
    engine.hand_over(caller).await?;
    Ok(Nothing {})
}

/// Fails unless the caller is the owner: only the person ends the engine.
pub fn refuse_all_but_owner(caller: &Caller) -> Result<(), ApiError> {
    match caller {
        Caller::Owner => Ok(()),
        _ => Err(ApiError::new(Code::Forbidden, "only the person can end Downbeat")),
    }
}
