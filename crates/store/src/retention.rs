//! The retention of events: all of the newest ones, and older ones that still explain something. Deletes in
//! small steps, each in its own transaction, so that no other write waits for long.

use crate::read::WORKER_EVENTS;
use crate::{Error, Store};
use downbeat_model::EventKind;
use sqlx::Row as _;

/// The number of newest events that are all kept, of whatever kind: many times what a reader may be behind
/// before it must load everything again.
pub const NEWEST: i64 = 200_000;

/// The number of older events that are kept of each session on the list, newest first, of those that explain
/// its status or record a notice to the person: more than an explanation shows by default.
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
    /// visited again only if newer events of their session have become old.
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
            "DELETE FROM events WHERE seq > ?1 AND seq <= ?2 AND \
             (session_id IS NULL OR session_id NOT IN (SELECT id FROM sessions))",
        );
        write.run(of_nobody.bind(through).bind(to)).await?;
        let sessions = sqlx::query(
            "SELECT DISTINCT session_id FROM events \
             WHERE seq > ?1 AND seq <= ?2 AND session_id IS NOT NULL",
        );
        let sessions = write.all(sessions.bind(through).bind(to)).await?;
        for session in sessions {
            let id: String = self.seen(session.try_get("session_id"))?;
            write.run(thin_out(&id, to, kept.of_each)).await?;
        }
        let done = sqlx::query("UPDATE retention SET through = ?1").bind(to);
        write.run(done).await?;
        write.commit().await?;
        Ok(to < old)
    }
}

/// Deletes events of one session up to `to`, except for the last that explain its status, and those that were
/// not delivered to its conductor yet.
fn thin_out(
    session: &str,
    to: i64,
    of_each: i64,
) -> sqlx::query::Query<'_, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
    let query = sqlx::query(
        "DELETE FROM events WHERE session_id = ?1 AND seq <= ?2 \
         AND (kind NOT IN (?4, ?5, ?6) OR seq <= coalesce((SELECT seq FROM events \
         WHERE session_id = ?1 AND kind IN (?4, ?5, ?6) ORDER BY seq DESC LIMIT 1 OFFSET ?3), 0)) \
         AND NOT (kind IN (?7, ?8, ?9) AND parent_id IS NOT NULL \
         AND seq > (SELECT doc ->> '$.told' FROM sessions WHERE id = ?1))",
    );
    let query = query.bind(session).bind(to).bind(of_each);
    let kinds = EXPLAINING.iter().chain(&WORKER_EVENTS);
    kinds.fold(query, |query, kind| query.bind(kind.as_str()))
}
