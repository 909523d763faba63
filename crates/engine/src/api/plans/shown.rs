//! A plan as faces show it.

use crate::decide::{plan_access, plan_projects};
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::lines::first_line;
use downbeat_model::session::{MergeOutcome, SessionIssue};
use downbeat_model::{PlanId, Status};
use downbeat_plans::{
    Form, PlanRecord, Schedule, ShareRecord, ShareState, Stands, Task, lopsided, one_line, report, worth,
};
use downbeat_store::SessionRow;
use downbeat_wire::plan::{Plan, PlanProject, PlanWorker};
use downbeat_wire::{ApiError, Caller};
use jiff::Timestamp;
use serde::Serialize;
use std::sync::Arc;

/// The most workers whose merge failed that a report names.
const MOST_NAMED: usize = 20;

/// Returns a plan by its id, if the caller may see it.
///
/// # Errors
/// Fails if there is none.
pub(crate) fn found(engine: &Engine, caller: &Caller, id: &str) -> Result<PlanRecord, ApiError> {
    let state = engine.ledger.state();
    let plan = PlanId::parse(id).and_then(|id| state.plans.get(&id).cloned());
    let plan = plan.filter(|plan| plan_access::is_visible(&state, caller, plan));
    let plan =
        plan.ok_or_else(|| ApiError::not_found("plan", id).hint("`downbeat plan list` shows all plans"))?;
    Ok(PlanRecord::clone(&plan))
}

/// Answers a request with a plan as it is after the request's change.
pub(crate) fn answer_of(draft: &mut Draft, id: &PlanId) -> Option<Plan> {
    let plan = draft.state().plans.get(id).cloned()?;
    let answer = shown(draft.state(), &plan);
    answered(draft, &answer);
    Some(answer)
}

/// Records the answer of a request, for its repeats.
pub(crate) fn answered(draft: &mut Draft, answer: &impl Serialize) {
    draft.effect(Effect::Answer(serde_json::to_value(answer).unwrap_or_default()));
}

/// Returns a plan as faces show it.
pub(crate) fn shown(state: &State, plan: &PlanRecord) -> Plan {
    let tasks = plan.plan.tasks.iter().map(as_read).collect();
    with(state, plan, (tasks, false))
}

/// Returns a plan as lists have it: without the long texts of its tasks, of which a list of many plans would be megabytes.
pub(crate) fn summary(state: &State, plan: &PlanRecord) -> Plan {
    let tasks = plan.plan.tasks.iter().map(in_short).collect();
    with(state, plan, (tasks, true))
}

fn with(state: &State, plan: &PlanRecord, (tasks, is_summary): (Vec<Task>, bool)) -> Plan {
    let made = plan.schedule();
    let now = Timestamp::now();
    let needs = plan.needed_names().into_iter().enumerate();
    let workers = needs.filter_map(|(place, needs)| worker(state, plan, &made, (place, needs), now));
    let workers: Vec<PlanWorker> = workers.collect();
    let report = reported(plan, &workers, now);
    let shares: Vec<_> = plan.shares.iter().map(|one| one.share.clone()).collect();
    let (spent, verdict) = (plan.spent(), worth(&plan.plan));
    Plan {
        id: plan.id.clone(),
        project_id: plan.project.clone(),
        projects: projects(state, plan),
        is_summary,
        title: plan.plan.title.clone(),
        state: plan.state,
        priority: plan.priority,
        conductors: plan.conductors,
        split: plan.split,
        agent: plan.agent.clone(),
        at_once: u32::try_from(plan.at_once).unwrap_or(u32::MAX),
        tasks,
        workers,
        is_worthwhile: verdict.worthwhile,
        advice: verdict.why,
        warning: lopsided(&shares),
        report,
        created_at: plan.created_at,
        started_at: plan.started_at,
        ended_at: plan.ended_at,
        conductor: plan.conductor.clone(),
        tokens: plan.started_at.map(|_| spent.tokens),
        usd: spent.usd,
        budget: plan.budget,
        minutes: plan.minutes,
        why: plan.why.clone(),
        file: ticked_file(plan),
        notes: plan.noted(),
        person_runs: plan.person_runs,
        results: plan.results.as_ref().map(|folder| folder.path.clone()),
    }
}

/// Returns the file in which the tasks of a plan are ticked. The JSON of a planner has nothing to tick.
fn ticked_file(plan: &PlanRecord) -> Option<String> {
    let source = plan.source.as_ref().filter(|_| plan.plan.form != Form::Planner);
    source.map(|source| source.path.clone())
}

/// Returns the projects of a plan over several.
fn projects(state: &State, plan: &PlanRecord) -> Vec<PlanProject> {
    let all = plan.projects();
    let all = all.into_iter().filter(|_| plan.is_over_several());
    let shown = all.filter_map(|id| {
        let row = state.projects.get(id)?;
        Some(PlanProject {
            id: id.clone(),
            name: row.name.clone(),
            path: row.path.clone(),
        })
    });
    shown.collect()
}

