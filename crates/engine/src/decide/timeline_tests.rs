//! Tables of what a session did when, from the changes of its status.

use super::{Now, spans, sums};
use crate::state::example::{at, id};
use downbeat_model::{ReasonKind, Status};
use downbeat_store::StatusChange;
use downbeat_wire::timeline::TimelineState;

fn change(second: i64, from: Status, to: Status, reason: Option<ReasonKind>) -> StatusChange {
    StatusChange {
        session: id(1),
        at: at(second),
        from,
        to,
        detail: format!("{to:?}"),
        reason,
    }
}

fn now(status: Status, created: i64) -> Now {
    Now {
        status,
        reason: None,
        detail: "now".into(),
        created: at(created),
    }
}

/// Returns the spans as seconds and states.
fn told(changes: &[StatusChange], now: &Now) -> Vec<(i64, i64, TimelineState)> {
    let all = spans((at(100), at(200)), changes, now);
    let begin = at(0).as_second();
    all.iter()
        .map(|span| {
            let second = |time: jiff::Timestamp| time.as_second() - begin;
            (second(span.from), second(span.until), span.state)
        })
        .collect()
}

#[test]
fn a_session_is_what_it_was_until_it_changes() {
    use TimelineState::{Held, Idle, Waiting, Working};
    let changes = [
        change(110, Status::Running, Status::Waiting, None),
        change(120, Status::Waiting, Status::Running, None),
        change(150, Status::Running, Status::Waiting, Some(ReasonKind::Limit)),
        change(160, Status::Waiting, Status::Idle, None),
    ];
    assert_eq!(
        told(&changes, &now(Status::Idle, 0)),
        [
            (100, 110, Working),
            (110, 120, Waiting),
            (120, 150, Working),
            (150, 160, Held),
            (160, 200, Idle)
        ]
    );
    let sums = sums(&spans((at(100), at(200)), &changes, &now(Status::Idle, 0)));
    assert_eq!(
        (sums.working, sums.waiting, sums.held, sums.idle),
        (40_000, 10_000, 10_000, 40_000)
    );
}

#[test]
fn it_begins_when_it_was_created_and_is_not_there_once_it_has_ended() {
    use TimelineState::Working;
    let changes = [
        change(140, Status::Spawning, Status::Running, None),
        change(150, Status::Running, Status::Exited, None),
        change(180, Status::Exited, Status::Running, None),
    ];
    assert_eq!(
        told(&changes, &now(Status::Running, 130)),
        [(130, 140, Working), (140, 150, Working), (180, 200, Working)]
    );
    assert_eq!(told(&[], &now(Status::Killed, 0)), []);
}

#[test]
fn one_that_did_not_change_is_the_same_all_the_time() {
    assert_eq!(
        told(&[], &now(Status::Idle, 0)),
        [(100, 200, TimelineState::Idle)]
    );
    assert_eq!(
        told(&[], &now(Status::Paused, 150)),
        [(150, 200, TimelineState::Held)]
    );
}
