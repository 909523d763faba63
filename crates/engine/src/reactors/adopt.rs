//! The first work of a new engine: connects to every live keeper, ends visibly the sessions whose keepers
//! died meanwhile, and finishes what was under way.

use crate::decide::{notices, status};
use crate::effects::process::{end, probe};
use crate::effects::session::start::Setup;
use crate::effects::session::{end_then, start};
use crate::effects::worktree::{remove, restore};
use crate::facts::lost;
use crate::keepers::sweep;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::take_back;
use downbeat_model::session::Intent;
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// The longest time that the start of an engine waits for its keepers. Keepers that answer do so within a
/// fraction of it; a keeper that hangs, or longer work, delays nobody else.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ends this engine once its data directory is found to be deleted: another engine would be started next to
/// it, and nobody would ever read what this one writes.
fn end_without_data(engine: &Arc<Engine>) {
    let (deleted, closing) = (engine.ledger.deleted(), engine.closing.clone());
    let engine = Arc::downgrade(engine);
    tokio::spawn(async move {
        tokio::select! {
            () = deleted.cancelled() => {}
            () = closing.cancelled() => return,
        }
        let Some(engine) = engine.upgrade() else { return };
        tracing::error!(
            "{} was deleted while this engine was running, so it exits. Its agents keep running; end them by hand",
            engine.paths.root().display()
        );
        engine.let_go().await;
    });
}

/// Adopts all sessions concurrently. Work that takes longer than [`PATIENCE`] continues in the background.
pub async fn all(engine: &Arc<Engine>) {
    end_without_data(engine);
    // Nobody waits for the versions of agents, so they are queried in the background.
    probe::ask_early(engine);
    let started = engine
        .ledger
        .write(|draft| {
            draft.event(
                EventKind::EngineStarted,
                None,
                json!({ "pid": std::process::id() }),
            );
            Ok(())
        })
        .await;
    if let Err(error) = started {
        tracing::error!("could not record the start: {error}");
    }
    let state = engine.ledger.state();
    // A removal that is continued ends the shells in its worktree, so shells are connected first.
    for rows in [state.shells, state.sessions] {
        let mut tasks = tokio::task::JoinSet::new();
        for row in rows.values().cloned() {
            let engine = Arc::clone(engine);
            let going_on = Arc::clone(&engine.runtimes.of(&row.id).going_on);
            let taken_up = going_on.try_lock_owned();
            tasks.spawn(async move {
                let _taken_up = taken_up;
                match row.side_shell_of {
                    Some(_) => adopt_shell(&engine, &row).await,
                    None => adopt(&engine, &row).await,
                }
            });
        }
        let adopted = tokio::spawn(async move {
            while let Some(result) = tasks.join_next().await {
                if let Err(error) = result {
                    tracing::error!("adopting a session panicked: {error}");
                }
            }
        });
        if tokio::time::timeout(PATIENCE, adopted).await.is_err() {
            tracing::warn!("some sessions are adopted in the background: their keepers are slow");
        }
    }
}

/// Adopts a side shell. A shell whose keeper lives continues. Any other ends without a notice: a shell
/// holds nobody's work, and after a reboot no shell is left.
async fn adopt_shell(engine: &Arc<Engine>, row: &SessionRow) {
    let id = &row.id;
    if row.status.is_ended() {
        // `clear_shells` removes its row.
        return;
    }
    let connected = connect(engine, id).await;
    match EndMode::of(row) {
        Some(mode) => finish(engine, id, mode).await,
        None if connected => {}
        None => lost::keeper_gone(engine, id).await,
    }
}

async fn adopt(engine: &Arc<Engine>, row: &Arc<SessionRow>) {
    let id = &row.id;
    let mut row = Arc::clone(row);
    if !engine.intent_files.is_confirmed(id) {
        // The last engine refused the intent but could not write that any more.
        if let Err(error) = take_back::settle(engine, id).await {
            tracing::warn!(session = %id, "could not clear an intent that was withdrawn: {error}");
            return stay(engine, &row).await;
        }
        row = engine.ledger.session(id).unwrap_or(row);
    }
    if matches!(row.intent, Some(Intent::Remove(_) | Intent::Restore { .. })) {
        return finish_worktree(engine, id).await;
    }
    let row = &row;
    // `carry_out` does what the session was ended for, once it is adopted here.
    let goes_on = engine.ledger.state().goes_on(id).is_some();
    if row.status.is_ended() {
        return sweep::close_keeper(engine, id).await;
    }
    let connected = connect(engine, id).await;
    if goes_on && connected {
        return;
    }
    // After a reboot nothing starts by itself, neither now nor when the session is resumed.
    if goes_on && let Err(error) = end_then::give_up(engine, id).await {
        tracing::warn!(session = %id, "could not cancel a restart: {error}");
    }
    match row.intent {
        Some(Intent::Kill) => return finish(engine, id, EndMode::Kill).await,
        Some(Intent::Stop) => return finish(engine, id, EndMode::Stop).await,
        _ => {}
    }
    match row.status {
        Status::Queued => {}
        // `deliver_messages` continues what was to be typed.
        _ if connected => {}
        // Nothing ran yet: repeat the steps, each of which is idempotent.
        // A keeper that died with the engine may have left processes: never two agents in one workspace.
        Status::Spawning if row.keeper.is_none() || row.intent == Some(Intent::Resume) => {
            sweep::sweep(engine, id, EndMode::Kill).await;
            start_again(engine, id).await;
        }
        Status::SetupFailed => {}
        _ => lost::keeper_gone(engine, id).await,
    }
}

