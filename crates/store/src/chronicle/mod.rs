//! The chronicle: a second SQLite file, with what was read from agents' transcripts. How far each
//! was read, the last answers, what was used, and texts that can be found.
//!
//! Not the store: nothing here decides anything, and but for usage all of it can be read again from
//! the transcripts. So a file that is damaged, or of a newer version, is put aside and begun anew, with
//! the usage that can still be read in it.
//!
//! Everything that one read gave is written with the place that it reached, in one transaction: after
//! a crash it is read again, and counted once.

mod damaged;
mod search;
mod usage;

pub use search::{Found, Query};
pub use usage::{Period, Sum};

use crate::Error;
use crate::open::{access, beside, options};
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use jiff::civil::Date;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{Sqlite, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Row, Transaction};
use std::path::{Path, PathBuf};

static MIGRATOR: Migrator = sqlx::migrate!("./chronicle");

/// Readers side by side: a search and a few reports.
const READERS: u32 = 4;

/// The chronicle. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Chronicle {
    readers: SqlitePool,
    writer: SqlitePool,
    path: PathBuf,
}

/// A transcript that is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Its number here.
    pub id: i64,
    /// The file.
    pub path: PathBuf,
    /// Whether it is a sub-agent's own.
    pub sub_agent: bool,
    /// How far it was read, as JSON.
    pub place: String,
}

/// Whose something is.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Its project.
    pub project: &'a ProjectId,
}

/// Tokens that one answer of a model took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// What tells this answer from all others.
    pub key: String,
    /// The day on which it was given.
    pub day: Date,
    /// The model.
    pub model: String,
    /// Read, written into the cache, read from it, and put out.
    pub tokens: Tokens,
}

/// Numbers of tokens. Nothing is in two of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// What the model read and had not kept.
    pub input: u64,
    /// What it read from its cache.
    pub cached: u64,
    /// What it put into its cache.
    pub written: u64,
    /// What it wrote.
    pub output: u64,
}

/// A text that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// `said`, `answered`, `called` or `screen`.
    pub kind: &'static str,
    /// When.
    pub at: Option<Timestamp>,
    /// The text.
    pub text: String,
}

/// An answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The id of its message, by which pieces of one are told; empty for none.
    pub message: String,
    /// The text.
    pub text: String,
    /// When it was given.
    pub at: Option<Timestamp>,
}

/// What one read of a transcript gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pages {
    /// How far it went, as JSON.
    pub place: String,
    /// What was used.
    pub used: Vec<Used>,
    /// What can be found.
    pub texts: Vec<Text>,
    /// The last answer in it, where there is one.
    pub answer: Option<Answer>,
}

impl Chronicle {
    /// Opens the file at `path`, made where there is none; one that cannot be used is put aside.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let opened = match Self::try_open(path).await {
            // Damage in the middle of it shows when it is read.
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
        tracing::warn!("{} is begun anew: {detail}", path.display());
        let moved = std::fs::rename(path, &aside);
        moved.map_err(|error| Error::Access {
            path: path.to_owned(),
            detail: error.to_string(),
        })?;
        for suffix in ["-wal", "-shm"] {
            // They belong to the file that was moved; mostly there are none.
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
        // What a power cut takes is read again.
        let options = options(path).synchronous(SqliteSynchronous::Normal);
        let writer = SqlitePoolOptions::new().max_connections(1).idle_timeout(None);
        let writer = writer.max_lifetime(None).connect_with(options.clone()).await;
        let writer = writer.map_err(failed)?;
        if let Err(error) = MIGRATOR.run(&writer).await {
            writer.close().await;
            return Err(crate::open::migration(path, error));
        }
        let readers = SqlitePoolOptions::new().max_connections(READERS);
        let readers = readers.connect_with(options.read_only(true)).await;
        Ok(Self {
            readers: readers.map_err(failed)?,
            writer,
            path: path.to_owned(),
        })
    }

