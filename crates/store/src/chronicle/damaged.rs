//! Recovers data from a damaged chronicle: usage, which is stored nowhere else, and the list of
//! transcripts, so that they are read again. Each table is read from both ends, up to the damage. The damaged
//! file's rows are never changed.

use super::file::Chronicle;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection};
use std::path::Path;

/// The rows that are read in one query and written in one transaction.
const ROWS: usize = 1000;

/// A table that is recovered.
struct Table {
    name: &'static str,
    /// The column by which the rows are ordered.
    key: &'static str,
    /// The columns that are text.
    texts: &'static [&'static str],
    /// The columns that are numbers.
    numbers: &'static [&'static str],
    put: &'static str,
}

const TABLES: [Table; 2] = [
    Table {
        name: "usage",
        key: "key",
        texts: &["key", "session_id", "project_id", "day", "model"],
        numbers: &["input", "cached", "written", "output"],
        put: "INSERT INTO usage (key, session_id, project_id, day, model, input, cached, written, output) \
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
    },
    Table {
        name: "transcripts",
        key: "id",
        texts: &["session_id", "path"],
        numbers: &["sub_agent"],
        put: "INSERT INTO transcripts (session_id, path, sub_agent, place) VALUES (?1, ?2, ?3, '{}') \
              ON CONFLICT DO NOTHING",
    },
];

impl Chronicle {
    /// Copies all readable rows of the file at `aside`.
    pub(super) async fn take_over(&self, aside: &Path) {
        // Not read-only: SQLite may have to merge the write-ahead log first.
        let options = SqliteConnectOptions::new().filename(aside);
        let mut old = match options.disable_statement_logging().connect().await {
            Ok(old) => old,
            Err(error) => return tracing::warn!("nothing can be read in {}: {error}", aside.display()),
        };
        for table in &TABLES {
            for order in ["ASC", "DESC"] {
                match self.take(table, order, &mut old).await {
                    Ok(()) => break,
                    Err(error) => {
                        tracing::warn!("{} of {} was cut: {error}", table.name, aside.display());
                    }
                }
            }
        }
        // Only read, so an error on closing does not matter.
        let _ = old.close().await;
    }

    /// Copies rows in this order, up to the first that cannot be read.
    async fn take(&self, table: &Table, order: &str, old: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let Table { name, key, .. } = table;
        let columns: Vec<&str> = table.texts.iter().chain(table.numbers).copied().collect();
        let columns = columns.join(", ");
        let beyond = if order == "ASC" { ">" } else { "<" };
        let (mut last, mut room): (Option<String>, _) = (None, ROWS);
        loop {
            let from = last.as_ref().map(|_| format!("WHERE {key} {beyond} ?1"));
            let from = from.unwrap_or_default();
            let rows = sqlx::query(AssertSqlSafe(format!(
                "SELECT {columns}, CAST({key} AS TEXT) AS place FROM {name} {from} ORDER BY {key} {order} LIMIT {room}"
            )));
            let rows = match &last {
                Some(last) => rows.bind(last.clone()),
                None => rows,
            };
            let rows = match rows.fetch_all(&mut *old).await {
                Ok(rows) => rows,
                // Continue row by row, up to the damage.
                Err(_) if room > 1 => {
                    room = 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let mut transaction = self.writer.begin().await?;
            for row in &rows {
                put(table, row, &mut transaction).await?;
            }
            transaction.commit().await?;
            match rows.last() {
                Some(row) if rows.len() == room => last = Some(row.try_get("place")?),
                _ => return Ok(()),
            }
        }
    }
}

async fn put(table: &Table, row: &SqliteRow, to: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let mut query = sqlx::query(table.put);
    for column in table.texts {
        query = query.bind(row.try_get::<String, _>(*column)?);
    }
    for column in table.numbers {
        query = query.bind(row.try_get::<i64, _>(*column)?);
    }
    query.execute(to).await.map(drop)
}
