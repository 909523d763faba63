//! Watches working sessions: whether one is stuck, and whether its processes use too much. The looks are rare
//! and happen only while a session works.
//!
//! A session is stuck if it works, no hook has reported anything for the whole threshold, and two looks at
//! its screen show the same words. Running clocks and spinners are not progress; lines that a long tool
//! prints are.

use crate::decide::notices;
use crate::facts::{evidence, transcripts};
use crate::host::config::OverCeiling;
use crate::keepers::usage;
use crate::state::context::Engine;
use crate::state::find;
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{EvidenceSource, FactKind, SessionId, Status};
use downbeat_wire::notice::NoticeKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::Instant;

/// The schedule of the looks at one session, and the results of the last ones.
#[derive(Default)]
pub struct Watchdog {
    /// When to check whether the session is stuck.
    pub(crate) stuck: Option<Instant>,
    /// When to measure its processes.
    pub(crate) measure: Option<Instant>,
    /// The words on its screen at the last look.
    pub(crate) words: Option<String>,
    /// Whether the person was notified that it uses too much.
    pub(crate) told: bool,
    /// Whether it is being stopped for that reason.
    pub(crate) stopping: Arc<AtomicBool>,
}

impl Watchdog {
    /// Returns the time of the next look.
    pub fn due(&self) -> Option<Instant> {
        self.stuck.into_iter().chain(self.measure).min()
    }

    /// Restarts the check for a stuck session after a report: it makes progress, or rests.
    pub fn moved(&mut self, engine: &Engine, id: &SessionId) {
        self.words = None;
        let works = works(engine, id);
        let watchdog = engine.config().watchdog;
        let stuck = watchdog.stuck_after().filter(|_| works);
        self.stuck = stuck.map(|long| Instant::now() + long / 2);
        let measure = || Instant::now() + watchdog.measure_every();
        self.measure = works.then(|| self.measure.unwrap_or_else(measure));
    }

    /// Starts the schedule on output, for a session that began to work without a journal entry.
    pub fn begun(&mut self, engine: &Engine, id: &SessionId) {
        if self.measure.is_none() && works(engine, id) {
            self.moved(engine, id);
        }
    }

    /// Takes the looks that are due. Returns the excess for which the session is to be stopped, if any.
    pub async fn look(&mut self, engine: &Arc<Engine>, id: &SessionId, link: &Link) -> Option<Over> {
        let now = Instant::now();
        if !works(engine, id) {
            (self.stuck, self.measure, self.words) = (None, None, None);
            return None;
        }
        let mut over = None;
        if self.measure.is_some_and(|due| due <= now) {
            self.measure = Some(now + engine.config().watchdog.measure_every());
            over = self.weigh(engine, id, link).await;
            // The failure of a sub-agent is visible in its transcript alone.
            if has_sub_agents(engine, id) {
                transcripts::read_soon(engine, id);
            }
        }
        if self.stuck.is_some_and(|due| due <= now) {
            self.stuck = None;
            self.watch(engine, id, link).await;
        }
        over
    }

    async fn watch(&mut self, engine: &Engine, id: &SessionId, link: &Link) {
        let (Some(long), Ok(text)) = (
            engine.config().watchdog.stuck_after(),
            link.text(SCREEN_ALONE).await,
        ) else {
            return;
        };
        let words: String = text.text.chars().filter(|c| c.is_alphabetic()).collect();
        if self.words.as_ref() == Some(&words) {
            let detail = format!("nothing new for {} min", (long.as_secs() / 60).max(1));
            evidence::note(engine, id, EvidenceSource::Screen, &detail, FactKind::Stuck).await;
            return;
        }
        self.words = Some(words);
        self.stuck = Some(Instant::now() + long / 2);
    }

    async fn weigh(&mut self, engine: &Engine, id: &SessionId, link: &Link) -> Option<Over> {
        let usage = usage::usage(link).await?;
        let watchdog = engine.config().watchdog;
        let over = [
            (usage.bytes >> 20, watchdog.memory, "MB of memory"),
            (u64::from(usage.processes), watchdog.processes, "processes"),
        ];
        let over = over.into_iter().find(|(has, may, _)| *may > 0 && has > may);
        let Some((has, may, what)) = over else {
            self.told = false;
            return None;
        };
        let (about, whose) = whose(engine, id);
        // A shell belongs to the person, so only they end it.
        let stops = watchdog.over_ceiling == OverCeiling::Stop && about == *id;
        if self.told && !stops {
            return None;
        }
        self.told = true;
        let text = format!("{whose} use {has} {what}, more than the {may} allowed");
        if !stops {
            notify(engine, &about, text).await;
            return None;
        }
        let is_asked = self.stopping.swap(true, Ordering::Relaxed);
        (!is_asked).then(|| Over {
            text,
            stopping: Arc::clone(&self.stopping),
        })
    }
}

/// An excess for which a session is to be stopped.
pub struct Over {
    pub(crate) text: String,
    pub(crate) stopping: Arc<AtomicBool>,
}

impl Over {
    /// Notifies the person that the session was stopped.
    pub async fn stopped(self, engine: &Engine, id: &SessionId) {
        notify(engine, id, format!("{}; it was stopped", self.text)).await;
    }

    /// Allows another attempt at the next look, since the session was not stopped.
    pub fn not_stopped(self) {
        self.stopping.store(false, Ordering::Relaxed);
    }
}

/// Returns the session to notify for, and the words for its processes. For a shell that is its session.
fn whose(engine: &Engine, id: &SessionId) -> (SessionId, String) {
    let state = engine.ledger.state();
    match (find::around(&state, id), state.row(id)) {
        (Some(session), Some(shell)) => (session, format!("the processes in {}", shell.name)),
        _ => (id.clone(), "its processes".to_owned()),
    }
}

async fn notify(engine: &Engine, id: &SessionId, text: String) {
    let written = engine
        .ledger
        .write(|draft| notices::notify(draft, id, NoticeKind::NeedsLook, text));
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "a notice was not written: {error}");
    }
}

fn works(engine: &Engine, id: &SessionId) -> bool {
    engine
        .ledger
        .session(id)
        .is_some_and(|row| row.status == Status::Running)
}

fn has_sub_agents(engine: &Engine, id: &SessionId) -> bool {
    let row = engine.ledger.session(id);
    row.is_some_and(|row| {
        row.observed
            .as_ref()
            .is_some_and(|seen| seen.sub_agents.any_at_work())
    })
}