/// Returns a task without what only concerns the file that it comes from.
fn as_read(task: &Task) -> Task {
    Task {
        stands: Stands::default(),
        issue: task.issue.as_ref().map(SessionIssue::in_lists),
        ..task.clone()
    }
}

/// Returns a task without its long texts, which are not copied.
fn in_short(task: &Task) -> Task {
    Task {
        id: task.id.clone(),
        domain: task.domain.clone(),
        needs: task.needs.clone(),
        agent: task.agent.clone(),
        model: task.model.clone(),
        permission_mode: task.permission_mode,
        project: task.project.clone(),
        project_id: task.project_id.clone(),
        issue: task.issue.as_ref().map(SessionIssue::in_lists),
        branch: task.branch.clone(),
        phase: task.phase.clone(),
        stage: task.stage,
        effort: task.effort.clone(),
        done: task.done,
        title: task.title.clone(),
        ..Task::titled("")
    }
}

/// Says why the last merge of a worker's work failed: not while another one is under way, nor once nobody merges it any more.
fn merge_failed(one: &ShareRecord, row: Option<&Arc<SessionRow>>, can_merge: bool) -> Option<String> {
    let row = row.filter(|row| can_merge && row.archived_at.is_none() && row.merging.run.is_none())?;
    let last = row.merging.last.as_ref();
    let is_queued = last.is_some_and(|last| last.outcome == MergeOutcome::Queued);
    one.merge_failure().filter(|_| !is_queued).map(str::to_owned)
}

/// Says what the worker of a share asks, if it waits for an answer.
fn asks(one: &ShareRecord, row: &SessionRow) -> Option<String> {
    if one.state != ShareState::Running || row.status != Status::Waiting {
        return None;
    }
    let question = row.observed.as_ref().and_then(|seen| seen.question());
    let text = question.map_or("", |question| first_line(&question.text));
    Some(match text {
        "" => "its worker asks something".to_owned(),
        text => format!("its worker asks: {text}"),
    })
}

/// Returns the report of a plan, with the workers that ask something, and those whose work could not be merged.
fn reported(plan: &PlanRecord, workers: &[PlanWorker], now: Timestamp) -> String {
    let is_over = plan.state.is_over();
    let asking = workers.iter().filter(|_| !is_over).filter_map(|one| {
        let asks = one.asks.as_deref()?;
        Some(format!("{} waits: {}\n", one_line(&one.name), one_line(asks)))
    });
    let failed = workers.iter().filter_map(|one| {
        let why = one.merge_failed.as_deref()?;
        Some(format!(
            "{} could not be merged: {}\n",
            one_line(&one.name),
            one_line(why)
        ))
    });
    let mut text = report(plan, now);
    text.extend(asking.take(MOST_NAMED));
    text.extend(failed.take(MOST_NAMED));
    text
}

fn worker(
    state: &State,
    plan: &PlanRecord,
    made: &Schedule,
    (place, needs): (usize, Vec<&str>),
    now: Timestamp,
) -> Option<PlanWorker> {
    let one = plan.shares.get(place)?;
    let held = made.held.binary_search_by_key(&place, |(other, _)| *other).ok();
    let held = held.and_then(|found| made.held.get(found));
    let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
    let base = row.and_then(|row| Some(row.base.as_ref()?.commit.as_str()));
    let can_merge = plan.has_work_to_merge(place, base);
    let (seconds, spent) = (one.worked(now), one.spent());
    let has_worked = one.session.is_some() || seconds > 0;
    Some(PlanWorker {
        name: one.share.name.clone(),
        domain: one.share.domain.clone(),
        project_id: plan.is_over_several().then(|| plan.project_of(place).clone()),
        tasks: one.share.tasks.clone(),
        needs: needs.into_iter().map(str::to_owned).collect(),
        state: one.state,
        session_id: one.session.clone(),
        why: held
            .map(|(_, held)| plan_projects::held(state, plan, place, held))
            .or_else(|| one.why.clone()),
        asks: row.and_then(|row| asks(one, row)),
        is_stuck: one.is_stuck,
        by_hand: one.is_by_hand(),
        started_at: one.started_at,
        ended_at: one.ended_at,
        seconds: has_worked.then_some(seconds),
        // Work by hand is on another branch than that of the worker before.
        branch: row
            .filter(|_| !one.is_by_hand())
            .and_then(|row| row.branch.clone()),
        commit: one.tip.clone(),
        can_merge,
        landed: one.landed_at().map(str::to_owned),
        merge_failed: merge_failed(one, row, can_merge),
        tokens: has_worked.then_some(spent.tokens),
        usd: spent.usd,
    })
}
