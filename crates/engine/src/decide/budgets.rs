//! Budgets: the amounts that sessions, conductors with all their descendants, and projects in a day may use,
//! which of them a session is close to or over, and how the person is notified. [`crate::state::usage`] sums
//! and prices the usage, [`downbeat_model::budget`] has the arithmetic, and
//! [`crate::reactors::hold_to_budgets`] holds sessions to their budgets.

use crate::decide::notices;
use crate::state::draft::Draft;
use crate::state::find::Children;
use crate::state::known::State;
use downbeat_model::budget::{Budget, Spent, Standing};
use downbeat_model::session::Hold;
use downbeat_model::{EventKind, ProjectId, Role, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::usage::{BudgetScope, BudgetState, Usage};
use jiff::civil::Date;
use serde_json::json;
use std::sync::Arc;

/// The owner of a budget: a session, a session whose descendants count too, or a project.
#[derive(Clone)]
pub(crate) struct Whose {
    pub(crate) session: Option<SessionId>,
    pub(crate) id: String,
    pub(crate) name: String,
}

impl Whose {
    pub(crate) fn session(row: &SessionRow) -> Self {
        Self {
            session: Some(row.id.clone()),
            id: row.id.to_string(),
            name: row.name.clone(),
        }
    }

    pub(crate) fn project(id: &ProjectId) -> Self {
        Self {
            session: None,
            id: id.to_string(),
            name: String::new(),
        }
    }
}

/// A budget with the usage that counts against it.
pub(crate) struct Line {
    pub(crate) scope: BudgetScope,
    pub(crate) of: Whose,
    pub(crate) budget: Budget,
    pub(crate) used: Usage,
    pub(crate) standing: Standing,
    /// The key that identifies this budget; it differs once the budget is changed, and on another day.
    pub(crate) key: String,
}

impl Line {
    pub(crate) fn new(
        scope: BudgetScope,
        of: Whose,
        budget: Budget,
        used: Usage,
        warn: u32,
        day: Date,
    ) -> Self {
        let spent = Spent {
            usd: used.cost.unwrap_or(0.0),
            tokens: used.tokens(),
        };
        let day = if scope == BudgetScope::ProjectDay {
            day.to_string()
        } else {
            String::new()
        };
        Self {
            scope,
            key: format!("{scope:?} {} {day} {:?} {:?}", of.id, budget.usd, budget.tokens),
            standing: budget.standing(spent, warn),
            of,
            budget,
            used,
        }
    }

    /// Reports whether `key` is an older key of this budget: of another day, or before it was changed.
    fn is_older(&self, key: &str) -> bool {
        key != self.key && key.starts_with(&format!("{:?} {} ", self.scope, self.of.id))
    }

    /// Returns the usage and the budget in words: `$4.02 of $5.00`; `at least` if the price of a model is
    /// unknown.
    pub(crate) fn says(&self) -> String {
        let mut parts = Vec::new();
        if let Some(usd) = self.budget.usd {
            let least = if self.used.unpriced.is_empty() {
                ""
            } else {
                "at least "
            };
            parts.push(format!(
                "{least}${:.2} of ${usd:.2}",
                self.used.cost.unwrap_or(0.0)
            ));
        }
        if let Some(tokens) = self.budget.tokens {
            parts.push(format!("{} of {tokens} tokens", self.used.tokens()));
        }
        let whose = match self.scope {
            BudgetScope::Session => "its budget".to_owned(),
            BudgetScope::Subtree => format!("the budget of {} and its workers", self.of.name),
            BudgetScope::ProjectDay => "its project's budget for today".to_owned(),
        };
        format!("{} of {whose}", parts.join(", "))
    }

    pub(crate) fn state(&self, name: Option<String>) -> BudgetState {
        let spent = Spent {
            usd: self.used.cost.unwrap_or(0.0),
            tokens: self.used.tokens(),
        };
        BudgetState {
            scope: self.scope,
            session_id: self.of.session.clone(),
            name,
            budget: self.budget,
            used: self.used.clone(),
            share: self.budget.share(spent),
            standing: self.standing,
        }
    }
}

/// Returns a session and all its ancestors.
pub(crate) fn above<'a>(state: &'a State, row: &'a SessionRow) -> impl Iterator<Item = &'a SessionRow> {
    std::iter::successors(Some(row), |row| {
        row.parent
            .as_ref()
            .and_then(|id| state.sessions.get(id))
            .map(Arc::as_ref)
    })
}

/// Reports whether a session has, or is to have, sessions below it.
pub(crate) fn leads(children: &Children<'_>, row: &SessionRow) -> bool {
    row.role == Role::Conductor || children.count(&row.id) > 0
}

/// Reports whether budgets apply to a session now. A starting session has nothing to interrupt yet; an ended
/// one counts only while a budget pauses it.
pub(crate) fn is_held(row: &SessionRow) -> bool {
    let starts = matches!(row.status, Status::Spawning | Status::SetupFailed);
    row.is_paused_by_budget() || (row.status.is_live() && !starts)
}

/// Returns the budget that a session is over and may not exceed: the one that holds most back, if there are
/// several, which is the last.
pub(crate) fn over<'a>(lines: &'a [Line], held: &Hold) -> Option<&'a Line> {
    lines
        .iter()
        .rfind(|line| line.standing == Standing::Over && !held.past.contains(&line.key))
}

/// Reports whether the person has yet to be notified of a budget that is near its end or over.
pub(crate) fn is_news(state: &State, line: &Line) -> bool {
    let told = |row: &Arc<SessionRow>| row.hold.warned.contains(&line.key);
    let is_told = state.warned.contains(&line.key) || state.sessions.values().any(told);
    line.standing != Standing::Within && !is_told
}

/// Notifies the person of a budget that is near its end, or over: with the session that owns it, if one does.
pub(crate) fn warn(draft: &mut Draft, id: &SessionId, line: &Line) -> Result<(), ApiError> {
    let of = line
        .of
        .session
        .clone()
        .filter(|of| draft.state().sessions.contains_key(of));
    let of = of.unwrap_or_else(|| id.clone());
    let hold = &mut draft.session(&of)?.hold;
    // Keys of other days, or of other amounts, are never looked up again.
    hold.warned.retain(|key| !line.is_older(key));
    hold.warned.push(line.key.clone());
    let payload = json!({ "budget": line.scope, "used": line.says() });
    draft.session_event(&of, EventKind::BudgetWarned, payload);
    if line.standing == Standing::Near {
        notices::notify(draft, &of, NoticeKind::NeedsLook, format!("used {}", line.says()))?;
    }
    Ok(())
}

/// Reports whether today's budget holds a project's sessions back: a session of it is paused by that budget.
pub fn day_is_over(state: &State, project: &ProjectId) -> bool {
    let by_day = |row: &Arc<SessionRow>| {
        row.project_id == *project
            && row
                .hold
                .pause
                .as_ref()
                .is_some_and(|pause| pause.budget == Some(BudgetScope::ProjectDay))
    };
    state.sessions.values().any(by_day)
}

#[cfg(test)]
#[path = "budgets_tests.rs"]
mod tests;
