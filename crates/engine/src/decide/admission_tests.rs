//! Tables of who may have a session, and of which sessions start, wait or are refused: by the caps, by the
//! sessions above, by the budget of the project.

use super::*;
use crate::state::draft::Draft;
use crate::state::example::{
    at, change_plan, draft, id, paused, planned, project, session, state, with, worker,
};
use downbeat_model::Status::{Exited, Idle, Killed, Queued, Running, SetupFailed};
use downbeat_model::session::{BudgetScope, Intent};
use std::collections::BTreeMap;

const LIMITS: Limits = Limits {
    max_depth: 2,
    workers_per_conductor: 1,
    total_sessions: 3,
    sessions_per_project: None,
};

/// Returns two projects: a session with a worker that has a worker, and an archived session.
fn fleet() -> State {
    let mut archived = with(4, Exited);
    archived.archived_at = Some(at(0));
    let (first, second) = (session(1), worker(2, &session(1)));
    let mut draft = Draft::of(state([first, second.clone(), worker(3, &second), archived]));
    let mut other = project();
    other.id = ProjectId::parse("p000000000002").unwrap();
    other.name = "other".into();
    draft.put_project(other);
    draft.into_state()
}

fn belongs(caller: &Caller, project: Option<&str>, parent: Option<&str>) -> Result<Family, Code> {
    let request = NewSession {
        project_id: project.map(str::to_owned),
        parent: parent.map(str::to_owned),
        ..NewSession::default()
    };
    family(&fleet(), caller, &request).map_err(|error| error.code)
}

#[test]
fn the_caller_and_the_request_decide_where_a_session_belongs() {
    let (person, lead) = (Caller::Owner, Caller::Session(id(1)));
    let middle = Caller::Session(id(2));
    for (caller, project, parent, wanted) in [
        (&person, Some("shop"), None, Ok((None, 0))),
        (&person, Some("shop"), Some("session-1"), Ok((Some(id(1)), 1))),
        (&person, None, Some("session-2"), Ok((Some(id(2)), 2))),
        (&lead, None, None, Ok((Some(id(1)), 1))),
        (&lead, Some("shop"), None, Ok((Some(id(1)), 1))),
        (&lead, None, Some("session-2"), Ok((Some(id(2)), 2))),
        (&middle, None, None, Ok((Some(id(2)), 2))),
        (&person, None, None, Err(Code::Invalid)),
        (&person, Some("nowhere"), None, Err(Code::NotFound)),
        (&person, Some("other"), Some("session-1"), Err(Code::Invalid)),
        (&lead, Some("other"), None, Err(Code::Invalid)),
        // The named session is above the caller, and so not in its subtree.
        (&middle, None, Some("session-1"), Err(Code::NotFound)),
        (&person, None, Some("session-4"), Err(Code::Conflict)),
    ] {
        let found = belongs(caller, project, parent);
        let found = found.map(|family| (family.parent.map(|row| row.id.clone()), family.depth));
        assert_eq!(found, wanted, "{caller:?} {project:?} {parent:?}");
    }
}

/// Returns the decision about one more session of this parent, which may be `None`.
fn asked(fleet: Vec<SessionRow>, parent: Option<&SessionRow>) -> Result<Option<String>, Code> {
    let family = Family {
        project: Arc::new(project()),
        parent: parent.cloned().map(Arc::new),
        depth: parent.map_or(0, |parent| parent.depth + 1),
    };
    admit(&LIMITS, &state(fleet), &family).map_err(|error| error.code)
}

#[test]
fn one_more_session_starts_waits_for_a_named_reason_or_is_refused() {
    let lead = || session(1);
    let at_work = |number, status| SessionRow {
        status,
        ..worker(number, &lead())
    };
    let by_day = || {
        let mut row = paused(session(3));
        row.hold.pause.as_mut().unwrap().budget = Some(BudgetScope::ProjectDay);
        row
    };
    let deep = SessionRow {
        depth: 2,
        ..session(1)
    };
    let waits = |why: &str| Ok(Some(why.to_owned()));
    for (words, fleet, parent, wanted) in [
        ("nobody is there", vec![], None, Ok(None)),
        (
            "those that ended or wait take no room",
            vec![session(1), session(2), with(3, Exited), with(4, Queued)],
            None,
            Ok(None),
        ),
        (
            "one that could not be set up takes room",
            vec![session(1), session(2), with(3, SetupFailed)],
            None,
            waits("the limit of 3 sessions"),
        ),
        ("the first worker", vec![lead()], Some(lead()), Ok(None)),
        (
            "the second worker",
            vec![lead(), at_work(2, Running)],
            Some(lead()),
            waits("its conductor's limit of 1 worker"),
        ),
        (
            "another's worker",
            vec![lead(), session(3), worker(2, &session(3))],
            Some(lead()),
            waits("the limit of 3 sessions"),
        ),
        (
            "a second worker, while another's waits",
            vec![lead(), at_work(2, Running), with(4, Queued), with(5, Queued)],
            Some(lead()),
            waits("its conductor's limit of 1 worker"),
        ),
        (
            "a fourth worker, while two wait",
            vec![
                lead(),
                at_work(2, Running),
                at_work(3, Queued),
                at_work(4, Queued),
            ],
            Some(lead()),
            Err(Code::LimitReached),
        ),
        (
            "below the deepest level",
            vec![lead()],
            Some(deep),
            Err(Code::TooDeep),
        ),
        (
            "below one that is paused",
            vec![paused(lead())],
            Some(lead()),
            waits("the pause of session-1"),
        ),
        (
            "on a day that is used up",
            vec![by_day()],
            None,
            waits("its project's budget for today"),
        ),
        (
            "a worker, on a day that is used up: its conductor is paused, or may go on",
            vec![lead(), by_day()],
            Some(lead()),
            Ok(None),
        ),
    ] {
        assert_eq!(asked(fleet, parent.as_ref()), wanted, "{words}");
    }
}

