//! `downbeat plan merge`: puts the work of a plan into the merge queue, each worker's after what it needs.

use crate::client::Client;
use crate::failure::Failure;
use crate::outcome::{DONE, Outcome, print};
use crate::paint::plain;
use downbeat_model::session::MergeStrategy;
use downbeat_plans::ShareState;
use downbeat_wire::Client as _;
use downbeat_wire::merge::MergeSession;
use downbeat_wire::plan::{Plan, PlanRef, PlanWorker};
use std::collections::HashSet;

/// Merges the work of all workers that are done.
pub(super) async fn run(client: &Client, plan: String, strategy: Option<MergeStrategy>) -> Outcome {
    let plan = client.plan_status(PlanRef { id: plan }).await?;
    let (mut text, mut refused) = (String::new(), Vec::new());
    for worker in in_order(&plan) {
        let Some(session) = worker
            .session_id
            .as_ref()
            .filter(|_| worker.state == ShareState::Done)
        else {
            continue;
        };
        let request = MergeSession {
            id: session.to_string(),
            strategy,
            unchecked: None,
            priority: None,
            local: None,
            number: None,
            head: None,
            delete_branch: None,
            when_ready: None,
            any_order: None,
        };
        match client.merge_session(request).await {
            Ok(session) => text.push_str(&format!(
                "the merge of {} was requested: {}\n",
                plain(&session.name),
                plain(&worker.name)
            )),
            Err(error) => refused.push(format!("{}: {}", plain(&worker.name), Failure::from(error))),
        }
    }
    if text.is_empty() && refused.is_empty() {
        return Err(Failure::new("no worker of this plan is done with a session")
            .hint("`downbeat plan show` says how far each is"));
    }
    print(&text)?;
    match refused.is_empty() {
        true => DONE,
        false => Err(Failure::new(format!("not requested:\n{}", refused.join("\n")))),
    }
}

/// Returns the workers of a plan, each after those that it needs.
fn in_order(plan: &Plan) -> Vec<&PlanWorker> {
    let (mut left, mut order): (Vec<&PlanWorker>, Vec<&PlanWorker>) =
        (plan.workers.iter().collect(), Vec::new());
    let mut seen: HashSet<&str> = HashSet::new();
    while !left.is_empty() {
        let known: HashSet<&str> = plan.workers.iter().map(|worker| worker.name.as_str()).collect();
        let (ready, waiting): (Vec<_>, Vec<_>) = left.into_iter().partition(|worker| {
            let mut needs = worker.needs.iter().map(String::as_str);
            needs.all(|need| seen.contains(need) || !known.contains(need))
        });
        seen.extend(ready.iter().map(|worker| worker.name.as_str()));
        // What needs each other cannot be; it would come in the order of the plan.
        let is_stuck = ready.is_empty();
        order.extend(ready);
        if is_stuck {
            order.extend(waiting);
            break;
        }
        left = waiting;
    }
    order
}
