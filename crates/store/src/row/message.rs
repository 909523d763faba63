//! Messages: the queue of each session, and the outcome of messages that left it.

use crate::Error;
use crate::codec::{Columns, word};
use downbeat_model::{MessageState, Sender, SessionId, When};
use jiff::Timestamp;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// The number, unique among all messages. Fixed.
    pub id: i64,
    /// The session in whose queue it is. Fixed.
    pub session_id: SessionId,
    /// The place among the messages of its session; the smallest comes first.
    pub place: i64,
    /// The text.
    pub text: String,
    /// The sender. Fixed.
    pub sender: Sender,
    /// The time of delivery.
    pub mode: When,
    /// The state of delivery.
    pub state: MessageState,
    /// Whether it is the first prompt of its session. Fixed.
    pub is_task: bool,
    /// The reason why it waits, or the evidence of its outcome.
    pub detail: String,
    /// The message whose text it was sent with again, in front of that text.
    pub sent_with: Option<i64>,
    /// The time when it was sent. Fixed.
    pub created_at: Timestamp,
    /// The time of the last change of its state.
    pub changed_at: Timestamp,
}

pub(crate) const PUT: &str = "INSERT INTO messages \
    (id, session_id, place, text, sender, mode, state, is_task, detail, created_at, changed_at, sent_with) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) \
    ON CONFLICT (id) DO UPDATE SET place = excluded.place, text = excluded.text, \
    mode = excluded.mode, state = excluded.state, detail = excluded.detail, \
    changed_at = excluded.changed_at, sent_with = excluded.sent_with";

impl MessageRow {
    /// Returns a query of [`PUT`] with this row's values.
    pub(crate) fn bind(&self) -> Query<'_, Sqlite, SqliteArguments> {
        sqlx::query(PUT)
            .bind(self.id)
            .bind(self.session_id.as_str())
            .bind(self.place)
            .bind(&self.text)
            .bind(word(&self.sender))
            .bind(word(&self.mode))
            .bind(self.state.as_str())
            .bind(self.is_task)
            .bind(&self.detail)
            .bind(word(&self.created_at))
            .bind(word(&self.changed_at))
            .bind(self.sent_with)
    }

    pub(crate) fn from_row(row: &SqliteRow) -> Result<Self, Error> {
        let columns = Columns {
            row,
            table: "messages",
        };
        Ok(Self {
            id: columns.plain("id")?,
            session_id: columns.word("session_id")?,
            place: columns.plain("place")?,
            text: columns.plain("text")?,
            sender: columns.word("sender")?,
            mode: columns.word("mode")?,
            state: columns.word("state")?,
            is_task: columns.plain("is_task")?,
            detail: columns.plain("detail")?,
            sent_with: columns.plain("sent_with")?,
            created_at: columns.word("created_at")?,
            changed_at: columns.word("changed_at")?,
        })
    }
}
