//! Budgets: what sessions, conductors with all below them, and projects in a day may use, which of them a session is near
//! or over, and what the person is told of that. Sums and prices are [`crate::state::usage`]'s, the arithmetic is
//! [`downbeat_model::budget`]'s, and holding to them is [`crate::reactors::hold_to_budgets`]'s.

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

/// Whose a budget is: a session's, that of one above all that count, or a project's.
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

/// One budget, held against what was used of it.
pub(crate) struct Line {
    pub(crate) scope: BudgetScope,
    pub(crate) of: Whose,
    pub(crate) budget: Budget,
    pub(crate) used: Usage,
    pub(crate) standing: Standing,
    /// Tells this budget from any other, also from the same once it was changed, or on another day.
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

    /// Whether a key is this budget's of before: of another day, or before it was changed.
    fn is_older(&self, key: &str) -> bool {
        key != self.key && key.starts_with(&format!("{:?} {} ", self.scope, self.of.id))
    }

    /// `$4.02 of $5.00`; `at least` where the price of a model is not known.
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
            BudgetScope::Subtree => format!("the budget of {} and all below it", self.of.name),
            BudgetScope::ProjectDay => "its project's budget of today".to_owned(),
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

/// A session and all above it.
pub(crate) fn above<'a>(state: &'a State, row: &'a SessionRow) -> impl Iterator<Item = &'a SessionRow> {
    std::iter::successors(Some(row), |row| {
        row.parent
            .as_ref()
            .and_then(|id| state.sessions.get(id))
            .map(Arc::as_ref)
    })
}

/// Whether there is, or is to be, something below a session.
pub(crate) fn leads(children: &Children<'_>, row: &SessionRow) -> bool {
    row.role == Role::Conductor || children.count(&row.id) > 0
}

/// Whether budgets are held against a session now: one that starts has nothing to interrupt yet, and
/// one that ended only while it stands for the pause of its project.
pub(crate) fn is_held(row: &SessionRow) -> bool {
    let starts = matches!(row.status, Status::Spawning | Status::SetupFailed);
    row.is_paused_by_budget() || (row.status.is_live() && !starts)
}

/// The budget that a session is over and may not pass: of several the one that holds most back, which
/// come last.
pub(crate) fn over<'a>(lines: &'a [Line], held: &Hold) -> Option<&'a Line> {
    lines
        .iter()
        .rfind(|line| line.standing == Standing::Over && !held.past.contains(&line.key))
}

/// Whether the person was not told yet that a budget is near its end.
pub(crate) fn is_news(state: &State, line: &Line) -> bool {
    let told = |row: &Arc<SessionRow>| row.hold.warned.contains(&line.key);
    let is_told = state.warned.contains(&line.key) || state.sessions.values().any(told);
    line.standing != Standing::Within && !is_told
}

/// Tells of a budget that is near its end, or over: where it is a session's, of that one.
pub(crate) fn warn(draft: &mut Draft, id: &SessionId, line: &Line) -> Result<(), ApiError> {
    let of = line
        .of
        .session
        .clone()
        .filter(|of| draft.state().sessions.contains_key(of));
    let of = of.unwrap_or_else(|| id.clone());
    let hold = &mut draft.session(&of)?.hold;
    // Another day's, or those of another sum, are never asked for again.
    hold.warned.retain(|key| !line.is_older(key));
    hold.warned.push(line.key.clone());
    let payload = json!({ "budget": line.scope, "used": line.says() });
    draft.session_event(&of, EventKind::BudgetWarned, payload);
    if line.standing == Standing::Near {
        notices::tell(draft, &of, NoticeKind::NeedsLook, format!("used {}", line.says()))?;
    }
    Ok(())
}

/// Whether the budget of today holds a project's sessions back: one of them is paused by it.
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
