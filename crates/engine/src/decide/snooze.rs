//! Snoozes what a session needs the person for: until a time, it does not count as needing them. Whatever it needs them for next
//! counts at once, and its agent notices nothing. The end of a snooze is an event, so that every face shows the session again.

use crate::decide::attention;
use crate::host::config::UsageLimits;
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::session::Snooze;
use downbeat_model::{EventKind, SessionId};
use downbeat_wire::{ApiError, Code};
use jiff::{Span, Timestamp};
use serde_json::Value;

/// The longest snooze.
const LONGEST_DAYS: i64 = 30;

/// Snoozes what a session needs the person for; without a time, ends the snooze.
///
/// # Errors
/// Fails if the session needs nobody, or the time is not in the next 30 days.
pub fn change(
    draft: &mut Draft,
    config: &UsageLimits,
    id: &SessionId,
    until: Option<Timestamp>,
) -> Result<(), ApiError> {
    let now = draft.now();
    let snooze = until.map(|until| at(draft, config, id, now, until)).transpose()?;
    put(draft, id, snooze)
}

fn at(
    draft: &mut Draft,
    config: &UsageLimits,
    id: &SessionId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Snooze, ApiError> {
    let row = draft.session(id)?.clone();
    let Some(found) = attention::even_if_snoozed(draft.state(), &row, config, None) else {
        let what = format!(
            "{} does not need you now, so there is nothing to snooze",
            row.name
        );
        return Err(
            ApiError::new(Code::Conflict, what).hint("`downbeat attention list` lists the sessions that do")
        );
    };
    let latest = now.checked_add(Span::new().hours(24 * LONGEST_DAYS)).ok();
    if until <= now || latest.is_some_and(|latest| until > latest) {
        let what = format!("`until` is {until}; it has to be a time in the next {LONGEST_DAYS} days");
        return Err(ApiError::invalid(what));
    }
    Ok(Snooze {
        since: found.since,
        until,
    })
}

/// Ends the snooze of a session if its time has come.
pub fn end_if_over(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let now = draft.now();
    let is_over = |snooze: &Snooze| snooze.until <= now;
    match draft.session(id)?.hold.snooze.as_ref().is_some_and(is_over) {
        true => put(draft, id, None),
        false => Ok(()),
    }
}

fn put(draft: &mut Draft, id: &SessionId, snooze: Option<Snooze>) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if row.hold.snooze != snooze {
        row.hold.snooze = snooze;
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
    }
    Ok(())
}

/// Returns the sessions whose snooze is over, and when the next one is.
pub fn due(state: &State, now: Timestamp) -> (Vec<SessionId>, Option<Timestamp>) {
    let ends = |id: &SessionId| Some((id.clone(), state.sessions.get(id)?.hold.snooze.as_ref()?.until));
    let all: Vec<(SessionId, Timestamp)> = state.sessions.keys().filter_map(ends).collect();
    let next = all
        .iter()
        .map(|(_, until)| *until)
        .filter(|until| *until > now)
        .min();
    let over = all.into_iter().filter(|(_, until)| *until <= now);
    (over.map(|(id, _)| id).collect(), next)
}

#[cfg(test)]
mod tests {
    use super::{change, due, end_if_over};
    use crate::decide::attention;
    use crate::host::config::UsageLimits;
    use crate::state::draft::Draft;
    use crate::state::example::{at, draft, id, with};
    use downbeat_model::Status;
    use downbeat_wire::ApiError;

    fn needs(draft: &Draft) -> bool {
        let state = draft.state();
        attention::of(state, &state.sessions[&id(1)], &UsageLimits::default(), None).is_some()
    }

    fn snooze(draft: &mut Draft, until: Option<i64>) -> Result<(), ApiError> {
        change(draft, &UsageLimits::default(), &id(1), until.map(at))
    }

    #[test]
    fn a_snoozed_session_needs_nobody_until_its_time_or_until_something_new() {
        let mut draft = draft(50, [with(1, Status::SetupFailed)]);
        assert!(needs(&draft));
        snooze(&mut draft, Some(60)).unwrap();
        assert!(!needs(&draft));
        let seen = due(draft.state(), at(55));
        assert_eq!(seen, (vec![], Some(at(60))));
        assert_eq!(due(draft.state(), at(60)), (vec![id(1)], None));

        end_if_over(&mut draft, &id(1)).unwrap();
        assert!(!needs(&draft), "it is second 50 yet");
        draft.session(&id(1)).unwrap().status_since = at(51);
        assert!(needs(&draft), "it failed again");

        snooze(&mut draft, Some(70)).unwrap();
        snooze(&mut draft, None).unwrap();
        assert!(needs(&draft), "the person ended it");
    }

    #[test]
    fn only_what_needs_the_person_is_snoozed_and_only_into_the_near_future() {
        let mut idle = draft(50, [with(1, Status::Idle)]);
        let refused = snooze(&mut idle, Some(60)).unwrap_err();
        assert!(refused.message.contains("does not need you"), "{refused:?}");
        let mut failed = draft(50, [with(1, Status::Errored)]);
        for second in [50, 3, 50 + 31 * 24 * 3600] {
            let refused = snooze(&mut failed, Some(second)).unwrap_err();
            assert!(refused.message.contains("next 30 days"), "{refused:?}");
        }
        assert!(needs(&failed));
    }
}
