//! Tables of the effects of a requested end on a session that lives, has ended, or was to continue.

use super::*;
use crate::state::example::{draft, events, id, with};
use downbeat_model::EventKind;
use downbeat_model::session::{Intent, Then};

#[test]
fn the_end_of_a_process_is_described_in_words() {
    for (code, signal, wanted) in [
        (Some(0), None, "exit code 0"),
        (Some(3), Some(9), "exit code 3"),
        (None, Some(9), "signal 9"),
        (None, None, "unknown"),
    ] {
        assert_eq!(how(code, signal), wanted);
    }
}

#[test]
fn a_requested_end_has_its_own_event_and_status() {
    for (mode, kind, status) in [
        (EndMode::Stop, EventKind::SessionStopped, Status::Exited),
        (EndMode::Kill, EventKind::SessionKilled, Status::Killed),
    ] {
        let mut draft = draft(50, [with(1, Status::Idle)]);
        note(&mut draft, &id(1), mode, by_whom(&Caller::Owner)).unwrap();
        assert_eq!(events(&draft, kind), [json!({ "by": "by you" })]);
        assert_eq!(status_after(mode), status);
    }
    assert_eq!(by_whom(&Caller::Session(id(1))), "by its conductor");
}

#[test]
fn a_stop_cancels_the_continuation_after_an_end() {
    let resume = || Then::Resume {
        model: None,
        permission: None,
    };
    for (status, goes_on, noted, is_told) in [
        (Status::Running, true, true, false),
        (Status::Running, false, true, false),
        // The session has ended already, and its conductor was not notified because it was to continue.
        (Status::Exited, true, false, true),
        (Status::Exited, false, false, false),
    ] {
        let mut draft = draft(50, [with(1, status)]);
        if goes_on {
            go_on::request(&mut draft, &id(1), resume());
        }
        let said = note_or_call_off(&mut draft, &id(1), EndMode::Stop, "by you").unwrap();
        assert_eq!(said, noted, "{status:?} {goes_on}");
        assert!(draft.state().goes_on(&id(1)).is_none());
        let told = events(&draft, EventKind::SessionStatus);
        assert_eq!(told.len(), usize::from(is_told), "{status:?} {goes_on}");
        assert!(told.iter().all(|event| event["detail"] == "stopped by you"));
        let intent = draft.session(&id(1)).unwrap().intent.clone();
        assert_eq!(intent, noted.then_some(Intent::Stop), "{status:?}");
    }
}
