//! Notices to the person.

use crate::Error;
use crate::codec::Columns;
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;

/// A notice to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotice {
    /// The wire's word for the reason.
    pub kind: String,
    /// The session that it is about.
    pub session_id: SessionId,
    /// The session's project.
    pub project_id: ProjectId,
    /// The session's title at that time.
    pub title: String,
    /// The question, the exit code, the error.
    pub text: String,
    /// The time of the notice.
    pub at: Timestamp,
}

/// A stored notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRow {
    /// The number of the notice.
    pub id: i64,
    /// The wire's word for the reason.
    pub kind: String,
    /// The session that it is about.
    pub session_id: SessionId,
    /// The session's project.
    pub project_id: ProjectId,
    /// The session's title at that time.
    pub title: String,
    /// The question, the exit code, the error.
    pub text: String,
    /// The time of the notice.
    pub at: Timestamp,
    /// Whether the person has seen it.
    pub read: bool,
}

impl NoticeRow {
    pub(crate) fn from_row(row: &SqliteRow) -> Result<Self, Error> {
        let columns = Columns {
            row,
            table: "notices",
        };
        Ok(Self {
            id: columns.plain("id")?,
            kind: columns.plain("kind")?,
            session_id: columns.word("session_id")?,
            project_id: columns.word("project_id")?,
            title: columns.plain("title")?,
            text: columns.plain("text")?,
            at: columns.word("at")?,
            read: columns.plain("read")?,
        })
    }
}
