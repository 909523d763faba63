//! Carries out a requested end: stops or kills the processes of a session and records that it is over.

use crate::decide::{ending, status};
use crate::effects::process::clear_shell;
use crate::host::failpoint::point;
use crate::keepers::sweep;
use crate::session::end_mode;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::handles::Live;
use downbeat_model::SessionId;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;
use std::time::Duration;

/// How long a request waits for the end to be recorded.
pub const SEEN: Duration = Duration::from_secs(15);

/// How long it waits if the keeper does not answer and its processes were ended without it.
const SEEN_OF_STUCK: Duration = Duration::from_secs(2);

/// Carries out an intent that is already recorded.
pub async fn carry_out(
    engine: &Arc<Engine>,
    id: &SessionId,
    mode: EndMode,
    who: &str,
) -> Result<(), ApiError> {
    point("end-noted");
    let live = engine.runtimes.of(id);
    live.cancel().cancel();
    let Ok(turn) = tokio::time::timeout(SEEN, live.turn.lock()).await else {
        when_free(engine, id, mode, who);
        let busy = "a step for this session is still being cancelled; the session ends after that";
        return Err(ApiError::new(Code::Failed, busy).hint("`downbeat doctor` shows remaining processes"));
    };
    let ended = carry_out_now(engine, id, &live, mode, who).await;
    drop(turn);
    ended
}

/// Carries out the intent as soon as nothing else works on the session.
fn when_free(engine: &Arc<Engine>, id: &SessionId, mode: EndMode, who: &str) {
    let (engine, id, who) = (Arc::clone(engine), id.clone(), who.to_owned());
    tokio::spawn(async move {
        let live = engine.runtimes.of(&id);
        let _turn = live.turn.lock().await;
        let noted = engine.row(&id).is_ok_and(|row| EndMode::of(&row) == Some(mode));
        if noted && let Err(error) = carry_out_now(&engine, &id, &live, mode, &who).await {
            tracing::warn!(session = %id, "an end could not be finished: {error}");
        }
    });
}

async fn carry_out_now(
    engine: &Arc<Engine>,
    id: &SessionId,
    live: &Live,
    mode: EndMode,
    who: &str,
) -> Result<(), ApiError> {
    match live.link() {
        Some(link) => {
            let asked = link.kill(mode.grace()).await;
            match &asked {
                // The keeper ended and was closed before it could answer.
                Ok(()) | Err(downbeat_keeper::Error::Gone) => {}
                Err(error) => {
                    // A keeper that is stuck must not keep its agent alive.
                    tracing::warn!(session = %id, "the keeper did not end its tree: {error}");
                    sweep::sweep(engine, id, mode).await;
                }
            }
            point("end-carried-out");
            let stuck = matches!(asked, Err(downbeat_keeper::Error::Slow(..)));
            let patience = if stuck { SEEN_OF_STUCK } else { SEEN };
            let seen = tokio::time::timeout(patience, seen(engine, id, live))
                .await
                .is_ok();
            if stuck && !seen {
                // The processes are gone; a later report from the keeper adds nothing.
                over(engine, id, mode, who).await?;
            } else if !seen {
                return Err(
                    ApiError::new(Code::Failed, "the session's processes did not end in time")
                        .hint("try again; `downbeat doctor` shows remaining processes"),
                );
            }
        }
        None => {
            sweep::sweep(engine, id, mode).await;
            point("end-carried-out");
            over(engine, id, mode, who).await?;
        }
    }
    clear_shell::clear(engine, id).await;
    Ok(())
}

/// Waits until the session's end is recorded, or is shown while its write waits for a full disk.
async fn seen(engine: &Engine, id: &SessionId, live: &Live) {
    let shown = async {
        let mut commits = engine.ledger.commits();
        loop {
            commits.mark_unchanged();
            let is_over = engine.ledger.session(id).is_none_or(|row| row.status.is_ended());
            if is_over && engine.ledger.owes().await {
                return;
            }
            // The ledger lives as long as the engine.
            let _ = commits.changed().await;
        }
    };
    tokio::select! {
        () = live.unlinked() => {}
        () = shown => {}
    }
}

async fn over(engine: &Engine, id: &SessionId, mode: EndMode, who: &str) -> Result<(), ApiError> {
    engine
        .ledger
        .write_or_owe(|draft| {
            let now = draft.now();
            draft.session(id)?.intent = None;
            status::set(
                draft,
                id,
                ending::status_after(mode),
                crate::session::status::by_engine(end_mode::word(mode, who), now),
            )
        })
        .await
}
