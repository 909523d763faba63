//! Notices to the person.

use crate::Error;
use crate::codec::Columns;
pub use downbeat_model::NewNotice;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;

/// A stored notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRow {
    /// The number of the notice.
    pub id: i64,
    /// The wire's word for the reason.
    pub kind: String,
    /// How urgent it is.
    pub priority: NoticePriority,
    /// The session that it is about, if any.
    pub session_id: Option<SessionId>,
    /// The plan that it is about, if any.
    pub plan_id: Option<PlanId>,
    /// The project of the session or the plan.
    pub project_id: Option<ProjectId>,
    /// The session's title at that time, or the title that the notice was given.
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
            priority: columns.word("priority")?,
            session_id: columns.word_or_none("session_id")?,
            plan_id: columns.word_or_none("plan_id")?,
            project_id: columns.word_or_none("project_id")?,
            title: columns.plain("title")?,
            text: columns.plain("text")?,
            at: columns.word("at")?,
            read: columns.plain("read")?,
        })
    }
}
