//! What `downbeat-hook` and `downbeat hook` do: hand what an agent's hook says to the session's
//! keeper. Never harms the agent: prints nothing, and ends in time whatever happens. The keeper's
//! side of a post is [`crate::keep`].

use super::blocking::{hand_hook, note_lost_post};
use crate::error::Error;
use crate::socket;
use crate::spool::{self, Postmark};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest time that reading the post may take: the agent itself writes it.
const READING: Duration = Duration::from_secs(2);

/// Longest time that an agent may lose to a keeper that does not take a post at once. What is on its
/// way by then arrives all the same; what is not is left in the spool.
const DEADLINE: Duration = Duration::from_millis(35);

/// Longest time that leaving it there may take besides: an agent loses less than 50 ms to us.
const LEAVING: Duration = Duration::from_millis(12);

/// Largest body that is read. Agents put whole tool results into hooks.
const BODY_LIMIT: u64 = 16 << 20;

/// What is set aside for a body before it is read: most fit.
const BODY: usize = 16 << 10;

/// Bodies above this are slimmed before they are journaled.
const SLIM_ABOVE: usize = 32 << 10;

/// Longest text in a slimmed body, in characters: enough for any question that a person reads.
const TEXT_LIMIT: usize = 4 << 10;

/// Stack of the guard.
const STACK: usize = 64 << 10;

/// A post on its way.
struct Post {
    dir: PathBuf,
    mark: Postmark,
    body: Vec<u8>,
    /// Whether it needs nobody any more; held while it is put into the spool.
    settled: Mutex<bool>,
}

impl Post {
    /// Leaves it where the keeper finds it later; where there is no room, it is counted as lost.
    fn leave(&self) {
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *settled, true) {
            return;
        }
        match spool::put(&self.dir, self.mark, &self.body) {
            Ok(()) => socket::knock(&self.dir),
            Err(_) => note_lost_post(&self.dir),
        }
    }
}

/// How far a post is.
enum Stage {
    /// The agent wrote all of it.
    Read(Arc<Post>),
    /// The keeper's socket has all of it.
    Handed,
}

/// Posts standard input to the keeper named in the environment. Returns once nothing more can be
/// done, or ends the process, with success, when that takes too long.
pub fn run_hook() {
    let Some(dir) = std::env::var_os("DOWNBEAT_KEEPER").map(PathBuf::from) else {
        return;
    };
    let mark = Postmark::now();
    // One place for each stage.
    let (tell, hear) = mpsc::sync_channel(2);
    let keeper = dir.clone();
    let guarded = thread("guard", move || guard(&keeper, &hear));
    let Some(body) = guarded.then(read).flatten() else {
        return note_lost_post(&dir);
    };
    let post = Arc::new(Post {
        dir,
        mark,
        body: slim(body),
        settled: Mutex::new(false),
    });
    // The guard hears of each until it ends the process.
    let _ = tell.send(Stage::Read(Arc::clone(&post)));
    let handed = || {
        let _ = tell.send(Stage::Handed);
    };
    match hand_hook(&post.dir, mark, &post.body, handed) {
        Ok(()) => {}
        // Nobody is there to find it, or its journal is full. (macOS tells of one whose queue is full
        // as of one that is gone.)
        Err(Error::Refused(_)) => note_lost_post(&post.dir),
        Err(Error::Gone) if !cfg!(target_os = "macos") => note_lost_post(&post.dir),
        Err(_) => post.leave(),
    }
}

/// Ends the process where the post takes too long. What nobody took by then is left for later.
fn guard(dir: &Path, hear: &Receiver<Stage>) {
    let post = match hear.recv_timeout(READING) {
        Ok(Stage::Read(post)) => post,
        // All is done.
        Ok(Stage::Handed) | Err(RecvTimeoutError::Disconnected) => return,
        // Never written to its end.
        Err(RecvTimeoutError::Timeout) => {
            note_lost_post(dir);
            end()
        }
    };
    let until = Instant::now() + DEADLINE;
    let mut handed = false;
    loop {
        match hear.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(_) => handed = true,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    // A disk that hangs holds nobody either.
    thread("end", move || {
        std::thread::sleep(LEAVING);
        end()
    });
    if handed {
        // Whoever leaves it just now, since the keeper hung up, comes to an end.
        drop(post.settled.lock());
    } else {
        post.leave();
    }
    end()
}

/// Success, whatever came of it: a failure would be the agent's.
fn end() -> ! {
    std::process::exit(0)
}

/// Starts a small thread that nobody waits for.
fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let thread = std::thread::Builder::new().name(name.into());
    thread.stack_size(STACK).spawn(work).is_ok()
}

/// All of standard input; `None` where it is too long or cannot be read.
fn read() -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity(BODY);
    let read = std::io::stdin()
        .lock()
        .take(BODY_LIMIT + 1)
        .read_to_end(&mut body);
    (read.is_ok() && body.len() as u64 <= BODY_LIMIT).then_some(body)
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
