//! Databases of other programs.

use downbeat_store::foreign::has_row;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::path::Path;

const QUERY: &str = "SELECT 1 FROM session WHERE id = ?";

async fn made(path: &Path, mode: SqliteJournalMode) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut other = options.journal_mode(mode).connect().await.unwrap();
    for statement in [
        "CREATE TABLE session (id TEXT PRIMARY KEY)",
        "INSERT INTO session VALUES ('one')",
    ] {
        sqlx::query(statement).execute(&mut other).await.unwrap();
    }
    other
}

#[tokio::test]
async fn a_row_is_found_while_another_program_writes_and_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    let other = made(&path, SqliteJournalMode::Wal).await;
    assert_eq!(has_row(&path, QUERY, "one").await, Some(true));
    assert_eq!(has_row(&path, QUERY, "two").await, Some(false));
    other.close().await.unwrap();
    assert_eq!(has_row(&path, QUERY, "one").await, Some(true));
    assert_eq!(has_row(&path, QUERY, "two' OR '1").await, Some(false));
}

#[tokio::test]
async fn an_unreadable_database_gives_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    assert_eq!(has_row(&path, QUERY, "one").await, None, "it is not there");
    assert!(!path.exists(), "nothing is made");
    let mut other = made(&path, SqliteJournalMode::Delete).await;
    let another = "SELECT 1 FROM conversation WHERE id = ?";
    assert_eq!(has_row(&path, another, "one").await, None, "it has another form");
    sqlx::query("BEGIN EXCLUSIVE").execute(&mut other).await.unwrap();
    assert_eq!(has_row(&path, QUERY, "one").await, None, "it is locked");
    drop(other);
    std::fs::write(&path, "no database, but some text that is long enough to be read").unwrap();
    assert_eq!(has_row(&path, QUERY, "one").await, None, "it is no database");
}
