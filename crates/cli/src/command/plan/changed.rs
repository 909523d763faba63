//! Changes of plans, as requests.

use downbeat_wire::plan::{ChangePlan, PlanChange};

/// Returns a change of a plan that names nothing in it.
pub(super) fn changed(id: String, change: PlanChange) -> ChangePlan {
    ChangePlan {
        id,
        change,
        worker: None,
        tasks: None,
        task: None,
        branch: None,
        folder: None,
        title: None,
        description: None,
        agent: None,
        project: None,
        needs: None,
        checks: None,
        skills: None,
        priority: None,
        stop: None,
        at_once: None,
        budget: None,
        minutes: None,
    }
}
