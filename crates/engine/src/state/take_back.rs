//! Takes back an intent whose request was refused.

use crate::state::context::Engine;
use crate::state::intent_files;
use downbeat_model::SessionId;
use downbeat_model::effect::EffectState;
use downbeat_model::session::Intent;
use downbeat_wire::{ApiError, Code};

/// Takes back the intent of a session whose request is refused with `why`. If that is a handover, the next
/// engine continues with it.
pub async fn take_back(engine: &Engine, id: &SessionId, why: &ApiError) {
    if why.code == Code::Unavailable {
        return;
    }
    engine.intent_files.clear(id);
    if let Err(error) = clear(engine, id).await {
        tracing::warn!(session = %id, "its intent was withdrawn, but could not be cleared yet: {error}");
    }
}

/// Clears the rest of an intent that was taken back while nothing could be written. Other requests for the
/// session do this first.
///
/// # Errors
/// Fails if still nothing can be written.
pub async fn settle(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    match intent_files::has_intent(&engine.ledger.state(), &*engine.row(id)?)
        && !engine.intent_files.is_confirmed(id)
    {
        true => clear(engine, id).await,
        false => Ok(()),
    }
}

async fn clear(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        if row.intent.as_ref().is_some_and(Intent::is_of_worktree) {
            row.intent = None;
        }
        if let Some(key) = draft.state().goes_on(id).map(|effect| effect.key.clone()) {
            draft.change_effect(&key, |effect| effect.state = EffectState::Dropped);
        }
        Ok(())
    });
    written.await
}
