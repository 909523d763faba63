//! The two ways to end a session, stop and kill, and how they are stored in its row.

use downbeat_model::EventKind;
use downbeat_model::session::Intent;
use downbeat_store::SessionRow;
use std::time::Duration;

/// How long a killed process tree has between the request and the forced end.
pub const KILL_GRACE: Duration = Duration::from_secs(2);

/// How long it has for a stop, in which an agent may still write its conversation.
const STOP_GRACE: Duration = Duration::from_secs(8);

/// The requested way to end a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndMode {
    /// End gracefully.
    Stop,
    /// End immediately.
    Kill,
}

impl EndMode {
    /// Returns how long the processes have between the request and the forced end.
    pub fn grace(self) -> Duration {
        match self {
            Self::Stop => STOP_GRACE,
            Self::Kill => KILL_GRACE,
        }
    }

    /// Returns the intent as the row stores it.
    pub fn intent(self) -> Intent {
        match self {
            Self::Stop => Intent::Stop,
            Self::Kill => Intent::Kill,
        }
    }

    /// Returns the intent that is recorded for a session.
    pub fn of(row: &SessionRow) -> Option<Self> {
        match row.intent {
            Some(Intent::Stop) => Some(Self::Stop),
            Some(Intent::Kill) => Some(Self::Kill),
            _ => None,
        }
    }

    pub(crate) fn event(self) -> EventKind {
        match self {
            Self::Stop => EventKind::SessionStopped,
            Self::Kill => EventKind::SessionKilled,
        }
    }
}

pub(crate) fn word(mode: EndMode, who: &str) -> String {
    match mode {
        EndMode::Stop => format!("stopped {who}"),
        EndMode::Kill => format!("killed {who}"),
    }
}
