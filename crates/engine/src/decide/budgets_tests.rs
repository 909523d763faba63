//! Tables of the standing of a session's budgets, of the notices about them, and of the sessions that a day's
//! budget holds back.

use super::*;
use crate::state::example::{draft, events, id, paused, project, session, state, told, with, worker};
use jiff::civil::date;

fn used(cost: Option<f64>, tokens: u64) -> Usage {
    Usage {
        input: tokens,
        cost,
        ..Usage::default()
    }
}

const FIVE: Budget = Budget {
    usd: Some(5.0),
    tokens: None,
};

fn line_of(scope: BudgetScope, budget: Budget, used: Usage) -> Line {
    let of = match scope {
        BudgetScope::ProjectDay => Whose::project(&project().id),
        BudgetScope::Session | BudgetScope::Subtree => Whose::session(&session(1)),
    };
    Line::new(scope, of, budget, used, 80, date(2026, 3, 1))
}

fn own(cost: f64) -> Line {
    line_of(BudgetScope::Session, FIVE, used(Some(cost), 0))
}

#[test]
fn a_budget_names_its_usage() {
    let both = Budget {
        usd: Some(5.0),
        tokens: Some(1000),
    };
    let tokens = Budget {
        usd: None,
        tokens: Some(1000),
    };
    let unpriced = Usage {
        unpriced: vec!["new-model".into()],
        ..used(Some(4.0), 0)
    };
    for (scope, budget, used, wanted) in [
        (
            BudgetScope::Session,
            FIVE,
            used(Some(4.016), 7),
            "$4.02 of $5.00 of its budget",
        ),
        (
            BudgetScope::Session,
            FIVE,
            used(None, 7),
            "$0.00 of $5.00 of its budget",
        ),
        (
            BudgetScope::Session,
            FIVE,
            unpriced,
            "at least $4.00 of $5.00 of its budget",
        ),
        (
            BudgetScope::Subtree,
            tokens,
            used(None, 7),
            "7 of 1000 tokens of the budget of session-1 and its workers",
        ),
        (
            BudgetScope::ProjectDay,
            both,
            used(Some(1.0), 7),
            "$1.00 of $5.00, 7 of 1000 tokens of its project's budget for today",
        ),
    ] {
        assert_eq!(line_of(scope, budget, used).says(), wanted);
    }
}

#[test]
fn a_budget_is_near_its_end_or_over_by_its_usage() {
    for (cost, wanted) in [
        (0.0, Standing::Within),
        (3.99, Standing::Within),
        (4.0, Standing::Near),
        (5.0, Standing::Over),
    ] {
        assert_eq!(own(cost).standing, wanted, "{cost}");
        let shown = own(cost).state(Some("Fix it".into()));
        assert_eq!((shown.standing, shown.share), (wanted, cost / 5.0));
        assert_eq!(
            (shown.session_id, shown.name.as_deref()),
            (Some(id(1)), Some("Fix it"))
        );
    }
    let by_tokens = Budget {
        usd: None,
        tokens: Some(10),
    };
    let line = line_of(BudgetScope::Session, by_tokens, used(None, 10));
    assert_eq!(line.standing, Standing::Over);
    assert!((line.state(None).share - 1.0).abs() < f64::EPSILON);
}

#[test]
fn a_changed_budget_or_another_day_has_another_key() {
    let day = |day| {
        let whose = Whose::project(&project().id);
        Line::new(
            BudgetScope::ProjectDay,
            whose,
            FIVE,
            used(Some(4.0), 0),
            80,
            date(2026, 3, day),
        )
    };
    let more = Budget {
        usd: Some(6.0),
        tokens: None,
    };
    let raised = line_of(BudgetScope::Session, more, used(Some(4.0), 0));
    let subtree = line_of(BudgetScope::Subtree, FIVE, used(Some(4.0), 0));
    assert_eq!(own(1.0).key, own(2.0).key, "what was used makes no other");
    assert!(raised.is_older(&own(4.0).key) && !raised.is_older(&raised.key));
    assert!(!subtree.is_older(&own(4.0).key), "of another scope");
    assert!(day(2).is_older(&day(1).key) && !day(1).is_older(&own(4.0).key));
    let own_of = |day| {
        Line::new(
            BudgetScope::Session,
            Whose::session(&session(1)),
            FIVE,
            used(None, 0),
            80,
            day,
        )
    };
    assert_eq!(own_of(date(2026, 3, 1)).key, own_of(date(2026, 3, 2)).key);
}

#[test]
fn the_widest_of_several_exceeded_budgets_holds() {
    let wide = |cost| line_of(BudgetScope::ProjectDay, FIVE, used(Some(cost), 0));
    let passed = |lines: &[&Line]| Hold {
        past: lines.iter().map(|line| line.key.clone()).collect(),
        ..Hold::default()
    };
    for (lines, hold, wanted) in [
        ([own(1.0), wide(1.0)], Hold::default(), None),
        ([own(4.5), wide(4.5)], Hold::default(), None),
        ([own(5.0), wide(1.0)], Hold::default(), Some(BudgetScope::Session)),
        (
            [own(5.0), wide(9.0)],
            Hold::default(),
            Some(BudgetScope::ProjectDay),
        ),
        (
            [own(5.0), wide(9.0)],
            passed(&[&wide(9.0)]),
            Some(BudgetScope::Session),
        ),
        ([own(5.0), wide(9.0)], passed(&[&own(5.0), &wide(9.0)]), None),
    ] {
        assert_eq!(over(&lines, &hold).map(|line| line.scope), wanted, "{hold:?}");
    }
}

