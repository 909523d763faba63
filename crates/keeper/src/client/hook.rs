//! The implementation of `downbeat-hook` and `downbeat hook`: passes the post of an agent's hook to the
//! session's keeper. It never harms the agent: it prints nothing, and ends in time whatever happens. The
//! keeper's side of a post is [`crate::keep`].

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

/// The longest time that reading the post may take: the agent writes it, and is slow if it also draws
/// two megabytes. Below the ten seconds that agents give a hook.
const READING: Duration = Duration::from_secs(8);

/// The longest time that an agent may lose to a keeper that does not take a post immediately. A post
/// without an answer by then is left in the spool, even if the keeper's socket has it: a stopped keeper
/// may be killed before it reads the post, and one that continues takes the post only once.
const DEADLINE: Duration = Duration::from_millis(35);

/// The longest time that writing to the spool may take in addition. It takes a millisecond; a busy machine or disk may need
/// a hundred times that, and losing the post would cost more than the wait.
const LEAVING: Duration = Duration::from_millis(500);

/// The largest body that is read. Agents put whole tool results into hooks.
const BODY_LIMIT: usize = 16 << 20;

/// The bytes allocated for a body before it is read; most bodies fit.
const BODY: usize = 16 << 10;

/// The size above which bodies are slimmed before they are journaled.
const SLIM_ABOVE: usize = 32 << 10;

/// The longest text in a slimmed body, in characters: enough for any question that a person reads.
const TEXT_LIMIT: usize = 4 << 10;

/// The stack size of the guard, in bytes.
const STACK: usize = 256 << 10;

/// A post that is being delivered.
struct Post {
    dir: PathBuf,
    mark: Postmark,
    body: Vec<u8>,
    /// Whether the post is delivered, spooled or lost; locked while the post is put into the spool.
    settled: Mutex<bool>,
    /// Whether the keeper's socket has the whole post.
    handed: AtomicBool,
}

impl Post {
    /// Leaves the post in the spool for the keeper to find later; without room there, counts it as lost.
    fn leave(&self) {
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *settled, true) {
            return;
        }
        match spool::put(&self.dir, self.mark, &self.body) {
            Ok(()) => socket::knock(&self.dir),
            // A post that the socket has most likely arrives all the same.
            Err(_) if self.handed.load(Ordering::Acquire) => {}
            Err(_) => note_lost_post(&self.dir),
        }
    }
}

/// Posts standard input to the keeper named in the environment. Returns when the post is delivered, spooled
/// or lost; exits the process, with success, if that takes too long.
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
    // The guard knows the post from here until it ends the process.
    let _ = tell.send(Arc::clone(&post));
    let handed = || post.handed.store(true, Ordering::Release);
    match hand_hook(&post.dir, mark, &post.body, handed) {
        Ok(()) => {}
        // Nobody is there to find it, or the journal is full. (macOS reports a keeper with a full queue
        // like one that is gone.)
        Err(Error::Refused(_)) => note_lost_post(&post.dir),
        Err(Error::Gone) if !cfg!(target_os = "macos") => note_lost_post(&post.dir),
        Err(_) => post.leave(),
    }
}

/// Ends the process if the post takes too long. A post that was not delivered by then goes to the spool.
fn guard(dir: &Path, mark: Postmark, so_far: &Mutex<Vec<u8>>, hear: &Receiver<Arc<Post>>) {
    let post = match hear.recv_timeout(READING) {
        Ok(post) => post,
        // Everything is done.
        Err(RecvTimeoutError::Disconnected) => return,
        // The agent never finished writing; the part that arrived identifies the post.
        Err(RecvTimeoutError::Timeout) => {
            end_in(LEAVING);
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
    // The channel closes once everything is done.
    if !matches!(hear.recv_timeout(DEADLINE), Err(RecvTimeoutError::Timeout)) {
        return;
    }
    end_in(LEAVING);
    post.leave();
    end()
}

/// Ends the process in a while, whatever else it does: a disk that hangs must not delay the exit.
fn end_in(time: Duration) {
    thread("end", move || {
        std::thread::sleep(time);
        end()
    });
}

/// Exits with success, whatever happened: the agent would take a failure for its own.
fn end() -> ! {
    std::process::exit(0)
}

/// Starts a small thread that is never joined.
fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let thread = std::thread::Builder::new().name(name.into());
    thread.stack_size(STACK).spawn(work).is_ok()
}

/// Reads all of standard input, or the identifying part of it if it is too long; `None` if it cannot be
/// read. The bytes so far are always in `so_far`.
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

/// Cuts long texts inside a large JSON body: the journal records what happened, not whole files.
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
    // The end of an answer shows whether it asks a question.
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
