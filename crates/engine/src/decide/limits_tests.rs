//! Tables of when a session continues after a usage limit, and of the messages that are queued for it.

use super::*;
use crate::decide::example::{new, put as put_message, waiting};
use crate::state::example::{asking, at, draft, events, id, limited, session, state, with};
use downbeat_model::session::Intent;
use downbeat_model::{MessageState, QuestionKind, Retry};

const CONFIG: UsageLimits = UsageLimits {
    go_on: true,
    margin: 60,
};

/// Returns the number of the message that continues the session.
fn noted(draft: &mut Draft) -> Option<i64> {
    let seen = draft.session(&id(1)).unwrap().observed.clone();
    seen.and_then(|seen| seen.limit).and_then(|limit| limit.message)
}

#[test]
fn the_clock_is_checked_again_before_a_distant_moment() {
    assert_eq!(rest(at(1000), at(995)), Duration::from_secs(5));
    assert_eq!(rest(at(90_000), at(0)), CHECK);
    assert_eq!(rest(at(0), at(5)), CHECK, "what is over is told by a change");
    assert_eq!(rest(at(5), at(5)), CHECK);
}

#[test]
fn only_a_session_that_waits_is_held_by_a_limit() {
    let changed = |status, intent| SessionRow {
        status,
        intent,
        ..limited(1, None)
    };
    for (row, wanted) in [
        (changed(Status::Waiting, None), true),
        (changed(Status::Paused, None), false),
        (changed(Status::Exited, None), false),
        (changed(Status::Waiting, Some(Intent::Stop)), false),
        (with(1, Status::Waiting), false),
    ] {
        assert_eq!(of(&row).is_some(), wanted, "{:?} {:?}", row.status, row.intent);
    }
}

#[test]
fn a_moment_on_another_day_is_shown_with_its_day() {
    let noon = Timestamp::from_second(1_800_000_000).unwrap();
    let zoned = noon.to_zoned(TimeZone::system());
    let midday = zoned.with().hour(12).minute(5).build().unwrap().timestamp();
    let day = Duration::from_secs(24 * 3600);
    assert_eq!(clock(midday, midday), "12:05");
    let tomorrow = clock(midday + day, midday);
    assert!(tomorrow.ends_with(", 12:05") && tomorrow.len() > 12, "{tomorrow}");
}

#[test]
fn a_session_continues_by_itself_by_its_own_setting_or_else_the_global_one() {
    for (own, setting, wanted) in [
        (None, false, false),
        (None, true, true),
        (Some(true), false, true),
        (Some(false), true, false),
    ] {
        let mut row = session(1);
        row.hold.go_on = own;
        assert_eq!(by_itself(&row, setting), wanted);
    }
}

#[test]
fn a_due_session_continues_with_one_message_before_all_others() {
    for (second, is_put) in [(159, false), (160, true), (9000, true)] {
        let mut draft = draft(second, [limited(1, Some(100))]);
        put_message(&mut draft, new("b"), MessageState::Queued);
        for _ in 0..2 {
            go_on_if_due(&mut draft, &CONFIG, &id(1)).unwrap();
        }
        let wanted: &[_] = if is_put { &["continue", "b"] } else { &["b"] };
        assert_eq!(waiting(&draft), wanted, "{second}");
        assert_eq!(noted(&mut draft), is_put.then_some(2), "{second}");
    }
}

#[test]
fn a_full_queue_continues_without_a_message_of_ours() {
    let mut draft = draft(900, [limited(1, Some(100))]);
    for _ in 0..mailbox::MAX_WAITING {
        put_message(&mut draft, new("b"), MessageState::Queued);
    }
    go_on_if_due(&mut draft, &CONFIG, &id(1)).unwrap();
    assert_eq!(noted(&mut draft), Some(NO_MESSAGE));
    assert!(!waiting(&draft).contains(&GO_ON.to_owned()));
    let (due, next) = due(draft.state(), &CONFIG, at(9000));
    assert_eq!((due, next), (vec![], None), "it is not tried again");
}

