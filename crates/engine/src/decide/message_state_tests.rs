//! Tables of when a message is typed, and of the effects of its state on the person and its session.

use super::*;
use crate::decide::example::{new, put, queue, task};
use crate::state::example::{asking, at, draft, events, id, limited, observed, paused, session, told, with};
use downbeat_model::MessageState::{Delivered, Failed, Interrupted, Queued, Typing, Uncertain};
use downbeat_model::session::Intent;
use downbeat_model::{Activity, EventKind, QuestionKind, Status};

#[test]
fn a_message_is_typed_only_if_its_session_is_unchanged() {
    let ending = SessionRow {
        intent: Some(Intent::Stop),
        ..session(1)
    };
    for (words, seen, now, wanted) in [
        ("as it was", session(1), session(1), true),
        ("it works meanwhile", session(1), with(1, Status::Running), false),
        ("it is to end", session(1), ending, false),
        ("it is paused", session(1), paused(session(1)), false),
        (
            "it asks",
            with(1, Status::Waiting),
            asking(1, QuestionKind::Choice, 0),
            false,
        ),
        (
            "it asks in prose, which a message answers",
            with(1, Status::Waiting),
            asking(1, QuestionKind::Asks, 0),
            true,
        ),
    ] {
        let mut draft = draft(50, [now]);
        let message = put(&mut draft, new("go"), Queued);
        let text = begin(&mut draft, &seen, message).unwrap();
        assert_eq!(text, wanted.then(|| "go".to_owned()), "{words}");
        let state = if wanted { "go: typing" } else { "go: queued" };
        assert_eq!(queue(&draft), [state], "{words}");
    }
}

#[test]
fn only_the_first_waiting_message_is_typed() {
    let of = |first, second| {
        let mut draft = draft(50, [session(1)]);
        put(&mut draft, new("a"), first);
        put(&mut draft, new("b"), second);
        draft
    };
    for (first, second, message, wanted) in [
        (Queued, Queued, 1, true),
        (Queued, Queued, 2, false),
        (Typing, Queued, 1, false),
        (Typing, Queued, 2, false),
        (Delivered, Queued, 2, true),
        (Delivered, Queued, 1, false),
        (Delivered, Failed, 2, false),
    ] {
        let text = begin(&mut of(first, second), &session(1), message).unwrap();
        assert_eq!(text.is_some(), wanted, "{first:?} {second:?} {message}");
    }
}

#[test]
fn the_person_is_notified_of_messages_that_may_not_have_arrived() {
    let uncertain = "may not have arrived: check its terminal, and send it again if it is missing";
    for (message, state, wanted) in [
        (new("fix it"), Delivered, None),
        (new("fix it"), Interrupted, None),
        (new("fix it"), Queued, None),
        (
            new("fix it\nnow"),
            Uncertain,
            Some(format!("needsInput: a message (fix it) {uncertain}")),
        ),
        (
            task("fix it"),
            Uncertain,
            Some(format!("needsInput: its task {uncertain}")),
        ),
        (
            new("fix it"),
            Failed,
            Some("failed: a message (fix it) was not delivered: it ended".to_owned()),
        ),
        (
            task("fix it"),
            Failed,
            Some("failed: its task was not delivered: it ended".to_owned()),
        ),
    ] {
        let mut draft = draft(50, [session(1)]);
        let message = put(&mut draft, message, Typing);
        set(&mut draft, &id(1), message, state, "it ended").unwrap();
        assert_eq!(told(&draft), Vec::from_iter(wanted), "{state:?}");
        let row = mailbox::find(&mut draft, &id(1), message).unwrap();
        assert_eq!((row.state, row.detail.as_str()), (state, "it ended"));
    }
}

#[test]
fn nothing_happens_to_a_message_that_left_the_queue() {
    let mut draft = draft(50, [session(1)]);
    let message = put(&mut draft, new("go"), Delivered);
    set(&mut draft, &id(1), message, Failed, "too late").unwrap();
    set(&mut draft, &id(1), 77, Failed, "not there").unwrap();
    assert_eq!(queue(&draft), ["go: delivered"]);
    assert!(told(&draft).is_empty());
}

#[test]
fn a_delivered_message_ends_an_earlier_limit() {
    for (state, is_held) in [(Failed, true), (Uncertain, true), (Delivered, false)] {
        let mut draft = draft(50, [limited(1, Some(100))]);
        let message = put(&mut draft, new("go"), Typing);
        set(&mut draft, &id(1), message, state, "").unwrap();
        let row = draft.session(&id(1)).unwrap();
        let seen = row.observed.as_ref().unwrap();
        assert_eq!(seen.limit.is_some(), is_held, "{state:?}");
        let status = if is_held { Status::Waiting } else { Status::Running };
        assert_eq!(row.status, status, "{state:?}");
        let facts = events(&draft, EventKind::SessionFact).len();
        assert_eq!(facts, usize::from(!is_held), "{state:?}");
    }
    // Without a limit nothing is recorded about the agent's activity: its hooks report that.
    let mut draft = draft(50, [session(1)]);
    let message = put(&mut draft, new("go"), Typing);
    set(&mut draft, &id(1), message, Delivered, "").unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().status, Status::Idle);
}

/// Returns a session whose agent is up and has not taken its first prompt.
fn up_at_start() -> SessionRow {
    let mut row = with(1, Status::Spawning);
    row.observed = Some(observed(Activity::Ready));
    row
}

#[test]
fn a_session_is_starting_while_its_first_prompt_is_on_its_way() {
    for (state, wanted) in [
        (Queued, Status::Spawning),
        (Uncertain, Status::Idle),
        (Failed, Status::Idle),
        (Interrupted, Status::Idle),
    ] {
        let mut draft = draft(50, [up_at_start()]);
        let message = put(&mut draft, task("go"), Typing);
        set(&mut draft, &id(1), message, state, "").unwrap();
        assert_eq!(draft.session(&id(1)).unwrap().status, wanted, "{state:?}");
    }
    let mut draft = draft(50, [up_at_start()]);
    let first = put(&mut draft, task("go"), Queued);
    let second = put(&mut draft, new("and then"), Queued);
    remove(&mut draft, &id(1), second).unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().status, Status::Spawning);
    remove(&mut draft, &id(1), first).unwrap();
    let row = draft.session(&id(1)).unwrap();
    assert_eq!((row.status, row.status_since), (Status::Idle, at(0)));
}

#[test]
fn a_paused_session_shows_its_pause_once_its_prompt_is_removed() {
    let mut draft = draft(50, [paused(up_at_start())]);
    let first = put(&mut draft, task("go"), Queued);
    remove(&mut draft, &id(1), first).unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().status, Status::Paused);
}
