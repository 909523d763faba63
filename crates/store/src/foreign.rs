//! Databases of other programs, such as agents: only read, never written, created or migrated.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::time::Duration;

/// The longest wait for a program that holds the file.
const PATIENCE: Duration = Duration::from_millis(500);

/// Reports whether `query`, with `value` bound, returns a row. `None` if that cannot be determined: the file
/// is missing, is locked, is not a database, or has another schema than the query expects.
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
    // Only read, so an error on closing does not matter.
    let _ = connection.close().await;
    row.ok().map(|row| row.is_some())
}
