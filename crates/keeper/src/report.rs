//! The data that a keeper sends: its greeting, its reports and its journal entries. The encoding is in
//! `proto`.

use downbeat_model::id::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The state of a keeper when a connection was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The session of the keeper.
    pub id: SessionId,
    /// The keeper's program version.
    pub version: String,
    /// The protocol version of the keeper.
    pub protocol: u16,
    /// The process id of the keeper.
    pub pid: u32,
    /// The name of this incarnation, unique among all keepers of the session. Entries are numbered
    /// within an incarnation.
    #[serde(default)]
    pub incarnation: String,
    /// The process id of the running step.
    pub child: Option<u32>,
    /// Index of the current or last step.
    pub step: usize,
    /// The state of the sequence of steps.
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

/// The state of a keeper's sequence of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum State {
    /// A step is running.
    Running,
    /// A step failed; the engine decides how to continue.
    Held {
        /// Index of the failed step.
        step: usize,
    },
    /// The last step ended, or everything was killed.
    Ended {
        /// The exit code; `None` if a signal ended the step or it never started.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
}

/// A message that a keeper sends unasked on an engine's connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// A journal entry.
    Entry(Entry),
    /// Output arrived. After a quiet time, the first output is reported immediately, then one per second.
    Output {
        /// Bytes of output so far.
        seq: u64,
        /// The time of the output.
        at: Timestamp,
    },
    /// The window title changed.
    Title(String),
    /// The connection is lost; no report follows.
    Lost,
}

/// A fact in a keeper's journal, kept until an engine acknowledges it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The entry's number, from 1 within the keeper's incarnation.
    pub seq: u64,
    /// The time of the fact.
    pub at: Timestamp,
    /// Bytes of output before the fact.
    pub output_seq: u64,
    /// The fact.
    pub what: EntryKind,
}

/// The fact of a journal entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum EntryKind {
    /// A post of an agent's hook.
    Hook {
        /// The JSON, as posted.
        body: String,
    },
    /// The process of a step started.
    StepStarted {
        /// The index of the step.
        index: usize,
        /// The name of the step.
        name: String,
        /// The process id of the step.
        pid: u32,
    },
    /// A step ended, or could not start (`error`).
    StepEnded {
        /// The index of the step.
        index: usize,
        /// The name of the step.
        name: String,
        /// The exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The reason why it could not start.
        error: Option<String>,
    },
    /// The session's process ended.
    Ended {
        /// The exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// A key that may answer or dismiss a question was typed, by a viewer or on behalf of the person:
    /// `enter`, `escape`, `ctrl-c`, `digit`.
    Key {
        /// The name of the key.
        name: String,
    },
}

/// The program in the foreground of the terminal, which reads the keys now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreground {
    /// The program's process group.
    pub group: u32,
    /// The name of the group's first process; empty if that process is gone.
    pub name: String,
    /// Whether the group is that of the step's own process, such as a shell that waits at its prompt.
    pub is_own: bool,
}

/// The input that was typed into a program, judged by the keys alone: the program may have interpreted
/// it differently, or discarded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    /// Whether there is typed text that no Enter or interrupt followed.
    pub stands: bool,
    /// Milliseconds since the last key.
    pub ago: u64,
    /// The number of keys of that text; 0 from older keepers.
    #[serde(default)]
    pub keys: u32,
}

/// The text of a screen with its scrollback.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The text, with soft wraps joined and trailing blanks removed.
    pub text: String,
    /// The window title.
    pub title: String,
    /// Bytes of output that the text reflects.
    pub seq: u64,
    /// The typed input since text was last entered on behalf of somebody; absent if nothing was typed,
    /// and from older keepers.
    #[serde(default)]
    pub typed: Option<Typed>,
    /// The foreground program, if the system reports it (Unix) and a program runs.
    #[serde(default)]
    pub foreground: Option<Foreground>,
}
