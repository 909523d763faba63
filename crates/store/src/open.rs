//! Finds, checks, makes and migrates the database file. Not the queries over it.

use crate::Error;
use crate::soon::Soon;
use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

static MIGRATOR: Migrator = sqlx::migrate!();

/// Readers side by side: as many as views that ask at once after one event. A further one waits.
const READERS: u32 = 8;

/// How long to wait for another program that holds the file, and for a write of our own.
const PATIENCE: Duration = Duration::from_secs(5);

/// Files below this size get a `quick_check` on every open: it reads all pages, at about 1 ms
/// per megabyte. Bigger ones get it only after an engine that did not close them.
pub const CHECK_ALWAYS_BELOW: u64 = 64 << 20;

/// The open database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) readers: SqlitePool,
    /// One connection, so that writes queue here and not in SQLite.
    pub(crate) writer: SqlitePool,
    pub(crate) path: PathBuf,
    pub(crate) soon: Soon,
}

impl Store {
    /// Whether the file is still there: SQLite goes on with one that was deleted, and nobody sees it.
    #[must_use]
    pub fn is_there(&self) -> bool {
        // A disk that does not answer took nothing away.
        !matches!(self.path.try_exists(), Ok(false))
    }

    /// Opens the database at `path`; makes it, with its folder, where there is none.
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
            // A file does not hang up: asking before each write only takes time.
            .test_before_acquire(false)
            .before_acquire(|connection, _| {
                // A full disk makes SQLite undo a transaction by itself, and the driver loses count
                // of it: such a connection is replaced.
                let sound = !connection.is_in_transaction();
                Box::pin(async move { Ok(sound) })
            })
            .connect_with(options(path))
            .await
            .map_err(failed)?;
        MIGRATOR.run(&writer).await.map_err(|e| migration(path, e))?;
        let soon = Soon::of(path);
        // What an engine before this one committed, and did not live to flush.
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

    /// Lets the file grow to this many pages at most: how tests fill a disk.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<(), Error> {
        let pragma = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
        self.seen(sqlx::query(pragma).execute(&self.writer).await)
            .map(drop)
    }

    /// How many rows were written since the file was opened: how tests see that a change wrote nothing else.
    #[doc(hidden)]
    pub async fn rows_written(&self) -> Result<i64, Error> {
        let count = sqlx::query_scalar("SELECT total_changes()");
        self.seen(count.fetch_one(&self.writer).await)
    }

    /// Closes the file: waits for what runs, and folds the write-ahead log into it.
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

/// Whether there is a file; an empty one is damage, since databases appear here complete.
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

/// Refuses a database of a newer version, and touches nothing, so that it can be asked while another
/// engine has it open. What else may be wrong is for [`Store::open`] to say.
///
/// # Errors
/// [`Error::Newer`].
pub async fn refuse_newer(path: &Path) -> Result<(), Error> {
    if !matches!(present(path), Ok(true)) {
        return Ok(());
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(PATIENCE)
        .disable_statement_logging();
    let Ok(mut connection) = options.connect().await else {
        return Ok(());
    };
    let verdict = inspect(&mut connection, path, false).await;
    // It was only read.
    let _ = connection.close().await;
    match verdict {
        Err(error @ Error::Newer { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// Whether any session has not ended, or something that was wished for it is not done. Touches
/// nothing. Where the file cannot be read, yes: an engine says what is wrong with it.
pub async fn has_unfinished(path: &Path) -> bool {
    if matches!(present(path), Ok(false)) {
        return false;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(PATIENCE)
        .disable_statement_logging();
    let Ok(mut connection) = options.connect().await else {
        return true;
    };
    let unfinished = "(intent IS NOT NULL OR status NOT IN ('exited', 'killed', 'errored'))";
    let ask = |of: &str| {
        sqlx::AssertSqlSafe(format!(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE {of}{unfinished})"
        ))
    };
    // What is at rest is finished, and an older Downbeat did not note it.
    let mut found: Result<bool, _> = sqlx::query_scalar(ask("NOT at_rest AND "))
        .fetch_one(&mut connection)
        .await;
    if found.is_err() {
        found = sqlx::query_scalar(ask("")).fetch_one(&mut connection).await;
    }
    // A file that was not opened since an older version has none.
    let effects = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM effects WHERE state = 'waiting')");
    let waits: bool = effects.fetch_one(&mut connection).await.unwrap_or(false);
    // It was only read.
    let _ = connection.close().await;
    found.unwrap_or(true) || waits
}

/// Looks at a file before anything writes to it.
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
    let known = MIGRATOR.iter().map(|migration| migration.version).max();
    let known = known.unwrap_or_default();
    let ours: Option<i64> = sqlx::query_scalar("SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations'")
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
    if ours.is_none() {
        return Err(Error::Corrupt {
            path: path.to_owned(),
            detail: "it is not a database of Downbeat".into(),
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

/// Makes a complete database beside its place, then moves it there.
async fn create(path: &Path) -> Result<(), Error> {
    let draft = beside(path, ".new");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
    }
    for suffix in ["", "-wal", "-shm", "-journal"] {
        // What a crash left of an earlier attempt; mostly there is nothing.
        let _ = fs::remove_file(beside(&draft, suffix));
    }
    access::create(&draft).map_err(|error| refused(&draft, &error))?;
    let connection = options(&draft).connect().await;
    let mut connection = connection.map_err(|source| Error::of(path, source))?;
    connection
        .ensure_migrations_table("_sqlx_migrations")
        .await
        .map_err(|e| migration(path, e))?;
    MIGRATOR
        .run(&mut connection)
        .await
        .map_err(|e| migration(path, e))?;
    connection
        .close()
        .await
        .map_err(|source| Error::of(path, source))?;
    fs::rename(&draft, path).map_err(|error| refused(path, &error))
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

/// Who may read the file: only the person. SQLite gives its `-wal` and `-shm` the same mode.
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

/// Who may read the file: the profile's own folder already keeps others out.
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
