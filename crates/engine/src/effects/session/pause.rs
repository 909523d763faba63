//! Pauses sessions and interrupts their turns. The rules of a pause are in [`crate::decide::pause`].

use crate::decide::{notices, pause};
use crate::effects::terminal::interrupt;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::requests::Effect;
use downbeat_model::{SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// Interrupts the turn of a session that was paused, in the background.
pub fn interrupt(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        tokio::select! {
            stopped = interrupt::interrupt(&engine, &id) => {
                if !matches!(stopped, Ok(true)) {
                    tracing::warn!(session = %id, "its turn continues although it is paused: {stopped:?}");
                    not_interrupted(&engine, &id).await;
                }
            }
            () = closing.cancelled() => {}
        }
    });
}

/// Notifies the person of a paused session whose turn could not be interrupted.
async fn not_interrupted(engine: &Engine, id: &SessionId) {
    let told = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        if !pause::goes_on(row, jiff::Timestamp::now()) || row.hold.pause.is_none() {
            return Ok(());
        }
        let text = "it is paused, but its turn continues: it could not be interrupted";
        notices::notify(draft, id, NoticeKind::NeedsLook, text.into())
    });
    if let Err(error) = told.await {
        tracing::warn!(session = %id, "could not notify anyone that its turn continues: {error}");
    }
}

/// Pauses a session at a person's request; with `workers`, all workers below it too.
pub async fn pause(engine: &Arc<Engine>, id: &SessionId, workers: bool) -> Result<(), ApiError> {
    // Pausing must work on a full disk: the running agent may be what fills it.
    let paused = engine.ledger.write_or_owe(|draft| {
        let row = draft.session(id)?;
        if row.status.is_ended() || row.hold.pause.is_some() {
            let how = if row.status.is_ended() {
                "over"
            } else {
                "already paused"
            };
            return Err(ApiError::new(Code::Conflict, format!("{} is {how}", row.name)));
        }
        if row.status == Status::Spawning {
            let what = format!("{} is starting: there is nothing to pause yet", row.name);
            return Err(ApiError::new(Code::Conflict, what).hint("try again once it is running"));
        }
        if row.one_shot {
            let what = format!("{} is a one-shot run, which cannot be interrupted", row.name);
            let hint = format!(
                "`downbeat stop {}` ends it; a resume continues from there",
                row.name
            );
            return Err(ApiError::new(Code::Conflict, what).hint(hint));
        }
        let mut ids = vec![id.clone()];
        if workers {
            let below = find::below(draft.state(), id).into_iter();
            let is_up = |row: &SessionRow| !row.status.is_ended() && row.status != Status::Spawning;
            // A one-shot run cannot be interrupted.
            let may = |row: &SessionRow| is_up(row) && !row.one_shot;
            let fresh = below.filter(|row| may(row) && row.hold.pause.is_none());
            ids.extend(fresh.map(|row| row.id.clone()));
        }
        for id in &ids {
            pause::begin(draft, id, "paused by you".into(), None)?;
        }
        draft.effect(Effect::Session(id.clone()));
        Ok(ids)
    });
    for id in paused.await? {
        interrupt(engine, &id);
    }
    Ok(())
}
