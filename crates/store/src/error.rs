//! The errors of the database, each with a way out. Errors of callers in the use of sessions are in the
//! engine.

use std::path::{Path, PathBuf};

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A newer Downbeat wrote the file.
    #[error(
        "{path} was written by a newer Downbeat (schema {found}; this one knows up to {known}): \
         start the newer version, or move the file aside to start with an empty one"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The schema version of the file.
        found: i64,
        /// The newest schema version that this build knows.
        known: i64,
    },
    /// The file is damaged, or is not a database.
    #[error(
        "{path} is damaged ({detail}): move it aside together with its -wal and -shm files and \
         start again; running agents are not affected"
    )]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// The damage that was found.
        detail: String,
    },
    /// The disk is full.
    #[error("the disk that holds {path} is full: make room and try again; nothing was left incomplete")]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// Another program holds the file.
    #[error("{path} is locked by another program (a database tool, a backup?): close it and try again")]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// The system does not allow the file to be opened, read or written.
    #[error("{path} cannot be used: {detail}")]
    Access {
        /// The database or its folder.
        path: PathBuf,
        /// The system's message.
        detail: String,
    },
    /// The database was closed, because another engine has it now.
    #[error("{path} was closed: another engine has it now")]
    Closed {
        /// The database.
        path: PathBuf,
    },
    /// A name or path that must be unique exists already.
    #[error("{0} already exists")]
    Exists(String),
    /// There is no such row, or a row that it refers to is missing.
    #[error("there is no {0}")]
    Missing(String),
    /// A stored value that this build cannot read.
    #[error("a stored value of {table}.{column} cannot be read: {detail}")]
    Value {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The reason.
        detail: String,
    },
    /// Any other error of SQLite.
    #[error("the database {path} failed: {source}")]
    Database {
        /// The database.
        path: PathBuf,
        /// The error.
        source: sqlx::Error,
    },
}

// SQLite's primary result codes (https://sqlite.org/rescode.html).
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANTOPEN: i32 = 14;
const NOTADB: i32 = 26;

impl Error {
    /// Classifies an error of the driver by what a person can do about it.
    pub(crate) fn of(path: &Path, source: sqlx::Error) -> Self {
        let path = path.to_owned();
        let database = match &source {
            sqlx::Error::PoolClosed => return Self::Closed { path },
            sqlx::Error::PoolTimedOut => return Self::Locked { path },
            sqlx::Error::Io(io) => {
                return Self::Access {
                    path,
                    detail: io.to_string(),
                };
            }
            sqlx::Error::Database(database) => database,
            _ => return Self::Database { path, source },
        };
        let detail = database.message().to_owned();
        if database.is_unique_violation() {
            return Self::Exists(detail);
        }
        if database.is_foreign_key_violation() {
            return Self::Missing("row that this one belongs to".into());
        }
        let code = database.code().and_then(|code| code.parse::<i32>().ok());
        match code.map(|code| code & 0xff) {
            Some(BUSY | LOCKED) => Self::Locked { path },
            Some(CORRUPT | NOTADB) => Self::Corrupt { path, detail },
            Some(FULL) => Self::Full { path },
            Some(READONLY | CANTOPEN) => Self::Access { path, detail },
            _ => Self::Database { path, source },
        }
    }
}
