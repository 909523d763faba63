//! Where the owner is told everything. Its thread takes messages one after another; while that
//! sleeps and nothing waits for it, who brings a key, a post or a little output has it done on the spot:
//! between a key and its echo no thread has to be woken for it. Under one lock, so that
//! everything still happens in one order.

use super::inbox::Inbox;
use super::message::Msg;
use crate::proto::Request;
use crate::spool::Postmark;
use interprocess::local_socket::Stream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SendError, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Output up to this size is taken on the spot: what a program answers to a key. More is a burst,
/// of which the reader gathers the next piece while the owner's thread works.
const LITTLE: usize = 1 << 10;

/// Who is told everything: the owner of all state.
pub trait Handler: Send {
    /// Begins to serve.
    fn begin(&mut self);

    /// Does what a message asks.
    fn handle(&mut self, msg: Msg);

    /// Does what is due by now.
    fn on_time(&mut self);

    /// Does what is to be done before there is nothing to do, and says when something is due then.
    fn rest(&mut self) -> Option<Instant>;

    /// What [`Handler::rest`] said last.
    fn sleeps_until(&self) -> Option<Instant>;

    /// Whether the session is collected, so that nothing more is served.
    fn is_closing(&self) -> bool;

    /// Ends: what clients wait for is still written.
    fn finish(&mut self);
}

/// The desk: the owner, and what waits for it.
pub struct Desk {
    /// Held by the owner's thread while it is awake. Empty before it serves and after.
    owner: Mutex<Option<Box<dyn Handler>>>,
    queue: SyncSender<Msg>,
    /// Messages that were queued, or are about to be, and are not done.
    waiting: AtomicUsize,
    /// Output that waits for the owner's thread.
    pub inbox: Inbox,
}

/// Wakes the owner's thread when whoever took its place for a moment panicked: it ends the keeper.
struct Broken<'a>(&'a Desk);

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.wake();
        }
    }
}

impl Desk {
    /// A desk whose messages come out of the queue's other end.
    pub fn new(queue: SyncSender<Msg>) -> Arc<Self> {
        Arc::new(Self {
            owner: Mutex::new(None),
            queue,
            waiting: AtomicUsize::new(0),
            inbox: Inbox::default(),
        })
    }

    /// Queues a message; waits where the queue is full. An error once nobody serves any more.
    pub fn tell(&self, msg: Msg) -> Result<(), SendError<Msg>> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.queue.send(msg)
    }

    /// Passes on what a client asks.
    pub fn ask(&self, client: u64, request: Request) -> Result<(), SendError<Msg>> {
        let quick = matches!(request, Request::Input(_) | Request::Drawn { .. });
        let msg = Msg::Asked { client, request };
        if quick { self.bring(msg) } else { self.tell(msg) }
    }

    /// Passes on a hook's post, and where its sender waits for the answer.
    pub fn post(&self, sender: Stream, mark: Option<Postmark>, body: Vec<u8>) -> Result<(), SendError<Msg>> {
        self.bring(Msg::Posted { sender, mark, body })
    }

    /// Has the spool looked at.
    pub fn look(&self) -> Result<(), SendError<Msg>> {
        self.bring(Msg::Look)
    }

    /// Passes on output; waits where the inbox is full.
    pub fn output(&self, bytes: &[u8]) -> Result<(), SendError<Msg>> {
        match self.inbox.put(bytes) {
            true if bytes.len() <= LITTLE => self.bring(Msg::Output),
            true => self.tell(Msg::Output),
            false => Ok(()),
        }
    }

    /// Has a message done on the spot, if the owner's thread sleeps and nothing came before it;
    /// else queues it.
    fn bring(&self, msg: Msg) -> Result<(), SendError<Msg>> {
        let broken = Broken(self);
        let mut held = match self.owner.try_lock() {
            Ok(held) => held,
            Err(_) => return self.tell(msg),
        };
        // All that this thread brought before is counted until it is done: order is kept.
        let idle = self.waiting.load(Ordering::SeqCst) == 0;
        let Some(owner) = held.as_mut().filter(|_| idle) else {
            // The queue may be full, and only the owner's thread empties it.
            drop(held);
            return self.tell(msg);
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

    /// Wakes the owner's thread, to look again at what is due. One that has something in its queue
    /// wakes by that.
    fn wake(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.queue.try_send(Msg::Wake).is_err() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// The owner's thread: serves until an engine collects the ended session.
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
                    // Whoever broke while it did our work left it half done: the keeper ends.
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
