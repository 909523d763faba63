//! What a report shows of budgets: how each stands. Holds nothing.

use super::{Books, Line, Whose};
use crate::cost::priced;
use crate::engine::Engine;
use downbeat_agents::SHELL;
use downbeat_model::ProjectId;
use downbeat_wire::usage::{BudgetScope, BudgetState, Usage};
use downbeat_wire::{ApiError, Caller};

/// The budgets that a report shows: of the projects today, and of sessions.
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
