//! Events: facts that happened, in one global order.

use crate::Error;
use crate::codec::Columns;
use downbeat_model::{EventKind, ProjectId, ReasonKind, SessionId, Status, Subject};
use jiff::Timestamp;
use serde_json::Value;
use sqlx::sqlite::SqliteRow;

/// An event as it was appended.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// The place in the one global order, from 1, without gaps.
    pub seq: i64,
    /// The time when it was appended.
    pub at: Timestamp,
    /// The kind of event.
    pub kind: EventKind,
    /// What it is about.
    pub subject: Subject,
    /// The project that it belongs to, if any.
    pub project_id: Option<ProjectId>,
    /// The details.
    pub payload: Value,
}

/// An event as read; of an unknown kind, only the number.
pub(crate) enum Read {
    Known(EventRow),
    Unknown(i64),
}

impl Read {
    pub(crate) fn from_row(row: &SqliteRow) -> Result<Self, Error> {
        let columns = Columns { row, table: "events" };
        let seq = columns.plain("seq")?;
        let Ok(kind) = columns.word("kind") else {
            return Ok(Self::Unknown(seq));
        };
        Ok(Self::Known(EventRow {
            seq,
            at: columns.word("at")?,
            kind,
            subject: columns.word("subject")?,
            project_id: columns.word_or_none("project_id")?,
            payload: columns.json("payload")?,
        }))
    }

    pub(crate) fn seq(&self) -> i64 {
        match self {
            Self::Known(event) => event.seq,
            Self::Unknown(seq) => *seq,
        }
    }

    pub(crate) fn known(self) -> Option<EventRow> {
        match self {
            Self::Known(event) => Some(event),
            Self::Unknown(_) => None,
        }
    }
}

/// A change of a session's status, as its event has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// The session.
    pub session: SessionId,
    /// When it changed.
    pub at: Timestamp,
    /// What it was before.
    pub from: Status,
    /// What it became.
    pub to: Status,
    /// One line on it, at most 300 characters.
    pub detail: String,
    /// The kind of its reason, if it had one.
    pub reason: Option<ReasonKind>,
}

impl StatusChange {
    /// Reads a change; `None` if a later version wrote it, or if it is about no session.
    pub(crate) fn read(columns: &Columns<'_>) -> Result<Option<Self>, Error> {
        let Subject::Session(session) = columns.word("subject")? else {
            return Ok(None);
        };
        let (Ok(from), Ok(to)) = (columns.word("from"), columns.word("to")) else {
            return Ok(None);
        };
        Ok(Some(Self {
            session,
            at: columns.word("at")?,
            from,
            to,
            detail: columns.plain("detail")?,
            reason: columns.word_or_none("reason").unwrap_or_default(),
        }))
    }
}
