//! Sessions: one document for each, and the columns that other tables and queries need. SQLite itself derives
//! `status`, `intent`, `archived_at` and `at_rest` from the document.

use crate::Error;
use crate::codec::{Columns, json};
use downbeat_model::{Session, SessionId};
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};

pub(crate) const INSERT: &str = "INSERT INTO sessions (name, doc, id, project_id, parent, task, beside) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

pub(crate) const UPDATE: &str = "UPDATE sessions SET name = ?1, doc = ?2 WHERE id = ?3";

/// Returns a query of [`INSERT`] or [`UPDATE`] with a session's values.
pub(crate) fn bind<'q>(session: &'q Session, sql: &'static str) -> Query<'q, Sqlite, SqliteArguments> {
    let query = sqlx::query(sql)
        .bind(&session.name)
        .bind(json(session))
        .bind(session.id.as_str());
    if sql == INSERT {
        return query
            .bind(session.project_id.as_str())
            .bind(session.parent.as_ref().map(SessionId::as_str))
            .bind(&session.task)
            .bind(session.side_shell_of.as_ref().map(SessionId::as_str));
    }
    query
}

/// Reads a session from its row. A value that cannot be read is an error that names the session: without a
/// part of it, the session would look as if it was not paused, or never forked.
pub(crate) fn from_row(row: &SqliteRow) -> Result<Session, Error> {
    let columns = Columns {
        row,
        table: "sessions",
    };
    Ok(Session {
        parent: columns.word_or_none("parent")?,
        task: columns.plain("task")?,
        ..columns.json("doc")?
    })
}
