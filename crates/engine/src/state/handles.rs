//! What the engine holds in memory for a session that is not over: the handle of its keeper, and
//! the means to take turns and to interrupt. Nothing here is a fact; a new engine makes it anew.

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

/// How many keepers may wait to be followed: each waits for microseconds.
const FOLLOWED: usize = 64;

/// One session's runtime.
#[derive(Default)]
pub struct Live {
    /// Held by whoever makes, starts, ends or removes the session: one at a time.
    pub turn: tokio::sync::Mutex<()>,
    /// Held by whoever types into its terminal for somebody else: one at a time.
    pub typing: tokio::sync::Mutex<()>,
    /// Held by whoever carries out what it was ended for, and by a new engine until it was taken up.
    pub going_on: Arc<tokio::sync::Mutex<()>>,
    /// Held while its transcripts are read.
    pub reading: tokio::sync::Mutex<()>,
    /// A plain lock, held for a clone only, never across an await.
    cancel: Mutex<CancellationToken>,
    link: watch::Sender<Option<Link>>,
    /// When a question of an agent without hooks was last seen to be closed.
    answered: Mutex<Option<Timestamp>>,
    settled: watch::Sender<Option<Timestamp>>,
    /// When the key was pressed that empties its prompt.
    cleared: Mutex<Option<Instant>>,
    /// How many lost posts of its hooks were made up for.
    lost: AtomicU64,
    /// The row of a shell that is cleared away, for who still opens it.
    last: Mutex<Option<Arc<SessionRow>>>,
    /// Its folder was not there at the last look.
    away: AtomicBool,
    /// A copy is held by each wait for its workers that goes on.
    waiting: Arc<()>,
}

/// A keeper that is to be followed from now on.
pub enum Follow {
    /// It is connected: what it reports comes here.
    Connected(SessionId, Link, Receiver<Report>),
    /// It is there, and did not answer at first.
    Slow(SessionId),
}

/// All runtimes by session.
pub struct Runtimes {
    map: Mutex<HashMap<SessionId, Arc<Live>>>,
    follow: mpsc::Sender<Follow>,
}

impl Live {
    /// The keeper's handle, while one is connected.
    pub fn link(&self) -> Option<Link> {
        self.link.borrow().clone()
    }

    /// Notes the keeper's handle, or that there is none any more.
    pub fn set_link(&self, link: Option<Link>) {
        self.link.send_replace(link);
    }

    /// Held for as long as somebody waits for what happens among its workers.
    pub fn begin_wait(&self) -> Arc<()> {
        Arc::clone(&self.waiting)
    }

    /// Whether somebody does.
    pub fn is_waiting(&self) -> bool {
        Arc::strong_count(&self.waiting) > 1
    }

    /// Notes that this keeper is connected no more; another one's handle stays.
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

    /// When one did.
    pub fn answered(&self) -> Option<Timestamp> {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes whether its folder is missing; gives whether that is news.
    pub fn set_away(&self, is_away: bool) -> bool {
        self.away.swap(is_away, Ordering::Relaxed) != is_away
    }

    /// Whether its folder is missing.
    pub fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Notes how it was when it ended.
    pub fn set_last(&self, row: Arc<SessionRow>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(row);
    }

    /// How it was when it ended, where that was noted.
    pub fn last(&self) -> Option<Arc<SessionRow>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that the key is pressed that empties its prompt.
    pub fn clear(&self) {
        *self.cleared.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// How long ago it was.
    pub fn since_cleared(&self) -> Option<Duration> {
        let at = *self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        at.map(|at| at.elapsed())
    }

    /// Notes that so many posts of its hooks were lost and made up for.
    pub fn see_lost(&self, posts: u64) {
        self.lost.store(posts, Ordering::Relaxed);
    }

    /// How many were.
    pub fn lost_seen(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Notes that output came to rest and that the screen was looked at.
    pub fn settle(&self) {
        self.settled.send_replace(Some(Timestamp::now()));
    }

    /// When output came to rest last, and each time it does.
    pub fn settled(&self) -> watch::Receiver<Option<Timestamp>> {
        self.settled.subscribe()
    }

    /// Waits until no keeper is connected: the session is over and its keeper was closed.
    pub async fn unlinked(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.link.subscribe().wait_for(Option::is_none).await;
    }

    /// The token that interrupts the present spawn.
    pub fn cancel(&self) -> CancellationToken {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A fresh token, for a new spawn.
    pub fn renew(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }
}

impl Runtimes {
    /// None yet, and the keepers that are to be followed, in their order.
    pub fn new() -> (Self, Receiver<Follow>) {
        let (follow, followed) = mpsc::channel(FOLLOWED);
        let none = Self {
            map: Mutex::default(),
            follow,
        };
        (none, followed)
    }

    /// Has a connected keeper followed.
    pub async fn follow(&self, id: &SessionId, link: Link, reports: Receiver<Report>) {
        self.of(id).set_link(Some(link.clone()));
        // Nobody follows for an engine that closes: the next one does.
        let _ = self
            .follow
            .send(Follow::Connected(id.clone(), link, reports))
            .await;
    }

    /// Has a keeper followed that is there and did not answer at first.
    pub async fn seek(&self, id: &SessionId) {
        let _ = self.follow.send(Follow::Slow(id.clone())).await;
    }

    /// The runtime of a session, made where there is none.
    pub fn of(&self, id: &SessionId) -> Arc<Live> {
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(map.entry(id.clone()).or_default())
    }

    /// Waits until nobody works on any session or types into one, at most this long.
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
            tracing::warn!("work on a session goes on: the next engine takes it up");
        }
    }

    /// Forgets the runtime of a session that nobody works with.
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
