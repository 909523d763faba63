//! Reads the conversation of a session back, in the order in which it was written. For finding words in it see
//! `search.rs`.

use super::file::Chronicle;
use crate::Error;
use crate::codec::Columns;
use downbeat_model::{SessionId, TextKind};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;

/// A text of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance {
    /// Whose words it is.
    pub kind: TextKind,
    /// The time when it was written.
    pub at: Timestamp,
    /// The beginning of the text.
    pub text: String,
    /// Whether it is a sub-agent's.
    pub sub_agent: bool,
}

impl Chronicle {
    /// Returns the last texts of a session's conversations, at most `limit`, oldest first, each cut after `most`
    /// characters. Texts whose time is not known are left out.
    pub async fn conversation(
        &self,
        session: &SessionId,
        limit: u32,
        most: u32,
    ) -> Result<Vec<Utterance>, Error> {
        let query = sqlx::query(
            "SELECT texts.kind, texts.at, substr(texts.text, 1, ?3) AS text, transcripts.sub_agent \
             FROM texts JOIN transcripts ON transcripts.id = texts.transcript \
             WHERE texts.session_id = ?1 AND texts.at IS NOT NULL ORDER BY texts.id DESC LIMIT ?2",
        );
        let query = query.bind(session.as_str()).bind(limit).bind(most);
        let rows = self.seen(query.fetch_all(&self.readers).await)?;
        let mut texts: Vec<Utterance> = rows.iter().filter_map(utterance).collect();
        texts.reverse();
        // Transcripts of sub-agents are read beside that of the agent.
        texts.sort_by_key(|text| text.at);
        Ok(texts)
    }
}

fn utterance(row: &SqliteRow) -> Option<Utterance> {
    let columns = Columns { row, table: "texts" };
    Some(Utterance {
        kind: columns.word("kind").ok()?,
        at: columns.word("at").ok()?,
        text: columns.plain("text").ok()?,
        sub_agent: columns.plain("sub_agent").ok()?,
    })
}
