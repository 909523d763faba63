//! Finding texts. What a person types is words, never the index's own language: each word is put in
//! quotes, and the last one may be a beginning.

use super::file::Chronicle;
use crate::Error;
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// Words of a query that count; nobody types more.
const WORDS: usize = 16;

/// Letters of Latin from which on the last word may be a beginning: the index knows those, and what
/// one letter begins is everything.
const BEGINNING: usize = 2;

/// Before and behind what was found, in a snippet. Neither stands in any text: both are taken out
/// of what is indexed.
const MARKS: (&str, &str) = ("\u{2}", "\u{3}");

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query<'a> {
    /// Words as they were typed; all of them have to be in a text.
    pub words: &'a str,
    /// Only of this project.
    pub project: Option<&'a ProjectId>,
    /// Only of these sessions; absent for all.
    pub sessions: Option<&'a [SessionId]>,
    /// How many at most, newest first.
    pub limit: u32,
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The session.
    pub session: SessionId,
    /// `said`, `answered`, `called` or `screen`.
    pub kind: String,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// Some words around what was found, in pieces: those that were looked for are marked.
    pub snippet: Vec<(String, bool)>,
}

impl Chronicle {
    /// Texts with all words of a query, those first that were read last.
    pub async fn search(&self, query: &Query<'_>) -> Result<Vec<Found>, Error> {
        let Some(words) = words(query.words) else {
            return Ok(Vec::new());
        };
        let sessions = query.sessions.map(|ids| {
            let ids: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
            serde_json::to_string(&ids).unwrap_or_default()
        });
        let sql = sqlx::query(
            "SELECT texts.session_id, texts.kind, texts.at, snippet(search, 0, ?4, ?5, '…', 24) AS snippet \
             FROM search JOIN texts ON texts.id = search.rowid WHERE search MATCH ?1 \
             AND (?2 IS NULL OR texts.project_id = ?2) \
             AND (?3 IS NULL OR texts.session_id IN (SELECT value FROM json_each(?3))) \
             ORDER BY search.rowid DESC LIMIT ?6",
        );
        let sql = sql
            .bind(words)
            .bind(query.project.map(ProjectId::as_str))
            .bind(sessions);
        let sql = sql.bind(MARKS.0).bind(MARKS.1).bind(query.limit);
        let rows = self.seen(sql.fetch_all(&self.readers).await)?;
        Ok(rows.iter().filter_map(found).collect())
    }
}

/// The words of a person in the index's own language; `None` where there are none.
fn words(typed: &str) -> Option<String> {
    let mut words: Vec<String> = typed
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(WORDS)
        .map(|word| {
            let word: String = word.chars().filter(|c| !c.is_control()).collect();
            format!("\"{}\"", word.replace('"', "\"\""))
        })
        .collect();
    if !typed.ends_with(char::is_whitespace)
        && let Some(last) = words.last_mut()
        && (!last.is_ascii() || last.chars().filter(char::is_ascii_alphanumeric).count() >= BEGINNING)
    {
        last.push('*');
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn found(row: &SqliteRow) -> Option<Found> {
    let text = |column| row.try_get::<Option<String>, _>(column).ok().flatten();
    Some(Found {
        session: SessionId::parse(&text("session_id")?)?,
        kind: text("kind")?,
        at: text("at").and_then(|at| at.parse().ok()),
        snippet: pieces(&text("snippet")?),
    })
}

/// A snippet in its pieces.
fn pieces(snippet: &str) -> Vec<(String, bool)> {
    let mut pieces: Vec<(String, bool)> = Vec::new();
    for (index, part) in snippet.split(MARKS.0).enumerate() {
        let (marked, plain) = match part.split_once(MARKS.1) {
            Some((marked, plain)) if index > 0 => (marked, plain),
            _ => ("", part),
        };
        for (text, is_marked) in [(marked, true), (plain, false)] {
            if !text.is_empty() {
                pieces.push((text.to_owned(), is_marked));
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_words_and_never_syntax() {
        assert_eq!(words("rate limit"), Some("\"rate\" \"limit\"*".into()));
        assert_eq!(words("done "), Some("\"done\"".into()));
        assert_eq!(words("a\" OR \"b"), Some("\"a\"\"\" \"OR\" \"\"\"b\"".into()));
        assert_eq!(
            words("a"),
            Some("\"a\"".into()),
            "what one letter begins is everything"
        );
        assert_eq!(words("語"), Some("\"語\"*".into()));
        assert_eq!(words("  * - ( \" "), None);
        assert_eq!(words(&"x ".repeat(100)).unwrap().matches('x').count(), WORDS);
    }

    #[test]
    fn a_snippet_comes_in_pieces() {
        let piece = |text: &str, marked| (text.to_owned(), marked);
        assert_eq!(
            pieces("the \u{2}rate\u{3} \u{2}limit\u{3}."),
            [
                piece("the ", false),
                piece("rate", true),
                piece(" ", false),
                piece("limit", true),
                piece(".", false)
            ]
        );
    }
}
