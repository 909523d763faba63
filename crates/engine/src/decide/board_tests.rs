//! Which facts of a session's row decide about its column, and which of other sessions.

use super::*;
use crate::state::example::{at, observed, session, state, with, worker};
use downbeat_model::Status;
use downbeat_model::session::{MergeOutcome, MergeResult};

/// Returns the column of the first of these sessions.
fn column_of(rows: &[SessionRow]) -> Column {
    let state = state(rows.to_vec());
    of(&rows[0], &Conducting::of(&state), false)
}

#[test]
fn a_conductor_works_while_a_session_anywhere_below_it_does() {
    for (status, expected) in [
        (Status::Running, Column::Working),
        (Status::Queued, Column::Working),
        (Status::Waiting, Column::Working),
        (Status::Idle, Column::InReview),
        (Status::Paused, Column::InReview),
        (Status::Exited, Column::InReview),
    ] {
        let top = session(1);
        let middle = worker(2, &top);
        let mut low = worker(3, &middle);
        low.status = status;
        let idle_beside = worker(4, &middle);
        assert_eq!(
            column_of(&[top, middle, low, idle_beside]),
            expected,
            "{status:?}"
        );
    }
}

#[test]
fn a_session_that_waits_for_its_first_prompt_is_not_in_review() {
    let mut row = session(1);
    assert_eq!(column_of(std::slice::from_ref(&row)), Column::InReview);
    row.observed = Some(observed(Activity::Ready));
    assert_eq!(column_of(std::slice::from_ref(&row)), Column::Working);
    row.observed = Some(observed(Activity::Idle));
    row.agent = SHELL.into();
    assert_eq!(column_of(&[row]), Column::Working);
}

#[test]
fn work_that_landed_is_done_until_the_session_works_again() {
    let mut row = session(1);
    row.merging.last = Some(MergeResult {
        outcome: MergeOutcome::Landed,
        target: "main".into(),
        head: String::new(),
        commit: None,
        detail: String::new(),
        files: Vec::new(),
        at: at(10),
    });
    assert_eq!(column_of(std::slice::from_ref(&row)), Column::Done);
    row.status_since = at(20);
    assert_eq!(column_of(std::slice::from_ref(&row)), Column::InReview);
}

#[test]
fn an_archived_session_is_done() {
    let mut row = with(1, Status::Killed);
    row.archived_at = Some(at(5));
    let state = state([row.clone()]);
    assert_eq!(of(&row, &Conducting::of(&state), true), Column::Done);
}
