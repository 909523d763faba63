//! Reads the lines that our plugin writes about what OpenCode does. OpenCode itself keeps a database, whose
//! form is internal to it.

use crate::transcript::{Entry, Tokens, What};
use jiff::Timestamp;
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    r#type: String,
    /// Milliseconds since 1970.
    at: Option<i64>,
    #[serde(default)]
    sub_agent: bool,
    #[serde(default)]
    id: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    tokens: Used,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Used {
    input: u64,
    output: u64,
    reasoning: u64,
    cache: Cache,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cache {
    read: u64,
    write: u64,
}

/// Reads one line.
pub(super) fn read_line(line: &str, each: &mut dyn FnMut(Entry)) {
    let Ok(line) = serde_json::from_str::<Line>(line) else {
        return;
    };
    let what = match line.r#type.as_str() {
        "said" => What::Said(line.text),
        "answered" => What::Answered {
            message: line.id,
            text: line.text,
        },
        "called" => What::Called {
            tool: line.tool,
            about: line.text,
        },
        "refused" => What::Refused(line.text),
        "used" => What::Used(Tokens {
            key: format!("opencode {}", line.id),
            model: line.model,
            input: line.tokens.input,
            cached: line.tokens.cache.read,
            written: line.tokens.cache.write,
            output: line.tokens.output.saturating_add(line.tokens.reasoning),
        }),
        _ => return,
    };
    each(Entry {
        at: line.at.and_then(|at| Timestamp::from_millisecond(at).ok()),
        sub_agent: line.sub_agent,
        what,
    });
}
