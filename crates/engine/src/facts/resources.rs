//! Looks after sessions that work: whether one is stuck, and whether its processes take more than
//! they should. Looked at seldom, and only while it works; nothing here runs for one that rests.
//!
//! Stuck is one that works, of which no hook told for the whole threshold, and whose screen says
//! the same in words at two looks: times and spinners that go on are no progress, lines that a long
//! tool prints are.

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

/// What is looked at next of one session, and what was seen last.
#[derive(Default)]
pub struct Care {
    /// When to look whether it is stuck.
    pub(crate) stuck: Option<Instant>,
    /// When to measure.
    pub(crate) measure: Option<Instant>,
    /// The words on its screen at the last look.
    pub(crate) words: Option<String>,
    /// Whether the person was told that it takes too much.
    pub(crate) told: bool,
    /// Whether it is being stopped for that.
    pub(crate) stopping: Arc<AtomicBool>,
}

impl Care {
    /// When there is something to look at.
    pub fn due(&self) -> Option<Instant> {
        self.stuck.into_iter().chain(self.measure).min()
    }

    /// Something was told of the session: it moves, or rests.
    pub fn moved(&mut self, engine: &Engine, id: &SessionId) {
        self.words = None;
        let works = works(engine, id);
        let care = engine.config().care;
        let stuck = care.stuck_after().filter(|_| works);
        self.stuck = stuck.map(|long| Instant::now() + long / 2);
        let measure = || Instant::now() + care.measure_every();
        self.measure = works.then(|| self.measure.unwrap_or_else(measure));
    }

    /// Output came. Only of one that began to work without any entry, there is something new to do.
    pub fn begun(&mut self, engine: &Engine, id: &SessionId) {
        if self.measure.is_none() && works(engine, id) {
            self.moved(engine, id);
        }
    }

    /// Looks at what is due. Gives what is to be stopped for, where the session takes too much.
    pub async fn look(&mut self, engine: &Arc<Engine>, id: &SessionId, link: &Link) -> Option<Over> {
        let now = Instant::now();
        if !works(engine, id) {
            (self.stuck, self.measure, self.words) = (None, None, None);
            return None;
        }
        let mut over = None;
        if self.measure.is_some_and(|due| due <= now) {
            self.measure = Some(now + engine.config().care.measure_every());
            over = self.weigh(engine, id, link).await;
            // That a sub-agent failed stands in its transcript alone.
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
        let (Some(long), Ok(text)) = (engine.config().care.stuck_after(), link.text(SCREEN_ALONE).await)
        else {
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
        let care = engine.config().care;
        let over = [
            (usage.bytes >> 20, care.memory, "MB of memory"),
            (u64::from(usage.processes), care.processes, "processes"),
        ];
        let over = over.into_iter().find(|(has, may, _)| *may > 0 && has > may);
        let Some((has, may, what)) = over else {
            self.told = false;
            return None;
        };
        let (about, whose) = whose(engine, id);
        // A shell is the person's: nothing but they ends it.
        let stops = care.over_ceiling == OverCeiling::Stop && about == *id;
        if self.told && !stops {
            return None;
        }
        self.told = true;
        let text = format!("{whose} take {has} {what}, more than the {may} that are allowed");
        if !stops {
            tell(engine, &about, text).await;
            return None;
        }
        let is_asked = self.stopping.swap(true, Ordering::Relaxed);
        (!is_asked).then(|| Over {
            text,
            stopping: Arc::clone(&self.stopping),
        })
    }
}

/// A session takes so much that it is to be stopped.
pub struct Over {
    pub(crate) text: String,
    pub(crate) stopping: Arc<AtomicBool>,
}

impl Over {
    /// It was stopped for that: the person is told.
    pub async fn stopped(self, engine: &Engine, id: &SessionId) {
        tell(engine, id, format!("{}; it was stopped", self.text)).await;
    }

    /// It was not: the next look asks again.
    pub fn not_stopped(self) {
        self.stopping.store(false, Ordering::Relaxed);
    }
}

/// The session that is told of, and whose processes it is: of a shell, the session that it is beside.
fn whose(engine: &Engine, id: &SessionId) -> (SessionId, String) {
    let state = engine.ledger.state();
    match (find::around(&state, id), state.row(id)) {
        (Some(session), Some(shell)) => (session, format!("the processes in {}", shell.name)),
        _ => (id.clone(), "its processes".to_owned()),
    }
}

async fn tell(engine: &Engine, id: &SessionId, text: String) {
    let written = engine
        .ledger
        .write(|draft| notices::tell(draft, id, NoticeKind::NeedsLook, text));
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