#[test]
fn sessions_without_a_parent_are_not_siblings() {
    let lead = session(1);
    let queued = SessionRow {
        status: Queued,
        ..worker(4, &lead)
    };
    let state = state([
        lead.clone(),
        session(2),
        worker(3, &lead),
        queued,
        with(5, Queued),
    ]);
    let counts = |live, siblings, queued| Load {
        live,
        in_project: live,
        siblings,
        queued,
    };
    let below = |load: Load| Load {
        in_project: load.in_project - 1,
        ..load
    };
    let own = project().id;
    assert_eq!(load(&state, None, &own), counts(3, 0, 0));
    // Its conductor may wait for it, so it is not counted.
    assert_eq!(load(&state, Some(&id(1)), &own), below(counts(3, 1, 1)));
    assert_eq!(load(&state, Some(&id(2)), &own), below(counts(3, 0, 0)));
    let other = ProjectId::parse("p000000000009").unwrap();
    let elsewhere = load(&state, None, &other);
    assert_eq!((elsewhere.live, elsewhere.in_project), (3, 0));
}

#[test]
fn the_nearest_killed_session_above_is_named() {
    let killed = |mut row: SessionRow| {
        row.status = Killed;
        row
    };
    let (first, second) = (session(1), worker(2, &session(1)));
    let third = worker(3, &second);
    for (above, wanted) in [
        ([first.clone(), second.clone()], None),
        ([killed(first.clone()), second.clone()], Some("session-1")),
        ([killed(first), killed(second)], Some("session-2")),
    ] {
        let state = state(above.into_iter().chain([third.clone()]));
        assert_eq!(killed_above(&state, &third).as_deref(), wanted);
    }
    let own = with(1, Killed);
    assert_eq!(
        killed_above(&state([own.clone()]), &own),
        None,
        "not above itself"
    );
}

fn outlook(state: &State, row: &SessionRow) -> String {
    match next(&LIMITS, state, row) {
        Next::Starts => "starts".into(),
        Next::Waits => "waits".into(),
        Next::Says(why) => why,
    }
}

#[test]
fn a_queued_session_starts_as_soon_as_nothing_holds_it_back() {
    let row = with(9, Queued);
    let ending = SessionRow {
        intent: Some(Intent::Kill),
        ..row.clone()
    };
    for (words, fleet, wanted) in [
        ("room", vec![row.clone()], "starts"),
        (
            "room for one",
            vec![row.clone(), session(1), session(2)],
            "starts",
        ),
        (
            "no room",
            vec![row.clone(), session(1), session(2), with(3, Idle)],
            "waits",
        ),
        ("it was taken off the list", vec![], "waits"),
        ("it started meanwhile", vec![with(9, Running)], "waits"),
        ("it is to end", vec![ending], "waits"),
        ("it is paused", vec![paused(row.clone())], "waits"),
    ] {
        assert_eq!(outlook(&state(fleet), &row), wanted, "{words}");
    }
    let mut without_project = state([row.clone()]);
    without_project.projects = Arc::new(BTreeMap::new());
    assert_eq!(outlook(&without_project, &row), "waits");
}

#[test]
fn a_queued_session_below_a_killed_one_says_so_once() {
    let above = with(1, Killed);
    let mut row = worker(2, &above);
    row.status = Queued;
    let why = "held back: session-1 was killed; it starts once that session is resumed";
    assert_eq!(outlook(&state([above.clone(), row.clone()]), &row), why);
    row.status_evidence.detail = why.into();
    assert_eq!(outlook(&state([above, row.clone()]), &row), "waits");
    assert_eq!(outlook(&state([session(1), row.clone()]), &row), "starts");
}

#[test]
fn a_queued_worker_of_a_paused_plan_waits_until_the_plan_goes_on() {
    let mut draft = draft(50, [1, 2, 3].map(|number| with(number, Queued)));
    planned(&mut draft, "Make a, Make b", &[]);
    let own = draft.state().plans.values().next().unwrap().shares[0]
        .session
        .clone()
        .unwrap();
    change_plan(&mut draft, |plan| {
        for one in &mut plan.shares {
            one.state = ShareState::Running;
        }
    });
    let row = |draft: &Draft| SessionRow::clone(&draft.state().sessions[&own]);
    assert_eq!(outlook(draft.state(), &row(&draft)), "starts");
    change_plan(&mut draft, |plan| plan.state = PlanState::Paused);
    assert_eq!(
        outlook(draft.state(), &row(&draft)),
        "held back: its plan is paused"
    );
    draft.session(&own).unwrap().status_evidence.detail = "held back: its plan is paused".into();
    assert_eq!(outlook(draft.state(), &row(&draft)), "waits");
    change_plan(&mut draft, |plan| plan.state = PlanState::Running);
    assert_eq!(outlook(draft.state(), &row(&draft)), "starts");
}
