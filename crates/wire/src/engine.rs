//! The engine itself: what it is, and handing over or ending it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct EngineInfo {
    /// Its version.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// Its data directory.
    pub data_dir: String,
    /// Whether it runs without a window (`downbeat serve`).
    pub headless: bool,
    /// Newest event; start the event stream from here.
    #[ts(type = "number")]
    pub seq: i64,
    /// Sessions that work now.
    pub working: u32,
    /// Sessions that need the person now: those whose `attention` is there.
    pub needs_you: u32,
    /// Sessions whose process is alive.
    pub live: u32,
    /// Shells beside sessions in which a program runs.
    #[serde(default)]
    pub busy_shells: u32,
    /// Whether idle sleep is held off now.
    pub awake: bool,
}

impl EngineInfo {
    /// Whether anything lives that would go on, unseen, without an engine.
    #[must_use]
    pub fn holds_any(&self) -> bool {
        self.live > 0 || self.busy_shells > 0
    }
}

/// What happens to sessions when the engine ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum OnShutdown {
    /// They go on; the next engine adopts them.
    Keep,
    /// They are stopped gracefully; each can be resumed.
    Stop,
    /// There must be none: refused (`conflict`) where the engine has a window, anything lives, is
    /// queued, is made or removed, or somebody follows what happens.
    IfUnused,
}

/// Ends the engine, or makes it hand over to the one that asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shutdown {
    /// What happens to sessions.
    pub sessions: OnShutdown,
}
