//! What is changed in a plan.

use crate::api::plans::absent::Absent;
use crate::api::plans::edit::{MOST_NAMED, no_task};
use crate::api::plans::propose::limits;
use crate::api::plans::shown::{answer_of, found};
use crate::api::plans::{domains, edit, edit_plan, project, results};
use crate::decide::{access, plan_access, plan_projects, plans};
use crate::effects::plans::{by_hand, folders, reading};
use crate::facts::commits;
use crate::state::context::Engine;
use downbeat_model::Workspace;
use downbeat_plans::{More, Plan as TaskPlan, PlanRecord, PlanState, Problem, ShareState};
use downbeat_wire::plan::{ChangePlan, Plan, PlanChange};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;

/// Changes a plan.
///
/// # Errors
/// Fails if the change does not fit the plan's state.
pub async fn change(engine: &Engine, caller: &Caller, request: &ChangePlan) -> Result<Plan, ApiError> {
    let known = found(engine, caller, &request.id)?;
    let id = known.id.clone();
    may_ask(engine, caller, request)?;
    if request.change == PlanChange::Resume && known.started_at.is_none() && known.is_over_several() {
        folders::refuse_unusable(engine, &known.projects()).await?;
    }
    let (state, in_project) = (engine.ledger.state(), project::wanted(engine, &known, request)?);
    let more = match request.change {
        PlanChange::Add => Some(may_add(engine, caller, request).await?),
        _ => None,
    };
    let by_hand = match request.change {
        PlanChange::Done => work_by_hand(engine, caller, request).await?,
        _ => None,
    };
    let folder = match request.change {
        PlanChange::Results => Some(results::folder(engine, caller, request).await?),
        _ => None,
    };
    let absent = match &request.agent {
        Some(_) => Some(Absent::look(engine, &*engine.project(&known.project)?).await?),
        None => None,
    };
    let resumes = request.change == PlanChange::Resume;
    let conductor: Vec<_> = known.conductor.clone().filter(|_| resumes).into_iter().collect();
    let _held = engine.recall(&conductor).await?;
    let written = engine.ledger.write(|draft| {
        let conducted = plan_access::conducted(draft.state(), &id);
        plans::change(draft, &id, |plan, now| {
            if plan.state.is_over() {
                return Err(over(plan));
            }
            if !matches!(
                request.change,
                PlanChange::Pause | PlanChange::Cancel | PlanChange::Resume
            ) {
                plan_access::may_change(caller, plan)?;
            }
            match request.change {
                PlanChange::Pause if plan.state == PlanState::Proposed => return Err(not_run(plan)),
                PlanChange::Pause => {
                    plan.state = PlanState::Paused;
                    plan.paused_by_person |= *caller == Caller::Owner;
                }
                PlanChange::Resume => {
                    conducted.may_go_on(caller, plan)?;
                    if plan.state == PlanState::Proposed {
                        return Err(not_run(plan));
                    }
                    resume(plan, request, now)?;
                }
                PlanChange::Cancel => plan.cancel(now),
                PlanChange::Retry | PlanChange::Skip => one(plan, request, now)?,
                PlanChange::Done => done(plan, request, by_hand.as_ref(), now)?,
                PlanChange::Results => {
                    if let Some((path, there)) = folder {
                        plan.count_results(&path, there);
                    }
                }
                PlanChange::Prioritize => prioritize(plan, request)?,
                PlanChange::Edit if request.task.is_none() => edit_plan::edit(plan, request)?,
                PlanChange::Edit => edit::task(plan, request, in_project, now)?,
                PlanChange::Add => more.map_or(Ok(()), |more| add(plan, more))?,
            }
            plan_projects::name(&state, plan);
            if let Some(absent) = absent.as_ref().filter(|_| plan.started_at.is_none()) {
                absent.note(plan);
            }
            Ok(())
        })?;
        Ok(answer_of(draft, &id))
    });
    written.await?.ok_or_else(|| ApiError::not_found("plan", &id))
}

/// Checks that a caller may ask for the agent and the limits that a request names.
fn may_ask(engine: &Engine, caller: &Caller, request: &ChangePlan) -> Result<(), ApiError> {
    if let Some(agent) = request.agent.as_deref().filter(|agent| !agent.is_empty()) {
        engine.agent(agent)?;
        access::may_spawn(caller, &engine.known_agents(), (agent, Workspace::Worktree))?;
    }
    if request.change == PlanChange::Prioritize || request.priority.is_some() {
        plan_access::may_prioritize(caller)?;
    }
    if *caller != Caller::Owner && request.change == PlanChange::Edit && request.task.is_none() {
        let what = "task: only the person changes a plan itself";
        return Err(ApiError::new(Code::Forbidden, what).hint("name the task that is changed"));
    }
    if *caller != Caller::Owner && (request.budget.is_some() || request.minutes.is_some()) {
        let what = "only the person changes how much a plan may use";
        return Err(ApiError::new(Code::Forbidden, what).hint("ask the person"));
    }
    Ok(())
}

