//! Whether a session that was ended to go on still does.

use crate::state::draft::Draft;
use downbeat_model::SessionId;
use downbeat_model::effect::{Effect, EffectState, Subject, Work};
use downbeat_model::session::Then;
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};

/// What is said where somebody stopped it meanwhile.
pub fn called_off(row: &SessionRow) -> ApiError {
    let text = format!(
        "{} was stopped meanwhile: it is {}",
        row.name,
        row.status.as_str()
    );
    ApiError::new(Code::Conflict, text).hint(format!("`downbeat resume {}` starts it again", row.name))
}

/// A session is to be ended, and to go on as `then` says. Its key has the time: it may be so another day.
pub fn wish(draft: &mut Draft, id: &SessionId, then: Then) {
    let now = draft.now();
    let key = format!("go_on:{id}:{}", now.as_nanosecond());
    draft.carry_out(Effect::new(
        key,
        Subject::Session(id.clone()),
        Work::GoOn(then),
        now,
    ));
}

/// What a session was ended for is over. False where it was ended for nothing.
pub fn close(draft: &mut Draft, id: &SessionId, state: EffectState) -> bool {
    let key = draft.state().goes_on(id).map(|effect| effect.key.clone());
    if let Some(key) = &key {
        draft.change_effect(key, |effect| effect.state = state);
    }
    key.is_some()
}

/// Of what was to happen after its end nothing is left but that it goes on: a crash behind this does
/// nothing twice. Refused where it was called off.
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
    use super::{close, only_goes_on, wish};
    use crate::state::draft::Draft;
    use crate::state::example::{id, session, state};
    use downbeat_model::effect::{EffectState, Work};
    use downbeat_model::session::Then;

    #[test]
    fn what_was_changed_is_not_changed_twice_and_what_was_called_off_not_at_all() {
        let mut draft = Draft::of(state([session(1), session(2)]));
        let then = Then::Resume {
            model: Some("opus".into()),
            permission: None,
        };
        wish(&mut draft, &id(1), then);
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
        assert!(refused.message.contains("stopped meanwhile"), "{refused:?}");
    }

    #[test]
    fn a_session_that_is_taken_off_the_list_does_not_go_on() {
        let mut draft = Draft::of(state([session(1)]));
        let then = Then::Resume {
            model: None,
            permission: None,
        };
        wish(&mut draft, &id(1), then);
        draft.drop_session(&id(1));
        assert!(draft.state().effects.is_empty());
    }
}
