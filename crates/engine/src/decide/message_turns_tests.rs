//! Tables of the effects of the start of a turn, and of its interruption, on the messages of a queue.

use super::*;
use crate::decide::example::{new, put, queue, waiting};
use crate::state::example::{at, draft, events, id, session};
use downbeat_model::EventKind;
use downbeat_model::MessageState::{Delivered, Failed, Interrupted, Queued, Typing, Uncertain};

fn with(messages: &[(&str, MessageState)]) -> Draft {
    let mut draft = draft(50, [session(1)]);
    for (text, state) in messages {
        put(&mut draft, new(text), *state);
    }
    draft
}

/// Returns two texts joined as they are sent together.
fn both(first: &str, second: &str) -> String {
    format!("{first}{BEFORE}{second}")
}

#[test]
fn a_turn_takes_the_message_that_its_prompt_names() {
    let asked: &[_] = &[("fix the login", Uncertain), ("fix the logout", Typing)];
    let lost: &[_] = &[("fix the login", Interrupted), ("write a test", Uncertain)];
    let twice: &[_] = &[("go on", Uncertain), ("go on", Uncertain)];
    for (messages, told, wanted) in [
        // An agent that names no prompt takes the message that is being typed.
        (
            asked,
            None,
            &["fix the login: uncertain", "fix the logout: delivered"][..],
        ),
        (
            asked,
            Some("fix the login"),
            &["fix the login: delivered", "fix the logout: typing"],
        ),
        (
            asked,
            Some("something else"),
            &["fix the login: uncertain", "fix the logout: typing"],
        ),
        // A person added to a given-back text, and not to one that is only being typed.
        (
            lost,
            Some("fix the login, please"),
            &["fix the login: delivered", "write a test: uncertain"],
        ),
        (
            asked,
            Some("fix the logout, please"),
            &["fix the login: uncertain", "fix the logout: typing"],
        ),
        (
            lost,
            None,
            &["fix the login: interrupted", "write a test: uncertain"],
        ),
        (twice, Some("go on"), &["go on: uncertain", "go on: delivered"]),
        (
            &[("fix the login", Queued), ("fix it", Failed)],
            Some("fix the login"),
            &["fix it: failed", "fix the login: queued"],
        ),
    ] {
        let mut draft = with(messages);
        taken(&mut draft, &id(1), told, at(40)).unwrap();
        assert_eq!(queue(&draft), wanted, "{told:?}");
    }
}

#[test]
fn a_message_is_recorded_as_delivered_when_its_turn_began() {
    let mut draft = with(&[("go", Typing)]);
    taken(&mut draft, &id(1), None, at(40)).unwrap();
    let row = mailbox::find(&mut draft, &id(1), 1).unwrap();
    assert_eq!(row.changed_at, at(40));
    assert_eq!(row.detail, "the agent's prompt hook fired");
    assert_eq!(events(&draft, EventKind::MessageSent).len(), 1);
}

#[test]
fn a_given_back_message_is_delivered_with_the_message_that_brings_it() {
    let mut draft = with(&[("first", Interrupted), (&both("first", "second"), Typing)]);
    taken(&mut draft, &id(1), None, at(40)).unwrap();
    let states: Vec<_> = draft.queue(&id(1)).iter().map(|row| row.state).collect();
    assert_eq!(states, [Delivered, Delivered]);
    let row = mailbox::find(&mut draft, &id(1), 1).unwrap();
    assert_eq!(
        (row.detail.as_str(), row.changed_at),
        ("was sent again before message 2", at(40))
    );
    assert_eq!(events(&draft, EventKind::MessageSent).len(), 2);
}

#[test]
fn a_text_that_was_sent_by_hand_is_left_out_of_the_message_that_would_bring_it() {
    for (state, wanted) in [(Queued, "second"), (Typing, "first\n\nsecond")] {
        let mut draft = with(&[("first", Interrupted), (&both("first", "second"), state)]);
        taken(&mut draft, &id(1), Some("first"), at(40)).unwrap();
        assert_eq!(waiting(&draft), [wanted], "{state:?}");
    }
}

