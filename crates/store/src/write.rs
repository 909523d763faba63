//! The only way to change anything: a transaction that carries its events.

use crate::codec::{json, word};
use crate::row::{EventRow, MessageRow, NewNotice, ProjectRow, SessionRow, project, session};
use crate::soon::Soon;
use crate::{Error, Store};
use downbeat_model::{EventKind, ProjectId, SessionId, Subject};
use jiff::Timestamp;
use serde_json::Value;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteQueryResult, SqliteRow};
use std::collections::HashMap;
use std::path::PathBuf;

/// The number of notices that are kept; the list shows 200, and nobody reads more than a thousand.
const NOTICES_KEPT: i64 = 1000;

/// A transaction that holds the write lock. If it is dropped without [`Write::commit`], nothing changes.
#[must_use = "a write that is not committed never happened"]
pub struct Write {
    transaction: sqlx::Transaction<'static, Sqlite>,
    events: Vec<EventRow>,
    /// The parents of sessions that were deleted in this write: their last events still name them.
    orphaned: HashMap<SessionId, Option<String>>,
    path: PathBuf,
    /// The flusher, for a commit that does not flush itself.
    soon: Option<Soon>,
}

impl Store {
    /// Takes the write lock; waits for the current write. Once committed, the write is on the disk.
    pub async fn begin(&self) -> Result<Write, Error> {
        self.begin_as("PRAGMA synchronous = FULL; BEGIN IMMEDIATE", None)
            .await
    }

    /// Begins a write like [`Store::begin`] whose commit does not wait for the disk: it outlives every
    /// process immediately, and a crash of the machine after a fifth of a second. For reports of keepers,
    /// which arrive many times a second: a machine that goes down ends their agents as well.
    pub async fn begin_soon(&self) -> Result<Write, Error> {
        let soon = Some(self.soon.clone());
        self.begin_as("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE", soon)
            .await
    }

    async fn begin_as(&self, how: &'static str, soon: Option<Soon>) -> Result<Write, Error> {
        let transaction = self.writer.begin_with(how).await;
        Ok(Write {
            transaction: self.seen(transaction)?,
            events: Vec::new(),
            orphaned: HashMap::new(),
            path: self.path.clone(),
            soon,
        })
    }
}

