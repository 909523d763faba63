//! Tables of a queue: which messages it takes, their order, which changes are allowed, and what is kept.

use super::*;
use crate::decide::example::{at_once, new, put, queue, task, waiting};
use crate::state::example::{draft, events, id, limited, session};
use downbeat_model::MessageState::{Delivered, Failed, Interrupted, Queued, Typing, Uncertain};

fn of_one() -> Draft {
    draft(50, [session(1)])
}

fn refused(result: Result<impl Sized, ApiError>) -> Option<(Code, String)> {
    result.err().map(|error| (error.code, error.message))
}

#[test]
fn the_task_is_first_then_messages_for_now_then_the_rest() {
    let mut draft = of_one();
    put(&mut draft, new("typed"), Typing);
    for message in [new("b"), at_once("now"), new("c"), task("task"), at_once("now 2")] {
        enqueue(&mut draft, &id(1), message).unwrap();
    }
    assert_eq!(waiting(&draft), ["typed", "task", "now", "now 2", "b", "c"]);
    let places: Vec<i64> = open(draft.state(), &id(1)).map(|row| row.place).collect();
    assert_eq!(places, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_task_for_when_ready_stays_before_messages_for_now() {
    let mut draft = of_one();
    for message in [task("task"), new("b"), at_once("now")] {
        enqueue(&mut draft, &id(1), message).unwrap();
    }
    assert_eq!(waiting(&draft), ["task", "now", "b"]);
}

#[test]
fn a_text_that_is_empty_or_too_long_is_refused() {
    for (text, is_taken) in [
        (String::new(), false),
        (" \n\t".to_owned(), false),
        ("go".to_owned(), true),
        ("x".repeat(MAX_MESSAGE), true),
        ("x".repeat(MAX_MESSAGE + 1), false),
    ] {
        let taken = enqueue(&mut of_one(), &id(1), new(&text));
        let wanted = (!is_taken).then_some(Code::Invalid);
        assert_eq!(taken.map_err(|error| error.code).err(), wanted, "{}", text.len());
    }
    let error = enqueue(&mut of_one(), &id(2), new("go")).unwrap_err();
    assert_eq!(error.code, Code::NotFound, "a session that is not there");
}

#[test]
fn a_full_queue_takes_only_a_task() {
    let full_of = |text: &str, count| {
        let mut draft = of_one();
        for _ in 0..count {
            enqueue(&mut draft, &id(1), new(text)).unwrap();
        }
        draft
    };
    let long = "x".repeat(MAX_MESSAGE);
    for (mut draft, count) in [
        (full_of("go", MAX_WAITING), MAX_WAITING),
        (full_of(&long, MAX_WAITING_BYTES / MAX_MESSAGE), 8),
    ] {
        let what = format!("session-1 has {count} queued messages, which is the maximum");
        let next = enqueue(&mut draft, &id(1), new("x"));
        let way = next.as_ref().unwrap_err().hint.clone().unwrap_or_default();
        assert!(way.contains("`downbeat messages`"), "{way}");
        assert_eq!(refused(next), Some((Code::Conflict, what)));
        enqueue(&mut draft, &id(1), task("task")).unwrap();
        // Closed messages take no room: with two closed, and the task queued, there is room for one.
        let gone: Vec<_> = open(draft.state(), &id(1))
            .skip(1)
            .take(2)
            .map(|row| row.id)
            .collect();
        for message in gone {
            find(&mut draft, &id(1), message).unwrap().state = Failed;
        }
        enqueue(&mut draft, &id(1), new("x")).unwrap();
    }
}

/// Returns the result of a change to a message in this state.
fn changed(state: MessageState, change: &EditMessage) -> Result<Vec<String>, String> {
    let mut draft = of_one();
    let message = put(&mut draft, new("go"), state);
    let error = edit(&mut draft, &id(1), message, change).err();
    error.map_or(Ok(queue(&draft)), |error| Err(error.message))
}

#[test]
fn a_waiting_message_can_be_changed_and_a_failed_one_sent_again() {
    let change = EditMessage {
        text: Some("stop".into()),
        ..EditMessage::default()
    };
    let again = EditMessage {
        again: Some(true),
        ..EditMessage::default()
    };
    let not_again = EditMessage {
        again: Some(false),
        ..change.clone()
    };
    let lies = "message 1: it is no longer queued";
    let delivered = "message 1: it was delivered";
    let typed = "message 1: it is being typed";
    for (state, change, wanted) in [
        (Queued, &change, Ok("stop: queued")),
        (Queued, &not_again, Ok("stop: queued")),
        (Queued, &again, Err("message 1: it is still queued")),
        (Typing, &change, Err(typed)),
        (Typing, &again, Err(typed)),
        (Delivered, &change, Err(delivered)),
        (Delivered, &again, Err(delivered)),
        (Uncertain, &change, Err(lies)),
        (Uncertain, &again, Ok("go: queued")),
        (Failed, &change, Err(lies)),
        (Failed, &again, Ok("go: queued")),
        (Interrupted, &change, Err(lies)),
        (Interrupted, &again, Ok("go: queued")),
    ] {
        let wanted = wanted.map(|row| vec![row.to_owned()]).map_err(str::to_owned);
        assert_eq!(changed(state, change), wanted, "{state:?} {change:?}");
    }
}

#[test]
fn a_message_that_is_sent_again_forgets_its_outcome() {
    let mut draft = of_one();
    let message = put(&mut draft, new("go"), Uncertain);
    let row = find(&mut draft, &id(1), message).unwrap();
    (row.detail, row.changed_at) = ("nothing shows whether it arrived".into(), row.created_at);
    let again = EditMessage {
        again: Some(true),
        ..EditMessage::default()
    };
    let mut later = Draft::made_at(draft.into_state(), crate::state::example::at(90));
    edit(&mut later, &id(1), message, &again).unwrap();
    let row = find(&mut later, &id(1), message).unwrap();
    assert_eq!(row.detail, "");
    assert_eq!((row.created_at.as_second(), row.changed_at.as_second()), (50, 90));
}

#[test]
fn a_message_moves_to_the_requested_place_but_never_before_one_being_typed() {
    let place = |place| EditMessage {
        place: Some(place),
        ..EditMessage::default()
    };
    let when = |when| EditMessage {
        when: Some(when),
        ..EditMessage::default()
    };
    for (change, wanted) in [
        (EditMessage::default(), "typed a b c"),
        (place(0), "typed b a c"),
        (place(1), "typed b a c"),
        (place(2), "typed a b c"),
        (place(3), "typed a c b"),
        (place(99), "typed a c b"),
        (when(When::Now), "typed b a c"),
        (when(When::WhenReady), "typed a c b"),
    ] {
        let mut draft = of_one();
        put(&mut draft, new("typed"), Typing);
        let numbers: Vec<i64> = ["a", "b", "c"]
            .iter()
            .map(|text| enqueue(&mut draft, &id(1), new(text)).unwrap())
            .collect();
        edit(&mut draft, &id(1), numbers[1], &change).unwrap();
        assert_eq!(waiting(&draft).join(" "), wanted, "{change:?}");
    }
}

#[test]
fn a_longer_text_needs_room_next_to_the_other_messages_only() {
    let mut draft = of_one();
    let long = "x".repeat(MAX_MESSAGE);
    let last = (0..8).map(|_| enqueue(&mut draft, &id(1), new(&long)).unwrap());
    let last = last.last().unwrap();
    let text = |text: &str| EditMessage {
        text: Some(text.into()),
        ..EditMessage::default()
    };
    edit(&mut draft, &id(1), last, &text(&"y".repeat(MAX_MESSAGE))).unwrap();
    edit(&mut draft, &id(1), last, &text("short")).unwrap();
    enqueue(&mut draft, &id(1), new("one more")).unwrap();
    let error = edit(&mut draft, &id(1), last, &text(&long)).unwrap_err();
    assert_eq!(error.code, Code::Conflict);
    let error = edit(&mut draft, &id(1), last, &text(" ")).unwrap_err();
    assert_eq!(error.code, Code::Invalid);
    assert_eq!(find(&mut draft, &id(1), last).unwrap().text, "short");
}

#[test]
fn a_message_that_comes_back_with_another_cannot_be_sent_again() {
    let mut draft = of_one();
    let back = put(&mut draft, new("first"), Interrupted);
    put(&mut draft, new(&format!("first{BEFORE}second")), Queued);
    let again = EditMessage {
        again: Some(true),
        ..EditMessage::default()
    };
    let error = edit(&mut draft, &id(1), back, &again).unwrap_err();
    assert!(
        error.message.contains("is sent again with the message"),
        "{error:?}"
    );
}

#[test]
fn only_a_waiting_message_is_withdrawn() {
    for (state, is_withdrawn, is_taken_off) in [
        (Queued, true, true),
        (Typing, false, false),
        (Delivered, false, true),
        (Uncertain, false, true),
    ] {
        let mut draft = of_one();
        let message = put(&mut draft, new("go"), state);
        let mut withdrawn = draft.clone();
        withdraw(&mut withdrawn, &id(1), message);
        assert_eq!(queue(&withdrawn).is_empty(), is_withdrawn, "{state:?}");
        let taken = take_off(&mut draft, &id(1), message);
        assert_eq!(
            (taken.is_ok(), queue(&draft).is_empty()),
            (is_taken_off, is_taken_off)
        );
        let deleted = events(&draft, EventKind::MessageChanged);
        let is_told = deleted.iter().any(|event| event["state"] == "deleted");
        assert_eq!(is_told, is_taken_off, "{state:?}");
    }
}

#[test]
fn the_end_of_a_limit_withdraws_its_own_message() {
    let mut draft = of_one();
    let (own, other) = (
        put(&mut draft, new("continue"), Queued),
        put(&mut draft, new("b"), Queued),
    );
    let row = limited(1, Some(10));
    let mut known = row.observed.unwrap().limit.unwrap();
    over(&mut draft, &id(1), &known);
    assert_eq!(waiting(&draft), ["continue", "b"], "it has none yet");
    known.message = Some(own);
    over(&mut draft, &id(1), &known);
    assert_eq!(waiting(&draft), ["b"]);
    assert!(find(&mut draft, &id(1), other).is_ok());
}

#[test]
fn the_prompt_may_hold_the_last_message_that_left_and_the_next_one() {
    for (states, wanted) in [
        (vec![], vec![]),
        (vec![Queued, Queued], vec![1]),
        (vec![Delivered, Queued], vec![2]),
        (vec![Uncertain, Queued], vec![1, 2]),
        (vec![Failed], vec![1]),
        // The last message that left the queue was taken: earlier ones are gone from the prompt.
        (vec![Interrupted, Delivered, Queued, Queued], vec![3]),
    ] {
        let mut draft = of_one();
        for (number, state) in (1..).zip(&states) {
            let message = put(&mut draft, new("go"), *state);
            let changed = crate::state::example::at(number);
            find(&mut draft, &id(1), message).unwrap().changed_at = changed;
        }
        let found: Vec<i64> = left(draft.state(), &id(1)).iter().map(|row| row.id).collect();
        assert_eq!(found, wanted, "{states:?}");
    }
}

#[test]
fn a_bounded_number_of_closed_messages_is_kept_and_delivered_ones_go_first() {
    let mut draft = of_one();
    put(&mut draft, new("failed"), Failed);
    for number in 0..MAX_KEPT {
        put(&mut draft, new(&format!("delivered {number}")), Delivered);
    }
    put(&mut draft, new("waits"), Queued);
    let rows = queue(&draft);
    assert_eq!(rows.len(), MAX_KEPT + 1);
    assert_eq!(rows[..2], ["failed: failed", "delivered 1: delivered"]);
    assert_eq!(rows.last().unwrap(), "waits: queued");
}

#[test]
fn bounded_bytes_of_closed_messages_are_kept_but_at_least_one_message() {
    let long = "x".repeat(MAX_MESSAGE);
    let mut draft = of_one();
    for _ in 0..6 {
        put(&mut draft, new(&long), Failed);
    }
    let kept: Vec<i64> = draft.queue(&id(1)).iter().map(|row| row.id).collect();
    assert_eq!(kept, [3, 4, 5, 6], "the newest mebibyte");
    // Texts that were joined may be longer than a message.
    find(&mut draft, &id(1), 6).unwrap().text = long.repeat(9);
    prune(draft.queue(&id(1)));
    assert_eq!(
        draft.queue(&id(1)).iter().map(|row| row.id).collect::<Vec<_>>(),
        [6]
    );
}

#[test]
fn only_tasks_that_still_wait_are_dropped() {
    let mut draft = of_one();
    put(&mut draft, task("old"), Delivered);
    put(&mut draft, task("new"), Queued);
    put(&mut draft, new("go"), Queued);
    assert!(has_task(draft.state(), &id(1)));
    drop_tasks(&mut draft, &id(1));
    assert_eq!(queue(&draft), ["old: delivered", "go: queued"]);
    assert!(
        !has_task(draft.state(), &id(1)),
        "a task that was delivered waits no more"
    );
    assert!(has_open(draft.state(), &id(1)) && !has_open(draft.state(), &id(2)));
}

#[test]
fn the_reason_why_a_message_waits_is_noted_once() {
    let mut draft = of_one();
    let message = enqueue(&mut draft, &id(1), new("go")).unwrap();
    let notes = |draft: &Draft| events(draft, EventKind::MessageChanged).len();
    for (why, wanted) in [("it works", 2), ("it works", 2), ("it asks", 3)] {
        waits(&mut draft, &id(1), message, why).unwrap();
        assert_eq!(notes(&draft), wanted, "{why}");
    }
    find(&mut draft, &id(1), message).unwrap().state = Typing;
    waits(&mut draft, &id(1), message, "too late").unwrap();
    assert_eq!(find(&mut draft, &id(1), message).unwrap().detail, "it asks");
}

#[test]
fn a_delivery_is_an_event_of_its_own_kind() {
    for (state, kind) in [
        (Queued, EventKind::MessageChanged),
        (Failed, EventKind::MessageChanged),
        (Delivered, EventKind::MessageSent),
    ] {
        let mut draft = of_one();
        tell(&mut draft, &id(1), 7, state);
        assert_eq!(events(&draft, kind), [json!({ "message": 7, "state": state })]);
    }
}

#[test]
fn a_notice_shows_the_beginning_of_the_first_line() {
    assert_eq!(beginning("\n  fix it\nand more"), "fix it");
    let sixty = "ö".repeat(60);
    assert_eq!(beginning(&sixty), sixty);
    assert_eq!(beginning(&format!("{sixty}ö")), format!("{sixty}…"));
}

#[test]
fn the_prompt_that_an_agent_took_last_is_its_sessions_own() {
    let mut row = session(1);
    row.last_prompt = Some("fix it".into());
    let draft = draft(50, [row, session(2)]);
    assert_eq!(last_prompt(draft.state(), &id(1)).as_deref(), Some("fix it"));
    assert_eq!(last_prompt(draft.state(), &id(2)), None);
    assert_eq!(
        last_prompt(draft.state(), &id(3)),
        None,
        "a session that is not there"
    );
}
