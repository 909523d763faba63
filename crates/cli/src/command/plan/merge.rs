//! `downbeat plan merge`: puts the work of a plan into the merge queue, each worker's after what it needs.

use crate::client::Client;
use crate::failure::Failure;
use crate::outcome::{DONE, Outcome, print};
use crate::paint::plain;
use downbeat_model::SessionId;
use downbeat_model::pull::PullState;
use downbeat_model::session::{MergeOutcome, MergeStrategy};
use downbeat_plans::ShareState;
use downbeat_wire::Client as _;
use downbeat_wire::merge::MergeSession;
use downbeat_wire::plan::{Plan, PlanRef, PlanWorker};
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use std::collections::{HashMap, HashSet};

/// What became of the work of one worker.
enum Made {
    /// It is merged, or will be; with what is said of it.
    Merges(String),
    /// It is not, and neither is the work that needs it.
    Not(String),
}

/// Merges the work of all workers that are done.
pub(super) async fn run(
    client: &Client,
    plan: String,
    (strategy, by_hand_is_merged): (Option<MergeStrategy>, bool),
) -> Outcome {
    let plan = client.plan_status(PlanRef { id: plan }).await?;
    let (mut text, mut left) = (String::new(), Vec::new());
    let stages = stages(&plan);
    let stage = |worker: &PlanWorker| stages.get(worker.name.as_str()).copied().unwrap_or_default();
    let mut not_merged: Vec<&PlanWorker> = Vec::new();
    for worker in in_order(&plan, &stages) {
        let name = plain(&worker.name);
        let need = not_merged
            .iter()
            .find(|other| worker.needs.contains(&other.name) || stage(other) < stage(worker));
        let made = match need {
            Some(need) => Made::Not(format!("it needs the work of {}", plain(&need.name))),
            None if worker.by_hand && by_hand_is_merged => Made::Merges("was done by hand".to_owned()),
            None => merged(client, worker, strategy).await,
        };
        match made {
            Made::Merges(said) => text.push_str(&format!("{name}: {said}\n")),
            Made::Not(why) => {
                not_merged.push(worker);
                left.push(format!("{name}: {why}"));
            }
        }
    }
    print(&text)?;
    match left.is_empty() {
        true => DONE,
        false => Err(Failure::new(format!("not merged:\n{}", left.join("\n")))
            .hint("`downbeat plan show` says how far each worker is")),
    }
}

/// Requests the merge of a worker's commit, unless it landed already.
async fn merged(client: &Client, worker: &PlanWorker, strategy: Option<MergeStrategy>) -> Made {
    match (worker.state, &worker.session_id) {
        (ShareState::Skipped, _) => Made::Merges("was skipped".to_owned()),
        (ShareState::Done, _) if worker.by_hand && worker.commit.is_some() => Made::Not(
            "was done by hand: merge that branch yourself, then repeat this with --by-hand-merged".to_owned(),
        ),
        (ShareState::Done, _) if worker.by_hand => {
            Made::Merges("was done by hand, without a branch".to_owned())
        }
        (ShareState::Done, Some(session)) => match request(client, session, worker, strategy).await {
            Ok(said) => Made::Merges(said),
            Err(failure) => Made::Not(failure.to_string()),
        },
        (ShareState::Done, None) => Made::Merges("has no branch here".to_owned()),
        (state, _) => Made::Not(format!("is {}", state.as_str())),
    }
}

async fn request(
    client: &Client,
    session: &SessionId,
    worker: &PlanWorker,
    strategy: Option<MergeStrategy>,
) -> Result<String, Failure> {
    let id = session.to_string();
    let known = client.get_session(SessionRef { id: id.clone() }).await?;
    if has_landed(&known, worker) {
        return Ok(format!("{} is merged already", plain(&known.name)));
    }
    let request = MergeSession {
        id,
        strategy,
        unchecked: None,
        priority: None,
        local: None,
        number: None,
        // What came after the worker was done is looked at first.
        head: worker.commit.clone(),
        delete_branch: None,
        when_ready: None,
        any_order: None,
    };
    let session = client.merge_session(request).await?;
    Ok(format!("the merge of {} was requested", plain(&session.name)))
}

/// Reports whether the commit of a worker was merged.
fn has_landed(session: &Session, worker: &PlanWorker) -> bool {
    let last = session.merges.as_ref().and_then(|merges| merges.last.as_ref());
    let here = last.is_some_and(|last| {
        let landed = matches!(last.outcome, MergeOutcome::Landed | MergeOutcome::Contained);
        landed && worker.commit.as_ref() == Some(&last.head)
    });
    let is = |state: PullState| session.pulls.iter().any(|pull| pull.state == state);
    here || (is(PullState::Merged) && !is(PullState::Open))
}

/// Returns the number of the stage of each worker, by its name.
fn stages(plan: &Plan) -> HashMap<&str, u32> {
    let tasks: HashMap<&str, u32> = (plan.tasks.iter())
        .map(|task| (task.id.as_str(), task.stage))
        .collect();
    let of = |worker: &PlanWorker| worker.tasks.iter().find_map(|id| tasks.get(id.as_str()).copied());
    let all = plan.workers.iter();
    all.map(|worker| (worker.name.as_str(), of(worker).unwrap_or_default()))
        .collect()
}

/// Returns the workers of a plan by their stages, each after those that it needs.
fn in_order<'a>(plan: &'a Plan, stages: &HashMap<&str, u32>) -> Vec<&'a PlanWorker> {
    let known: HashSet<&str> = plan.workers.iter().map(|worker| worker.name.as_str()).collect();
    let (mut left, mut order): (Vec<&PlanWorker>, Vec<&PlanWorker>) =
        (plan.workers.iter().collect(), Vec::new());
    left.sort_by_key(|worker| stages.get(worker.name.as_str()).copied());
    let mut seen: HashSet<&str> = HashSet::new();
    while !left.is_empty() {
        let (ready, waiting): (Vec<_>, Vec<_>) = left.into_iter().partition(|worker| {
            let mut needs = worker.needs.iter().map(String::as_str);
            needs.all(|need| seen.contains(need) || !known.contains(need))
        });
        seen.extend(ready.iter().map(|worker| worker.name.as_str()));
        // No plan has workers that need each other; they would come in the order of the plan.
        let is_stuck = ready.is_empty();
        order.extend(ready);
        if is_stuck {
            order.extend(waiting);
            break;
        }
        left = waiting;
    }
    // What needs nothing comes in the first round, whatever its stage.
    order.sort_by_key(|worker| stages.get(worker.name.as_str()).copied());
    order
}