#[test]
fn the_next_end_is_the_earliest_of_the_sessions_that_continue() {
    let mut others = limited(3, Some(50));
    others.hold.go_on = Some(false);
    let state = state([
        limited(1, Some(300)),
        limited(2, Some(200)),
        others,
        limited(4, None),
    ]);
    assert_eq!(due(&state, &CONFIG, at(0)), (vec![], Some(at(260))));
    assert_eq!(due(&state, &CONFIG, at(260)), (vec![id(2)], Some(at(360))));
}

#[test]
fn a_request_of_the_person_continues_a_session_immediately_and_once() {
    let mut draft = draft(50, [limited(1, Some(100))]);
    for _ in 0..2 {
        now(&mut draft, &id(1)).unwrap();
    }
    assert_eq!(waiting(&draft), ["continue"]);
    // The message was typed, and the limit still holds: the request counts again.
    message_left(&mut draft);
    now(&mut draft, &id(1)).unwrap();
    assert_eq!(waiting(&draft), ["continue"]);
    assert_eq!(noted(&mut draft), Some(2));
}

fn message_left(draft: &mut Draft) {
    let number = noted(draft).unwrap();
    mailbox::find(draft, &id(1), number).unwrap().state = MessageState::Delivered;
    mailbox::prune(draft.queue(&id(1)));
}

#[test]
fn a_message_for_now_cuts_a_wait_for_the_next_try_short() {
    let mut row = limited(1, Some(100));
    row.observed.as_mut().unwrap().retry = Some(Retry {
        at: Some(at(100)),
        ..Retry::default()
    });
    let mut draft = draft(50, [row]);
    for _ in 0..2 {
        now(&mut draft, &id(1)).unwrap();
    }
    assert_eq!(waiting(&draft), ["continue"]);
    let message = mailbox::open(draft.state(), &id(1)).next().unwrap();
    assert_eq!(
        (message.mode, message.sender.clone()),
        (When::Now, Sender::Downbeat)
    );
    assert_eq!(noted(&mut draft), None, "it stays when the limit goes");
}

#[test]
fn a_continue_message_of_the_person_is_not_mistaken_for_ours() {
    let mut row = limited(1, Some(100));
    row.observed.as_mut().unwrap().retry = Some(Retry {
        at: Some(at(100)),
        ..Retry::default()
    });
    let mut draft = draft(50, [row]);
    put_message(&mut draft, new(GO_ON), MessageState::Queued);
    now(&mut draft, &id(1)).unwrap();
    assert_eq!(waiting(&draft).len(), 2);
}

#[test]
fn a_request_for_a_session_without_a_limit_is_refused_with_its_status() {
    for (row, wanted) in [
        (session(1), "session-1 is not paused or rate limited; it is idle"),
        (
            asking(1, QuestionKind::Choice, 0),
            "session-1 is not paused or rate limited; it is waiting: Which?",
        ),
        (with(1, Status::Exited), "session-1 has ended: exited"),
    ] {
        let error = now(&mut draft(50, [row]), &id(1)).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::Conflict, wanted));
    }
}

#[test]
fn the_message_that_continues_a_session_is_taken_back_while_it_waits() {
    for (state, left, is_noted) in [(MessageState::Queued, 0, false), (MessageState::Typing, 1, true)] {
        let mut draft = draft(50, [limited(1, Some(100))]);
        now(&mut draft, &id(1)).unwrap();
        let number = noted(&mut draft).unwrap();
        mailbox::find(&mut draft, &id(1), number).unwrap().state = state;
        take_back(&mut draft, &id(1)).unwrap();
        assert_eq!(waiting(&draft).len(), left, "{state:?}");
        assert_eq!(noted(&mut draft).is_some(), is_noted, "{state:?}");
    }
    let mut draft = draft(50, [session(1)]);
    take_back(&mut draft, &id(1)).unwrap();
    assert_eq!(events(&draft, EventKind::MessageChanged).len(), 0);
}
