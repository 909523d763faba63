//! Continuing a session after an end: records, changes and closes the effect that does it.

use crate::state::draft::Draft;
use downbeat_model::effect::{Effect, EffectState, Work};
use downbeat_model::session::Then;
use downbeat_model::{SessionId, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};

/// Returns the error for a session that somebody stopped meanwhile.
pub fn called_off(row: &SessionRow) -> ApiError {
    let text = format!("{} ended meanwhile: it is {}", row.name, row.status.as_str());
    ApiError::new(Code::Conflict, text).hint(format!("`downbeat resume {}` starts it again", row.name))
}

/// Records that a session is to be ended and continued as `then` says. The key includes the time, since the
/// same may be requested again.
pub fn request(draft: &mut Draft, id: &SessionId, then: Then) {
    let now = draft.now();
    let key = format!("go_on:{id}:{}", now.as_nanosecond());
    draft.carry_out(Effect::new(
        key,
        Subject::Session(id.clone()),
        Work::GoOn(then),
        now,
    ));
}

/// Closes the effect that continues a session. Returns false if there is none.
pub fn close(draft: &mut Draft, id: &SessionId, state: EffectState) -> bool {
    let key = draft.state().goes_on(id).map(|effect| effect.key.clone());
    if let Some(key) = &key {
        draft.change_effect(key, |effect| effect.state = state);
    }
    key.is_some()
}

/// Reduces the effect to plain continuing, so that a crash after this repeats nothing.
///
/// # Errors
/// Fails if the effect was cancelled.
pub fn only_goes_on(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let Some(key) = draft.state().goes_on(id).map(|effect| effect.key.clone()) else {
        return Err(called_off(draft.session(id)?));
    };
    draft.change_effect(&key, |effect| {
        effect.work = Work::GoOn(Then::Resume {
            model: None,
            permission: None,
        });
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{close, only_goes_on, request};
    use crate::state::draft::Draft;
    use crate::state::example::{id, session, state};
    use downbeat_model::effect::{EffectState, Work};
    use downbeat_model::session::Then;

    #[test]
    fn a_change_is_made_once_and_not_after_it_was_cancelled() {
        let mut draft = Draft::of(state([session(1), session(2)]));
        let then = Then::Resume {
            model: Some("opus".into()),
            permission: None,
        };
        request(&mut draft, &id(1), then);
        only_goes_on(&mut draft, &id(1)).unwrap();
        let left = Then::Resume {
            model: None,
            permission: None,
        };
        assert_eq!(draft.state().goes_on(&id(1)).unwrap().work, Work::GoOn(left));
        assert!(draft.state().goes_on(&id(2)).is_none());
        assert!(close(&mut draft, &id(1), EffectState::Done));
        assert!(!close(&mut draft, &id(1), EffectState::Dropped));
        let refused = only_goes_on(&mut draft, &id(1)).unwrap_err();
        assert!(refused.message.contains("ended meanwhile"), "{refused:?}");
    }

    #[test]
    fn a_session_that_is_taken_off_the_list_does_not_continue() {
        let mut draft = Draft::of(state([session(1)]));
        let then = Then::Resume {
            model: None,
            permission: None,
        };
        request(&mut draft, &id(1), then);
        draft.drop_session(&id(1));
        assert!(draft.state().effects.is_empty());
    }
}
