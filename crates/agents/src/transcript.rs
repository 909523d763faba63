//! The transcripts that agents write: messages, tool calls, usage. Bytes go in, entries come out; nothing
//! here opens a file.
//!
//! A transcript consists of lines of JSON and only ever grows. A [`Place`] says how far it was read, and is
//! kept between reads: the bytes after it go into [`read_lines`], which reads whole lines and leaves a
//! partial one for the next time. A line that is malformed, or longer than [`LONGEST`], is skipped.
//!
//! Known limitation: the model of a line of Codex is named in an earlier line, so a file has to be read from
//! its start once.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest line that is read, in bytes; Claude Code writes images into one.
pub const LONGEST: usize = 16 << 20;

/// Characters kept of the subject of a tool call.
const ABOUT: usize = 300;

/// Fields of a call's input that name its subject, the most specific first.
const TELLING: [&str; 13] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "task",
    "skill",
];

/// One entry of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The time at which the entry was written, if the line says it.
    pub at: Option<Timestamp>,
    /// Set when a sub-agent wrote the entry.
    pub sub_agent: bool,
    /// The content.
    pub what: What,
}

/// The content of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A message from the person, or from somebody in their place.
    Said(String),
    /// Text of the agent's answer. One message may come in several pieces.
    Answered {
        /// The message's own id; empty if it has none.
        message: String,
        /// The piece.
        text: String,
    },
    /// A tool was called.
    Called {
        /// The tool's name.
        tool: String,
        /// A short text on the subject of the call.
        about: String,
    },
    /// Tokens were used.
    Used(Tokens),
    /// The model refused to answer, in the agent's words: because of a usage limit, for example.
    Refused(String),
    /// The error that ended the turn, which no hook reports.
    Failed(String),
}

/// The tokens used by one answer of a model. No token is counted in two of the numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// A key that is the same for this answer in every file, and for no other answer: a resumed or forked
    /// conversation repeats the answer.
    pub key: String,
    /// The model, by the id that its maker gave it.
    pub model: String,
    /// Tokens that the model read without its cache.
    pub input: u64,
    /// Tokens that the model read from its cache.
    pub cached: u64,
    /// Tokens that the model wrote to its cache.
    pub written: u64,
    /// Tokens that the model generated, thinking included.
    pub output: u64,
}

/// The place up to which a transcript was read, with the context that later lines need.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Place {
    /// Bytes that were read.
    pub offset: u64,
    /// Set inside a line that is too long.
    pub skipping: bool,
    /// The model that was named last.
    pub model: String,
    /// The conversation that the file belongs to.
    pub conversation: String,
    /// Set once usage was reported for single answers: from then on sums are ignored.
    pub by_answer: bool,
    /// Set when the transcript ends with an error that ended the turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// Reads what follows `place`, moves `place` past the last whole line, and passes each line to `read_line`,
/// with the place. If `bytes` contain no whole line, `place` stays: call again with more of them, at most
/// [`LONGEST`] bytes, at which a longer line is skipped.
pub(crate) fn read_lines(place: &mut Place, bytes: &[u8], mut read_line: impl FnMut(&str, &mut Place)) {
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        place.offset += line.len() as u64 + 1;
        if std::mem::take(&mut place.skipping) || line.len() > LONGEST {
            continue;
        }
        // A line that is not text, or not in the agent's form, is skipped.
        let Ok(line) = std::str::from_utf8(line) else {
            continue;
        };
        read_line(line, place);
    }
    if rest.len() >= LONGEST || (place.skipping && !rest.is_empty()) {
        place.skipping = true;
        place.offset += rest.len() as u64;
    }
}

/// Returns the subject of a tool call, by its input.
pub(crate) fn about(input: &Value) -> String {
    let told = TELLING.iter().find_map(|field| input.get(field));
    let text = match told.or_else(|| input.as_object()?.values().find(|value| value.is_string())) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(" ")
        }
        _ => String::new(),
    };
    text.chars().take(ABOUT).collect()
}
