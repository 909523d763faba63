//! The process that owns one session's PTY and screen, and the client of its socket.
mod error;
mod report;
pub mod screen;
mod spec;

pub use error::Error;
pub use report::{Entry, EntryKind, Hello, Report, State, Text};
pub use spec::{Limits, Spec, StepSpec};

use downbeat_model::id::SessionId;
use downbeat_model::terminal::{Frame, Input};
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;

/// The body of `downbeat keeper <dir>`.
pub fn run(_dir: &Path) -> Result<(), Error> {
    Err(Error::Gone)
}
/// A handle of an engine's connection to a keeper.
#[derive(Debug, Clone)]
pub struct Link {
    hello: Hello,
}
/// Starts a keeper and connects to it.
pub async fn launch(
    _binary: &Path,
    _dir: &Path,
    _spec: &Spec,
) -> Result<(Link, mpsc::Receiver<Report>), Error> {
    Err(Error::Gone)
}
/// Connects to a running keeper.
pub async fn connect(_dir: &Path) -> Result<(Link, mpsc::Receiver<Report>), Error> {
    Err(Error::Gone)
}
impl Link {
    /// How the keeper stood when this connection was made.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }
    /// Types bytes.
    pub async fn input(&self, _bytes: Vec<u8>) -> Result<(), Error> {
        Err(Error::Gone)
    }
    /// Sets the size.
    pub async fn resize(&self, _cols: u16, _rows: u16) -> Result<(), Error> {
        Err(Error::Gone)
    }
    /// The text of the screen and the last lines above it.
    pub async fn text(&self, _lines: u32) -> Result<Text, Error> {
        Err(Error::Gone)
    }
    /// Ends the whole process tree.
    pub async fn kill(&self, _grace: Duration) -> Result<(), Error> {
        Err(Error::Gone)
    }
    /// Runs steps again.
    pub async fn run(&self, _first: usize, _steps: Option<Vec<StepSpec>>) -> Result<(), Error> {
        Err(Error::Gone)
    }
    /// Acknowledges journal entries.
    pub async fn ack(&self, _journal_seq: u64) -> Result<(), Error> {
        Err(Error::Gone)
    }
    /// Ends the keeper of an ended session.
    pub async fn close(&self) -> Result<(), Error> {
        Err(Error::Gone)
    }
}
/// Attaches a viewer.
pub async fn attach(
    _dir: &Path,
    _size: Option<(u16, u16)>,
) -> Result<(mpsc::Sender<Input>, mpsc::Receiver<Frame>), Error> {
    Err(Error::Gone)
}
/// The reading end of a blocking viewer.
#[derive(Debug)]
pub struct FrameReader(());
/// The writing end of a blocking viewer.
#[derive(Debug)]
pub struct InputWriter(());
impl FrameReader {
    /// The next frame; `None` at the end.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, Error> {
        Ok(None)
    }
}
impl InputWriter {
    /// Sends one input.
    pub fn send(&mut self, _input: &Input) -> Result<(), Error> {
        Err(Error::Gone)
    }
}
/// Attaches a viewer without an async runtime, for the lowest latency.
pub fn attach_blocking(_dir: &Path, _size: Option<(u16, u16)>) -> Result<(FrameReader, InputWriter), Error> {
    Err(Error::Gone)
}
/// Posts a hook; returns when it is journaled.
pub fn post_hook(_dir: &Path, _body: &[u8]) -> Result<(), Error> {
    Err(Error::Gone)
}
/// The last text of a keeper that is gone.
pub fn checkpoint(_dir: &Path, _lines: u32) -> Option<Text> {
    None
}
/// The last screen of a keeper that is gone, as frames for a viewer.
pub fn checkpoint_frames(_dir: &Path) -> Option<Vec<Frame>> {
    None
}
/// Journal entries that a dead keeper left unacknowledged.
pub fn leftover_entries(_dir: &Path) -> Vec<Entry> {
    Vec::new()
}
/// Ends what is left of a dead keeper's process tree.
pub fn end_tree(_dir: &Path, _id: &SessionId, _grace: Duration) {}
