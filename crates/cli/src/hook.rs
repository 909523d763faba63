//! `downbeat hook`: hands what an agent's hook says to the session's keeper. Never harms the
//! agent: prints nothing, always succeeds, and gives up after a moment whatever happens.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

/// Longest time that an agent may lose to one hook, when something is badly wrong. The keeper's
/// client gives up connecting much sooner.
const DEADLINE: Duration = Duration::from_secs(2);

/// Largest body that is read. Agents put whole tool results into hooks.
const BODY_LIMIT: u64 = 16 << 20;

/// Bodies above this are slimmed before they are journaled.
const SLIM_ABOVE: usize = 32 << 10;

/// Longest text in a slimmed body, in characters: enough for any question that a person reads.
const TEXT_LIMIT: usize = 4 << 10;

/// Posts standard input to the keeper named in the environment.
pub(crate) fn run() -> ExitCode {
    if let Some(dir) = std::env::var_os("DOWNBEAT_KEEPER") {
        // One place: the one word that says the post is done.
        let (done, wait) = mpsc::sync_channel::<()>(1);
        let _detached = std::thread::spawn(move || {
            post(PathBuf::from(dir));
            drop(done);
        });
        let _ = wait.recv_timeout(DEADLINE);
    }
    ExitCode::SUCCESS
}

fn post(dir: PathBuf) {
    let mut body = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(BODY_LIMIT + 1)
        .read_to_end(&mut body);
    if read.is_err() || body.len() as u64 > BODY_LIMIT {
        return;
    }
    // Nobody could do anything about a failure here; the keeper's absence shows elsewhere.
    let _ = downbeat_keeper::post_hook(&dir, &slim(body));
}

/// Cuts long texts inside a large JSON body: the journal keeps what happened, not whole files.
fn slim(body: Vec<u8>) -> Vec<u8> {
    if body.len() <= SLIM_ABOVE {
        return body;
    }
    let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(&body) else {
        return body;
    };
    cut(&mut value);
    serde_json::to_vec(&value).unwrap_or(body)
}

fn cut(value: &mut serde_json::Value) {
    use serde_json::Value;
    // An answer's end tells whether it asks.
    if let Some(Value::String(text)) = value.get_mut("last_assistant_message")
        && let Some((at, _)) = text.char_indices().rev().nth(TEXT_LIMIT - 1)
    {
        *text = text.split_off(at);
    }
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(TEXT_LIMIT) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(cut),
        Value::Object(fields) => fields.values_mut().for_each(cut),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_texts_of_large_bodies_are_cut() {
        let small = br#"{"a":"b"}"#.to_vec();
        assert_eq!(slim(small.clone()), small);
        let long = "é".repeat(40_000);
        let body = serde_json::json!({"hook_event_name": "PostToolUse", "tool_response": {"stdout": [long]}});
        let slimmed: serde_json::Value =
            serde_json::from_slice(&slim(body.to_string().into_bytes())).unwrap();
        assert_eq!(slimmed["hook_event_name"], "PostToolUse");
        let text = slimmed["tool_response"]["stdout"][0].as_str().unwrap();
        assert_eq!(text.chars().count(), TEXT_LIMIT + 1);
        let end = "Should I?";
        let body = serde_json::json!({"last_assistant_message": format!("{}{end}", "é".repeat(40_000))});
        let slimmed: serde_json::Value =
            serde_json::from_slice(&slim(body.to_string().into_bytes())).unwrap();
        assert!(slimmed["last_assistant_message"].as_str().unwrap().ends_with(end));
        let garbage = vec![b'x'; SLIM_ABOVE + 1];
        assert_eq!(slim(garbage.clone()), garbage);
    }
}
