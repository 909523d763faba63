//! Reads the lines of Codex's rollouts, as tried with 0.169; older ones, which report usage only as sums, are
//! read as well.

use crate::text::plain;
use crate::transcript::{Entry, Place, Tokens, What, about};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Line<'a> {
    r#type: &'a str,
    timestamp: Option<Timestamp>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    input_tokens: u64,
    cached_input_tokens: u64,
    cache_write_input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
}

/// Reads one line.
pub(super) fn read_line(line: &str, place: &mut Place, each: &mut dyn FnMut(Entry)) {
    let Ok(line) = serde_json::from_str::<Line<'_>>(line) else {
        return;
    };
    // The others are long and contain nothing that is needed.
    if !matches!(
        line.r#type,
        "session_meta" | "turn_context" | "response_item" | "event_msg" | "token_usage_record"
    ) {
        return;
    }
    let Some(Ok(payload)) = line.payload.map(|raw| serde_json::from_str::<Value>(raw.get())) else {
        return;
    };
    let told = match line.r#type {
        "session_meta" => {
            // A forked rollout names itself first and then the one it was forked from.
            if place.conversation.is_empty() {
                place.conversation = text(&payload["id"]);
            }
            None
        }
        "turn_context" => {
            place.model = text(&payload["model"]);
            None
        }
        "response_item" => item(&payload),
        "token_usage_record" => {
            place.by_answer = true;
            let key = text(&payload["response_id"]);
            tokens(place, key, &payload["usage"])
        }
        _ => event(&payload, place),
    };
    if let Some(what) = told {
        each(Entry {
            at: line.timestamp,
            sub_agent: false,
            what,
        });
    }
}

/// Reads an item of the conversation as the model sees it.
fn item(item: &Value) -> Option<What> {
    match item["type"].as_str()? {
        "message" if item["role"] == "assistant" => {
            let texts = item["content"].as_array()?.iter();
            let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
            Some(What::Answered {
                message: text(&item["id"]),
                text: texts.join("\n"),
            })
        }
        "function_call" => {
            let input = serde_json::from_str(item["arguments"].as_str()?).unwrap_or_default();
            called(item, &input)
        }
        "custom_tool_call" => called(item, &item["input"]),
        "local_shell_call" => called(item, &item["action"]),
        _ => None,
    }
}

fn called(item: &Value, input: &Value) -> Option<What> {
    let about = match input {
        Value::String(text) => about(&serde_json::json!({ "path": text })),
        input => about(input),
    };
    Some(What::Called {
        tool: item["name"].as_str().unwrap_or("shell").to_owned(),
        about,
    })
}

/// Reads an event that Codex sent to its own screen.
fn event(event: &Value, place: &Place) -> Option<What> {
    match event["type"].as_str()? {
        "user_message" => Some(What::Said(text(&event["message"]))),
        "item_completed" if event["item"]["type"] == "UserMessage" => {
            let parts = event["item"]["content"].as_array()?.iter();
            let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
            Some(What::Said(texts.join("\n")))
        }
        "error" => Some(What::Refused(text(&event["message"]))),
        // The hook `Stop` comes only if there is no error.
        "task_complete" => Some(What::Failed(plain(event["error"]["message"].as_str()?))),
        "token_count" if !place.by_answer => {
            let total = event["info"]["total_token_usage"]["total_tokens"].as_u64()?;
            let key = format!("{} {total}", place.conversation);
            tokens(place, key, &event["info"]["last_token_usage"])
        }
        _ => None,
    }
}

/// Returns the tokens of one answer. Codex counts tokens from its cache as input.
fn tokens(place: &Place, key: String, usage: &Value) -> Option<What> {
    let usage = Usage::deserialize(usage).ok()?;
    if key.is_empty() || usage.total_tokens == 0 {
        return None;
    }
    let kept = usage
        .cached_input_tokens
        .saturating_add(usage.cache_write_input_tokens);
    Some(What::Used(Tokens {
        key: format!("codex {key}"),
        model: place.model.clone(),
        input: usage.input_tokens.saturating_sub(kept),
        cached: usage.cached_input_tokens,
        written: usage.cache_write_input_tokens,
        output: usage.output_tokens,
    }))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn older_rollouts_report_usage_as_sums_and_repeat_them() {
        let sum = |total: u64, last: u64| {
            json!({"type": "event_msg", "payload": {"type": "token_count", "info": {
                "total_token_usage": {"total_tokens": total},
                "last_token_usage": {
                    "input_tokens": last, "cached_input_tokens": 40, "output_tokens": 10, "total_tokens": last + 10,
                },
            }}})
        };
        let lines = [
            json!({"type": "session_meta", "payload": {"id": "c"}}),
            json!({"type": "turn_context", "payload": {"model": "gpt-5"}}),
            json!({"type": "event_msg", "payload": {"type": "token_count", "info": null}}),
            sum(110, 100),
            sum(110, 100),
            sum(330, 210),
        ];
        let (mut place, mut used) = (Place::default(), Vec::new());
        for value in lines {
            read_line(&value.to_string(), &mut place, &mut |entry| {
                if let What::Used(tokens) = entry.what {
                    used.push(tokens);
                }
            });
        }
        let keys: Vec<&str> = used.iter().map(|tokens| tokens.key.as_str()).collect();
        assert_eq!(keys, ["codex c 110", "codex c 110", "codex c 330"]);
        assert_eq!((used[0].input, used[0].cached, used[0].output), (60, 40, 10));
        assert_eq!(used[0].model, "gpt-5");
    }
}
