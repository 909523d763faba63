//! Tables of what counts as an exchange of a worker with its conductor, what begins the count anew, and when the person is told.

use super::*;
use crate::state::example::{at, draft, events, id, session, told, with, worker};
use downbeat_model::session::{Base, ChangeCount, Changed};

/// Returns a worker with these exchanges, whose base is the commit `base`.
fn exchanging(count: u32, code: Option<&str>, raised: Option<i64>) -> SessionRow {
    let mut row = worker(2, &session(1));
    row.base = Some(Base {
        name: "main".into(),
        commit: "base".into(),
        behind: 0,
    });
    row.exchanges = Exchanges {
        count,
        code: code.map(str::to_owned),
        raised_at: raised.map(at),
    };
    row
}

/// Returns what is known of a worktree: its commit, its changed files and the hash of its code.
fn code(commit: &str, files: u32, code: Option<&str>) -> Changed {
    let count = ChangeCount {
        files,
        ..ChangeCount::default()
    };
    let known = Changed::counted(None, Some(count), Some(commit.into()), None, at(9));
    match code {
        Some(code) => known.of_code(code.into()),
        None => known,
    }
}

/// Returns the count and when it was raised, after `change` of a draft over the conductor and its worker.
fn after(row: SessionRow, change: impl FnOnce(&mut Draft)) -> (u32, Option<i64>) {
    let mut draft = draft(50, [session(1), row]);
    change(&mut draft);
    let known = &draft.session(&id(2)).unwrap().exchanges;
    (known.count, known.raised_at.map(|at| at.as_second()))
}

#[test]
fn only_what_the_conductor_says_is_an_exchange_and_the_person_ends_them() {
    let conductor = || Sender::Session(id(1));
    for (to, sender, wanted) in [
        (2, conductor(), (4, Some(7))),
        (2, Sender::Downbeat, (3, Some(7))),
        (2, Sender::Person, (0, None)),
        // What the person tells the conductor concerns its workers, too.
        (1, Sender::Person, (0, None)),
        (1, Sender::Downbeat, (3, Some(7))),
    ] {
        let row = exchanging(3, Some("a"), Some(7));
        let found = after(row, |draft| took(draft, &id(to), &sender).unwrap());
        assert_eq!(found, wanted, "{sender:?} to {to}");
    }
    let by = || Caller::Session(id(1));
    for (by, question, wanted) in [
        (by(), QuestionKind::Choice, (4, Some(7))),
        (by(), QuestionKind::Permission, (3, Some(7))),
        (Caller::Owner, QuestionKind::Permission, (0, None)),
    ] {
        let row = exchanging(3, Some("a"), Some(7));
        let found = after(row, |draft| answered(draft, &id(2), &by, question).unwrap());
        assert_eq!(found, wanted, "{by:?} {question:?}");
    }
    let mut draft = draft(50, [session(1)]);
    took(&mut draft, &id(1), &conductor()).unwrap();
    assert!(draft.session(&id(1)).unwrap().exchanges.is_empty(), "no worker");
}

#[test]
fn a_change_of_the_code_begins_the_count_anew() {
    for (known, changed, wanted) in [
        (Some("a"), code("base", 0, Some("a")), (3, Some(7))),
        (Some("a"), code("base", 1, Some("b")), (0, None)),
        (Some("a"), code("next", 0, Some("b")), (0, None)),
        // Taken back: it was a change all the same.
        (Some("b"), code("base", 0, Some("a")), (0, None)),
        // The first look shows whether there is any work.
        (None, code("base", 0, Some("a")), (3, Some(7))),
        (None, code("base", 2, Some("a")), (0, None)),
        (None, code("next", 0, Some("a")), (0, None)),
        // Nothing could be read.
        (Some("a"), code("next", 9, None), (3, Some(7))),
    ] {
        let mut row = exchanging(3, known, Some(7));
        row.changed = Some(changed.clone());
        let found = after(row, |draft| seen(draft, &id(2)).unwrap());
        assert_eq!(found, wanted, "{known:?} {changed:?}");
    }
}

#[test]
fn a_worker_is_looked_at_once_the_turn_after_the_last_message_is_over() {
    for (count, status, limit, wanted) in [
        (7, Status::Idle, 8, false),
        (8, Status::Idle, 8, true),
        (8, Status::Waiting, 8, true),
        (8, Status::Running, 8, false),
        (9, Status::Running, 8, true),
        (8, Status::Exited, 8, false),
        (8, Status::Idle, 0, false),
    ] {
        let mut row = exchanging(count, Some("a"), None);
        row.status = status;
        assert_eq!(are_many(&row, limit), wanted, "{count} {status:?} {limit}");
    }
    assert!(!are_many(&exchanging(8, Some("a"), Some(7)), 8), "told already");
    let mut alone = with(2, Status::Idle);
    alone.exchanges.count = 8;
    assert!(!are_many(&alone, 8), "no conductor");
}

#[test]
fn the_person_is_told_once_and_the_conductor_with_each_event_until_something_changes() {
    let mut draft = draft(50, [session(1), exchanging(8, Some("a"), None)]);
    assert_eq!(warning(draft.session(&id(2)).unwrap()), None);
    raise(&mut draft, &id(2), 8).unwrap();
    raise(&mut draft, &id(2), 8).unwrap();
    let text = "session-2 and its conductor have exchanged 8 messages without a change to the code";
    assert_eq!(told(&draft), [format!("needsLook: {text}")]);
    assert_eq!(events(&draft, EventKind::SessionChanged).len(), 1);
    let warned = warning(draft.session(&id(2)).unwrap()).unwrap();
    assert!(
        warned.starts_with("You and session-2 have exchanged 8 messages"),
        "{warned}"
    );
    looked_after(&mut draft, &id(1)).unwrap();
    assert_eq!(warning(draft.session(&id(2)).unwrap()), None);
    assert_eq!(events(&draft, EventKind::SessionChanged).len(), 2, "it is shown");
}

#[test]
fn nothing_is_said_of_code_that_could_not_be_read() {
    let found = after(exchanging(8, None, None), |draft| {
        raise(draft, &id(2), 8).unwrap()
    });
    assert_eq!(found, (8, None));
}
