//! Does what is next in a run: starts and ends workers, and puts their work into the merge queue. Each is recorded together
//! with what it changes in the run, so that a crash repeats nothing.

use crate::decide::fix::next::{Act, next};
use crate::decide::fix::{words, worked};
use crate::decide::merge::Wanted;
use crate::decide::merge_queue;
use crate::effects::checks::enqueue;
use crate::effects::checks::merge::new_run;
use crate::effects::session::{create, end_all};
use crate::facts::transcripts;
use crate::host::failpoint::point;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::usage::priced;
use downbeat_model::SessionId;
use downbeat_model::fix::{Fix, Group};
use downbeat_store::SessionRow;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use std::sync::Arc;

/// The largest number of things that are done at a time; more follow with the next look.
const MOST: usize = 200;

/// Does what is next in a run, until something has to happen first.
///
/// # Errors
/// Fails if something cannot be done now; it is then tried again later.
pub async fn advance(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    note_usage(engine, id).await?;
    let mut is_read = false;
    for _ in 0..MOST {
        let state = engine.ledger.state();
        let Some(fix) = state.fixes.get(id) else {
            return Ok(());
        };
        let Some(act) = next(&state, fix, Timestamp::now()) else {
            return Ok(());
        };
        // A turn's usage is read a moment after its end, and decides whether another worker may start.
        if matches!(act, Act::Spawn(_)) && !is_read {
            is_read = true;
            read_usage(engine, fix).await;
            note_usage(engine, id).await?;
            continue;
        }
        point("fix-next");
        carry_out(engine, fix, &act).await?;
    }
    Ok(())
}

async fn carry_out(engine: &Arc<Engine>, fix: &Fix, act: &Act) -> Result<(), ApiError> {
    let group = |number: u32| fix.groups.iter().find(|group| group.number == number);
    match act {
        Act::Spawn(number) => match group(*number) {
            Some(group) => spawn(engine, fix, group).await,
            None => Ok(()),
        },
        Act::Land(number) => match group(*number) {
            Some(group) => land(engine, fix, group).await,
            None => Ok(()),
        },
        Act::Stop(number) => {
            if let Some(worker) = group(*number).and_then(|group| group.session.as_ref()) {
                stop(engine, worker).await?;
            }
            record(engine, &fix.id, act).await
        }
        _ => record(engine, &fix.id, act).await,
    }
}

async fn record(engine: &Engine, id: &SessionId, act: &Act) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        // What was seen may have changed meanwhile.
        let state = draft.state();
        let is_next = state
            .fixes
            .get(id)
            .and_then(|fix| next(state, fix, draft.now()))
            .as_ref()
            == Some(act);
        if is_next {
            worked::apply(draft, id, act);
        }
        Ok(())
    });
    written.await
}

/// Starts the worker of a group.
async fn spawn(engine: &Arc<Engine>, fix: &Fix, group: &Group) -> Result<(), ApiError> {
    let request = NewSession {
        project_id: Some(fix.project.to_string()),
        title: Some(words::title(group)),
        prompt: Some(words::task(fix, group)),
        agent: fix.settings.agent.clone(),
        ..NewSession::default()
    };
    let number = group.number;
    let also =
        |draft: &mut Draft, row: &mut SessionRow| worked::begun(draft, &fix.id, number, (&row.id, &row.name));
    let made = create::create(engine, (&Caller::Owner, &Caller::Owner), request, also).await;
    let Err(error) = made else { return Ok(()) };
    // Passes by itself, and is no fault of the group.
    if matches!(error.code, Code::Unavailable | Code::LimitReached) {
        return Err(error);
    }
    let why = format!("its worker could not be started: {error}");
    give_up(engine, &fix.id, number, &why).await
}

/// Records that a group cannot go on, whatever is next.
async fn give_up(engine: &Engine, id: &SessionId, number: u32, why: &str) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        worked::apply(draft, id, &Act::Lost(number, why.to_owned()));
        Ok(())
    });
    written.await
}

/// Puts the verified commit of a group into the merge queue. The queue does not run all checks: others are still red.
async fn land(engine: &Arc<Engine>, fix: &Fix, group: &Group) -> Result<(), ApiError> {
    let Some(worker) = &group.session else {
        return Ok(());
    };
    let row = engine.row(worker)?;
    let pinned = match enqueue::pinned(engine, &row, (true, None)).await {
        Ok(pinned) if group.head.as_deref() == Some(pinned.head.as_str()) => pinned,
        Ok(_) => {
            return give_up(
                engine,
                &fix.id,
                group.number,
                "it has a newer commit than was verified",
            )
            .await;
        }
        Err(error) => return give_up(engine, &fix.id, group.number, &error.to_string()).await,
    };
    let _others = enqueue::others(engine, &row).await?;
    let (run, wanted) = (
        new_run()?,
        Wanted {
            strategy: None,
            unchecked: true,
            pull: None,
            any_order: false,
        },
    );
    let written = engine.ledger.write(|draft| {
        worked::queued(draft, &fix.id, group.number)?;
        merge_queue::request(draft, worker, run, (&wanted, pinned))
    });
    written.await?;
    point("fix-queued");
    Ok(())
}

/// Ends a worker that nobody needs any more. Its worktree stays.
async fn stop(engine: &Arc<Engine>, worker: &SessionId) -> Result<(), ApiError> {
    let Ok(row) = engine.row(worker) else {
        return Ok(());
    };
    if row.merging.run.is_some() {
        let _others = enqueue::others(engine, &row).await?;
        let why = downbeat_model::queue::Withdrawal::ByPerson;
        let written = engine
            .ledger
            .write(|draft| merge_queue::withdraw(draft, worker, why));
        // What lands at this moment lands.
        drop(written.await);
    }
    match row.status.is_ended() {
        true => Ok(()),
        false => end_all::end_agent(engine, worker, EndMode::Stop, &Caller::Owner).await,
    }
}

/// Reads what the workers of a run used until now.
async fn read_usage(engine: &Arc<Engine>, fix: &Fix) {
    let workers = fix.groups.iter().filter_map(|group| group.session.as_ref());
    for worker in workers.filter(|worker| engine.ledger.session(worker).is_some()) {
        transcripts::read(engine, worker).await;
    }
}

/// Records what the workers of a run used.
async fn note_usage(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let Some(fix) = engine.ledger.state().fixes.get(id).cloned() else {
        return Ok(());
    };
    let (prices, _) = engine.prices.get();
    let used = |group: &Group| {
        let worker = group.session.as_ref()?;
        let used = priced(&prices, &engine.used.of(worker));
        let (before, _) = fix.earlier.get(&group.number).copied().unwrap_or_default();
        (before.saturating_add(used.tokens()) > group.tokens).then_some((
            group.number,
            used.tokens(),
            used.cost,
        ))
    };
    let news: Vec<_> = fix.groups.iter().filter_map(used).collect();
    if news.is_empty() {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        worked::note_usage(draft, id, &news);
        Ok(())
    });
    written.await
}