    /// Closes the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    fn seen<T>(&self, result: Result<T, sqlx::Error>) -> Result<T, Error> {
        result.map_err(|source| Error::of(&self.path, source))
    }

    /// The transcripts of a session, in the order in which they were told.
    pub async fn transcripts(&self, session: &SessionId) -> Result<Vec<Transcript>, Error> {
        let query = sqlx::query("SELECT * FROM transcripts WHERE session_id = ?1 ORDER BY id");
        let rows = query.bind(session.as_str()).fetch_all(&self.readers).await;
        let rows = self.seen(rows)?;
        let read = rows.iter().map(|row| {
            Ok(Transcript {
                id: row.try_get("id")?,
                path: PathBuf::from(row.try_get::<String, _>("path")?),
                sub_agent: row.try_get("sub_agent")?,
                place: row.try_get("place")?,
            })
        });
        self.seen(read.collect())
    }

    /// Notes a transcript of a session; nothing happens where it is known.
    pub async fn follow(&self, session: &SessionId, path: &str, sub_agent: bool) -> Result<(), Error> {
        let query = sqlx::query(
            "INSERT INTO transcripts (session_id, path, sub_agent, place) VALUES (?1, ?2, ?3, '{}') \
             ON CONFLICT (session_id, path) DO NOTHING",
        );
        let done = query.bind(session.as_str()).bind(path).bind(sub_agent);
        self.seen(done.execute(&self.writer).await).map(drop)
    }

    /// Writes down what a read of a transcript gave. Where `afresh`, the file was another one before:
    /// what was found in that is forgotten.
    pub async fn write(
        &self,
        owner: Owner<'_>,
        transcript: i64,
        pages: &Pages,
        afresh: bool,
    ) -> Result<(), Error> {
        let mut transaction = self.seen(self.writer.begin().await)?;
        let written = write(&mut transaction, owner, transcript, pages, afresh).await;
        self.seen(written)?;
        self.seen(transaction.commit().await)
    }

    /// The last answer of a session's agent.
    pub async fn answer(&self, session: &SessionId) -> Result<Option<Answer>, Error> {
        let query = sqlx::query("SELECT * FROM answers WHERE session_id = ?1").bind(session.as_str());
        let row = self.seen(query.fetch_optional(&self.readers).await)?;
        let read = row.map(|row| {
            let at: Option<String> = row.try_get("at")?;
            Ok(Answer {
                message: row.try_get("message")?,
                text: row.try_get("text")?,
                at: at.and_then(|at| at.parse().ok()),
            })
        });
        self.seen(read.transpose())
    }

    /// Forgets the last answer of a session: another agent has it now.
    pub async fn forget_answer(&self, session: &SessionId) -> Result<(), Error> {
        let query = sqlx::query("DELETE FROM answers WHERE session_id = ?1").bind(session.as_str());
        self.seen(query.execute(&self.writer).await).map(drop)
    }

    /// Puts a session's screen in place of the one before.
    pub async fn screen(&self, owner: Owner<'_>, text: &str, at: Timestamp) -> Result<(), Error> {
        let session = owner.session.as_str();
        let known = sqlx::query_scalar("SELECT text FROM texts WHERE session_id = ?1 AND kind = 'screen'");
        let known: Option<String> = self.seen(known.bind(session).fetch_optional(&self.readers).await)?;
        if known.as_deref() == Some(text) {
            // Nothing is indexed anew for it.
            return Ok(());
        }
        let mut transaction = self.seen(self.writer.begin().await)?;
        let old = sqlx::query("DELETE FROM texts WHERE session_id = ?1 AND kind = 'screen'");
        self.seen(old.bind(session).execute(&mut *transaction).await)?;
        let text = Text {
            kind: "screen",
            at: Some(at),
            text: text.to_owned(),
        };
        let added = add_text(&mut transaction, owner, None, &text).await;
        self.seen(added)?;
        self.seen(transaction.commit().await)
    }

    /// The sessions of which something is kept besides what they used.
    pub async fn sessions(&self) -> Result<Vec<SessionId>, Error> {
        let query = "SELECT session_id FROM transcripts UNION SELECT session_id FROM answers \
                     UNION SELECT session_id FROM texts";
        let rows = sqlx::query_scalar::<_, String>(query);
        let rows = self.seen(rows.fetch_all(&self.readers).await)?;
        Ok(rows.iter().filter_map(|id| SessionId::parse(id)).collect())
    }

    /// Forgets what was said in a session that was taken off the list. What it used stays counted.
    pub async fn forget(&self, session: &SessionId) -> Result<(), Error> {
        let mut transaction = self.seen(self.writer.begin().await)?;
        for query in [
            "DELETE FROM texts WHERE session_id = ?1",
            "DELETE FROM answers WHERE session_id = ?1",
            "DELETE FROM transcripts WHERE session_id = ?1",
        ] {
            let done = sqlx::query(query).bind(session.as_str());
            self.seen(done.execute(&mut *transaction).await)?;
        }
        self.seen(transaction.commit().await)
    }
}

type Open = Transaction<'static, Sqlite>;

async fn write(
    to: &mut Open,
    owner: Owner<'_>,
    transcript: i64,
    pages: &Pages,
    afresh: bool,
) -> Result<(), sqlx::Error> {
    if afresh {
        let old = sqlx::query("DELETE FROM texts WHERE transcript = ?1").bind(transcript);
        old.execute(&mut **to).await?;
    }
    let moved = sqlx::query("UPDATE transcripts SET place = ?1 WHERE id = ?2");
    let moved = moved.bind(&pages.place).bind(transcript);
    moved.execute(&mut **to).await?;
    for used in &pages.used {
        usage::add(to, owner, used).await?;
    }
    for text in &pages.texts {
        add_text(to, owner, Some(transcript), text).await?;
    }
    if let Some(answer) = &pages.answer {
        // The next piece of the same message goes on with it.
        let query = sqlx::query(
            "INSERT INTO answers (session_id, message, text, at) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (session_id) DO UPDATE SET at = excluded.at, message = excluded.message, \
             text = CASE WHEN excluded.message <> '' AND excluded.message = answers.message AND NOT ?5 \
             THEN answers.text || char(10) || excluded.text ELSE excluded.text END",
        );
        let query = query.bind(owner.session.as_str()).bind(&answer.message);
        let query = query.bind(&answer.text).bind(answer.at.map(|at| at.to_string()));
        query.bind(afresh).execute(&mut **to).await?;
    }
    Ok(())
}

async fn add_text(
    to: &mut Open,
    owner: Owner<'_>,
    transcript: Option<i64>,
    text: &Text,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query(
        "INSERT INTO texts (session_id, project_id, transcript, kind, at, text) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    );
    let query = query.bind(owner.session.as_str()).bind(owner.project.as_str());
    let query = query.bind(transcript).bind(text.kind);
    let query = query.bind(text.at.map(|at| at.to_string())).bind(&text.text);
    query.execute(&mut **to).await.map(drop)
}
