//! The wish to stop or kill a session, in its row.

use downbeat_model::EventKind;
use downbeat_model::session::Intent;
use downbeat_store::SessionRow;
use std::time::Duration;

/// How long a process tree has between being asked and being made to end, for a kill.
pub const KILL_GRACE: Duration = Duration::from_secs(2);

/// The same for a stop: an agent may still write its conversation.
const STOP_GRACE: Duration = Duration::from_secs(8);

/// What someone wants to happen to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// End gracefully.
    Stop,
    /// End now.
    Kill,
}

impl Wish {
    /// How long its processes have between being asked and being made to end.
    pub fn grace(self) -> Duration {
        match self {
            Self::Stop => STOP_GRACE,
            Self::Kill => KILL_GRACE,
        }
    }

    /// As it is written down.
    pub fn intent(self) -> Intent {
        match self {
            Self::Stop => Intent::Stop,
            Self::Kill => Intent::Kill,
        }
    }

    /// The wish that is written down for a session.
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

pub(crate) fn word(wish: Wish, who: &str) -> String {
    match wish {
        Wish::Stop => format!("stopped {who}"),
        Wish::Kill => format!("killed {who}"),
    }
}
