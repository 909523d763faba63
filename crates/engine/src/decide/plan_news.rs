//! Tells the conductor of a plan that the plan does not go on alone: an agent that waits for its workers hears nothing of a task that
//! no worker could begin, or whose checks failed after the worker's last turn.

use crate::decide::{checks, mailbox};
use crate::session::lines;
use crate::state::draft::Draft;
use downbeat_model::message::{Sender, When};
use downbeat_plans::{PlanRecord, PlanState, ShareState};

/// The most messages about one plan until another task is done: an agent that only retries what fails at once would be woken for ever.
const MOST: u32 = 5;

/// Queues a message for the session that conducts a plan, unless it is not live, or was only to make the plan.
pub fn tell_conductor(draft: &mut Draft, plan: &mut PlanRecord) {
    let Some(id) = plan.conductor.clone().filter(|_| !plan.person_runs) else {
        return;
    };
    // Only the person can let a plan go on whose limit is used up.
    if plan.state == PlanState::Paused {
        return;
    }
    let row = draft.state().sessions.get(&id);
    if plan.conductor_told >= MOST || !row.is_some_and(|row| checks::takes_text(row)) {
        return;
    }
    let new = mailbox::New {
        text: format!(
            "Plan update (automatic, from Downbeat): plan {} does not go on alone. update_task retries, edits or skips a task.\n{}",
            plan.id,
            lines::set_in(why(plan).trim_end())
        ),
        sender: Sender::Downbeat,
        when: When::WhenReady,
        is_task: false,
    };
    // With a full queue the person is told all the same, and plan_status says it.
    match mailbox::enqueue(draft, &id, new) {
        Ok(_) => plan.conductor_told += 1,
        Err(error) => tracing::warn!(plan = %plan.id, "its conductor is not told: {}", error.message),
    }
}

/// Says what keeps a plan from going on.
fn why(plan: &PlanRecord) -> String {
    let failed = plan.shares.iter().filter(|one| one.state == ShareState::Failed);
    let failed = failed.map(|one| {
        let why = one.why.as_deref().unwrap_or_default();
        format!("{} failed: {why}\n", one.share.name)
    });
    failed.collect()
}
