//! Formats an answer for the Messages API: whole, or as server-sent events.

use super::script::Call;
use super::turn::Turn;
use axum::Json;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the next id, so that every message and tool use has its own.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The size of the pieces in which text streams, in characters: small enough that a sentence takes several.
const PIECE: usize = 24;

/// Returns a unique id.
pub(super) fn call_id(prefix: &str) -> String {
    format!("{prefix}_{:012}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Answers with `texts`, one block each, and ends the turn.
pub(super) fn say(request: &Value, texts: &[String]) -> Response {
    let blocks = texts.iter().map(|t| json!({"type": "text", "text": t}));
    send(request, blocks.collect(), "end_turn")
}

/// Answers with tool calls.
pub(super) fn call(request: &Value, turn: &Turn, calls: &[Call]) -> Response {
    let blocks = calls.iter().map(|call| {
        let input = (call.arguments)(turn);
        json!({"type": "tool_use", "id": call_id("toolu"), "name": call.tool, "input": input})
    });
    send(request, blocks.collect(), "tool_use")
}

/// Fails like the API.
pub(super) fn fail(status: u16, error: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({"type": "error", "error": error});
    // Without this header an agent retries for minutes.
    let headers = [("x-should-retry", "false")];
    (status, headers, Json(body)).into_response()
}

fn send(request: &Value, blocks: Vec<Value>, stop: &str) -> Response {
    let message = json!({
        "id": call_id("msg"), "type": "message", "role": "assistant",
        "model": request.get("model").cloned().unwrap_or_else(|| json!("scripted")),
        "content": blocks, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    });
    if request.get("stream") != Some(&json!(true)) {
        return Json(message).into_response();
    }
    sse(events(message, &blocks, stop))
}

/// Sends events named by their type.
pub(super) fn sse(events: Vec<Value>) -> Response {
    let events = events.into_iter().map(|event| {
        let name = event.get("type").and_then(Value::as_str).unwrap_or("error");
        Ok::<_, Infallible>(Event::default().event(name).data(event.to_string()))
    });
    Sse::new(stream::iter(events.collect::<Vec<_>>())).into_response()
}

/// Sends events without a name.
pub(super) fn lines(data: Vec<String>) -> Response {
    let events = data
        .into_iter()
        .map(|data| Ok::<_, Infallible>(Event::default().data(data)));
    Sse::new(stream::iter(events.collect::<Vec<_>>())).into_response()
}

fn events(mut message: Value, blocks: &[Value], stop: &str) -> Vec<Value> {
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.iter().enumerate() {
        let (start, deltas) = parts(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        let delta = |d| json!({"type": "content_block_delta", "index": index, "delta": d});
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// Returns a block as it starts, empty, and the deltas that fill it.
fn parts(block: &Value) -> (Value, Vec<Value>) {
    let mut start = block.clone();
    if let Some(text) = block.get("text").and_then(Value::as_str) {
        start["text"] = json!("");
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.chunks(PIECE).map(|piece| {
            let text: String = piece.iter().collect();
            json!({"type": "text_delta", "text": text})
        });
        return (start, pieces.collect());
    }
    start["input"] = json!({});
    let input = block.get("input").cloned().unwrap_or_default().to_string();
    (
        start,
        vec![json!({"type": "input_json_delta", "partial_json": input})],
    )
}
