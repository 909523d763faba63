//! Tables of what is next.

use super::*;
use crate::state::example::{at, id, project, session, state};
use downbeat_model::fix::Settings;
use downbeat_model::session::MergeResult;
use std::collections::BTreeSet;

pub fn group(number: u32, how: GroupState) -> Group {
    Group {
        number,
        title: format!("{number}.ts"),
        checks: vec!["test".into()],
        commands: vec!["make test".into()],
        files: BTreeSet::new(),
        failures: Vec::new(),
        state: how,
        since: at(5),
        why: String::new(),
        session: how.has_worker().then(|| id(number)),
        worker: None,
        begun_at: None,
        attempts: 0,
        rested: None,
        head: None,
        stops: false,
        tokens: 0,
        usd: None,
    }
}

fn fix(groups: Vec<Group>) -> Fix {
    let mut fix = Fix::new(id(9), project().id, "main".into(), Settings::default(), at(0));
    fix.groups = groups;
    fix.red.insert("test".into());
    fix
}

fn merged(outcome: MergeOutcome, second: i64) -> MergeResult {
    MergeResult {
        outcome,
        target: "main".into(),
        head: String::new(),
        commit: None,
        detail: "as it is".into(),
        files: Vec::new(),
        at: at(second),
    }
}

#[test]
fn workers_start_up_to_their_number() {
    use GroupState::{Fixed, Landed, Verified, Waiting, Working};
    let act = |states: &[GroupState]| {
        let groups = (1..)
            .zip(states)
            .map(|(number, how)| group(number, *how))
            .collect();
        let rows = (1..10).map(|number| {
            let mut row = session(number);
            row.status = Status::Running;
            row
        });
        next(&state(rows), &fix(groups), at(10))
    };
    assert_eq!(act(&[Waiting, Waiting]), Some(Act::Spawn(1)));
    assert_eq!(act(&[Working, Working, Waiting, Waiting]), Some(Act::Spawn(3)));
    assert_eq!(act(&[Working, Working, Working, Waiting]), None);
    assert_eq!(
        act(&[Landed, Fixed, Working, Working, Waiting]),
        Some(Act::Spawn(5))
    );
    assert_eq!(act(&[Working, Verified]), Some(Act::Land(2)));
}

#[test]
fn a_worker_is_verified_once_after_each_turn() {
    let act = |change: &dyn Fn(&mut SessionRow, &mut Group)| {
        let (mut row, mut group) = (session(1), group(1, GroupState::Working));
        change(&mut row, &mut group);
        next(&state([row]), &fix(vec![group]), at(10))
    };
    assert_eq!(act(&|_, _| {}), Some(Act::Verify(1, at(0))));
    assert_eq!(act(&|row, _| row.status = Status::Running), None);
    assert_eq!(act(&|row, _| row.status = Status::Waiting), None, "it asks");
    assert_eq!(
        act(&|_, group| group.rested = Some(at(0))),
        None,
        "it was told what fails"
    );
    assert_eq!(
        act(&|row, _| row.status = Status::Exited),
        Some(Act::Verify(1, at(0)))
    );
    let lost = |why: &str| Some(Act::Lost(1, why.into()));
    assert_eq!(
        act(&|row, _| row.status = Status::Killed),
        lost("its worker was ended")
    );
    assert_eq!(
        act(&|row, _| row.status = Status::Errored),
        lost("its worker failed")
    );
    assert_eq!(
        next(&state([]), &fix(vec![group(1, GroupState::Working)]), at(10)),
        lost("its worker was removed")
    );
}

#[test]
fn the_merge_queue_says_whether_work_landed() {
    let act = |result: Option<MergeResult>, status| {
        let mut row = session(1);
        (row.merging.last, row.status) = (result, status);
        next(&state([row]), &fix(vec![group(1, GroupState::Landing)]), at(10))
    };
    let idle = Status::Idle;
    assert_eq!(
        act(Some(merged(MergeOutcome::Landed, 6)), idle),
        Some(Act::Landed(1))
    );
    assert_eq!(
        act(Some(merged(MergeOutcome::Contained, 6)), idle),
        Some(Act::Landed(1))
    );
    assert_eq!(
        act(Some(merged(MergeOutcome::Conflict, 6)), idle),
        Some(Act::Back(1, "as it is".into()))
    );
    assert_eq!(
        act(Some(merged(MergeOutcome::Conflict, 6)), Status::Exited),
        Some(Act::Lost(1, "as it is".into()))
    );
    assert_eq!(
        act(Some(merged(MergeOutcome::Refused, 6)), idle),
        Some(Act::Lost(1, "as it is".into()))
    );
    let left = Some(Act::Lost(1, "it left the merge queue".into()));
    assert_eq!(
        act(Some(merged(MergeOutcome::Landed, 4)), idle),
        left,
        "of an earlier time"
    );
    assert_eq!(act(None, idle), left);
}

#[test]
fn it_ends_after_a_look_at_all_checks_or_at_a_budget() {
    let mut over = fix(vec![group(1, GroupState::Fixed), group(2, GroupState::GivenUp)]);
    let act = |fix: &Fix, second| next(&state([]), fix, at(second));
    assert_eq!(act(&over, 10), Some(Act::Look));
    over.was_whole = true;
    assert_eq!(act(&over, 10), Some(Act::End(End::Left)));
    over.red.clear();
    assert_eq!(act(&over, 10), Some(Act::End(End::Green)));
    over.look = Some(3);
    assert_eq!(act(&over, 10), None);
    over.settings.minutes = Some(1);
    assert_eq!(act(&over, 59), None);
    assert_eq!(
        act(&over, 60),
        Some(Act::End(End::Budget("1 min are over".into())))
    );
    over.settings.minutes = None;
    over.settings.budget.tokens = Some(10);
    over.groups[0].tokens = 9;
    assert_eq!(act(&over, 10), None);
    over.groups[1].tokens = 1;
    assert_eq!(
        act(&over, 10),
        Some(Act::End(End::Budget("10 of 10 tokens are used".into())))
    );
    over.settings.budget.usd = Some(0.5);
    over.groups[1].usd = Some(0.5);
    assert_eq!(
        act(&over, 10),
        Some(Act::End(End::Budget("$0.50 of $0.50 are used".into())))
    );
}

#[test]
fn workers_that_nobody_needs_are_ended_also_after_the_end() {
    let mut over = fix(vec![group(1, GroupState::Working)]);
    over.groups[0].becomes(GroupState::Vanished, "", at(6));
    over.ended_at = Some(at(7));
    assert_eq!(next(&state([]), &over, at(10)), Some(Act::Stop(1)));
    over.groups[0].stops = false;
    assert_eq!(next(&state([]), &over, at(10)), None);
}