#[test]
fn an_uncertain_message_that_is_sent_by_hand_changes_no_other_message() {
    let mut draft = with(&[("first", Uncertain), (&both("first", "second"), Queued)]);
    taken(&mut draft, &id(1), Some("first"), at(40)).unwrap();
    assert_eq!(waiting(&draft), ["first\n\nsecond"]);
}

#[test]
fn a_given_back_text_is_put_before_a_waiting_message_if_it_fits() {
    let room = MAX_MESSAGE - BEFORE.len() - "go".len();
    for (state, back, wanted) in [
        (Queued, "first".to_owned(), true),
        (Typing, "first".to_owned(), false),
        (Delivered, "first".to_owned(), false),
        (Queued, "x".repeat(room), true),
        (Queued, "x".repeat(room + 1), false),
    ] {
        let mut draft = with(&[("go", state)]);
        assert_eq!(put_before(&mut draft, &id(1), 1, &back), wanted, "{state:?}");
        let text = mailbox::find(&mut draft, &id(1), 1).unwrap().text.clone();
        assert_eq!(text == both(&back, "go"), wanted, "{state:?}");
        assert_eq!(text == "go", !wanted);
    }
    assert!(!put_before(&mut with(&[]), &id(1), 1, "first"), "it is gone");
}

#[test]
fn an_interrupted_turn_gives_back_its_message_and_those_sent_with_it() {
    let delivered = || {
        let mut draft = with(&[
            ("first", Interrupted),
            ("other", Delivered),
            (&both("first", "second"), Typing),
        ]);
        taken(&mut draft, &id(1), None, at(40)).unwrap();
        draft
    };
    let mut draft = delivered();
    interrupted(&mut draft, &id(1), 3, "you pressed Esc", false).unwrap();
    let states: Vec<_> = draft.queue(&id(1)).iter().map(|row| row.state).collect();
    assert_eq!(states, [Interrupted, Delivered, Interrupted]);
    let row = mailbox::find(&mut draft, &id(1), 3).unwrap();
    assert_eq!((row.detail.as_str(), row.changed_at), ("you pressed Esc", at(50)));
    let mut draft = delivered();
    interrupted(&mut draft, &id(1), 3, "you pressed Esc", true).unwrap();
    assert_eq!(waiting(&draft), ["first\n\nsecond"], "it waits once more");
}

#[test]
fn a_message_that_is_sent_again_waits_before_all_others() {
    let mut draft = with(&[("first", Delivered), ("second", Queued)]);
    interrupted(&mut draft, &id(1), 1, "interrupted", true).unwrap();
    assert_eq!(waiting(&draft), ["first", "second"]);
}

#[test]
fn only_a_delivered_message_can_be_interrupted() {
    for (state, wanted) in [
        (Queued, Queued),
        (Typing, Typing),
        (Uncertain, Uncertain),
        (Failed, Failed),
        (Delivered, Interrupted),
        (Interrupted, Interrupted),
    ] {
        let mut draft = with(&[("go", state)]);
        interrupted(&mut draft, &id(1), 1, "interrupted", false).unwrap();
        assert_eq!(mailbox::find(&mut draft, &id(1), 1).unwrap().state, wanted);
    }
    // The first time that it was given back counts.
    let mut draft = with(&[("go", Interrupted)]);
    mailbox::find(&mut draft, &id(1), 1).unwrap().changed_at = at(7);
    interrupted(&mut draft, &id(1), 1, "again", false).unwrap();
    assert_eq!(mailbox::find(&mut draft, &id(1), 1).unwrap().changed_at, at(7));
}

#[test]
fn a_message_comes_with_another_only_if_it_was_given_back() {
    for (state, other, wanted) in [
        (Interrupted, both("first", "second"), true),
        (Interrupted, "second".to_owned(), false),
        (Uncertain, both("first", "second"), false),
    ] {
        let mut draft = with(&[("first", state), (&other, Queued)]);
        assert_eq!(comes_with_another(&mut draft, &id(1), 1), wanted, "{state:?}");
    }
    assert!(!comes_with_another(&mut with(&[]), &id(1), 1));
}
