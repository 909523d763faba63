//! The order in which queued sessions start: as they were asked for, and workers of plans by the priority of their plan, which
//! counts as in the merge queue.

use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_model::queue::Priority;
use downbeat_plans::PlanState;
use downbeat_store::SessionRow;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The sessions that are workers of plans of another priority than the normal one, in a state.
pub struct Line<'a> {
    by_priority: BTreeMap<&'a SessionId, Priority>,
    state: &'a State,
}

impl<'a> Line<'a> {
    /// Returns the line of a state.
    #[must_use]
    pub fn of(state: &'a State) -> Self {
        let is_over = |state: PlanState| state.is_over();
        let plans = state.plans.values();
        let ranked = plans.filter(|plan| !plan.priority.is_normal() && !is_over(plan.state));
        let workers = ranked.flat_map(|plan| {
            let shares = plan.shares.iter();
            shares.filter_map(|one| Some((one.session.as_ref()?, plan.priority)))
        });
        Self {
            by_priority: workers.collect(),
            state,
        }
    }

    /// Returns the place of a session: the least one starts first. A worker of a plan's worker has the priority of that.
    #[must_use]
    pub fn place<'b>(&self, row: &'b SessionRow) -> (Timestamp, &'b SessionId) {
        let priority = self.priority(row).unwrap_or_default();
        let asked = row.created_at.checked_sub(priority.head_start());
        (asked.unwrap_or(row.created_at), &row.id)
    }

    fn priority(&self, row: &SessionRow) -> Option<Priority> {
        let mut at = Some((&row.id, row.parent.as_ref()));
        while let Some((id, parent)) = at.filter(|_| !self.by_priority.is_empty()) {
            if let Some(priority) = self.by_priority.get(id) {
                return Some(*priority);
            }
            let above = parent.and_then(|id| self.state.sessions.get(id));
            at = above.map(|row| (&row.id, row.parent.as_ref()));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Line;
    use crate::state::example::{at, change_plan, draft, id, planned, session};
    use downbeat_model::queue::Priority;
    use downbeat_plans::PlanState;

    #[test]
    fn workers_of_a_plan_of_high_priority_start_earlier_and_those_of_low_priority_later() {
        const HOUR: i64 = 3_600;
        // The sessions 2 and 3 are workers of the plan; 4 has waited for a day.
        let asked = [10 * HOUR, 10 * HOUR + 1, 10 * HOUR + 2, -14 * HOUR, 12 * HOUR];
        for (priority, state, wanted) in [
            (Priority::Normal, PlanState::Running, [4, 1, 2, 3, 5]),
            (Priority::High, PlanState::Running, [4, 2, 3, 1, 5]),
            (Priority::Low, PlanState::Running, [4, 1, 5, 2, 3]),
            (Priority::Low, PlanState::Cancelled, [4, 1, 2, 3, 5]),
        ] {
            let sessions = [1, 2, 3, 4, 5].map(|number: u32| {
                let mut row = session(number);
                row.created_at = at(asked[number as usize - 1]);
                row
            });
            let mut draft = draft(50, sessions);
            planned(&mut draft, "Make z, Make a, Make b", &[]);
            change_plan(&mut draft, |plan| {
                (plan.priority, plan.state) = (priority, state);
                plan.shares.remove(0);
            });
            let line = Line::of(draft.state());
            let mut rows: Vec<_> = draft.state().sessions.values().collect();
            rows.sort_by_key(|row| line.place(row));
            let order: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
            assert_eq!(order, wanted.map(id), "{priority:?} {state:?}");
        }
    }
}
