//! Opens a chronicle. A file that is damaged, or of a newer version, is moved aside, and its readable
//! usage and list of transcripts are copied into a new one.

use super::file::Chronicle;
use super::usage::Period;
use crate::Error;
use crate::migrations::CHRONICLE;
use crate::open::{access, beside, migration, options};
use sqlx::sqlite::{SqlitePoolOptions, SqliteSynchronous};
use std::path::Path;

/// The number of concurrent readers: a search and a few reports.
const READERS: u32 = 4;

impl Chronicle {
    /// Opens the file at `path`, created if missing; an unusable file is moved aside and replaced.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let opened = match Self::try_open(path).await {
            // Damage in the middle of the file shows only when it is read.
            Ok(own) => match own.sums(None, Period::default()).await {
                Err(error @ Error::Corrupt { .. }) => {
                    own.writer.close().await;
                    own.readers.close().await;
                    Err(error)
                }
                _ => Ok(own),
            },
            Err(error) => Err(error),
        };
        let Err(Error::Corrupt { detail, .. }) = &opened else {
            return opened;
        };
        let aside = beside(path, &format!(".damaged-{}", jiff::Timestamp::now().as_second()));
        tracing::warn!("{} is created anew: {detail}", path.display());
        let moved = std::fs::rename(path, &aside);
        moved.map_err(|error| Error::Access {
            path: path.to_owned(),
            detail: error.to_string(),
        })?;
        for suffix in ["-wal", "-shm"] {
            // These belong to the file that was moved; mostly there are none.
            let _ = std::fs::rename(beside(path, suffix), beside(&aside, suffix));
        }
        let own = Self::try_open(path).await?;
        own.take_over(&aside).await;
        Ok(own)
    }

    async fn try_open(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::of(path, source);
        if !path.exists() {
            access::create(path).map_err(|error| Error::Access {
                path: path.to_owned(),
                detail: error.to_string(),
            })?;
        }
        // Data that is lost in a power failure is read again.
        let options = options(path).synchronous(SqliteSynchronous::Normal);
        let writer = SqlitePoolOptions::new().max_connections(1).idle_timeout(None);
        let writer = writer.max_lifetime(None).connect_with(options.clone()).await;
        let writer = writer.map_err(failed)?;
        if let Err(error) = CHRONICLE.run(&writer).await {
            writer.close().await;
            return Err(migration(path, error));
        }
        let readers = SqlitePoolOptions::new().max_connections(READERS);
        let readers = readers.connect_with(options.read_only(true)).await;
        Ok(Self {
            readers: readers.map_err(failed)?,
            writer,
            path: path.to_owned(),
        })
    }
}
