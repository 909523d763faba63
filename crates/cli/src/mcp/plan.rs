//! The tools of conductors for plans: their descriptions for the agent, and their requests to the engine.

use super::answer::{Answer, inside};
use super::bridge::Bridge;
use super::tool::{Outcome, act, look, read, tool};
use downbeat_plans::{PlanState, Split};
use downbeat_wire::Client as _;
use downbeat_wire::plan::{ChangePlan, ListPlans, Plan, PlanChange, PlanRef, PlanWorker, ProposePlan};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The largest number of workers, and of tasks of one, that a tool shows.
const MOST_SHOWN: usize = 60;

/// The arguments of `propose_plan`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Propose {
    /// The tasks: one on each line, or separated by commas; `frontend: Build login page | backend: Create API` names domains;
    /// `Create API (id: api) (depends_on: db)` names what has to be done before. A worker knows nothing of your conversation:
    /// each task has to stand alone.
    tasks: String,
    /// Whether `tasks` is the content of a file: a Markdown checklist, `tasks.md` of spec-kit or OpenSpec, `tasks.json` of
    /// Taskmaster, or a JSON list of `title`, `description`, `dependencies`, `agent`, `domain`, `checks`. Default no.
    file: Option<bool>,
    /// How each task is done: `review` (then a second worker reviews it), `red-green` (failing tests first), `compare` (twice, by
    /// two approaches), `divide` (then one worker puts all parts together), or a template of the person's. Default: as it is.
    template: Option<String>,
    /// Keywords that tell the domain of a task, by the name of the domain, which may be new: `{"graphics": ["shader"]}`.
    domains: Option<BTreeMap<String, Vec<String>>>,
    /// `domain`: one worker for the tasks of a domain that need nothing (default). `task`: one worker for each task.
    split: Option<Split>,
    /// The agent of the workers, by id; default the same kind as usual.
    agent: Option<String>,
    /// The most workers at once; default 6.
    at_once: Option<u32>,
    /// Whether the workers may have workers of their own, above the deepest level; default no.
    conductors: Option<bool>,
    /// How long the plan may take before nothing further starts, in minutes; default no limit.
    minutes: Option<u32>,
}

/// The arguments of `run_plan`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Run {
    /// The id of the plan, as propose_plan returned it.
    plan: String,
}

/// The arguments of `plan_status`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    /// The id of the plan; default all of yours.
    plan: Option<String>,
}

/// The arguments of `update_task`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Update {
    /// The id of the plan.
    plan: String,
    /// `retry`: the worker of a failed, skipped or stuck task is replaced by a new one; with `stop`, also one that is at work. `skip`: the plan goes on without the task and
    /// the others of its worker. `edit`: another title, description, agent, needs, checks or skills for a task that nobody has begun. `add`: further
    /// tasks, which get workers of their own. `pause`, `resume` and `cancel` are about the whole plan.
    change: PlanChange,
    /// With add: the tasks, written as for propose_plan. They may depend on existing tasks.
    tasks: Option<String>,
    /// The id of the task; needed for retry, skip and edit.
    task: Option<String>,
    /// With edit: the new title, one line.
    title: Option<String>,
    /// With edit: the new description.
    description: Option<String>,
    /// With edit or retry: the agent of its worker.
    agent: Option<String>,
    /// With retry: whether a worker that is at work is stopped, and replaced by a new one.
    stop: Option<bool>,
    /// With edit: the ids of the tasks that have to be done before it.
    needs: Option<Vec<String>>,
    /// With edit: how it is recognised that it is done.
    checks: Option<Vec<String>>,
    /// With edit: the skills that its agent is to use.
    skills: Option<Vec<String>>,
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<Propose>(
            "propose_plan",
            "Reads tasks with what they need as a plan, and shows who would do what, in which order. Nothing runs. Use it \
             instead of several spawn_worker calls if tasks depend on each other, or for three or more tasks in two or more domains; \
             then call run_plan.",
        )
        .with_annotations(act()),
        tool::<Run>(
            "run_plan",
            "Runs a plan: tasks that need nothing start at once; each other one starts by itself when what it needs is done and \
             committed, on a branch that begins with that work. Its workers are your workers. Follow it with wait_for_workers and plan_status.",
        )
        .with_annotations(act()),
        tool::<Which>(
            "plan_status",
            "Shows how far your plans are: each task with its state, its worker, and what it waits for or why it failed.",
        )
        .with_annotations(look()),
        tool::<Update>(
            "update_task",
            "Changes a plan of yours: retries, skips or edits a task, adds tasks, or pauses, resumes or cancels the whole plan. The worker of a \
             task that is retried or skipped is stopped; its branch and worktree stay.",
        )
        .with_annotations(act()),
    ]
}

