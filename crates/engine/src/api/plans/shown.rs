//! A plan as faces show it.

use crate::decide::{plan_access, plan_projects};
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::PlanId;
use downbeat_model::session::SessionIssue;
use downbeat_plans::{PlanRecord, Schedule, Stands, Task, lopsided, report, worth};
use downbeat_wire::plan::{Plan, PlanProject, PlanWorker};
use downbeat_wire::{ApiError, Caller};
use jiff::Timestamp;
use serde::Serialize;

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
        workers: workers.collect(),
        is_worthwhile: verdict.worthwhile,
        advice: verdict.why,
        warning: lopsided(&shares),
        report: report(plan, now),
        created_at: plan.created_at,
        started_at: plan.started_at,
        ended_at: plan.ended_at,
        conductor: plan.conductor.clone(),
        tokens: plan.started_at.map(|_| spent.tokens),
        usd: spent.usd,
        budget: plan.budget,
        minutes: plan.minutes,
        why: plan.why.clone(),
        file: plan.source.as_ref().map(|source| source.path.clone()),
        notes: plan.noted(),
        person_runs: plan.person_runs,
        results: plan.results.as_ref().map(|folder| folder.path.clone()),
    }
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
        is_stuck: one.is_stuck,
        by_hand: one.by_hand || one.by_file,
        started_at: one.started_at,
        ended_at: one.ended_at,
        seconds: has_worked.then_some(seconds),
        branch: row.and_then(|row| row.branch.clone()),
        commit: one.tip.clone(),
        can_merge: plan.has_work_to_merge(place, base),
        landed: one.landed_at().map(str::to_owned),
        tokens: has_worked.then_some(spent.tokens),
        usd: spent.usd,
    })
}