fn resume(plan: &mut PlanRecord, request: &ChangePlan, now: Timestamp) -> Result<(), ApiError> {
    let (budget, minutes) = limits(request.budget, request.minutes)?;
    if request.budget.is_some() {
        plan.budget = budget;
    }
    if request.minutes.is_some() {
        plan.minutes = minutes;
    }
    let_go(plan, now)
}

/// Lets a plan go on, unless a limit of it is used up. Does nothing if it runs.
pub(crate) fn let_go(plan: &mut PlanRecord, now: Timestamp) -> Result<(), ApiError> {
    if plan.state == PlanState::Running {
        return Ok(());
    }
    if let Some(why) = plan.used_up(now) {
        let hint = "resume it with a larger budget, or with more minutes";
        return Err(ApiError::new(Code::Conflict, why).hint(hint));
    }
    plans::let_go(plan, now);
    Ok(())
}

/// Returns the place of the worker that a request names, itself or by one of its tasks.
fn place(plan: &PlanRecord, request: &ChangePlan) -> Result<usize, ApiError> {
    let names = || plan.shares.iter().map(|one| one.share.name.as_str());
    let hint = || {
        let known: Vec<&str> = names().take(MOST_NAMED).collect();
        format!("the workers of the plan are: {}", known.join(", "))
    };
    match (&request.worker, &request.task) {
        (Some(name), _) => {
            let found = names().position(|own| own == name);
            found.ok_or_else(|| ApiError::not_found("worker", name).hint(hint()))
        }
        (None, Some(task)) => {
            let id = plan.task_named(task);
            id.and_then(|id| plan.place_of(id))
                .ok_or_else(|| no_task(plan, task))
        }
        (None, None) => Err(ApiError::invalid("worker: name the worker that is meant").hint(hint())),
    }
}

/// Retries or skips the tasks of one worker.
fn one(plan: &mut PlanRecord, request: &ChangePlan, now: Timestamp) -> Result<(), ApiError> {
    let place = place(plan, request)?;
    let Some(one) = plan.shares.get(place) else {
        return Ok(());
    };
    let name = &one.share.name;
    match (request.change, one.state) {
        (PlanChange::Skip, ShareState::Waiting | ShareState::Running | ShareState::Failed) => {
            plan.skip(place, now);
        }
        (PlanChange::Retry, ShareState::Failed | ShareState::Skipped) => retry(plan, place, request, now),
        (PlanChange::Retry, ShareState::Running) if one.is_stuck || request.stop == Some(true) => {
            retry(plan, place, request, now);
        }
        (PlanChange::Retry, ShareState::Running) => {
            let what = format!("{name} is at work: only what failed, was skipped or is stuck is retried");
            let hint = "retry it with `stop` (`--stop`) to stop its worker and start a new one";
            return Err(ApiError::new(Code::Conflict, what).hint(hint));
        }
        (PlanChange::Retry, _) => {
            let what = format!("{name} did not fail: only what failed, was skipped or is stuck is retried");
            return Err(ApiError::new(Code::Conflict, what));
        }
        _ => {
            let what = format!("{name} is done or skipped already");
            return Err(ApiError::new(Code::Conflict, what));
        }
    }
    Ok(())
}

/// Lets the tasks of a worker start again, with the agent that the request names.
fn retry(plan: &mut PlanRecord, place: usize, request: &ChangePlan, now: Timestamp) {
    if let Some(agent) = &request.agent {
        edit::give(plan, place, agent);
    }
    plan.retry(place, now);
}

/// Work that the person did in place of a worker.
struct ByHand {
    /// The place of the worker.
    place: usize,
    /// The plan as it was when the work was looked at.
    looked: PlanRecord,
    /// The commit, which has the work that the worker's tasks needed then.
    commit: String,
}

/// Returns the work that the person did in place of a worker; nothing if no branch is named.
async fn work_by_hand(
    engine: &Engine,
    caller: &Caller,
    request: &ChangePlan,
) -> Result<Option<ByHand>, ApiError> {
    if *caller != Caller::Owner {
        let what = "only the person says that a task is done without its worker";
        return Err(ApiError::new(Code::Forbidden, what).hint("retry the task, or ask the person"));
    }
    let plan = found(engine, caller, &request.id)?;
    let place = place(&plan, request)?;
    let branch = match request.branch.as_deref().map(str::trim) {
        None => {
            if !plan.state.is_over() {
                refuse_commits(engine, &plan, place).await?;
            }
            return Ok(None);
        }
        Some("") => return Ok(None),
        Some(branch) => branch,
    };
    let project = engine.project(plan.project_of(place))?;
    let commit = by_hand::commit(&project, &plan, place, branch).await?;
    Ok(Some(ByHand {
        place,
        looked: plan,
        commit,
    }))
}