pub(super) async fn propose(bridge: &Bridge, arguments: Value) -> Outcome {
    let wanted: Propose = read(arguments)?;
    let request = ProposePlan {
        text: wanted.tasks,
        file: wanted.file,
        template: wanted.template,
        domains: wanted.domains,
        split: wanted.split,
        agent: wanted.agent,
        at_once: wanted.at_once,
        conductors: wanted.conductors,
        minutes: wanted.minutes,
        ..ProposePlan::default()
    };
    let plan = bridge.propose_plan(request).await?;
    let text = text(&plan);
    let next = match plan.person_runs {
        true => "The person was told, looks at it and runs it. You are done: end your turn.".to_owned(),
        false => format!("Next: call run_plan with {}, or propose another one.", plan.id),
    };
    Ok(Answer::new(text + &next))
}

pub(super) async fn run(bridge: &Bridge, arguments: Value) -> Outcome {
    let Run { plan } = read(arguments)?;
    let plan = bridge.run_plan(PlanRef { id: plan }).await?;
    let text = text(&plan);
    Ok(Answer::new(format!(
        "{text}Next: call wait_for_workers, then plan_status."
    )))
}

pub(super) async fn status(bridge: &Bridge, arguments: Value) -> Outcome {
    let Which { plan } = read(arguments)?;
    let Some(id) = plan else {
        let all = bridge.list_plans(ListPlans::default()).await?;
        return Ok(match all.is_empty() {
            true => Answer::new("You have no plan. propose_plan makes one."),
            false => Answer::new(all.iter().map(text).collect::<Vec<_>>().join("\n")),
        });
    };
    Ok(Answer::new(text(&bridge.plan_status(PlanRef { id }).await?)))
}

pub(super) async fn update(bridge: &Bridge, arguments: Value) -> Outcome {
    let wanted: Update = read(arguments)?;
    let request = ChangePlan {
        id: wanted.plan,
        change: wanted.change,
        worker: None,
        stop: wanted.stop,
        at_once: None,
        tasks: wanted.tasks,
        task: wanted.task,
        branch: None,
        folder: None,
        title: wanted.title,
        description: wanted.description,
        agent: wanted.agent,
        project: None,
        needs: wanted.needs,
        checks: wanted.checks,
        skills: wanted.skills,
        priority: None,
        budget: None,
        minutes: None,
    };
    Ok(Answer::new(text(&bridge.change_plan(request).await?)))
}

/// Describes a plan with its workers.
fn text(plan: &Plan) -> String {
    let state = match plan.state {
        PlanState::Proposed => "proposed, nothing runs",
        PlanState::Running => "running",
        PlanState::Paused => "paused",
        PlanState::Complete => "complete",
        PlanState::Cancelled => "cancelled",
    };
    let mut text = format!("Plan {} ({state}): {}\n", plan.id, inside(&plan.title));
    if let Some(why) = &plan.why {
        text.push_str(&format!("It is paused: {}\n", inside(why)));
    }
    for one in plan.workers.iter().take(MOST_SHOWN) {
        text.push_str(&worker(plan, one));
    }
    if let Some(more) = plan
        .workers
        .len()
        .checked_sub(MOST_SHOWN)
        .filter(|more| *more > 0)
    {
        text.push_str(&format!("and {more} more workers\n"));
    }
    match plan.state {
        PlanState::Proposed => text.push_str(&format!("{}.\n", inside(&plan.advice))),
        _ => text.push_str(&plan.report),
    }
    for note in plan.warning.iter().chain(&plan.notes) {
        text.push_str(&format!("Note: {}\n", inside(note)));
    }
    text
}

/// Describes a worker with its tasks.
fn worker(plan: &Plan, one: &PlanWorker) -> String {
    let state = one.state.as_str();
    let session = one.session_id.as_ref().map(|id| format!(", session {id}"));
    let branch = one.branch.as_ref().map(|branch| format!(", branch {branch}"));
    let why = one.why.as_ref().map(|why| format!(": {}", inside(why)));
    let about = [session, branch, why].map(Option::unwrap_or_default).concat();
    let mut text = format!("- {} {state}{about}\n", inside(&one.name));
    let tasks = plan.tasks.iter().filter(|task| one.tasks.contains(&task.id));
    for task in tasks.take(MOST_SHOWN) {
        let needs = match task.needs.is_empty() {
            true => String::new(),
            false => format!(", needs {}", task.needs.join(", ")),
        };
        let title = inside(&task.title);
        text.push_str(&format!(
            "  task {}: {title}{}\n",
            inside(&task.id),
            inside(&needs)
        ));
    }
    text
}
