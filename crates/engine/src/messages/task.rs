//! Delivers: one task for each session that has something to deliver, woken by what changes there.
//! It ends when nothing is left to do, or the session is over.

use super::ready::{self, Ready};
use super::typing::{self, Outcome};
use super::{back, link, queue};
use crate::engine::Engine;
use crate::ledger::State;
use crate::limits;
use crate::point::point;
use crate::tools;
use downbeat_agents::Manifest;
use downbeat_keeper::Text;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::{EventRow, MessageRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

/// How long an agent has, after a crash of the engine, to show that it took a message: what its
/// keeper journaled is stored by then.
const FOUND: Duration = Duration::from_secs(10);

/// How long to wait after something failed that is nobody's doing: a full disk, say.
const AGAIN: Duration = Duration::from_secs(5);

/// Tries to type a message that the program does not take.
const TRIES: u32 = 3;

/// Starts delivering, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        let mut tasks = JoinSet::new();
        let mut busy: HashMap<tokio::task::Id, SessionId> = HashMap::new();
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            for id in wanting(&engine.ledger.state()) {
                if !busy.values().any(|other| *other == id) {
                    let task = deliver(Arc::clone(&engine), id.clone());
                    busy.insert(tasks.spawn(task).id(), id);
                }
            }
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                changed = commits.changed() => if changed.is_err() { return },
                Some(done) = tasks.join_next_with_id() => {
                    match done {
                        Ok((task, ())) => drop(busy.remove(&task)),
                        Err(error) => {
                            tracing::error!("delivering broke: {error}");
                            // What broke at once would break at once again.
                            if let Some(id) = busy.remove(&error.id()) {
                                busy.insert(tasks.spawn(tokio::time::sleep(AGAIN)).id(), id);
                            }
                        }
                    }
                }
            }
        }
    });
}

/// The sessions that have something to deliver now, or a message of which nobody knows any more
/// what became of it.
fn wanting(state: &State) -> Vec<SessionId> {
    let wants = |id: &SessionId| {
        let over = state.row(id).is_none_or(|row| row.status.is_ended());
        queue::open(state, id).any(|row| !over || row.state == MessageState::Typing)
    };
    let sessions = state.queues.keys().filter(|id| state.row(id).is_some());
    sessions.filter(|id| wants(id)).cloned().collect()
}

/// What wakes the task of one session.
pub struct Signals {
    session: SessionId,
    changes: broadcast::Receiver<Arc<EventRow>>,
    settled: watch::Receiver<Option<Timestamp>>,
}

impl Signals {
    /// Listens from now on.
    pub fn of(engine: &Engine, session: &SessionId) -> Self {
        let mut settled = engine.runtimes.of(session).settled();
        settled.mark_unchanged();
        Self {
            session: session.clone(),
            changes: engine.ledger.changes(),
            settled,
        }
    }

