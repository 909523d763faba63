//! What a keeper tells: its greeting, its reports and its journal entries. Not how they travel
//! (see `proto`).

use downbeat_model::id::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How a keeper stood when a connection was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The session it keeps.
    pub id: SessionId,
    /// The keeper's program version.
    pub version: String,
    /// The protocol it speaks.
    pub protocol: u16,
    /// The keeper's own process.
    pub pid: u32,
    /// A name of this incarnation, unique among all keepers of the session: entries are
    /// numbered within it.
    #[serde(default)]
    pub incarnation: String,
    /// The running step's process.
    pub child: Option<u32>,
    /// Index of the current or last step.
    pub step: usize,
    /// What it does.
    pub state: State,
    /// Bytes of output so far.
    pub seq: u64,
    /// Columns of the screen.
    pub cols: u16,
    /// Rows of the screen.
    pub rows: u16,
    /// The window title that the program set.
    pub title: String,
}

/// What a keeper does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum State {
    /// A step runs.
    Running,
    /// This step failed; the engine decides how to go on.
    Held {
        /// Index of the failed step.
        step: usize,
    },
    /// The last step ended, or everything was killed.
    Ended {
        /// Its exit code; `None` where a signal ended it or it never started.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
}

/// What a keeper says by itself on an engine's connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// A journal entry.
    Entry(Entry),
    /// Output came: the first after quiet at once, then at most once a second.
    Output {
        /// Bytes of output so far.
        seq: u64,
        /// When it came.
        at: Timestamp,
    },
    /// The window title changed.
    Title(String),
    /// The connection is lost; nothing follows.
    Lost,
}

/// A fact in a keeper's journal, kept until it is acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts from 1 within the keeper's incarnation.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// Bytes of output before it.
    pub output_seq: u64,
    /// What happened.
    pub what: EntryKind,
}

/// What a journal entry says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum EntryKind {
    /// An agent's hook posted this.
    Hook {
        /// Its JSON, as posted.
        body: String,
    },
    /// A step's process runs.
    StepStarted {
        /// Its index.
        index: usize,
        /// Its name.
        name: String,
        /// Its process.
        pid: u32,
    },
    /// A step ended, or could not start (`error`).
    StepEnded {
        /// Its index.
        index: usize,
        /// Its name.
        name: String,
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// Why it could not start.
        error: Option<String>,
    },
    /// The session's process ended.
    Ended {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// A key that may close a question was typed, by a viewer or for somebody: `enter`, `escape`,
    /// `ctrl-c`, `digit`.
    Key {
        /// The key's name.
        name: String,
    },
}

/// Which program has the terminal: who reads the keys now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreground {
    /// Its process group.
    pub group: u32,
    /// What the group's first process calls itself; empty where that is gone.
    pub name: String,
    /// Whether it is the step's own process: a shell that waits at its prompt.
    pub is_own: bool,
}

/// What was typed into a program, as far as the keys tell: a program may have taken it for something
/// else, or given it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    /// Whether text stands that no Enter or interrupt followed.
    pub stands: bool,
    /// Milliseconds since the last key.
    pub ago: u64,
    /// How many keys made what stands; 0 from older keepers.
    #[serde(default)]
    pub keys: u32,
}

/// The text of a screen with its scrollback.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Clean text: soft wraps joined, trailing blanks cut.
    pub text: String,
    /// The window title.
    pub title: String,
    /// Bytes of output before it.
    pub seq: u64,
    /// What the keys left that were typed since text was last entered for somebody; absent where
    /// there were none, and from older keepers.
    #[serde(default)]
    pub typed: Option<Typed>,
    /// Who has the terminal, where the system tells (Unix) and a program runs.
    #[serde(default)]
    pub foreground: Option<Foreground>,
}
