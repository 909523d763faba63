//! What an engine hands to a keeper at its start, and the word that it gets back. It holds the steps'
//! environments, which may hold secrets: it travels over a pipe and is never written to disk.

use downbeat_model::id::SessionId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The word that tells the launcher that the keeper listens.
pub const READY: &str = "ready";

/// Everything that a keeper needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The session.
    pub id: SessionId,
    /// Columns of the screen at the start.
    pub cols: u16,
    /// Rows of the screen at the start.
    pub rows: u16,
    /// Run one after another on the same screen. A step other than the last that fails stops
    /// the sequence until the engine decides.
    pub steps: Vec<StepSpec>,
    /// Bounds.
    #[serde(default)]
    pub limits: Limits,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSpec {
    /// A short name: `setup`, `agent`.
    pub name: String,
    /// Program and arguments; no shell sees them.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// The directory to run in.
    pub cwd: PathBuf,
}

/// Bounds of what a keeper keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Lines of scrollback; the oldest go first.
    pub scrollback: u32,
    /// Bytes of each of the two transcript files; the older one is overwritten.
    pub transcript_bytes: u64,
    /// Bytes of unacknowledged journal entries; over it the oldest posts about tools make room, and
    /// where there are none hook posts are refused, so that their sender knows.
    pub journal_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scrollback: 10_000,
            transcript_bytes: 4 << 20,
            journal_bytes: 16 << 20,
        }
    }
}
