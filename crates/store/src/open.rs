//! Finds, checks, creates and migrates the database file. The queries are elsewhere.

use crate::Error;
use crate::migrations::DATABASE;
use crate::soon::Soon;
use sqlx::migrate::{Migrate, MigrateError};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number of concurrent readers: as many as there are views that query after one event. More have to wait.
const READERS: u32 = 8;

/// The longest wait for another program that holds the file, and for a write of our own.
const PATIENCE: Duration = Duration::from_secs(5);

/// The size below which files get a `quick_check` on every open: it reads all pages, at about 1 ms
/// per megabyte. Larger files get it only if the last engine did not close them.
pub const CHECK_ALWAYS_BELOW: u64 = 64 << 20;

/// The open database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) readers: SqlitePool,
    /// A pool of one connection, so that writes queue here and not in SQLite.
    pub(crate) writer: SqlitePool,
    pub(crate) path: PathBuf,
    pub(crate) soon: Soon,
}

impl Store {
    /// Reports whether the file still exists: SQLite silently continues with a file that was deleted.
    #[must_use]
    pub fn is_there(&self) -> bool {
        // A disk that does not answer does not mean that the file is gone.
        !matches!(self.path.try_exists(), Ok(false))
    }

    /// Opens the database at `path`; creates it, with its folder, if it does not exist.
    ///
    /// # Errors
    /// [`Error::Newer`] and [`Error::Corrupt`] leave the file as it was.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::of(path, source);
        if present(path)? {
            check(path).await?;
        } else {
            create(path).await?;
        }
        access::restrict(path).map_err(|error| refused(path, &error))?;
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PATIENCE * 2)
            .idle_timeout(None)
            .max_lifetime(None)
            // A file does not disconnect: testing it before each write only takes time.
            .test_before_acquire(false)
            .before_acquire(|connection, _| {
                // A full disk makes SQLite roll back a transaction by itself, and the driver loses count
                // of it; such a connection is replaced.
                let sound = !connection.is_in_transaction();
                Box::pin(async move { Ok(sound) })
            })
            .connect_with(options(path))
            .await
            .map_err(failed)?;
        DATABASE.run(&writer).await.map_err(|e| migration(path, e))?;
        let soon = Soon::of(path);
        // Flushes what an earlier engine committed and did not live to flush.
        soon.flush();
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .connect_with(options(path).read_only(true))
            .await
            .map_err(failed)?;
        Ok(Self {
            readers,
            writer,
            path: path.to_owned(),
            soon,
        })
    }

    /// Limits the file to this many pages, so that tests can fill a disk.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<(), Error> {
        let pragma = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
        self.seen(sqlx::query(pragma).execute(&self.writer).await)
            .map(drop)
    }

    /// Returns the number of rows written since the file was opened, so that tests can detect extra ones.
    #[doc(hidden)]
    pub async fn rows_written(&self) -> Result<i64, Error> {
        let count = sqlx::query_scalar("SELECT total_changes()");
        self.seen(count.fetch_one(&self.writer).await)
    }

    /// Closes the file: waits for running operations, and merges the write-ahead log.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

pub(crate) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .disable_statement_logging()
}

/// Reports whether the file exists; an empty one is damage, since databases appear here complete.
fn present(path: &Path) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(refused(path, "it is a folder")),
        Ok(data) if data.len() == 0 => Err(Error::Corrupt {
            path: path.to_owned(),
            detail: "it is empty".into(),
        }),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(refused(path, &error)),
    }
}

/// Rejects a database of a newer version. Changes nothing, so it can be called while another engine has the
/// database open. Other errors are left to [`Store::open`].
///
/// # Errors
/// [`Error::Newer`].
pub async fn refuse_newer(path: &Path) -> Result<(), Error> {
    if !matches!(present(path), Ok(true)) {
        return Ok(());
    }
    match look(path, false).await {
        Err(error @ Error::Newer { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// Reports whether any session has not ended, or work that was requested for it is not done. Changes
/// nothing. Returns `true` if the file cannot be read: the engine then reports what is wrong with it.
pub async fn has_unfinished(path: &Path) -> bool {
    if matches!(present(path), Ok(false)) {
        return false;
    }
    let Ok(mut connection) = only_reading(path).connect().await else {
        return true;
    };
    let unfinished = "(intent IS NOT NULL OR status NOT IN ('exited', 'killed', 'errored'))";
    let ask = |of: &str| {
        sqlx::AssertSqlSafe(format!(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE {of}{unfinished})"
        ))
    };
    // Sessions at rest are finished. An older Downbeat did not record that.
    let mut found: Result<bool, _> = sqlx::query_scalar(ask("NOT at_rest AND "))
        .fetch_one(&mut connection)
        .await;
    if found.is_err() {
        found = sqlx::query_scalar(ask("")).fetch_one(&mut connection).await;
    }
    // A file that only an older version has opened has no effects.
    let effects = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM effects WHERE state = 'waiting')");
    let waits: bool = effects.fetch_one(&mut connection).await.unwrap_or(false);
    // A queue may wait for the time at which a step is tried again.
    let queues = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM merge_queues WHERE json_array_length(doc, '$.queue.entries') > 0 \
         AND doc ->> '$.queue.paused' IS NULL)",
    );
    let queued: bool = queues.fetch_one(&mut connection).await.unwrap_or(false);
    // The next tasks of a plan start by themselves.
    let plans = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM plans WHERE doc ->> '$.state' = 'running')");
    let planned: bool = plans.fetch_one(&mut connection).await.unwrap_or(false);
    let fixes =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM fix_runs WHERE doc ->> '$.endedAt' IS NULL)");
    let fixing: bool = fixes.fetch_one(&mut connection).await.unwrap_or(false);
    // Only read, so an error on closing does not matter.
    let _ = connection.close().await;
    found.unwrap_or(true) || waits || queued || planned || fixing
}

