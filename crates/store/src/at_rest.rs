//! Sessions at rest: archived, with nothing left to do for them. Opening a store reads all other sessions at
//! once ([`Store::sessions_in_use`]); those at rest are queried by their properties. Changes nothing.

use crate::read::WORKER_EVENTS;
use crate::row::{MessageRow, SessionRow, session};
use crate::{Error, Store};
use downbeat_model::{ProjectId, SessionId};
use sqlx::Row as _;
use std::collections::{BTreeMap, BTreeSet};

/// The relations of a session that decide for which sessions its usage counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kin {
    /// The session.
    pub id: SessionId,
    /// The session that spawned it.
    pub parent: Option<SessionId>,
    /// The descendants that were taken off the list: their usage counts for it.
    pub forgotten: Vec<SessionId>,
}

/// The workspace that a session at rest still has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceAtRest {
    /// The directory.
    pub path: String,
    /// The branch.
    pub branch: Option<String>,
}

impl Store {
    /// Returns all sessions that are not at rest, or have a waiting effect, with their ancestors and the
    /// sessions that they belong to, in the order in which they were requested.
    pub async fn sessions_in_use(&self) -> Result<Vec<SessionRow>, Error> {
        self.with_above(
            "SELECT id FROM sessions WHERE NOT at_rest AND ?1 IS NOT NULL UNION \
             SELECT substr(subject, 9) FROM effects WHERE state = 'waiting' AND subject LIKE 'session:%'",
            &[],
        )
        .await
    }

    /// Returns these sessions, as far as they exist, with their ancestors and the sessions that they belong
    /// to.
    pub async fn sessions_of(&self, ids: &[SessionId]) -> Result<Vec<SessionRow>, Error> {
        self.with_above("SELECT value FROM json_each(?1)", ids).await
    }