/// The number of engines that continue the same unfinished step without waiting. A step that ends each of
/// these engines must not end the next one, and all other sessions with it: later engines wait first.
const TAKEN_UP: u8 = 3;

/// The time that later engines wait. The person can end the session meanwhile.
const WAIT: Duration = Duration::from_secs(3);

/// The number of engines that continue a step in total.
const MOST: u8 = 6;

/// The notice when a step is given up.
const GAVE_UP: &str = "Downbeat exited each time it worked on this worktree, and leaves it alone until you retry; `downbeat \
    logs` may say why";

/// The decision about a step that the last engine did not finish.
#[derive(PartialEq, Eq)]
enum Unfinished {
    TakeUp,
    GiveUp,
    /// This engine is closing as well.
    Leave,
}

/// Counts that this engine continues the unfinished step of a session's worktree, unless too many engines did.
async fn unfinished(engine: &Engine, id: &SessionId) -> Unfinished {
    let before = engine.ledger.session(id).map_or(0, |row| row.run.taken_up);
    if before >= MOST {
        return Unfinished::GiveUp;
    }
    if before >= TAKEN_UP {
        tokio::select! {
            () = tokio::time::sleep(WAIT) => {}
            () = engine.closing.cancelled() => return Unfinished::Leave,
        }
    }
    let counted = engine.ledger.write(|draft| {
        draft.session(id)?.run.taken_up = before + 1;
        Ok(())
    });
    // If nothing can be written, the step is still continued.
    if let Err(error) = counted.await {
        tracing::debug!(session = %id, "could not count this attempt: {error}");
    }
    Unfinished::TakeUp
}

/// Continues the start of a session.
async fn start_again(engine: &Arc<Engine>, id: &SessionId) {
    match unfinished(engine, id).await {
        Unfinished::TakeUp => {
            let row = engine.ledger.session(id);
            // The session may have been ended meanwhile.
            if row.is_some_and(|row| row.status == Status::Spawning) {
                start::start(engine, id, Setup::Run);
            }
        }
        Unfinished::Leave => {}
        Unfinished::GiveUp => {
            let failed = engine.ledger.write(|draft| {
                draft.session(id)?.run.taken_up = 0;
                status::fail(draft, id, Status::SetupFailed, GAVE_UP)
            });
            if let Err(error) = failed.await {
                tracing::warn!(session = %id, "could not record that its start is not continued: {error}");
            }
        }
    }
}

/// Continues the removal or the restoring of a worktree that the last engine began. Requests for the same
/// meanwhile wait, and find its outcome.
async fn finish_worktree(engine: &Arc<Engine>, id: &SessionId) {
    let step = unfinished(engine, id).await;
    let live = engine.runtimes.of(id);
    let _turn = live.turn.lock().await;
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let is_unfinished = row.intent.as_ref().is_some_and(Intent::is_of_worktree);
    if step == Unfinished::Leave || !is_unfinished {
        return;
    }
    if step == Unfinished::GiveUp {
        let why = ApiError::failed("it is not tried again", GAVE_UP);
        take_back::take_back(engine, id, &why).await;
        let told = |draft: &mut Draft| {
            draft.session(id)?.run.taken_up = 0;
            notices::notify(draft, id, NoticeKind::NeedsLook, GAVE_UP.to_owned())
        };
        if let Err(error) = engine.ledger.write(told).await {
            tracing::warn!(session = %id, "could not notify anyone that its worktree is left alone: {error}");
        }
        return;
    }
    match &row.intent {
        Some(Intent::Remove(choices)) => {
            if let Err(error) = remove::carry_out(engine, id, *choices).await {
                tracing::warn!(session = %id, "could not finish a removal: {error}");
            }
        }
        Some(Intent::Restore { backup }) => {
            if let Err(error) = restore::carry_out(engine, &row, backup.as_ref()).await {
                tracing::warn!(session = %id, "could not finish a restore: {error}");
            }
        }
        _ => {}
    }
}

/// Adopts a session without carrying out the intent that is noted with it.
async fn stay(engine: &Arc<Engine>, row: &SessionRow) {
    if row.status.is_ended() {
        sweep::close_keeper(engine, &row.id).await;
    } else if !connect(engine, &row.id).await {
        lost::keeper_gone(engine, &row.id).await;
    }
}

async fn connect(engine: &Arc<Engine>, id: &SessionId) -> bool {
    let dir = engine.paths.keeper(id);
    if !dir.exists() {
        return false;
    }
    match downbeat_keeper::connect(&dir).await {
        Ok((link, reports)) => {
            engine.runtimes.follow(id, link, reports).await;
            true
        }
        Err(downbeat_keeper::Error::Gone) => false,
        Err(error) => {
            tracing::warn!(session = %id, "its keeper does not answer yet: {error}");
            engine.runtimes.seek(id).await;
            true
        }
    }
}

/// Ends a session as it was requested before the last engine ended.
async fn finish(engine: &Arc<Engine>, id: &SessionId, mode: EndMode) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        if let Err(error) = end::carry_out(&engine, &id, mode, "on request").await {
            tracing::warn!(session = %id, "could not finish ending it: {error}");
        }
    });
}
