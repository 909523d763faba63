//! Reports how much of each budget is used.

use crate::decide::budgets;
use crate::decide::budgets::{Line, Whose};
use crate::host::config::Budgets;
use crate::reactors::hold_to_budgets::Books;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::find::Children;
use crate::state::known::State;
use crate::state::usage::{Used, priced};
use downbeat_agents::SHELL;
use downbeat_model::budget::Standing;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::session::Session;
use downbeat_wire::usage::{BudgetScope, BudgetState, Usage};
use downbeat_wire::{ApiError, Caller};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the exceeded budgets that a person overrides by resuming this session, and the sessions below it
/// that exceed another budget.
pub async fn passed(engine: &Engine, row: &SessionRow) -> Result<(Vec<String>, Vec<SessionId>), ApiError> {
    let state = engine.ledger.state();
    let Some(books) = Books::open(engine, &state, &row.project_id).await? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let over = |row: &SessionRow| -> Vec<String> {
        let lines = books.lines(row).into_iter();
        let over = lines.filter(|line| line.standing == Standing::Over);
        over.map(|line| line.key).collect()
    };
    let past = over(row);
    let stays = |row: &Arc<SessionRow>| {
        let before = &row.hold.past;
        over(row)
            .iter()
            .any(|key| !past.contains(key) && !before.contains(key))
    };
    let below = find::below(&state, &row.id).into_iter().filter(stays);
    let stay = below.map(|row| row.id.clone()).collect();
    Ok((past, stay))
}

/// Sets `budgets` in each session: its own budget and, for a conductor, the budget of its workers.
pub fn fill(engine: &Engine, state: &State, used: &Used, sessions: &mut [Session]) {
    let (prices, _) = engine.prices.get();
    let day = Timestamp::now().to_zoned(TimeZone::system()).date();
    let mut by_project: BTreeMap<ProjectId, Budgets> = BTreeMap::new();
    let children = Children::of(state);
    for session in sessions {
        let budgets = by_project
            .entry(session.project_id.clone())
            .or_insert_with(|| crate::state::budgets::of_project(engine, state, &session.project_id));
        let Some(row) = state.sessions.get(&session.id).filter(|row| row.agent != SHELL) else {
            continue;
        };
        let own = (BudgetScope::Session, budgets.session, used.of(&row.id));
        let tree = budgets::leads(&children, row).then(|| {
            (
                BudgetScope::Subtree,
                budgets.subtree,
                used.of_family(&children, &row.id),
            )
        });
        session.budgets = std::iter::once(own)
            .chain(tree)
            .filter(|(_, budget, _)| !budget.is_open())
            .map(|(scope, budget, used)| {
                let used = priced(&prices, &used);
                Line::new(scope, Whose::session(row), budget, used, budgets.warn, day).state(None)
            })
            .collect();
    }
}

/// Returns the budgets of a report: today's for each project, and those of sessions.
pub async fn report(
    engine: &Engine,
    caller: &Caller,
    projects: &[ProjectId],
) -> Result<Vec<BudgetState>, ApiError> {
    if *caller != Caller::Owner {
        return Ok(Vec::new());
    }
    let state = engine.ledger.state();
    let mut all = Vec::new();
    for id in projects {
        let Some(books) = Books::open(engine, &state, id).await? else {
            continue;
        };
        let budget = books.budgets.project_day;
        if !budget.is_open() {
            let used = priced(&books.prices, &books.today);
            let line = Line::new(
                BudgetScope::ProjectDay,
                Whose::project(id),
                budget,
                used,
                books.budgets.warn,
                books.day,
            );
            all.push(line.state(state.projects.get(id).map(|row| row.name.clone())));
        }
        let mut rows: Vec<_> = state
            .sessions
            .values()
            .filter(|row| row.project_id == *id)
            .collect();
        rows.sort_by_key(|row| row.created_at);
        for row in rows
            .into_iter()
            .filter(|row| row.agent != SHELL && row.archived_at.is_none())
        {
            let own = books
                .lines(row)
                .into_iter()
                .filter(|line| line.of.session.as_ref() == Some(&row.id));
            let used = own.filter(|line| line.used != Usage::default());
            all.extend(used.map(|line| line.state(Some(row.title.clone()))));
        }
    }
    Ok(all)
}
