//! The Responses API, as Codex uses it: reads the position of a request in its turn, and formats an answer as
//! events.

use super::reply::{call_id, sse};
use super::script::Call;
use super::turn::{Turn, text};
use axum::response::Response;
use serde_json::{Value, json};

/// The beginnings of messages with the role `user` that Codex wrote itself.
const AGENTS_OWN: [&str; 4] = [
    "<environment_context>",
    "<turn_aborted>",
    "<user_instructions>",
    "<subagent_notification>",
];

/// The beginning of the request for a title, which offers tools like any other.
const TITLE: &str = "Generate a concise, single-line task title";

/// Reads a request; `None` for one that is not a turn of a person.
pub(super) fn read(body: &Value) -> Option<Turn> {
    let input = body.get("input")?.as_array()?;
    let at = input.iter().rposition(|item| prompt(item).is_some())?;
    let prompt = prompt(input.get(at)?).filter(|prompt| !prompt.starts_with(TITLE))?;
    let since = input.get(at + 1..).unwrap_or_default();
    let developer = input.iter().filter(|item| item["role"] == "developer");
    let outputs = since.iter().filter(|item| item["type"] == "function_call_output");
    Some(Turn {
        added: String::new(),
        prompt,
        answers: answers(since),
        results: outputs.map(|item| text(&item["output"])).collect(),
        tools: names(body),
        system: developer
            .map(|item| text(&item["content"]))
            .collect::<Vec<_>>()
            .join("\n"),
    })
}

/// Counts the answers: one answer is one run of calls, or one message of the model.
fn answers(since: &[Value]) -> usize {
    let ours = |item: &Value| item["type"] == "function_call" || item["role"] == "assistant";
    let starts = since.iter().enumerate().filter(|(at, item)| {
        let before = at.checked_sub(1).and_then(|before| since.get(before));
        ours(item) && !before.is_some_and(ours)
    });
    starts.count()
}

fn prompt(item: &Value) -> Option<String> {
    if item["role"] != "user" {
        return None;
    }
    let text = text(&item["content"]);
    let own = AGENTS_OWN.iter().any(|own| text.trim_start().starts_with(own));
    (!own && !text.is_empty()).then_some(text)
}

/// Returns the names of the tools. Those of a server come in a namespace and are named `mcp__server__tool`.
fn names(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    tools
        .flat_map(|tool| match tool["tools"].as_array() {
            Some(inner) => inner
                .iter()
                .map(|t| format!("{}__{}", name(tool), name(t)))
                .collect(),
            None => vec![name(tool)],
        })
        .collect()
}

/// Answers with `said` and ends the turn.
pub(super) fn say(said: &str) -> Response {
    let content = json!([{"type": "output_text", "text": said}]);
    let message = json!({"type": "message", "role": "assistant", "id": call_id("msg"), "content": content});
    let mut empty = message.clone();
    empty["content"] = json!([]);
    let place = json!({"item_id": message["id"], "output_index": 0, "content_index": 0});
    let mut delta = json!({"type": "response.output_text.delta", "delta": said});
    merge(&mut delta, &place);
    send(vec![
        json!({"type": "response.output_item.added", "item": empty}),
        delta,
        json!({"type": "response.output_item.done", "item": message}),
    ])
}

fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.clone());
    }
}

/// Answers with tool calls. Tools in a namespace are named `mcp__server__tool`, or `namespace.tool`.
pub(super) fn call(turn: &Turn, calls: &[Call]) -> Response {
    let items = calls.iter().map(|call| {
        let arguments = (call.arguments)(turn).to_string();
        let mut item = json!({
            "type": "function_call", "id": call_id("fc"), "call_id": call_id("call"),
            "name": call.tool, "arguments": arguments,
        });
        let server = call
            .tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .map(|(server, tool)| (format!("mcp__{server}"), tool));
        let own = || {
            call.tool
                .split_once('.')
                .map(|(space, tool)| (space.to_owned(), tool))
        };
        if let Some((space, tool)) = server.or_else(own) {
            item["namespace"] = json!(space);
            item["name"] = json!(tool);
        }
        json!({"type": "response.output_item.done", "item": item})
    });
    send(items.collect())
}

fn send(mut events: Vec<Value>) -> Response {
    let id = call_id("resp");
    events.insert(0, json!({"type": "response.created", "response": {"id": id}}));
    let usage = json!({
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110,
    });
    events.push(json!({"type": "response.completed", "response": {"id": id, "usage": usage}}));
    sse(events)
}
