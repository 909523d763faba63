//! Orders to open or change a pull request: recorded before anything is sent, carried out once, finished by the next engine. A
//! request carries out its own order, and holds the lock of the session meanwhile.

use crate::decide::pull_orders;
use crate::effects::pulls::failed::Failed;
use crate::effects::pulls::{change, create, reach};
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::SessionId;
use downbeat_model::effect::{EffectState, Work};
use downbeat_model::pull::{Ordered, PullDone, PullOrder};
use downbeat_store::SessionRow;
use downbeat_wire::pull_request::{ChangePull, CreatePull, PullChanged, PullOpened};
use downbeat_wire::{ApiError, Code};

/// The number of tries of an order that nobody waits for. The person is notified after that.
const TRIES: u32 = 8;

/// Pushes the branch of a session and opens a pull request for it, unless there is one.
///
/// # Errors
/// Fails if there is nothing to propose, if the remote does not take the branch, or if the forge refuses.
pub async fn create(engine: &Engine, row: &SessionRow, request: &CreatePull) -> Result<PullOpened, ApiError> {
    let what = create::ordered(engine, row, request).await?;
    opened(make(engine, &row.id, what).await?)
}

/// Changes a pull request of a session.
///
/// # Errors
/// Fails if no pull request is meant, if the change says nothing, or if the forge refuses it.
pub async fn change(
    engine: &Engine,
    row: &SessionRow,
    request: &ChangePull,
) -> Result<PullChanged, ApiError> {
    let what = change::ordered(engine, row, request).await?;
    Ok(changed(make(engine, &row.id, what).await?))
}

/// Returns the answer to a request to open a pull request.
///
/// # Errors
/// Fails if something else was done.
pub fn opened(done: PullDone) -> Result<PullOpened, ApiError> {
    let more = done
        .opened
        .ok_or_else(|| ApiError::new(Code::Failed, "the pull request that was opened is not known"))?;
    Ok(PullOpened {
        id: more.id,
        number: done.number,
        url: done.url,
        was_open: more.was_open,
        uncommitted: more.uncommitted,
    })
}

/// Returns the answer to a request to change a pull request.
pub fn changed(done: PullDone) -> PullChanged {
    PullChanged {
        number: done.number,
        url: done.url,
    }
}

/// Records an order and carries it out, after those that the session gave before it.
async fn make(engine: &Engine, session: &SessionId, what: Ordered) -> Result<PullDone, ApiError> {
    let live = engine.runtimes.of(session);
    let _ordering = live.ordering.lock().await;
    for earlier in pull_orders::before(&engine.ledger.state(), session, &what) {
        settle(engine, &earlier).await?;
    }
    let recorded = engine
        .ledger
        .write(|draft| pull_orders::record(draft, session, what));
    let key = recorded.await?;
    point("pull-ordered");
    by_request(engine, &key).await
}

/// Finishes an earlier order, so that it cannot undo what is ordered now.
///
/// # Errors
/// Fails if nobody knows yet whether it happened.
async fn settle(engine: &Engine, key: &str) -> Result<(), ApiError> {
    let Err(failed) = carry_out(engine, key).await else {
        return Ok(());
    };
    if failed.is_unknown {
        let what = format!(
            "an earlier change of this session's pull request is not finished yet: {}",
            failed.error.message
        );
        return Err(
            ApiError::new(Code::Conflict, what).hint("Downbeat finishes that one first; try again later")
        );
    }
    let told = engine
        .ledger
        .write(|draft| pull_orders::give_up(draft, key, &failed.error.message));
    told.await
}

/// Carries out an order for a request, which is told what became of it. What nobody knows stays for [`finish`].
async fn by_request(engine: &Engine, key: &str) -> Result<PullDone, ApiError> {
    let failed = match carry_out(engine, key).await {
        Ok(done) => return Ok(done),
        Err(failed) => failed,
    };
    if failed.is_unknown {
        let way = "Downbeat asks the forge whether it happened and finishes it; do not send it again";
        return Err(failed.error.hint(way));
    }
    let dropped = engine.ledger.write(|draft| {
        pull_orders::refuse(draft, key);
        Ok(())
    });
    dropped.await?;
    Err(failed.error)
}

/// Returns the result of the order of an earlier request with the same idempotency key. `None` if it came to nothing.
///
/// # Errors
/// Fails if it still waits, and cannot be carried out now.
pub async fn again(engine: &Engine, key: &str) -> Result<Option<PullDone>, ApiError> {
    let stored = engine.ledger.store().effect(key).await.map_err(error::store)?;
    let Some(Work::Pull(order)) = stored.map(|effect| effect.work) else {
        return Ok(None);
    };
    let _held = engine.recall(std::slice::from_ref(&order.session)).await?;
    let live = engine.runtimes.of(&order.session);
    let _ordering = live.ordering.lock().await;
    if pull_orders::waiting(&engine.ledger.state(), key).is_some() {
        return by_request(engine, key).await.map(Some);
    }
    let stored = engine.ledger.store().effect(key).await.map_err(error::store)?;
    let done = stored.filter(|effect| effect.state == EffectState::Done);
    Ok(done.and_then(|effect| match effect.work {
        Work::Pull(order) => order.done,
        _ => None,
    }))
}

/// Finishes an order whose request has ended. Does nothing if it is closed.
///
/// # Errors
/// Fails if it is to be tried again later.
pub async fn finish(engine: &Engine, key: &str) -> Result<(), ApiError> {
    let of = |engine: &Engine| {
        let state = engine.ledger.state();
        pull_orders::waiting(&state, key).map(|(effect, order)| (order.session.clone(), effect.attempts))
    };
    let Some((session, _)) = of(engine) else {
        return Ok(());
    };
    let _held = engine.recall(std::slice::from_ref(&session)).await?;
    let live = engine.runtimes.of(&session);
    let _ordering = live.ordering.lock().await;
    let Some((_, attempts)) = of(engine) else {
        return Ok(());
    };
    match carry_out(engine, key).await {
        Ok(_) => Ok(()),
        Err(failed) if failed.may_pass() && attempts + 1 < TRIES => Err(failed.error),
        Err(failed) => {
            let told = engine
                .ledger
                .write(|draft| pull_orders::give_up(draft, key, &failed.error.message));
            told.await
        }
    }
}

async fn carry_out(engine: &Engine, key: &str) -> Result<PullDone, Failed> {
    let state = engine.ledger.state();
    let order = pull_orders::waiting(&state, key).map(|(_, order)| PullOrder::clone(order));
    let order = order.ok_or_else(|| ApiError::new(Code::Conflict, "its session was removed meanwhile"))?;
    let row = engine.row(&order.session)?;
    let trusted = engine
        .project(&row.project_id)
        .and_then(|project| reach::refuse_untrusted(&project));
    trusted.map_err(|error| Failed::before_sending(error, &order))?;
    let done = match &order.what {
        Ordered::Open(new) => create::open(engine, &row, (key, &order), new).await?,
        Ordered::Change { pull, change, .. } => {
            change::carry_out(engine, &row, (key, &order), (pull, change)).await?
        }
    };
    let recorded = engine.ledger.write(|draft| {
        pull_orders::conclude(draft, key, &done);
        Ok(())
    });
    recorded.await.map_err(Failed::unknown)?;
    point("pull-recorded");
    Ok(done)
}
