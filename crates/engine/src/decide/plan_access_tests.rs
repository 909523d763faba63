//! Tables of what an agent may ask for in plans.

use super::{
    conducted, held_by_conductor, is_visible, may_change, may_let_go, may_propose, place, title_of_goal,
};
use crate::state::example::{at, id, project, session, state, with, worker};
use downbeat_agents::Agents;
use downbeat_model::{PlanId, SessionId, Status};
use downbeat_plans::{Domains, PlanRecord, PlanState, Split, read_goal};
use downbeat_wire::{Caller, Code};
use jiff::Timestamp;
use std::sync::Arc;

fn plan(text: &str) -> downbeat_plans::Plan {
    read_goal(text, &Domains::default()).unwrap()
}

fn of(conductor: Option<SessionId>) -> PlanRecord {
    let (text, id) = ("Build UI", PlanId::parse("pl000000000001").unwrap());
    let mut record = PlanRecord::new(id, project().id, plan(text), Split::Domain, Timestamp::UNIX_EPOCH);
    record.conductor = conductor;
    record
}

#[test]
fn an_agent_proposes_in_its_own_project_and_not_below_the_deepest_level() {
    let lead = session(1);
    let below = worker(2, &lead);
    let state = state([lead, below]);
    let (own, conductor) = place(&state, &Caller::Session(id(1)), None).unwrap();
    assert_eq!((own.id.clone(), conductor), (project().id, Some(id(1))));
    assert_eq!(
        place(&state, &Caller::Owner, None).unwrap_err().code,
        Code::Invalid
    );
    let agents = Agents::new("/bin/sh", []);
    let tasks = plan("Create API (id: api) (depends_on: db), Set up database (id: db)");
    let may = |caller: &Caller, depth| may_propose(&state, (caller, &agents, depth), &tasks, None);
    assert!(may(&Caller::Session(id(1)), 1).is_ok());
    assert!(may(&Caller::Session(id(2)), 2).is_ok());
    assert!(may(&Caller::Owner, 0).is_ok());
    let refused = may(&Caller::Session(id(2)), 1).unwrap_err();
    assert_eq!(refused.message, "Max depth reached, no worker spawning allowed");
    let hint = refused.hint.unwrap();
    assert!(hint.contains("mode: sequential"), "{hint}");
    assert!(hint.ends_with("\n1. Set up database\n2. Create API"), "{hint}");
    let shell = may_propose(
        &state,
        (&Caller::Session(id(1)), &agents, 2),
        &tasks,
        Some("shell"),
    );
    assert_eq!(shell.unwrap_err().code, Code::Forbidden);
}

#[test]
fn an_agent_sees_its_own_plans_and_those_of_its_workers() {
    let lead = session(1);
    let below = worker(2, &lead);
    let state = state([lead, below, session(3)]);
    let table = [
        (Caller::Owner, [true, true, true]),
        (Caller::Session(id(1)), [false, true, true]),
        (Caller::Session(id(2)), [false, false, true]),
        (Caller::Session(id(3)), [false, false, false]),
    ];
    for (caller, sees) in table {
        let all = [None, Some(id(1)), Some(id(2))].map(|own| is_visible(&state, &caller, &of(own)));
        assert_eq!(all, sees, "{caller:?}");
    }
}

#[test]
fn an_agent_does_not_go_on_with_what_the_person_paused() {
    let mut plan = of(Some(id(1)));
    assert!(may_let_go(&Caller::Session(id(1)), &plan).is_ok());
    plan.paused_by_person = true;
    assert!(may_let_go(&Caller::Session(id(1)), &plan).is_err());
    assert!(may_let_go(&Caller::Owner, &plan).is_ok());
}

#[test]
fn a_session_that_was_asked_for_a_plan_does_not_run_it() {
    let own = Caller::Session(id(1));
    let mut plan = of(Some(id(1)));
    plan.person_runs = true;
    assert_eq!(may_let_go(&own, &plan).unwrap_err().code, Code::Forbidden);
    assert!(may_let_go(&Caller::Owner, &plan).is_ok());
    // Not by way of a pause, either.
    plan.state = PlanState::Paused;
    assert!(may_let_go(&own, &plan).is_err());
    // Once the person has run it, its conductor leads it as any other one.
    plan.started_at = Some(at(0));
    assert!(may_let_go(&own, &plan).is_ok());
    assert_eq!(title_of_goal("\n Sell shoes \nonline"), "Sell shoes");
}

#[test]
fn the_person_runs_the_plan_that_was_handed_in() {
    let own = Caller::Session(id(1));
    let mut plan = of(Some(id(1)));
    assert!(may_change(&own, &plan).is_ok(), "it is the session's own");
    plan.person_runs = true;
    assert_eq!(may_change(&own, &plan).unwrap_err().code, Code::Forbidden);
    assert!(may_change(&Caller::Owner, &plan).is_ok());
    plan.started_at = Some(at(0));
    assert!(may_change(&own, &plan).is_ok(), "it leads it now");
}

#[test]
fn a_plan_waits_for_a_killed_or_archived_conductor() {
    let lead = with(1, Status::Killed);
    let below = worker(2, &lead);
    let mut archived = with(4, Status::Exited);
    archived.archived_at = Some(at(9));
    let state = state([lead, below, with(3, Status::Exited), archived]);
    let why = held_by_conductor(&state, &of(Some(id(4)))).unwrap();
    assert!(
        why.contains("is archived; unarchive session-4, then resume the plan"),
        "{why}"
    );
    assert_eq!(held_by_conductor(&state, &of(None)), None);
    assert_eq!(held_by_conductor(&state, &of(Some(id(3)))), None);
    for number in [1, 2] {
        let why = held_by_conductor(&state, &of(Some(id(number)))).unwrap();
        assert!(why.contains("was killed"), "{why}");
    }
    assert!(
        held_by_conductor(&state, &of(Some(id(9))))
            .unwrap()
            .contains("removed")
    );
}

#[test]
fn a_plan_goes_on_only_if_its_workers_can_start() {
    let mut archived = with(1, Status::Exited);
    archived.archived_at = Some(at(9));
    let mut state = state([archived, with(2, Status::Exited)]);
    let mut go_on = |conductor: u32, has_begun: bool, person_runs: bool| {
        let mut plan = of(Some(id(conductor)));
        plan.started_at = has_begun.then_some(at(1));
        plan.person_runs = person_runs;
        Arc::make_mut(&mut state.plans).insert(plan.id.clone(), plan.clone().into());
        let went = conducted(&state, &plan.id).may_go_on(&Caller::Owner, &mut plan);
        went.map(|()| plan.conductor)
            .map_err(|error| (error.code, error.message))
    };
    assert_eq!(go_on(2, true, false), Ok(Some(id(2))));
    let (code, why) = go_on(1, true, false).unwrap_err();
    assert_eq!(code, Code::Conflict);
    assert!(why.contains("unarchive session-1, then resume the plan"), "{why}");
    assert!(go_on(1, true, true).is_err(), "it has workers of its own");
    assert_eq!(
        go_on(1, false, true),
        Ok(None),
        "the person conducts what nobody else can"
    );
}
