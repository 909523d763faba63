//! The handle of an open chronicle. How the file is opened is in `open`.

use crate::Error;
use downbeat_model::{ProjectId, SessionId};
use sqlx::Transaction;
use sqlx::sqlite::{Sqlite, SqlitePool};
use std::path::PathBuf;

/// The chronicle. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Chronicle {
    pub(super) readers: SqlitePool,
    pub(super) writer: SqlitePool,
    pub(super) path: PathBuf,
}

/// The session and the project that data belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The session's project.
    pub project: &'a ProjectId,
}

/// A write in progress: all of it or nothing.
pub(super) type Open = Transaction<'static, Sqlite>;

impl Chronicle {
    /// Closes the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Converts an error of the database into one that names the file.
    pub(super) fn seen<T>(&self, result: Result<T, sqlx::Error>) -> Result<T, Error> {
        result.map_err(|source| Error::of(&self.path, source))
    }
}