/// Returns what is wrong with the file; `None` if it is sound or does not exist yet. Changes nothing, so that an engine finds
/// what an earlier one left. For a file that no engine has open.
pub async fn problem(path: &Path) -> Option<Error> {
    match present(path) {
        Ok(false) => None,
        Ok(true) => look(path, true).await.err(),
        Err(error) => Some(error),
    }
}

/// Returns options to read a file that nothing may change.
fn only_reading(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(PATIENCE)
        .disable_statement_logging()
}

/// Inspects a file and changes nothing.
async fn look(path: &Path, thorough: bool) -> Result<(), Error> {
    let connection = only_reading(path).connect().await;
    let mut connection = connection.map_err(|source| Error::of(path, source))?;
    let verdict = inspect(&mut connection, path, thorough).await;
    // Only read, so an error on closing does not matter.
    let _ = connection.close().await;
    verdict
}

/// Inspects a file before anything writes to it.
async fn check(path: &Path) -> Result<(), Error> {
    let failed = |source| Error::of(path, source);
    let options = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(PATIENCE)
        .disable_statement_logging();
    let left_open = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let small = fs::metadata(path).is_ok_and(|file| file.len() < CHECK_ALWAYS_BELOW);
    let mut connection = options.connect().await.map_err(failed)?;
    let verdict = inspect(&mut connection, path, left_open || small).await;
    connection.close().await.map_err(failed)?;
    verdict
}

async fn inspect(connection: &mut SqliteConnection, path: &Path, thorough: bool) -> Result<(), Error> {
    let failed = |source| Error::of(path, source);
    let known = DATABASE.iter().map(|migration| migration.version).max();
    let known = known.unwrap_or_default();
    let ours: Option<i64> = sqlx::query_scalar("SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations'")
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
    if ours.is_none() {
        return Err(Error::Corrupt {
            path: path.to_owned(),
            detail: "it is not a Downbeat database".into(),
        });
    }
    let found: i64 = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    if found > known {
        return Err(Error::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    if !thorough {
        return Ok(());
    }
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    if found == "ok" {
        return Ok(());
    }
    Err(Error::Corrupt {
        path: path.to_owned(),
        detail: found.lines().collect::<Vec<_>>().join(" "),
    })
}

/// Creates a complete database under another name, then renames it.
async fn create(path: &Path) -> Result<(), Error> {
    let fresh = beside(path, ".new");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
    }
    for suffix in ["", "-wal", "-shm", "-journal"] {
        // Remove the remains of an attempt that crashed; usually there are none.
        let _ = fs::remove_file(beside(&fresh, suffix));
    }
    access::create(&fresh).map_err(|error| refused(&fresh, &error))?;
    let connection = options(&fresh).connect().await;
    let mut connection = connection.map_err(|source| Error::of(path, source))?;
    connection
        .ensure_migrations_table("_sqlx_migrations")
        .await
        .map_err(|e| migration(path, e))?;
    DATABASE
        .run(&mut connection)
        .await
        .map_err(|e| migration(path, e))?;
    connection
        .close()
        .await
        .map_err(|source| Error::of(path, source))?;
    fs::rename(&fresh, path).map_err(|error| refused(path, &error))
}

pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn refused(path: &Path, detail: impl ToString) -> Error {
    Error::Access {
        path: path.to_owned(),
        detail: detail.to_string(),
    }
}

pub(crate) fn migration(path: &Path, error: MigrateError) -> Error {
    match error {
        MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => Error::of(path, source),
        other => Error::Corrupt {
            path: path.to_owned(),
            detail: other.to_string(),
        },
    }
}

/// Access control of the file: only the person may read it. SQLite gives its `-wal` and `-shm` the same mode.
#[cfg(unix)]
pub(crate) mod access {
    use std::fs::{OpenOptions, Permissions, set_permissions};
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    pub(crate) fn create(path: &Path) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .map(drop)
    }

    pub(crate) fn restrict(path: &Path) -> std::io::Result<()> {
        set_permissions(path, Permissions::from_mode(0o600))
    }
}

/// Access control of the file: the profile's own folder already keeps others out.
#[cfg(not(unix))]
pub(crate) mod access {
    use std::path::Path;

    pub(crate) fn create(path: &Path) -> std::io::Result<()> {
        std::fs::File::create_new(path).map(drop)
    }

    pub(crate) fn restrict(_: &Path) -> std::io::Result<()> {
        Ok(())
    }
}