#[test]
fn the_person_is_notified_of_a_budget_once() {
    let told_at = |key: String| {
        let mut row = session(2);
        row.hold.warned.push(key);
        state([session(1), row])
    };
    let mut at_rest = state([session(1)]);
    at_rest.warned = Arc::new([own(4.0).key].into());
    for (state, line, wanted) in [
        (state([session(1)]), own(1.0), false),
        (state([session(1)]), own(4.0), true),
        (state([session(1)]), own(5.0), true),
        (told_at("another".into()), own(4.0), true),
        (told_at(own(4.0).key), own(4.0), false),
        (at_rest, own(4.0), false),
    ] {
        assert_eq!(is_news(&state, &line), wanted, "{:?}", line.standing);
    }
}

#[test]
fn a_warning_is_recorded_at_the_budgets_session_and_replaces_older_ones() {
    let raised = Budget {
        usd: Some(6.0),
        tokens: None,
    };
    let lead = session(1);
    let mut draft = draft(50, [lead.clone(), worker(2, &lead)]);
    let first = line_of(BudgetScope::Subtree, FIVE, used(Some(4.0), 0));
    warn(&mut draft, &id(2), &first).unwrap();
    assert_eq!(
        draft.session(&id(1)).unwrap().hold.warned,
        std::slice::from_ref(&first.key)
    );
    assert!(draft.session(&id(2)).unwrap().hold.warned.is_empty());
    let second = line_of(BudgetScope::Subtree, raised, used(Some(5.0), 0));
    warn(&mut draft, &id(2), &second).unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().hold.warned, [second.key]);
    let used = "used $4.00 of $5.00 of the budget of session-1 and its workers";
    assert_eq!(told(&draft)[0], format!("needsLook: {used}"));
    assert_eq!(events(&draft, EventKind::BudgetWarned).len(), 2);
}

#[test]
fn an_exceeded_budget_causes_no_notice_of_its_own() {
    let mut draft = draft(50, [session(1)]);
    let line = line_of(BudgetScope::ProjectDay, FIVE, used(Some(5.0), 0));
    warn(&mut draft, &id(1), &line).unwrap();
    assert_eq!(
        draft.session(&id(1)).unwrap().hold.warned,
        std::slice::from_ref(&line.key)
    );
    assert!(told(&draft).is_empty());
    assert_eq!(events(&draft, EventKind::BudgetWarned)[0]["used"], line.says());
}

#[test]
fn a_warning_for_a_missing_session_is_recorded_at_the_given_one() {
    let gone = line_of(BudgetScope::Subtree, FIVE, used(Some(4.0), 0));
    let mut draft = draft(50, [session(2)]);
    warn(&mut draft, &id(2), &gone).unwrap();
    assert_eq!(draft.session(&id(2)).unwrap().hold.warned, [gone.key]);
}

#[test]
fn budgets_apply_to_live_sessions_and_to_those_they_paused() {
    let by_budget = |mut row: SessionRow| {
        row = paused(row);
        row.hold.pause.as_mut().unwrap().budget = Some(BudgetScope::ProjectDay);
        row
    };
    for (row, wanted) in [
        (with(1, Status::Running), true),
        (with(1, Status::Idle), true),
        (with(1, Status::Waiting), true),
        (paused(with(1, Status::Paused)), true),
        (with(1, Status::Spawning), false),
        (with(1, Status::SetupFailed), false),
        (with(1, Status::Queued), false),
        (with(1, Status::Exited), false),
        (paused(with(1, Status::Exited)), false),
        (by_budget(with(1, Status::Exited)), true),
        (by_budget(with(1, Status::Spawning)), true),
    ] {
        assert_eq!(is_held(&row), wanted, "{:?} {:?}", row.status, row.hold.pause);
    }
}

#[test]
fn a_day_is_over_while_one_session_of_the_project_is_paused_by_its_budget() {
    let other = ProjectId::parse("p000000000002").unwrap();
    for (budget, wanted) in [
        (None, false),
        (Some(BudgetScope::Session), false),
        (Some(BudgetScope::Subtree), false),
        (Some(BudgetScope::ProjectDay), true),
    ] {
        let mut row = paused(session(1));
        row.hold.pause.as_mut().unwrap().budget = budget;
        let state = state([row, session(2)]);
        assert_eq!(day_is_over(&state, &project().id), wanted, "{budget:?}");
        assert!(!day_is_over(&state, &other), "another project's");
    }
    assert!(!day_is_over(&state([session(1)]), &project().id));
}

#[test]
fn a_session_and_its_existing_ancestors_are_above_it() {
    let second = worker(2, &session(1));
    let third = worker(3, &second);
    for (fleet, wanted) in [
        (vec![session(1), second.clone()], vec![3, 2, 1]),
        (vec![session(1)], vec![3]),
        (vec![second], vec![3, 2]),
    ] {
        let state = state(fleet);
        let found: Vec<_> = above(&state, &third).map(|row| row.id.clone()).collect();
        assert_eq!(found, wanted.into_iter().map(id).collect::<Vec<_>>());
    }
}

#[test]
fn a_session_leads_if_it_conducts_or_has_workers() {
    let lead = SessionRow {
        role: Role::Conductor,
        ..session(3)
    };
    let mut state = state([session(1), worker(2, &session(1)), lead, session(4)]);
    state.at_rest = Arc::new([(id(4), 1)].into());
    let children = Children::of(&state);
    for (number, wanted) in [(1, true), (2, false), (3, true), (4, true)] {
        let row = &state.sessions[&id(number)];
        assert_eq!(leads(&children, row), wanted, "{number}");
    }
}
