//! The input that an engine passes to a keeper at its start, and the reply. The input holds the environments
//! of the steps, which may contain secrets: it goes through a pipe and is never written to disk.

use downbeat_model::id::SessionId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The word that the launcher gets once the keeper listens.
pub const READY: &str = "ready";

/// The input of a keeper at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The session.
    pub id: SessionId,
    /// Columns of the screen at the start.
    pub cols: u16,
    /// Rows of the screen at the start.
    pub rows: u16,
    /// The commands, which run one after another on the same screen. A step other than the last that
    /// fails stops the sequence until the engine decides.
    pub steps: Vec<StepSpec>,
    /// The bounds of stored output and posts.
    #[serde(default)]
    pub limits: Limits,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSpec {
    /// A short name: `setup`, `agent`.
    pub name: String,
    /// The program and its arguments; no shell interprets them.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// The directory to run in.
    pub cwd: PathBuf,
}

/// The bounds of what a keeper stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Lines of scrollback; the oldest are dropped first.
    pub scrollback: u32,
    /// Bytes of each of the two transcript files; the older one is overwritten.
    pub transcript_bytes: u64,
    /// Bytes of unacknowledged journal entries. Over this bound the oldest posts about tools are dropped;
    /// if there are none, hook posts are refused, and the senders learn of it.
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
