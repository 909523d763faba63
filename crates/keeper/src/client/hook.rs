//! What `downbeat-hook` and `downbeat hook` do: hand what an agent's hook says to the session's
//! keeper. Never harms the agent: prints nothing, and ends in time whatever happens. The keeper's
//! side of a post is [`crate::keep`].

use super::blocking::hand_hook;
use super::cut_off;
use crate::error::Error;
use crate::socket;
use crate::spool::{self, Postmark, note_lost_post};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest time that reading the post may take: the agent itself writes it, and one that draws two
/// megabytes meanwhile takes its time. Below the ten seconds that agents give a hook.
const READING: Duration = Duration::from_secs(8);

/// Longest time that an agent may lose to a keeper that does not take a post at once. What was not
/// answered by then is left in the spool, also where the keeper's socket has it: a keeper that stands
/// still may be killed before it reads on, and one that does go on takes the post once.
const DEADLINE: Duration = Duration::from_millis(35);

/// Longest time that leaving it there may take besides: an agent loses less than 50 ms to us.
const LEAVING: Duration = Duration::from_millis(12);

/// Largest body that is read. Agents put whole tool results into hooks.
const BODY_LIMIT: usize = 16 << 20;

/// What is set aside for a body before it is read: most fit.
const BODY: usize = 16 << 10;

/// Bodies above this are slimmed before they are journaled.
const SLIM_ABOVE: usize = 32 << 10;

/// Longest text in a slimmed body, in characters: enough for any question that a person reads.
const TEXT_LIMIT: usize = 4 << 10;

/// Stack of the guard.
const STACK: usize = 256 << 10;

/// A post on its way.
struct Post {
    dir: PathBuf,
    mark: Postmark,
    body: Vec<u8>,
    /// Whether it needs nobody any more; held while it is put into the spool.
    settled: Mutex<bool>,
    /// Whether the keeper's socket has all of it.
    handed: AtomicBool,
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
            // What the socket has arrives all the same, most likely.
            Err(_) if self.handed.load(Ordering::Acquire) => {}
            Err(_) => note_lost_post(&self.dir),
        }
    }
}

/// Posts standard input to the keeper named in the environment. Returns once nothing more can be
/// done, or ends the process, with success, when that takes too long.
pub fn run_hook() {
    let Some(dir) = std::env::var_os("DOWNBEAT_KEEPER").map(PathBuf::from) else {
        return;
    };
    let mark = Postmark::now();
    let (tell, hear) = mpsc::sync_channel(1);
    let (keeper, so_far) = (dir.clone(), Arc::new(Mutex::new(Vec::with_capacity(BODY))));
    let read_by = Arc::clone(&so_far);
    let guarded = thread("guard", move || guard(&keeper, mark, &so_far, &hear));
    let Some(body) = guarded.then(|| read(&read_by)).flatten() else {
        return note_lost_post(&dir);
    };
    let post = Arc::new(Post {
        dir,
        mark,
        body: slim(body),
        settled: Mutex::new(false),
        handed: AtomicBool::new(false),
    });
    // The guard hears of it until it ends the process.
    let _ = tell.send(Arc::clone(&post));
    let handed = || post.handed.store(true, Ordering::Release);
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
fn guard(dir: &Path, mark: Postmark, so_far: &Mutex<Vec<u8>>, hear: &Receiver<Arc<Post>>) {
    let post = match hear.recv_timeout(READING) {
        Ok(post) => post,
        // All is done.
        Err(RecvTimeoutError::Disconnected) => return,
        // Never written to its end: what came says which post it is.
        Err(RecvTimeoutError::Timeout) => {
            let came = std::mem::take(&mut *so_far.lock().unwrap_or_else(PoisonError::into_inner));
            match cut_off::mended(&came).map(slim) {
                Some(body) => {
                    let post = Post {
                        dir: dir.to_owned(),
                        mark,
                        body,
                        settled: Mutex::new(false),
                        handed: AtomicBool::new(false),
                    };
                    post.leave();
                }
                None => note_lost_post(dir),
            }
            end()
        }
    };
    // The channel closes once all is done.
    if !matches!(hear.recv_timeout(DEADLINE), Err(RecvTimeoutError::Timeout)) {
        return;
    }
    // A disk that hangs holds nobody either.
    thread("end", move || {
        std::thread::sleep(LEAVING);
        end()
    });
    post.leave();
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

/// All of standard input, or what says which post it is where it is too long; `None` where that cannot
/// be read. What came is in `so_far` all the while.
fn read(so_far: &Mutex<Vec<u8>>) -> Option<Vec<u8>> {
    let mut input = std::io::stdin().lock();
    let mut piece = [0; BODY];
    loop {
        let count = match input.read(&mut piece) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        let mut came = so_far.lock().unwrap_or_else(PoisonError::into_inner);
        if count == 0 {
            return Some(std::mem::take(&mut *came));
        }
        came.extend_from_slice(&piece[..count]);
        if came.len() > BODY_LIMIT {
            return cut_off::mended(&came);
        }
    }
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
