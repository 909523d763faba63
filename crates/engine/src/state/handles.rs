//! The runtime of a session that is not over, which exists in memory only: the handle of its keeper, and the
//! means to take turns and to interrupt. Nothing here is a fact; a new engine starts without it.

use crate::state::transcripts::Refusal;
use downbeat_keeper::{Link, Report};
use downbeat_model::SessionId;
use downbeat_store::SessionRow;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The number of keepers that may wait to be followed: each waits for microseconds.
const FOLLOWED: usize = 64;

/// The runtime of one session.
#[derive(Default)]
pub struct Live {
    /// Locked while the session is made, started, ended or removed: one at a time.
    pub turn: tokio::sync::Mutex<()>,
    /// Locked while something is typed into its terminal for somebody else: one at a time.
    pub typing: tokio::sync::Mutex<()>,
    /// Locked while the session is continued after an end, and by a new engine until it adopted the session.
    pub going_on: Arc<tokio::sync::Mutex<()>>,
    /// Locked while a pull request of it is opened or changed: one order at a time.
    pub ordering: tokio::sync::Mutex<()>,
    /// Locked while its transcripts are read. Holds the error at their end that explains nothing yet.
    pub reading: tokio::sync::Mutex<Option<Refusal>>,
    /// A plain lock, held for a clone only, never across an await.
    cancel: Mutex<CancellationToken>,
    link: watch::Sender<Option<Link>>,
    /// The time at which a question of an agent without hooks was last seen to close.
    answered: Mutex<Option<Timestamp>>,
    settled: watch::Sender<Option<Timestamp>>,
    /// The time at which the key that empties the prompt was pressed.
    cleared: Mutex<Option<Instant>>,
    /// The number of lost posts of its hooks that were made up for.
    lost: AtomicU64,
    /// The row of a shell that is cleared away, for clients that are still opening it.
    last: Mutex<Option<Arc<SessionRow>>>,
    /// Whether the folder was missing at the last look.
    away: AtomicBool,
    /// Cloned by each wait for the session's workers that is in progress.
    waiting: Arc<()>,
}

/// A keeper to follow from now on.
pub enum Follow {
    /// A connected keeper, with the channel of its reports.
    Connected(SessionId, Link, Receiver<Report>),
    /// A keeper that exists, but did not answer at first.
    Slow(SessionId),
}

/// The runtimes of all sessions.
pub struct Runtimes {
    map: Mutex<HashMap<SessionId, Arc<Live>>>,
    follow: mpsc::Sender<Follow>,
}

impl Live {
    /// Returns the keeper's handle, while one is connected.
    pub fn link(&self) -> Option<Link> {
        self.link.borrow().clone()
    }

    /// Sets or clears the keeper's handle.
    pub fn set_link(&self, link: Option<Link>) {
        self.link.send_replace(link);
    }

    /// Begins a wait for events of the session's workers, which lasts until the returned value is dropped.
    pub fn begin_wait(&self) -> Arc<()> {
        Arc::clone(&self.waiting)
    }

    /// Reports whether such a wait is in progress.
    pub fn is_waiting(&self) -> bool {
        Arc::strong_count(&self.waiting) > 1
    }

    /// Clears the handle of this keeper; the handle of another keeper stays.
    pub fn unlink(&self, ended: &Link) {
        self.link.send_if_modified(|link| {
            let own = |link: &Link| link.hello().incarnation == ended.hello().incarnation;
            let is_own = link.as_ref().is_some_and(own);
            if is_own {
                *link = None;
            }
            is_own
        });
    }

    /// Notes that a question closed.
    pub fn answer(&self) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Timestamp::now());
    }

    /// Returns when a question closed last.
    pub fn answered(&self) -> Option<Timestamp> {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes whether the folder is missing; returns whether that changed.
    pub fn set_away(&self, is_away: bool) -> bool {
        self.away.swap(is_away, Ordering::Relaxed) != is_away
    }

    /// Reports whether the folder is missing.
    pub fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Notes the session's last row, when it ended.
    pub fn set_last(&self, row: Arc<SessionRow>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(row);
    }

    /// Returns the session's last row, if it was noted.
    pub fn last(&self) -> Option<Arc<SessionRow>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that the key that empties the prompt is pressed.
    pub fn clear(&self) {
        *self.cleared.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns the time since that key was pressed.
    pub fn since_cleared(&self) -> Option<Duration> {
        let at = *self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        at.map(|at| at.elapsed())
    }

    /// Notes the number of lost posts of hooks that were made up for.
    pub fn see_lost(&self, posts: u64) {
        self.lost.store(posts, Ordering::Relaxed);
    }

    /// Returns the noted number of lost posts.
    pub fn lost_seen(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Notes that output came to rest and that the screen was read.
    pub fn settle(&self) {
        self.settled.send_replace(Some(Timestamp::now()));
    }

    /// Returns a receiver of the last time at which output came to rest.
    pub fn settled(&self) -> watch::Receiver<Option<Timestamp>> {
        self.settled.subscribe()
    }

    /// Waits until no keeper is connected: the session is over and its keeper was closed.
    pub async fn unlinked(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.link.subscribe().wait_for(Option::is_none).await;
    }

    /// Returns the token that interrupts the present spawn.
    pub fn cancel(&self) -> CancellationToken {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a fresh token, for a new spawn.
    pub fn renew(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }
}

impl Runtimes {
    /// Returns an empty collection, and a receiver of the keepers to follow, in order.
    pub fn new() -> (Self, Receiver<Follow>) {
        let (follow, followed) = mpsc::channel(FOLLOWED);
        let none = Self {
            map: Mutex::default(),
            follow,
        };
        (none, followed)
    }

    /// Hands a connected keeper to the task that follows keepers.
    pub async fn follow(&self, id: &SessionId, link: Link, reports: Receiver<Report>) {
        self.of(id).set_link(Some(link.clone()));
        // Nobody follows keepers for an engine that closes: the next engine does.
        let _ = self
            .follow
            .send(Follow::Connected(id.clone(), link, reports))
            .await;
    }

    /// Hands over a keeper that exists but did not answer at first.
    pub async fn seek(&self, id: &SessionId) {
        let _ = self.follow.send(Follow::Slow(id.clone())).await;
    }

    /// Returns the runtime of a session, created if it is missing.
    pub fn of(&self, id: &SessionId) -> Arc<Live> {
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(map.entry(id.clone()).or_default())
    }

    /// Waits until no work or typing is in progress for any session, at most this long.
    pub async fn settle(&self, patience: Duration) {
        let lives: Vec<_> = {
            let map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
            map.values().cloned().collect()
        };
        let settled = async {
            for live in lives {
                drop(live.turn.lock().await);
                // A message that is being typed gets its Enter.
                drop(live.typing.lock().await);
            }
        };
        if tokio::time::timeout(patience, settled).await.is_err() {
            tracing::warn!("work on a session is unfinished: the next engine continues it");
        }
    }

    /// Forgets the runtime of a session unless it is in use.
    pub fn forget_unused(&self, id: &SessionId) {
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        if map.get(id).is_some_and(|live| Arc::strong_count(live) == 1) {
            map.remove(id);
        }
    }

    /// Forgets the runtime of a session that is gone.
    pub fn forget(&self, id: &SessionId) {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}
