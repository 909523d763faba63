//! Tells an idle conductor what happened among its workers: what it was not told yet, joined into one
//! message that goes through its queue. What a tool handed out before is not told again, and the other
//! way round: being told is written down in the transaction that queues the message.
//!
//! A conductor that works is left alone; it asks by itself, or is told once it rests. Not told are
//! kills: whoever killed knows.

use crate::decide::mailbox::New;
use crate::decide::{mailbox, news};
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_model::{Sender, SessionId, Status, When};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a conductor rests before it is told, so that workers that finish together are told
/// together, and a tool that it just called has answered.
const TOGETHER: Duration = Duration::from_millis(1500);

/// Before the next try where telling failed: a full disk, a full queue.
const AGAIN: Duration = Duration::from_secs(30);

/// Tells, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            let wait = match told(&engine).await {
                Ok(()) => None,
                Err(_) => Some(AGAIN),
            };
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                () = pause(wait) => {}
                changed = commits.changed(), if wait.is_none() => match changed {
                    Ok(()) => tokio::time::sleep(TOGETHER).await,
                    Err(_) => return,
                },
            }
        }
    });
}

async fn pause(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// Tells every conductor that can be told now.
async fn told(engine: &Engine) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let mut done = Ok(());
    let parents: BTreeSet<SessionId> = state
        .sessions
        .values()
        .filter_map(|row| row.parent.clone())
        .collect();
    for conductor in parents {
        if listens(engine, &state, &conductor)
            && let Err(error) = tell(engine, &conductor).await
        {
            tracing::warn!(session = %conductor, "a conductor was not told of its workers: {error}");
            done = Err(error);
        }
    }
    done
}

/// Whether a session conducts, rests, and has nothing else to read first.
fn listens(engine: &Engine, state: &State, id: &SessionId) -> bool {
    let Some(row) = state.sessions.get(id) else {
        return false;
    };
    let rests = row.status == Status::Idle && row.intent.is_none() && row.conducts;
    rests
        && !mailbox::has_open(state, id)
        && !engine.runtimes.of(id).is_waiting()
        && engine
            .agent(&row.agent)
            .is_ok_and(|agent| agent.can_conduct() && agent.has_hooks())
}

async fn tell(engine: &Engine, conductor: &SessionId) -> Result<(), ApiError> {
    let mut news = crate::effects::fleet::news::untold(engine, conductor).await?;
    news.events.retain(|(_, event)| event.kind != "killed");
    let fit = news::fitting(news.events.iter().map(|(_, event)| event));
    if fit < news.events.len() {
        news.events.truncate(fit);
        news.until = news.events.last().map_or(news.until, |(seq, _)| *seq);
    }
    if news.events.is_empty() {
        // A page of kills is not to be looked through again.
        return match news.is_cut {
            true => crate::effects::fleet::news::pass(engine, &news).await,
            false => Ok(()),
        };
    }
    let write = engine.ledger.write(|draft| {
        // It may have asked by a tool meanwhile, or begun to work.
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
