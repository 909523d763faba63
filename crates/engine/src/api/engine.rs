//! The engine's description of itself: `get_engine`.

use crate::api::attention;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::shells;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::engine::EngineInfo;

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
}