/// Refuses to leave out commits of a worker that nobody may have thought of.
async fn refuse_commits(engine: &Engine, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    let session = plan.shares.get(place).and_then(|one| one.session.clone());
    let session: Vec<_> = session.into_iter().collect();
    let _held = engine.recall(&session).await?;
    let Some(row) = session.first().and_then(|id| engine.ledger.session(id)) else {
        return Ok(());
    };
    let (head, base) = (commits::head(engine, &row).await, row.base.as_ref());
    match (&row.branch, head) {
        (Some(branch), Some(head)) if base.is_some_and(|base| base.commit != head) => {
            let what = format!("branch: {branch} has commits of this worker");
            let way = format!("name {branch} to take them, or an empty branch to leave them out");
            Err(ApiError::new(Code::Conflict, what).hint(way))
        }
        _ => Ok(()),
    }
}

/// Changes the priority of a plan.
fn prioritize(plan: &mut PlanRecord, request: &ChangePlan) -> Result<(), ApiError> {
    let missing = || ApiError::invalid("priority is missing").hint("low, normal, high or urgent");
    plan.priority = request.priority.ok_or_else(missing)?;
    Ok(())
}

/// Takes the tasks of a worker as done, with a commit if what they need is as it was when that was looked at.
fn done(
    plan: &mut PlanRecord,
    request: &ChangePlan,
    by_hand: Option<&ByHand>,
    now: Timestamp,
) -> Result<(), ApiError> {
    let place = place(plan, request)?;
    let needs = |plan: &PlanRecord| {
        let tips = plan.tips(place).into_iter();
        let tips = tips.map(|(name, tip)| (name.to_owned(), tip.to_owned()));
        let open = plan.open_needs(place).into_iter().map(str::to_owned);
        (tips.collect::<Vec<_>>(), open.collect::<Vec<_>>())
    };
    let is_other = |work: &ByHand| {
        work.place != place
            || work.looked.project_of(place) != plan.project_of(place)
            || needs(plan) != needs(&work.looked)
    };
    if by_hand.is_some_and(is_other) {
        let what = "what these tasks need was done or changed meanwhile";
        return Err(
            ApiError::new(Code::Conflict, what).hint("look whether the branch has it, then repeat this")
        );
    }
    let Some(one) = plan.shares.get(place) else {
        return Ok(());
    };
    if one.state == ShareState::Done {
        let what = format!("{} is done already", one.share.name);
        return Err(ApiError::new(Code::Conflict, what));
    }
    plan.done_by_hand(place, by_hand.map(|work| work.commit.clone()), now);
    Ok(())
}

/// Adds tasks to a plan, unless others were added since they were read.
fn add(plan: &mut PlanRecord, more: More) -> Result<(), ApiError> {
    let added = plan.extend(more);
    added.map_err(|problem| ApiError::new(Code::Conflict, format!("tasks: {problem}")))
}

/// Reads the tasks that are to be added to a plan, and checks that a caller may have workers with them. They are read before the
/// state is changed, which nobody else can do meanwhile.
async fn may_add(engine: &Engine, caller: &Caller, request: &ChangePlan) -> Result<More, ApiError> {
    let plan = found(engine, caller, &request.id)?;
    let project = engine.project(&plan.project)?;
    let domains = domains::of(engine, &project).await?;
    let (title, form) = (plan.plan.title.clone(), plan.plan.form);
    let text = request.tasks.clone().unwrap_or_default();
    let own = plan.clone();
    let read = reading::read(&project, move || own.read_more(&text, &domains)).await?;
    let mut more = read.map_err(|problem: Problem| ApiError::invalid(format!("tasks: {problem}")))?;
    project::of_more(engine, &plan, &mut more)?;
    domains::apply(engine, &project, plan.agent.as_deref(), more.tasks_mut()).await?;
    let named: Vec<_> = more
        .tasks()
        .iter()
        .filter_map(|task| task.project_id.as_ref())
        .collect();
    folders::refuse_unusable(engine, &named).await?;
    let tasks = more.tasks().to_vec();
    let added = TaskPlan { title, form, tasks };
    for agent in added.tasks.iter().filter_map(|task| task.agent.as_deref()) {
        engine.agent(agent)?;
    }
    let may = (caller, &engine.known_agents(), engine.limits().max_depth);
    plan_access::may_propose(&engine.ledger.state(), may, &added, None)?;
    Ok(more)
}

fn not_run(plan: &PlanRecord) -> ApiError {
    let hint = format!("`downbeat plan run {}` runs it", plan.id);
    ApiError::new(Code::Conflict, "the plan was not run yet").hint(hint)
}

/// Returns the refusal of a change to a plan that is over.
pub(crate) fn over(plan: &PlanRecord) -> ApiError {
    let what = match plan.state {
        PlanState::Cancelled => "the plan was cancelled",
        _ => "the plan is complete",
    };
    ApiError::new(Code::Conflict, what).hint("propose a new one")
}
