//! Queries that change nothing. Each sees one commit.

use crate::codec::Columns;
use crate::row::{EventRow, MessageRow, NoticeRow, ProjectRow, SessionRow, StatusChange, session};
use crate::{Error, Store};
use downbeat_model::{EventKind, ProjectId, SessionId, Subject};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

/// The kinds of events about its workers that a conductor receives.
pub(crate) const WORKER_EVENTS: [EventKind; 5] = [
    EventKind::SessionStatus,
    EventKind::WorkerReported,
    EventKind::ChecksFinished,
    EventKind::WorkerAsked,
    EventKind::WorkersCollided,
];

type EventRead = crate::row::event::Read;

/// The number of changes of statuses that are read at a time.
const STATUS_PAGE: u32 = 1_000;

impl Store {
    /// Returns all projects, in the order in which they were added.
    pub async fn projects(&self) -> Result<Vec<ProjectRow>, Error> {
        let rows = sqlx::query("SELECT * FROM projects ORDER BY place");
        let rows = rows.fetch_all(&self.readers).await;
        self.seen(rows)?.iter().map(ProjectRow::from_row).collect()
    }

    /// Returns one project.
    pub async fn project(&self, id: &ProjectId) -> Result<Option<ProjectRow>, Error> {
        let row = sqlx::query("SELECT * FROM projects WHERE id = ?1").bind(id.as_str());
        let row = row.fetch_optional(&self.readers).await;
        self.seen(row)?.as_ref().map(ProjectRow::from_row).transpose()
    }

    /// Returns all sessions, in the order in which they were requested.
    pub async fn sessions(&self) -> Result<Vec<SessionRow>, Error> {
        let rows = sqlx::query("SELECT * FROM sessions ORDER BY place");
        let rows = rows.fetch_all(&self.readers).await;
        self.seen(rows)?.iter().map(session::from_row).collect()
    }