impl Write {
    pub(crate) async fn run(
        &mut self,
        query: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<SqliteQueryResult, Error> {
        let done = query.execute(&mut *self.transaction).await;
        done.map_err(|source| Error::of(&self.path, source))
    }

    pub(crate) async fn all(
        &mut self,
        query: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Vec<SqliteRow>, Error> {
        let rows = query.fetch_all(&mut *self.transaction).await;
        rows.map_err(|source| Error::of(&self.path, source))
    }

    /// Adds a project. Fails with [`Error::Exists`] if its name or path is taken.
    pub async fn insert_project(&mut self, row: &ProjectRow) -> Result<(), Error> {
        self.run(row.bind(project::INSERT)).await.map(drop)
    }

    /// Changes a project. Fails with [`Error::Missing`] if it does not exist.
    pub async fn update_project(&mut self, row: &ProjectRow) -> Result<(), Error> {
        let done = self.run(row.bind(project::UPDATE)).await?;
        one(done, "project", row.id.as_str())
    }

    /// Removes a project from the list, with its sessions and notices; the caller has made sure that no
    /// session is alive. Events stay, except for old facts. Does nothing if the project does not exist.
    pub async fn delete_project(&mut self, id: &ProjectId) -> Result<(), Error> {
        let query = sqlx::query("DELETE FROM projects WHERE id = ?1").bind(id.as_str());
        self.run(query).await?;
        let thinned = sqlx::query(
            "DELETE FROM events WHERE kind = 'fact' AND project_id = ?1 \
             AND seq <= (SELECT through FROM retention)",
        );
        self.run(thinned.bind(id.as_str())).await.map(drop)
    }

    /// Adds a session. Fails with [`Error::Exists`] if its name is taken in its project, and with
    /// [`Error::Missing`] if its project does not exist. A missing parent is reported at the commit,
    /// so that a family can be added in any order.
    pub async fn insert_session(&mut self, row: &SessionRow) -> Result<(), Error> {
        self.run(session::bind(row, session::INSERT)).await.map(drop)
    }

    /// Changes a session except for its fixed fields. Fails with [`Error::Missing`] if it does not exist.
    pub async fn update_session(&mut self, row: &SessionRow) -> Result<(), Error> {
        let done = self.run(session::bind(row, session::UPDATE)).await?;
        one(done, "session", row.id.as_str())
    }

    /// Removes a session from the list, with its notices. Its workers become top-level, and its events
    /// stay, except for old ones. Does nothing if the session does not exist.
    pub async fn delete_session(&mut self, id: &SessionId) -> Result<(), Error> {
        let query = sqlx::query_scalar("DELETE FROM sessions WHERE id = ?1 RETURNING parent");
        let parent = query
            .bind(id.as_str())
            .fetch_optional(&mut *self.transaction)
            .await;
        let parent: Option<Option<String>> = parent.map_err(|source| Error::of(&self.path, source))?;
        if let Some(parent) = parent {
            let thinned = sqlx::query(
                "DELETE FROM events WHERE subject = ?1 AND seq <= (SELECT through FROM retention)",
            );
            self.run(thinned.bind(Subject::Session(id.clone()).word()))
                .await?;
            self.orphaned.insert(id.clone(), parent);
        }
        Ok(())
    }

    /// Adds a message, or changes the one with that number except for its fixed fields.
    /// Fails with [`Error::Missing`] if its session does not exist.
    pub async fn put_message(&mut self, row: &MessageRow) -> Result<(), Error> {
        self.run(row.bind()).await.map(drop)
    }

    /// Deletes a message. Does nothing if it does not exist.
    pub async fn delete_message(&mut self, id: i64) -> Result<(), Error> {
        let query = sqlx::query("DELETE FROM messages WHERE id = ?1").bind(id);
        self.run(query).await.map(drop)
    }

    /// Adds a notice, unread, and deletes those beyond the newest thousand.
    pub async fn insert_notice(&mut self, notice: &NewNotice) -> Result<i64, Error> {
        let query = sqlx::query(
            "INSERT INTO notices (kind, priority, session_id, plan_id, project_id, title, text, at, read) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)",
        )
        .bind(notice.kind.word())
        .bind(word(&notice.priority))
        .bind(notice.session_id.as_ref().map(|id| id.as_str()))
        .bind(notice.plan_id.as_ref().map(|id| id.as_str()))
        .bind(notice.project_id.as_ref().map(|id| id.as_str()))
        .bind(&notice.title)
        .bind(&notice.text)
        .bind(word(&notice.at));
        let id = self.run(query).await?.last_insert_rowid();
        let old = sqlx::query("DELETE FROM notices WHERE id <= ?1").bind(id - NOTICES_KEPT);
        self.run(old).await?;
        Ok(id)
    }

    /// Marks notices as read: those in `ids`, or all. Unknown numbers are ignored.
    pub async fn read_notices(&mut self, ids: Option<&[i64]>) -> Result<(), Error> {
        let query = sqlx::query(
            "UPDATE notices SET read = 1 \
             WHERE read = 0 AND (?1 IS NULL OR id IN (SELECT value FROM json_each(?1)))",
        );
        self.run(query.bind(ids.map(|ids| json(&ids)))).await.map(drop)
    }

    /// Appends an event to this transaction and returns its number.
    pub async fn append(
        &mut self,
        kind: EventKind,
        subject: &Subject,
        project: Option<&ProjectId>,
        payload: Value,
        at: Timestamp,
    ) -> Result<i64, Error> {
        let session = subject.session();
        let orphaned = session.and_then(|id| self.orphaned.get(id)).cloned().flatten();
        let query = sqlx::query(
            "INSERT INTO events (at, kind, subject, project_id, payload, parent_id) VALUES \
             (?1, ?2, ?3, ?4, ?5, coalesce((SELECT parent FROM sessions WHERE id = ?6), ?7))",
        )
        .bind(word(&at))
        .bind(kind.as_str())
        .bind(subject.word())
        .bind(project.map(ProjectId::as_str))
        .bind(json(&payload))
        .bind(session.map(SessionId::as_str))
        .bind(orphaned);
        let seq = self.run(query).await?.last_insert_rowid();
        self.events.push(EventRow {
            seq,
            at,
            kind,
            subject: subject.clone(),
            project_id: project.cloned(),
            payload,
        });
        Ok(seq)
    }

    /// Records that the entry `seq` of the journal of one incarnation of a keeper is being stored. Returns
    /// `false` if this engine or an earlier one stored it already; then store nothing.
    ///
    /// Keepers send entries in order, so only the newest number is kept.
    pub async fn journal(&mut self, session: &SessionId, keeper: &str, seq: u64) -> Result<bool, Error> {
        let seq = i64::try_from(seq).map_err(|e| Error::Value {
            table: "journal",
            column: "seq",
            detail: e.to_string(),
        })?;
        let query = sqlx::query(
            "INSERT INTO journal (session_id, keeper, seq) VALUES (?1, ?2, ?3) \
             ON CONFLICT (session_id, keeper) DO UPDATE SET seq = excluded.seq \
             WHERE excluded.seq > journal.seq",
        );
        let done = self
            .run(query.bind(session.as_str()).bind(keeper).bind(seq))
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Commits the transaction, and returns the events for the stream of changes.
    pub async fn commit(self) -> Result<Vec<EventRow>, Error> {
        let done = self.transaction.commit().await;
        done.map_err(|source| Error::of(&self.path, source))?;
        if let Some(soon) = self.soon {
            soon.flush();
        }
        Ok(self.events)
    }
}

/// Fails if an update did not find its row.
fn one(done: SqliteQueryResult, what: &str, id: &str) -> Result<(), Error> {
    if done.rows_affected() == 0 {
        return Err(Error::Missing(format!("{what} {id}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_commit_waits_for_the_disk_only_if_it_was_begun_that_way() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("some.db")).await.unwrap();
        let (full, normal) = (2, 1);
        for _ in 0..2 {
            for expected in [full, normal] {
                let begun = if expected == full {
                    store.begin().await
                } else {
                    store.begin_soon().await
                };
                let mut write = begun.unwrap();
                let level = sqlx::query_scalar::<_, i64>("PRAGMA synchronous");
                assert_eq!(level.fetch_one(&mut *write.transaction).await.unwrap(), expected);
                write.commit().await.unwrap();
            }
        }
    }
}
