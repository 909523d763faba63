//! Reports worker events to an idle conductor: all that it has not seen yet, joined into one message that
//! goes through its queue. Events that a tool returned before are not reported again, nor the other way
//! round: the delivery is written down in the transaction that queues the message.
//!
//! A conductor that works is left alone; it asks by itself, or gets the message once it is idle. Kills are
//! not reported: whoever killed a worker knows.

use crate::decide::mailbox::New;
use crate::decide::news::News;
use crate::decide::{mailbox, news};
use crate::reactors::reactor::{Context, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{Sender, SessionId, Status, Subject, When};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::worker::WorkerEventKind;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The time that a conductor rests before it gets a message, so that workers that finish together are
/// reported together, and a tool that it just called has answered.
const TOGETHER: Duration = Duration::from_millis(1500);

/// Reports worker events to idle conductors.
pub struct TellConductors;

#[async_trait]
impl Reactor for TellConductors {
    fn name(&self) -> &'static str {
        "tell_conductors"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        let parents: BTreeSet<&SessionId> = state
            .sessions
            .values()
            .filter_map(|row| row.parent.as_ref())
            .chain(state.at_rest.keys())
            .collect();
        let resting = parents.into_iter().filter(|id| rests(state, id));
        Next::of_sessions(resting.cloned(), None)
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Session(id) if listens(engine, id) => tell(engine, id).await,
            _ => Ok(()),
        }
    }

    fn collects(&self) -> Duration {
        TOGETHER
    }
}

/// Reports whether a session conducts, is idle, and has no other message to read first.
fn rests(state: &State, id: &SessionId) -> bool {
    let row = state.sessions.get(id);
    row.is_some_and(|row| row.status == Status::Idle && row.intent.is_none() && row.conducts)
        && !mailbox::has_open(state, id)
}

/// Reports whether a session can get a message now: it is idle, waits in no call of its own, and takes
/// messages.
fn listens(engine: &Engine, id: &SessionId) -> bool {
    let state = engine.ledger.state();
    let agent = state
        .sessions
        .get(id)
        .and_then(|row| engine.agent(&row.agent).ok());
    rests(&state, id)
        && !engine.runtimes.of(id).is_waiting()
        && agent.is_some_and(|agent| agent.can_conduct() && agent.has_hooks())
}

/// Reports whether an archived worker would be looked for again, because no row says yet that it has no news.
fn is_archived_behind(engine: &Engine, news: &News) -> bool {
    let state = engine.ledger.state();
    let mut workers = news.workers.iter().filter_map(|id| state.sessions.get(id));
    workers.any(|row| row.is_at_rest() && row.notified_through < news.until)
}

async fn tell(engine: &Engine, conductor: &SessionId) -> Result<(), ApiError> {
    let mut news = crate::effects::fleet::news::untold(engine, conductor).await?;
    news.events
        .retain(|(_, event)| event.kind != WorkerEventKind::Killed);
    let fit = news::fitting(news.events.iter().map(|(_, event)| event));
    if fit < news.events.len() {
        news.events.truncate(fit);
        news.until = news.events.last().map_or(news.until, |(seq, _)| *seq);
    }
    if news.events.is_empty() {
        // Marks a page of kills as seen, so that it is not read again.
        return match news.is_cut || is_archived_behind(engine, &news) {
            true => crate::effects::fleet::news::pass(engine, &news).await,
            false => Ok(()),
        };
    }
    let write = engine.ledger.write(|draft| {
        // The conductor may have got the events from a tool meanwhile, or begun to work.
        let untold: Vec<_> = news::still(draft, &news).collect();
        let rests = |row: &Arc<SessionRow>| row.status == Status::Idle;
        if untold.is_empty() || !draft.state().sessions.get(conductor).is_some_and(rests) {
            return Ok(());
        }
        news::mark(draft, &news.workers, news.until);
        let new = New {
            text: news::text(untold.into_iter()),
            sender: Sender::Downbeat,
            when: When::WhenReady,
            is_task: false,
        };
        mailbox::enqueue(draft, conductor, new).map(drop)
    });
    write.await
}
