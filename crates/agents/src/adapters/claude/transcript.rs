//! Reads the lines of Claude Code's transcripts, as tried with 2.1. An answer takes one line for each of its
//! blocks; each line repeats the usage, and the last one has all of it.

use super::typed::unpasted;
use crate::transcript::{Entry, Tokens, What, about};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};

/// The model under which errors are recorded.
const SYNTHETIC: &str = "<synthetic>";

/// The beginnings of texts that Claude Code writes in the person's place.
const ITS_OWN: [&str; 5] = [
    "<command-",
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    r#type: &'a str,
    timestamp: Option<Timestamp>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_api_error_message: bool,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    content: Value,
    usage: Option<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

/// Reads one line.
pub(super) fn read_line(line: &str, each: &mut dyn FnMut(Entry)) {
    let Ok(line) = serde_json::from_str::<Line<'_>>(line) else {
        return;
    };
    let is_person = line.r#type == "user" && !line.is_meta;
    if !is_person && line.r#type != "assistant" {
        return;
    }
    let Some(Ok(message)) = line.message.map(|raw| serde_json::from_str::<Message>(raw.get())) else {
        return;
    };
    let mut tell = |what| {
        each(Entry {
            at: line.timestamp,
            sub_agent: line.is_sidechain,
            what,
        });
    };
    if is_person {
        texts(&message.content)
            .filter(|text| !ITS_OWN.iter().any(|own| text.trim_start().starts_with(own)))
            .for_each(|text| tell(What::Said(unpasted(text))));
        return;
    }
    if line.is_api_error_message {
        texts(&message.content).for_each(|text| tell(What::Refused(text.to_owned())));
        return;
    }
    let id = message.id.unwrap_or_default();
    for text in texts(&message.content) {
        tell(What::Answered {
            message: id.clone(),
            text: text.to_owned(),
        });
    }
    for call in blocks(&message.content, "tool_use") {
        tell(What::Called {
            tool: call["name"].as_str().unwrap_or_default().to_owned(),
            about: about(&call["input"]),
        });
    }
    let model = message.model.unwrap_or_default();
    if let Some(usage) = message.usage.filter(|_| !id.is_empty() && model != SYNTHETIC) {
        tell(What::Used(Tokens {
            key: format!("claude {id}"),
            model,
            input: usage.input_tokens,
            cached: usage.cache_read_input_tokens,
            written: usage.cache_creation_input_tokens,
            output: usage.output_tokens,
        }));
    }
}

/// Lists the transcripts of the sub-agents of the conversation in `path`: they are in a folder next to it.
pub(super) fn of_sub_agents(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path.with_extension("").join("subagents")) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// Returns the texts of a content that is a string or a list of blocks.
fn texts(content: &Value) -> impl Iterator<Item = &str> {
    let one = content.as_str().into_iter();
    let blocks = blocks(content, "text").filter_map(|block| block["text"].as_str());
    one.chain(blocks).filter(|text| !text.trim().is_empty())
}

fn blocks<'a>(content: &'a Value, kind: &'static str) -> impl Iterator<Item = &'a Value> {
    let blocks = content.as_array().into_iter().flatten();
    blocks.filter(move |block| block["type"] == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entries(value: &Value) -> Vec<What> {
        let mut all = Vec::new();
        read_line(&value.to_string(), &mut |entry| all.push(entry.what));
        all
    }

    #[test]
    fn an_error_of_the_model_is_reported_and_costs_nothing() {
        let content = json!([{"type": "text", "text": "You've hit your limit · resets 3pm (Europe/Berlin)"}]);
        let told = entries(&json!({
            "type": "assistant", "isApiErrorMessage": true, "timestamp": "2026-11-21T12:53:28.483Z",
            "message": {"id": "m", "model": "<synthetic>", "content": content, "usage": {"input_tokens": 0}},
        }));
        let text = "You've hit your limit · resets 3pm (Europe/Berlin)".to_owned();
        assert_eq!(told, [What::Refused(text)]);
    }

    #[test]
    fn texts_that_claude_code_writes_to_itself_are_not_messages() {
        let said = |content: Value, meta: bool| {
            entries(&json!({"type": "user", "isMeta": meta, "message": {"content": content}}))
        };
        assert_eq!(said(json!("Hello"), false), [What::Said("Hello".into())]);
        let pasted = "\n\n<pasted_content id=\"a\">many\nlines</pasted_content id=\"a\">\n";
        assert_eq!(
            said(json!(pasted), false),
            [What::Said("many\nlines".into())],
            "words that are searched for"
        );
        assert_eq!(said(json!("Caveat"), true), []);
        assert_eq!(said(json!("<command-name>/clear</command-name>"), false), []);
        assert_eq!(
            said(json!([{"type": "tool_result", "content": "out"}]), false),
            []
        );
    }
}
