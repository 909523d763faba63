//! The retention of events: all of the newest ones, and older ones that still explain something. Deletes in
//! small steps, each in its own transaction, so that no other write waits for long.

use crate::read::WORKER_EVENTS;
use crate::{Error, Store};
use downbeat_model::{EventKind, SessionId, Subject};
use sqlx::Row as _;

/// The number of newest events that are all kept, of whatever kind: many times what a reader may be behind
/// before it must load everything again.
pub const NEWEST: i64 = 200_000;

/// The number of older events that are kept of each subject, newest first. Of a session on the list, these are the
/// events that explain its status or record a notice to the person: more than an explanation shows by default. Of any
/// other subject, they are the facts about it, and go when their project is removed from the list.
pub const OF_EACH: i64 = 40;

/// The number of events that one step visits.
const STEP: i64 = 500;

/// The amounts that are kept.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// See [`NEWEST`].
    pub newest: i64,
    /// See [`OF_EACH`].
    pub of_each: i64,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            newest: NEWEST,
            of_each: OF_EACH,
        }
    }
}

/// The events that explain the status of a session, and the notices about it.
const EXPLAINING: [EventKind; 3] = [
    EventKind::SessionFact,
    EventKind::SessionStatus,
    EventKind::Notice,
];

impl Store {
    /// Takes the next step; returns whether there is another one to take. Events that were visited once are
    /// visited again only if newer events of their subject have become old.
    pub async fn thin_out(&self, kept: Kept) -> Result<bool, Error> {
        let through: i64 = self.seen(
            sqlx::query_scalar("SELECT through FROM retention")
                .fetch_one(&self.readers)
                .await,
        )?;
        let old = self.last_seq().await? - kept.newest;
        if through >= old {
            return Ok(false);
        }
        let to = old.min(through + STEP);
        let mut write = self.begin_soon().await?;
        let of_nobody = sqlx::query(
            "DELETE FROM events WHERE seq > ?1 AND seq <= ?2 AND CASE WHEN substr(subject, 1, 8) = 'session:' \
             THEN substr(subject, 9) NOT IN (SELECT id FROM sessions) \
             ELSE kind <> 'fact' OR project_id NOT IN (SELECT id FROM projects) END",
        );
        write.run(of_nobody.bind(through).bind(to)).await?;
        let subjects = sqlx::query("SELECT DISTINCT subject FROM events WHERE seq > ?1 AND seq <= ?2");
        let subjects = write.all(subjects.bind(through).bind(to)).await?;
        for subject in subjects {
            let word: String = self.seen(subject.try_get("subject"))?;
            let subject = Subject::of_word(&word);
            let deletion = match subject.session() {
                Some(id) => of_session(&word, id, to, kept.of_each),
                None => of_other(&word, to, kept.of_each),
            };
            write.run(deletion).await?;
        }
        let done = sqlx::query("UPDATE retention SET through = ?1").bind(to);
        write.run(done).await?;
        write.commit().await?;
        Ok(to < old)
    }
}

type Deletion<'a> = sqlx::query::Query<'a, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

/// Deletes events of one session up to `to`, except for the last that explain its status, and those that were
/// not delivered to its conductor yet.
fn of_session<'a>(word: &'a str, id: &'a SessionId, to: i64, of_each: i64) -> Deletion<'a> {
    let query = sqlx::query(
        "DELETE FROM events WHERE subject = ?1 AND seq <= ?2 \
         AND (kind NOT IN (?5, ?6, ?7) OR seq <= coalesce((SELECT seq FROM events \
         WHERE subject = ?1 AND kind IN (?5, ?6, ?7) ORDER BY seq DESC LIMIT 1 OFFSET ?3), 0)) \
         AND NOT (kind IN (?8, ?9, ?10, ?11, ?12) AND parent_id IS NOT NULL \
         AND seq > (SELECT doc ->> '$.told' FROM sessions WHERE id = ?4))",
    );
    let query = query.bind(word).bind(to).bind(of_each).bind(id.as_str());
    let kinds = EXPLAINING.iter().chain(&WORKER_EVENTS);
    kinds.fold(query, |query, kind| query.bind(kind.as_str()))
}

/// Deletes facts about a subject that is not a session up to `to`, except for the last.
fn of_other(word: &str, to: i64, of_each: i64) -> Deletion<'_> {
    let query = sqlx::query(
        "DELETE FROM events WHERE subject = ?1 AND kind = 'fact' AND seq <= ?2 AND seq <= coalesce((SELECT seq \
         FROM events WHERE subject = ?1 AND kind = 'fact' ORDER BY seq DESC LIMIT 1 OFFSET ?3), 0)",
    );
    query.bind(word).bind(to).bind(of_each)
}
