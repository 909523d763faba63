//! The transcripts of sessions, and the data read from them: the positions, the last answers, and searchable
//! texts. Token usage is in `usage`.

use super::file::{Chronicle, Open, Owner};
use super::pages::{Answer, Pages, Text};
use super::usage;
use crate::Error;
use crate::codec::word;
use downbeat_model::{SessionId, TextKind};
use jiff::Timestamp;
use sqlx::Row;
use std::path::PathBuf;

/// A transcript that is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The number of the transcript in this file.
    pub id: i64,
    /// The file.
    pub path: PathBuf,
    /// Whether the transcript is a sub-agent's own.
    pub sub_agent: bool,
    /// The position up to which it was read, as JSON.
    pub place: String,
}

impl Chronicle {
    /// Returns the transcripts of a session, in the order in which they were reported.
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

    /// Adds a transcript of a session; does nothing if it is known.
    pub async fn follow(&self, session: &SessionId, path: &str, sub_agent: bool) -> Result<(), Error> {
        let query = sqlx::query(
            "INSERT INTO transcripts (session_id, path, sub_agent, place) VALUES (?1, ?2, ?3, '{}') \
             ON CONFLICT (session_id, path) DO NOTHING",
        );
        let done = query.bind(session.as_str()).bind(path).bind(sub_agent);
        self.seen(done.execute(&self.writer).await).map(drop)
    }

    /// Stores the results of a read of a transcript. With `afresh`, the file was replaced by another one, and
    /// the texts found in the old one are deleted.
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

    /// Returns the last answer of a session's agent.
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

    /// Deletes the last answer of a session, because the session now has another agent.
    pub async fn forget_answer(&self, session: &SessionId) -> Result<(), Error> {
        let query = sqlx::query("DELETE FROM answers WHERE session_id = ?1").bind(session.as_str());
        self.seen(query.execute(&self.writer).await).map(drop)
    }

    /// Replaces the stored screen of a session.
    pub async fn screen(&self, owner: Owner<'_>, text: &str, at: Timestamp) -> Result<(), Error> {
        let session = owner.session.as_str();
        let known = sqlx::query_scalar("SELECT text FROM texts WHERE session_id = ?1 AND kind = 'screen'");
        let known: Option<String> = self.seen(known.bind(session).fetch_optional(&self.readers).await)?;
        if known.as_deref() == Some(text) {
            // An unchanged screen is not indexed again.
            return Ok(());
        }
        let mut transaction = self.seen(self.writer.begin().await)?;
        let old = sqlx::query("DELETE FROM texts WHERE session_id = ?1 AND kind = 'screen'");
        self.seen(old.bind(session).execute(&mut *transaction).await)?;
        let text = Text {
            kind: TextKind::Screen,
            at: Some(at),
            text: text.to_owned(),
        };
        let added = add_text(&mut transaction, owner, None, &text).await;
        self.seen(added)?;
        self.seen(transaction.commit().await)
    }

    /// Returns the sessions with stored data other than usage.
    pub async fn sessions(&self) -> Result<Vec<SessionId>, Error> {
        let query = "SELECT session_id FROM transcripts UNION SELECT session_id FROM answers \
                     UNION SELECT session_id FROM texts";
        let rows = sqlx::query_scalar::<_, String>(query);
        let rows = self.seen(rows.fetch_all(&self.readers).await)?;
        Ok(rows.iter().filter_map(|id| SessionId::parse(id)).collect())
    }

    /// Deletes the data of a session that was removed from the list, except for its usage.
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
        // The next piece of the same message is appended to it.
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
    let query = query.bind(transcript).bind(word(&text.kind));
    let query = query.bind(text.at.map(|at| at.to_string())).bind(&text.text);
    query.execute(&mut **to).await.map(drop)
}
