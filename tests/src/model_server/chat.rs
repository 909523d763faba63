//! The Chat Completions API, as OpenCode uses it: reads the position of a request in its turn, and formats an
//! answer as chunks.

use super::reply::{call_id, lines};
use super::script::Call;
use super::turn::{Turn, text};
use axum::response::Response;
use serde_json::{Value, json};

/// Reads a request; `None` for one that offers no tools: titles and the like.
pub(super) fn read(body: &Value) -> Option<Turn> {
    let tools = body.get("tools")?.as_array()?;
    let messages = body.get("messages")?.as_array()?;
    let at = messages.iter().rposition(|message| message["role"] == "user")?;
    let since = messages.get(at + 1..).unwrap_or_default();
    let of = |role: &'static str| since.iter().filter(move |message| message["role"] == role);
    let system = messages.iter().filter(|message| message["role"] == "system");
    Some(Turn {
        added: String::new(),
        prompt: text(&messages.get(at)?["content"]),
        answers: of("assistant").count(),
        results: of("tool").map(|message| text(&message["content"])).collect(),
        tools: tools
            .iter()
            .filter_map(|tool| Some(tool["function"]["name"].as_str()?.to_owned()))
            .collect(),
        system: system
            .map(|message| text(&message["content"]))
            .collect::<Vec<_>>()
            .join("\n"),
    })
}

/// Answers with `said` and ends the turn.
pub(super) fn say(said: &str) -> Response {
    send(vec![json!({"role": "assistant", "content": said})], "stop")
}

/// Answers with tool calls.
pub(super) fn call(turn: &Turn, calls: &[Call]) -> Response {
    let deltas = calls.iter().enumerate().map(|(index, call)| {
        let function = json!({"name": call.tool, "arguments": (call.arguments)(turn).to_string()});
        let call = json!({"index": index, "id": call_id("call"), "type": "function", "function": function});
        json!({"role": "assistant", "tool_calls": [call]})
    });
    send(deltas.collect(), "tool_calls")
}

fn send(deltas: Vec<Value>, reason: &str) -> Response {
    let id = call_id("chatcmpl");
    let chunk = |choices: Value| {
        json!({
            "id": id, "object": "chat.completion.chunk", "created": 1, "model": "scripted",
            "choices": choices,
        })
    };
    let choice = |delta: Value, reason: Value| json!([{"index": 0, "delta": delta, "finish_reason": reason}]);
    let mut chunks: Vec<Value> = deltas
        .into_iter()
        .map(|d| chunk(choice(d, Value::Null)))
        .collect();
    chunks.push(chunk(choice(json!({}), json!(reason))));
    let mut usage = chunk(json!([]));
    usage["usage"] = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    chunks.push(usage);
    let mut data: Vec<String> = chunks.iter().map(Value::to_string).collect();
    data.push("[DONE]".into());
    lines(data)
}