    async fn with_above(&self, first: &'static str, ids: &[SessionId]) -> Result<Vec<SessionRow>, Error> {
        let sql = format!(
            "WITH RECURSIVE wanted (id) AS ({first} UNION \
             SELECT above.id FROM wanted JOIN sessions AS below ON below.id = wanted.id \
             JOIN sessions AS above ON above.id IN (below.parent, below.beside)) \
             SELECT sessions.* FROM wanted JOIN sessions ON sessions.id = wanted.id ORDER BY place"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(list(ids));
        let rows = self.seen(rows.fetch_all(&self.readers).await)?;
        rows.iter().map(session::from_row).collect()
    }

    /// Returns the messages of these sessions, in the order of their queues.
    pub async fn messages_of(&self, ids: &[SessionId]) -> Result<Vec<MessageRow>, Error> {
        let rows = sqlx::query(
            "SELECT * FROM messages WHERE session_id IN (SELECT value FROM json_each(?1)) \
             ORDER BY session_id, place, id",
        );
        let rows = rows.bind(list(ids)).fetch_all(&self.readers).await;
        self.seen(rows)?.iter().map(MessageRow::from_row).collect()
    }

    /// Returns the sessions at rest that have this name, in any project.
    pub async fn at_rest_named(&self, name: &str) -> Result<Vec<SessionId>, Error> {
        let rows = sqlx::query_scalar("SELECT id FROM sessions WHERE at_rest AND name = ?1");
        self.ids(rows.bind(name).fetch_all(&self.readers).await)
    }

    /// Returns the names of a project's sessions, at rest or not, that begin with `start`.
    pub async fn names_beginning(&self, project: &ProjectId, start: &str) -> Result<BTreeSet<String>, Error> {
        let rows = sqlx::query_scalar(
            "SELECT name FROM sessions WHERE project_id = ?1 AND name >= ?2 AND name < ?2 || char(1114111)",
        );
        let rows = rows.bind(project.as_str()).bind(start);
        let rows: Vec<String> = self.seen(rows.fetch_all(&self.readers).await)?;
        Ok(rows.into_iter().collect())
    }

    /// Returns the number of workers at rest of each of these sessions.
    pub async fn workers_at_rest(&self, ids: &[SessionId]) -> Result<BTreeMap<SessionId, u32>, Error> {
        let rows = sqlx::query(
            "SELECT parent, count(*) AS workers FROM sessions WHERE at_rest AND parent IS NOT NULL \
             AND parent IN (SELECT value FROM json_each(?1)) GROUP BY parent",
        );
        let rows = self.seen(rows.bind(list(ids)).fetch_all(&self.readers).await)?;
        let count = |row: &sqlx::sqlite::SqliteRow| {
            let id = SessionId::parse(row.try_get("parent").ok()?)?;
            Some((id, u32::try_from(row.try_get::<i64, _>("workers").ok()?).ok()?))
        };
        Ok(rows.iter().filter_map(count).collect())
    }

    /// Returns the direct workers of a session, at rest or not.
    pub async fn direct_workers(&self, parent: &SessionId) -> Result<Vec<SessionId>, Error> {
        let rows = sqlx::query_scalar("SELECT id FROM sessions WHERE parent = ?1");
        self.ids(rows.bind(parent.as_str()).fetch_all(&self.readers).await)
    }

    /// Returns the direct workers at rest of a session that have an event which may still have to be reported
    /// to it.
    pub async fn untold_at_rest(&self, parent: &SessionId) -> Result<Vec<SessionId>, Error> {
        let rows = sqlx::query_scalar(
            "SELECT id FROM sessions WHERE at_rest AND parent IS NOT NULL AND parent = ?1 AND EXISTS \
             (SELECT 1 FROM events WHERE subject = 'session:' || sessions.id AND seq > sessions.doc ->> '$.told' \
             AND kind IN (SELECT value FROM json_each(?2)))",
        );
        let kinds = WORKER_EVENTS.map(|kind| kind.as_str());
        let kinds = serde_json::Value::from(kinds.to_vec()).to_string();
        let rows = rows.bind(parent.as_str()).bind(kinds);
        self.ids(rows.fetch_all(&self.readers).await)
    }

    /// Returns everything below these sessions, each once; the sessions themselves only if one is below
    /// another.
    pub async fn below(&self, ids: &[SessionId]) -> Result<Vec<Kin>, Error> {
        let rows = sqlx::query(
            "WITH RECURSIVE below (id) AS (SELECT id FROM sessions \
             WHERE parent IN (SELECT value FROM json_each(?1)) UNION \
             SELECT sessions.id FROM below JOIN sessions ON sessions.parent = below.id) \
             SELECT sessions.id, parent, doc -> '$.lineage.forgotten' AS forgotten \
             FROM below JOIN sessions ON sessions.id = below.id",
        );
        let rows = self.seen(rows.bind(list(ids)).fetch_all(&self.readers).await)?;
        let kin = |row: &sqlx::sqlite::SqliteRow| {
            let forgotten: Option<&str> = row.try_get("forgotten").ok()?;
            Some(Kin {
                id: SessionId::parse(row.try_get("id").ok()?)?,
                parent: row
                    .try_get::<Option<&str>, _>("parent")
                    .ok()?
                    .and_then(SessionId::parse),
                forgotten: forgotten
                    .and_then(|text| serde_json::from_str(text).ok())
                    .unwrap_or_default(),
            })
        };
        Ok(rows.iter().filter_map(kin).collect())
    }

    /// Returns the workspaces of a project's sessions at rest that still have one.
    pub async fn places_at_rest(&self, project: &ProjectId) -> Result<Vec<PlaceAtRest>, Error> {
        let rows = sqlx::query(
            "SELECT doc ->> '$.workspacePath' AS path, doc ->> '$.branch' AS branch FROM sessions \
             WHERE at_rest AND doc ->> '$.workspacePath' IS NOT NULL AND project_id = ?1",
        );
        let rows = rows.bind(project.as_str());
        let rows = self.seen(rows.fetch_all(&self.readers).await)?;
        let place = |row: &sqlx::sqlite::SqliteRow| {
            Some(PlaceAtRest {
                path: row.try_get("path").ok()?,
                branch: row.try_get("branch").ok()?,
            })
        };
        Ok(rows.iter().filter_map(place).collect())
    }

    /// Returns the folders that hold worktrees of sessions at rest, each once, with a separator at its end.
    pub async fn folders_at_rest(&self) -> Result<Vec<(ProjectId, String)>, Error> {
        let rows = sqlx::query(
            "SELECT DISTINCT project_id, rtrim(doc ->> '$.workspacePath', \
             replace(replace(doc ->> '$.workspacePath', '/', ''), char(92), '')) AS folder FROM sessions \
             WHERE at_rest AND doc ->> '$.workspacePath' IS NOT NULL",
        );
        let rows = self.seen(rows.fetch_all(&self.readers).await)?;
        let folder = |row: &sqlx::sqlite::SqliteRow| {
            let project = ProjectId::parse(row.try_get("project_id").ok()?)?;
            Some((project, row.try_get("folder").ok()?))
        };
        Ok(rows.iter().filter_map(folder).collect())
    }

    /// Returns the keys of the budgets of whole projects that the person was warned of at sessions at rest.
    pub async fn warned_at_rest(&self) -> Result<BTreeSet<String>, Error> {
        let rows = sqlx::query_scalar(
            "SELECT DISTINCT value FROM sessions, json_each(doc, '$.hold.warned') \
             WHERE at_rest AND json_array_length(doc, '$.hold.warned') > 0 \
             AND value NOT LIKE 'Session %' AND value NOT LIKE 'Subtree %'",
        );
        let rows: Vec<String> = self.seen(rows.fetch_all(&self.readers).await)?;
        Ok(rows.into_iter().collect())
    }

    /// Returns the sessions of a project, at rest or not.
    pub async fn ids_of_project(&self, project: &ProjectId) -> Result<Vec<SessionId>, Error> {
        let rows = sqlx::query_scalar("SELECT id FROM sessions WHERE project_id = ?1");
        self.ids(rows.bind(project.as_str()).fetch_all(&self.readers).await)
    }

    /// Returns those of these sessions that do not exist, at rest or not.
    pub async fn missing(&self, ids: &[SessionId]) -> Result<Vec<SessionId>, Error> {
        let rows = sqlx::query_scalar(
            "SELECT value FROM json_each(?1) WHERE value NOT IN (SELECT id FROM sessions)",
        );
        self.ids(rows.bind(list(ids)).fetch_all(&self.readers).await)
    }

    fn ids(&self, rows: Result<Vec<String>, sqlx::Error>) -> Result<Vec<SessionId>, Error> {
        let rows = self.seen(rows)?;
        Ok(rows.iter().filter_map(|id| SessionId::parse(id)).collect())
    }
}

/// Returns the ids as a JSON list for SQLite.
fn list(ids: &[SessionId]) -> String {
    let ids: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
    serde_json::Value::from(ids).to_string()
}
