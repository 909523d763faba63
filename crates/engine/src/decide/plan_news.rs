//! Tells the conductor of a plan that the plan does not go on alone: an agent that waits for its workers hears nothing of a task that
//! no worker could begin, or whose checks failed after the worker's last turn.

use crate::decide::{checks, mailbox};
use crate::session::lines;
use crate::state::draft::Draft;
use downbeat_model::message::{Sender, When};
use downbeat_plans::PlanRecord;

/// Queues a message for the session that conducts a plan, unless it is not live, or was only to make the plan.
pub fn tell_conductor(draft: &mut Draft, plan: &PlanRecord, text: &str) {
    let Some(id) = plan.conductor.as_ref().filter(|_| !plan.person_runs) else {
        return;
    };
    let takes_text = draft
        .state()
        .sessions
        .get(id)
        .is_some_and(|row| checks::takes_text(row));
    if !takes_text {
        return;
    }
    let new = mailbox::New {
        text: format!(
            "Plan update (automatic, from Downbeat): plan {} does not go on alone. update_task retries, edits or skips a task.\n{}",
            plan.id,
            lines::set_in(text.trim_end())
        ),
        sender: Sender::Downbeat,
        when: When::WhenReady,
        is_task: false,
    };
    // With a full queue the person is told all the same, and plan_status says it.
    if let Err(error) = mailbox::enqueue(draft, id, new) {
        tracing::warn!(plan = %plan.id, "its conductor is not told: {}", error.message);
    }
}