    /// Returns one session.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, Error> {
        let row = sqlx::query("SELECT * FROM sessions WHERE id = ?1").bind(id.as_str());
        let row = row.fetch_optional(&self.readers).await;
        self.seen(row)?.as_ref().map(session::from_row).transpose()
    }

    /// Returns all stored messages, in the order of their queues.
    pub async fn messages(&self) -> Result<Vec<MessageRow>, Error> {
        let rows = sqlx::query("SELECT * FROM messages ORDER BY session_id, place, id");
        let rows = rows.fetch_all(&self.readers).await;
        self.seen(rows)?.iter().map(MessageRow::from_row).collect()
    }

    /// Returns the greatest number that a message ever had; 0 before the first.
    pub async fn last_message(&self) -> Result<i64, Error> {
        let last = sqlx::query_scalar(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0)",
        );
        let last = last.fetch_one(&self.readers).await;
        self.seen(last)
    }

    /// Returns at most `limit` events after `seq`, oldest first. Kinds that this build does not know are
    /// left out; the result is empty only if there are no further events.
    pub async fn events_since(&self, seq: i64, limit: u32) -> Result<Vec<EventRow>, Error> {
        let mut after = seq;
        loop {
            let rows = sqlx::query("SELECT * FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2");
            let rows = rows.bind(after).bind(limit).fetch_all(&self.readers).await;
            let page = self.seen(rows)?;
            let page: Vec<_> = page.iter().map(EventRead::from_row).collect::<Result<_, _>>()?;
            let Some(last) = page.last() else {
                return Ok(Vec::new());
            };
            after = last.seq();
            let known: Vec<_> = page.into_iter().filter_map(EventRead::known).collect();
            if !known.is_empty() {
                return Ok(known);
            }
        }
    }

    /// Returns the number of the newest event; 0 before the first.
    pub async fn last_seq(&self) -> Result<i64, Error> {
        let seq = sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM events");
        let seq = seq.fetch_one(&self.readers).await;
        self.seen(seq)
    }

    /// Returns the reports and status changes of `parent`'s direct workers after `after`, at most `limit`,
    /// oldest first; includes workers that were removed from the list since.
    pub async fn worker_events(
        &self,
        parent: &SessionId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<EventRow>, Error> {
        let rows = sqlx::query(
            "SELECT * FROM events WHERE parent_id = ?1 AND seq > ?2 AND kind IN (?4, ?5, ?6, ?7, ?8) \
             ORDER BY seq LIMIT ?3",
        );
        let rows = rows.bind(parent.as_str()).bind(after).bind(limit);
        let rows = WORKER_EVENTS
            .iter()
            .fold(rows, |rows, kind| rows.bind(kind.as_str()))
            .fetch_all(&self.readers)
            .await;
        let rows = self.seen(rows)?;
        let read = rows.iter().map(EventRead::from_row);
        read.filter_map(|row| row.map(EventRead::known).transpose())
            .collect()
    }

    /// Returns the number of events of these kinds of a session after `after`.
    pub async fn count_events(
        &self,
        session: &SessionId,
        kinds: &[EventKind],
        after: i64,
    ) -> Result<u32, Error> {
        let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let words = serde_json::Value::from(words).to_string();
        let count = sqlx::query_scalar(
            "SELECT count(*) FROM events WHERE subject = ?1 AND seq > ?3 \
             AND kind IN (SELECT value FROM json_each(?2))",
        );
        let subject = Subject::Session(session.clone()).word();
        let count = count.bind(subject).bind(words).bind(after);
        self.seen(count.fetch_one(&self.readers).await)
    }

    /// Returns the last events of these kinds about a subject, at most `limit`, oldest first.
    pub async fn events_about(
        &self,
        subject: &Subject,
        kinds: &[EventKind],
        limit: u32,
    ) -> Result<Vec<EventRow>, Error> {
        let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let words = serde_json::Value::from(words).to_string();
        let rows = sqlx::query(
            "SELECT * FROM events WHERE subject = ?1 AND kind IN (SELECT value FROM json_each(?2)) \
             ORDER BY seq DESC LIMIT ?3",
        );
        let rows = rows.bind(subject.word()).bind(words).bind(limit);
        let rows = rows.fetch_all(&self.readers).await;
        let rows = self.seen(rows)?;
        let read = rows.iter().rev().map(EventRead::from_row);
        read.filter_map(|row| row.map(EventRead::known).transpose())
            .collect()
    }

    /// Returns the changes of sessions' statuses since a time, oldest first.
    pub async fn status_changes_since(&self, since: Timestamp) -> Result<Vec<StatusChange>, Error> {
        let (mut before, mut found) = (i64::MAX, Vec::new());
        loop {
            let rows = sqlx::query(
                "SELECT seq, at, subject, payload ->> '$.from' AS \"from\", payload ->> '$.to' AS \"to\", \
                 substr(coalesce(payload ->> '$.detail', ''), 1, 300) AS detail, \
                 payload ->> '$.reason.kind' AS reason \
                 FROM events WHERE seq < ?1 AND kind = ?2 ORDER BY seq DESC LIMIT ?3",
            );
            let rows = rows.bind(before).bind(EventKind::SessionStatus.as_str());
            let rows = rows.bind(STATUS_PAGE).fetch_all(&self.readers).await;
            let rows = self.seen(rows)?;
            for row in &rows {
                let columns = Columns { row, table: "events" };
                before = columns.plain("seq")?;
                if columns.word::<Timestamp>("at")? < since {
                    found.reverse();
                    return Ok(found);
                }
                found.extend(StatusChange::read(&columns)?);
            }
            if rows.len() < STATUS_PAGE as usize {
                found.reverse();
                return Ok(found);
            }
        }
    }

    /// Returns at most `limit` notices, newest first.
    pub async fn notices(&self, limit: u32) -> Result<Vec<NoticeRow>, Error> {
        let rows = sqlx::query("SELECT * FROM notices ORDER BY id DESC LIMIT ?1");
        let rows = rows.bind(limit).fetch_all(&self.readers).await;
        self.seen(rows)?.iter().map(NoticeRow::from_row).collect()
    }

    /// Returns the documents of a table, one for each row that a query with the column `doc` finds.
    pub(crate) async fn documents<T: DeserializeOwned>(
        &self,
        table: &'static str,
        query: &'static str,
    ) -> Result<Vec<T>, Error> {
        let rows = self.seen(sqlx::query(query).fetch_all(&self.readers).await)?;
        rows.iter()
            .map(|row| Columns { row, table }.json("doc"))
            .collect()
    }

    /// Converts an error of the driver.
    pub(crate) fn seen<T>(&self, result: Result<T, sqlx::Error>) -> Result<T, Error> {
        result.map_err(|source| Error::of(&self.path, source))
    }
}
