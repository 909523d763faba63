//! Tables of what follows from the work of a worker.

use super::*;
use crate::decide::fix::{cancel, start};
use crate::state::example::{draft, id, project, session};
use downbeat_model::Status;
use downbeat_model::fix::{Group, Settings};
use downbeat_store::SessionRow;

fn verifying(row: SessionRow, attempts: u32) -> (Draft, FixStep) {
    let mut draft = draft(10, [row]);
    start(&mut draft, &project(), id(9), Settings::default()).unwrap();
    let mut fix = Fix::clone(&draft.state().fixes[&id(9)]);
    let group = Group {
        attempts,
        state: GroupState::Verifying,
        session: Some(id(1)),
        ..super::super::next::tests::group(1, GroupState::Verifying)
    };
    fix.groups.push(group);
    draft.put_fix(fix);
    let step = FixStep {
        project: project().id,
        run: id(9),
        number: 2,
        act: FixAct::Verify { group: 1 },
    };
    (draft, step)
}

fn after(draft: &Draft) -> (GroupState, u32, bool) {
    let group = &draft.state().fixes[&id(9)].groups[0];
    (group.state, group.attempts, group.stops)
}

#[test]
fn a_result_lets_work_land_goes_to_the_worker_or_to_another_one() {
    use GroupState::{GivenUp, Verified, Waiting, Working};
    let exited = || {
        let mut row = session(1);
        row.status = Status::Exited;
        row
    };
    let red = || Checked::Red("still red".into());
    for (row, attempts, result, state, tried, messages) in [
        (session(1), 0, Checked::Green("a".into()), Verified, 0, 0),
        (session(1), 0, red(), Working, 1, 1),
        (
            session(1),
            1,
            Checked::Nothing("it committed nothing".into()),
            Working,
            2,
            1,
        ),
        (session(1), 2, red(), GivenUp, 3, 0),
        (exited(), 0, red(), Waiting, 1, 0),
        (
            session(1),
            0,
            Checked::Failed("set-up failed".into()),
            Waiting,
            1,
            0,
        ),
    ] {
        let (mut draft, step) = verifying(row, attempts);
        checked(&mut draft, "fix", &step, 1, result);
        let stops = matches!(state, Waiting | GivenUp);
        assert_eq!(after(&draft), (state, tried, stops));
        assert_eq!(draft.queue(&id(1)).len(), messages, "{state:?}");
    }
}

#[test]
fn a_result_of_a_cancelled_run_changes_nothing() {
    let (mut draft, step) = verifying(session(1), 0);
    assert!(cancel(&mut draft, &id(9)).unwrap());
    assert_eq!(after(&draft), (GroupState::GivenUp, 0, true));
    checked(&mut draft, "fix", &step, 1, Checked::Green("a".into()));
    assert_eq!(after(&draft), (GroupState::GivenUp, 0, true));
    assert!(!cancel(&mut draft, &id(9)).unwrap());
    assert!(draft.state().effects.is_empty());
}

#[test]
fn what_a_replaced_worker_used_still_counts() {
    let (mut draft, _) = verifying(session(1), 0);
    let used = |draft: &Draft| {
        let group = &draft.state().fixes[&id(9)].groups[0];
        (group.tokens, group.usd)
    };
    note_usage(&mut draft, &id(9), &[(1, 900, Some(0.5))]);
    apply(&mut draft, &id(9), &Act::Lost(1, "gone".into()));
    begun(&mut draft, &id(9), 1, (&id(2), "two")).unwrap();
    assert_eq!(used(&draft), (900, Some(0.5)));
    note_usage(&mut draft, &id(9), &[(1, 100, None)]);
    assert_eq!(
        used(&draft),
        (1_000, Some(0.5)),
        "the price of the second is not known"
    );
    note_usage(&mut draft, &id(9), &[(1, 300, Some(0.25))]);
    assert_eq!(used(&draft), (1_200, Some(0.75)));
}

#[test]
fn one_run_at_a_time_and_one_worker_for_a_group() {
    let (mut draft, _) = verifying(session(1), 0);
    let refused = start(&mut draft, &project(), id(8), Settings::default()).unwrap_err();
    assert!(
        refused.message.starts_with("a run of fix is under way in shop"),
        "{refused:?}"
    );
    begun(&mut draft, &id(9), 1, (&id(2), "two")).unwrap_err();
    queued(&mut draft, &id(9), 1).unwrap_err();
    apply(&mut draft, &id(9), &Act::Lost(1, "gone".into()));
    begun(&mut draft, &id(9), 1, (&id(2), "two")).unwrap();
    begun(&mut draft, &id(9), 1, (&id(3), "three")).unwrap_err();
}
