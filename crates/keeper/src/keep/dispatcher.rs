//! The queue of the owner. The owner's thread processes messages one after another. While it sleeps and no
//! message waits, the thread that brings a key, a post or a little output processes it itself, so that no
//! other thread has to wake up between a key and its echo. One lock keeps everything in one order.

use super::inbox::Inbox;
use super::message::Msg;
use crate::proto::Request;
use crate::spool::Postmark;
use interprocess::local_socket::Stream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SendError, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Output up to this size is processed by the reader: it is what a program answers to a key. More output
/// is a burst, of which the reader gathers the next piece while the owner's thread works.
const LITTLE: usize = 1 << 10;

/// The receiver of all messages: the owner of all state.
pub trait Handler: Send {
    /// Starts to serve.
    fn begin(&mut self);

    /// Processes a message.
    fn handle(&mut self, msg: Msg);

    /// Does the work that is due by now.
    fn on_time(&mut self);

    /// Finishes open work before the thread sleeps, and returns when work is due next.
    fn rest(&mut self) -> Option<Instant>;

    /// Returns the last result of [`Handler::rest`].
    fn sleeps_until(&self) -> Option<Instant>;

    /// Reports whether the session is collected, so that nothing more is served.
    fn is_closing(&self) -> bool;

    /// Ends; writes what clients still wait for.
    fn finish(&mut self);
}

/// The owner and its waiting messages.
pub struct Dispatcher {
    /// Locked by the owner's thread while it is awake. Empty before it serves and afterwards.
    owner: Mutex<Option<Box<dyn Handler>>>,
    queue: SyncSender<Msg>,
    /// The number of messages that are queued, or about to be, and not processed yet.
    waiting: AtomicUsize,
    /// Output that waits for the owner's thread.
    pub inbox: Inbox,
}

/// Wakes the owner's thread if a thread that took its place panicked, so that it ends the keeper.
struct Broken<'a>(&'a Dispatcher);

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.wake();
        }
    }
}

impl Dispatcher {
    /// Creates a dispatcher whose messages arrive at the other end of the queue.
    pub fn new(queue: SyncSender<Msg>) -> Arc<Self> {
        Arc::new(Self {
            owner: Mutex::new(None),
            queue,
            waiting: AtomicUsize::new(0),
            inbox: Inbox::default(),
        })
    }

    /// Queues a message; waits if the queue is full. Fails once nobody serves any more.
    pub fn send(&self, msg: Msg) -> Result<(), SendError<Msg>> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.queue.send(msg)
    }

    /// Passes on a client's request.
    pub fn ask(&self, client: u64, request: Request) -> Result<(), SendError<Msg>> {
        let quick = matches!(request, Request::Input(_) | Request::Drawn { .. });
        let msg = Msg::Asked { client, request };
        if quick { self.bring(msg) } else { self.send(msg) }
    }

    /// Passes on a hook's post with the stream on which its sender waits for the answer.
    pub fn post(&self, sender: Stream, mark: Option<Postmark>, body: Vec<u8>) -> Result<(), SendError<Msg>> {
        self.bring(Msg::Posted { sender, mark, body })
    }

    /// Requests a look into the spool.
    pub fn look(&self) -> Result<(), SendError<Msg>> {
        self.bring(Msg::Look)
    }

    /// Passes on output; waits if the inbox is full.
    pub fn output(&self, bytes: &[u8]) -> Result<(), SendError<Msg>> {
        match self.inbox.put(bytes) {
            true if bytes.len() <= LITTLE => self.bring(Msg::Output),
            true => self.send(Msg::Output),
            false => Ok(()),
        }
    }

    /// Processes a message on this thread if the owner's thread sleeps and no earlier message waits;
    /// otherwise queues it.
    fn bring(&self, msg: Msg) -> Result<(), SendError<Msg>> {
        let broken = Broken(self);
        let mut held = match self.owner.try_lock() {
            Ok(held) => held,
            Err(_) => return self.send(msg),
        };
        // Everything that this thread brought before counts until it is processed: the order is kept.
        let idle = self.waiting.load(Ordering::SeqCst) == 0;
        let Some(owner) = held.as_mut().filter(|_| idle) else {
            // The queue may be full, and only the owner's thread empties it.
            drop(held);
            return self.send(msg);
        };
        let sleeps_until = owner.sleeps_until();
        owner.handle(msg);
        let sooner = |due| sleeps_until.is_none_or(|until| due < until);
        let too_late = owner.rest().is_some_and(sooner);
        drop(held);
        drop(broken);
        if too_late {
            self.wake();
        }
        Ok(())
    }

    /// Wakes the owner's thread to check again what is due. A thread with a message in its queue wakes up
    /// because of that.
    fn wake(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.queue.try_send(Msg::Wake).is_err() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Runs the owner's thread: serves until an engine collects the ended session.
    pub fn serve(&self, owner: Box<dyn Handler>, rx: &Receiver<Msg>) {
        let mut held = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(owner).begin();
        while let Some(owner) = held.as_mut().filter(|owner| !owner.is_closing()) {
            match rx.try_recv() {
                Ok(msg) => {
                    owner.handle(msg);
                    self.waiting.fetch_sub(1, Ordering::SeqCst);
                }
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {
                    let due = owner.rest();
                    drop(held);
                    let next = sleep(rx, due);
                    // A thread that panicked while it did our work left it half done: the keeper ends.
                    let Ok(awake) = self.owner.lock() else { return };
                    held = awake;
                    let Some(owner) = held.as_mut() else { return };
                    match next {
                        Some(msg) => {
                            owner.handle(msg);
                            self.waiting.fetch_sub(1, Ordering::SeqCst);
                        }
                        None => owner.on_time(),
                    }
                }
            }
        }
        if let Some(mut owner) = held.take() {
            owner.finish();
        }
    }
}

/// Waits for a message, or until something is due (`None`).
fn sleep(rx: &Receiver<Msg>, due: Option<Instant>) -> Option<Msg> {
    match due {
        None => rx.recv().ok(),
        Some(due) => rx
            .recv_timeout(due.saturating_duration_since(Instant::now()))
            .ok(),
    }
}
