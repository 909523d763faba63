//! Databases of other programs, an agent's say: looked into, never written, made or migrated.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::time::Duration;

/// How long a look may wait for the program that holds the file.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether `query` gives a row, with `value` in its place. `None` where nobody can tell: the file is not
/// there, is locked, is no database, or has another form than the query expects.
pub async fn has_row(path: &Path, query: &'static str, value: &str) -> Option<bool> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(PATIENCE)
        .disable_statement_logging();
    let mut connection = options.connect().await.ok()?;
    let row = sqlx::query(query)
        .bind(value)
        .fetch_optional(&mut connection)
        .await;
    // It was only read.
    let _ = connection.close().await;
    row.ok().map(|row| row.is_some())
}
