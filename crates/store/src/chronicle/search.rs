//! Searches texts. A query is words, never the index's own query language: each word is quoted, and the last
//! one may be a prefix.

use super::file::Chronicle;
use crate::Error;
use crate::codec::Columns;
use downbeat_model::{ProjectId, SessionId, TextKind};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;

/// The maximum number of words of a query that count; nobody types more.
const WORDS: usize = 16;

/// The number of ASCII letters and digits from which the last word may be a prefix: the index has prefixes of
/// this length, and a prefix of one letter matches nearly everything.
const BEGINNING: usize = 2;

/// The characters before and after a match in a snippet. No text contains either: both are removed from
/// indexed texts.
const MARKS: (&str, &str) = ("\u{2}", "\u{3}");

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query<'a> {
    /// The words as they were typed; a text must contain all of them.
    pub words: &'a str,
    /// Restricts the search to this project.
    pub project: Option<&'a ProjectId>,
    /// Restricts the search to these sessions; absent for all.
    pub sessions: Option<&'a [SessionId]>,
    /// The largest number of results, newest first.
    pub limit: u32,
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The session.
    pub session: SessionId,
    /// Whose words it is.
    pub kind: TextKind,
    /// The time when the text was written.
    pub at: Option<Timestamp>,
    /// Some words around the match, in pieces; `true` marks the pieces that match.
    pub snippet: Vec<(String, bool)>,
}

impl Chronicle {
    /// Returns texts with all words of a query, the most recently read first.
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

/// Converts typed words into the index's query language; `None` if there are none.
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
    let columns = Columns { row, table: "texts" };
    Some(Found {
        session: columns.word("session_id").ok()?,
        kind: columns.word("kind").ok()?,
        at: columns.word_or_none("at").ok()?,
        snippet: pieces(columns.plain("snippet").ok()?),
    })
}

/// Splits a snippet into its pieces.
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
    fn a_query_is_words_and_never_syntax() {
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
    fn a_snippet_is_split_into_pieces() {
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
