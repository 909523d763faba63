//! What a chronicle that was put aside still tells: usage, which is in no other place, and which
//! transcripts there were, so that they are read again. As far as it can be read: from both ends of each
//! table, up to the damage. Nothing there is changed.

use super::file::Chronicle;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection};
use std::path::Path;

/// Rows that are read at once, and written in one transaction.
const ROWS: usize = 1000;

/// A table that is taken over.
struct Table {
    name: &'static str,
    /// By which its rows are in order.
    key: &'static str,
    /// Its columns that are text.
    texts: &'static [&'static str],
    /// Its columns that are numbers.
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
    /// Takes over what can be read of the file at `aside`.
    pub(super) async fn take_over(&self, aside: &Path) {
        // Not only to be read: SQLite may have to fold its log in first.
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
        // It was only read.
        let _ = old.close().await;
    }

    /// Takes rows over in this order, up to the first that cannot be read.
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
                // Up to the damage, row by row.
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
