//! The file of a chronicle, opened. How it is opened is in `open`.

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

/// Whose something is.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Its project.
    pub project: &'a ProjectId,
}

/// Something that is being written, all of it or nothing.
pub(super) type Open = Transaction<'static, Sqlite>;

impl Chronicle {
    /// Closes the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// An error of the database as one that names the file.
    pub(super) fn seen<T>(&self, result: Result<T, sqlx::Error>) -> Result<T, Error> {
        result.map_err(|source| Error::of(&self.path, source))
    }
}