    /// Waits for the next one, at most this long where a time is given.
    pub async fn next(&mut self, within: Option<Duration>) {
        let until = within.map(|within| tokio::time::Instant::now() + within);
        loop {
            tokio::select! {
                event = self.changes.recv() => match event {
                    Ok(event) if event.session_id.as_ref() != Some(&self.session) => continue,
                    Ok(_) | Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                settled = self.settled.changed() => match settled {
                    Ok(()) => return,
                    Err(_) => std::future::pending().await,
                },
                () = sleep(until) => return,
            }
        }
    }
}

async fn sleep(until: Option<tokio::time::Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

async fn deliver(engine: Arc<Engine>, id: SessionId) {
    let closing = engine.closing.clone();
    let all = async {
        while let Err(error) = deliver_all(&engine, &id).await {
            tracing::warn!(session = %id, "a message is not delivered yet: {error}");
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = all => {}
        () = closing.cancelled() => {}
    }
}

/// What is known of a message beyond what is written down.
#[derive(Default)]
struct Tries {
    message: i64,
    /// How often the program took no bytes of it.
    refused: u32,
    /// Its turn could not be interrupted: it waits for its end.
    cannot_interrupt: bool,
    /// How often its text was to be taken out of the prompt.
    taken_out: u32,
}

async fn deliver_all(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let mut tries = Tries::default();
    loop {
        let mut signals = Signals::of(engine, id);
        let state = engine.ledger.state();
        let (Some(row), Some(message)) = (state.row(id), queue::open(&state, id).next()) else {
            return Ok(());
        };
        if tries.message != message.id {
            tries = Tries {
                message: message.id,
                ..Tries::default()
            };
        }
        if message.state == MessageState::Typing {
            look_for(engine, row, message.id, &mut signals).await?;
            continue;
        }
        if row.status.is_ended() {
            return Ok(());
        }
        match look(engine, row, message, &tries, &signals).await? {
            Ready::No(why, again) => {
                if message.detail != why {
                    let noted = |draft: &mut _| queue::waits(draft, id, message.id, &why);
                    // Gone meanwhile: the next look tells.
                    let _ = engine.ledger.write(noted).await;
                }
                signals.next(again).await;
            }
            Ready::Yes if tools::awaited(row, Timestamp::now()).is_some() => {
                tools::missing(engine, id).await?;
            }
            Ready::Interrupt => {
                let next = Some(message.id);
                tries.cannot_interrupt = !typing::interrupt(engine, row, &mut signals, next).await?;
            }
            Ready::TakeOut => {
                tries.taken_out += 1;
                let last = queue::last_prompt(&engine.ledger.state(), id);
                let is_own =
                    |agent: &Manifest, shown: &Text| ready::is_own(agent, shown, message, last.as_deref());
                back::take_out(engine, row, is_own).await?;
            }
            Ready::Yes => match typing::deliver(engine, row, message).await? {
                Outcome::Over => {}
                Outcome::Refused(why) => {
                    tries.refused += 1;
                    let (state, why) = match tries.refused < TRIES {
                        true => (MessageState::Queued, format!("waits: {why}")),
                        false => (MessageState::Failed, why),
                    };
                    engine
                        .ledger
                        .write(|draft| queue::set(draft, id, message.id, state, &why))
                        .await?;
                    if state == MessageState::Queued {
                        // Not the next change: that is what was just written.
                        tokio::time::sleep(AGAIN).await;
                    }
                }
            },
        }
    }
}

/// What can be done with the message now.
async fn look(
    engine: &Engine,
    row: &SessionRow,
    message: &MessageRow,
    tries: &Tries,
    signals: &Signals,
) -> Result<Ready, ApiError> {
    let agent = engine.agent(&row.agent)?;
    let now = Timestamp::now();
    if let Some(until) = limits::holds(engine, row, message, now) {
        let why = format!("waits: a usage limit, until {}", limits::clock(until, now));
        return Ok(Ready::No(why, Some(limits::rest(until, now))));
    }
    let settled = *signals.settled.borrow();
    let ready = match ready::by_status(row, &agent, message, settled) {
        Ready::Interrupt if tries.cannot_interrupt => {
            let why = "waits: its turn did not stop at the agent's key, and ends by itself";
            return Ok(Ready::No(why.into(), None));
        }
        Ready::No(why, again) => return Ok(Ready::No(why, again)),
        ready => ready,
    };
    let not_there = || Ready::No("waits: its terminal is not connected".into(), Some(AGAIN));
    let Ok(link) = link(engine, row) else {
        return Ok(not_there());
    };
    let Ok(shown) = ready::look(engine, &row.id, &link).await else {
        return Ok(not_there());
    };
    let left = queue::left(&engine.ledger.state(), &row.id);
    let last = queue::last_prompt(&engine.ledger.state(), &row.id);
    Ok(
        match ready::by_screen(&agent, ready::to_draw(row), &shown, &left, last.as_deref()) {
            Ready::TakeOut if tries.taken_out >= TRIES => {
                let why = "waits: its text stands in its prompt, and cannot be taken out there";
                Ready::No(why.into(), None)
            }
            Ready::Yes => match tools::awaited(row, now).filter(|rest| !rest.is_zero()) {
                Some(rest) => Ready::No(tools::AWAITED.into(), Some(rest)),
                None => ready,
            },
            no => no,
        },
    )
}

/// A message that somebody else began to type: an engine before this one. It is only looked for.
async fn look_for(
    engine: &Engine,
    row: &SessionRow,
    message: i64,
    signals: &mut Signals,
) -> Result<(), ApiError> {
    let until = tokio::time::Instant::now() + FOUND;
    let has_hooks = engine.agent(&row.agent).is_ok_and(|agent| agent.has_hooks());
    let text = queue::open(&engine.ledger.state(), &row.id)
        .find(|row| row.id == message)
        .map(|row| row.text.clone());
    while has_hooks && is_typing(engine, &row.id, message) {
        let over = engine.row(&row.id)?.status.is_ended();
        let rest = until.saturating_duration_since(tokio::time::Instant::now());
        if over || rest.is_zero() {
            break;
        }
        signals.next(Some(rest)).await;
    }
    let left = |agent: &Manifest, shown: &Text| {
        let text = text.as_deref().unwrap_or_default();
        back::is_left(agent, shown, text)
    };
    // It still stands there: it was not taken, for certain, and is typed again.
    let is_out =
        is_typing(engine, &row.id, message) && back::take_out(engine, row, left).await.unwrap_or(false);
    if is_out {
        let detail = "waits: Downbeat ended while it was typed; it was taken out and is typed again";
        return engine
            .ledger
            .write(|draft| queue::set(draft, &row.id, message, MessageState::Queued, detail))
            .await;
    }
    let detail = "Downbeat ended while it was typed; nothing shows that the agent took it";
    engine
        .ledger
        .write(|draft| queue::set(draft, &row.id, message, MessageState::Uncertain, detail))
        .await?;
    point("message-delivered");
    Ok(())
}

/// Whether it is not known yet what became of a message.
pub fn is_typing(engine: &Engine, id: &SessionId, message: i64) -> bool {
    let state = engine.ledger.state();
    queue::open(&state, id).any(|row| row.id == message && row.state == MessageState::Typing)
}
