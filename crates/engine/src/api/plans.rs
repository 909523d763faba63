//! Proposes, runs, shows and changes plans.

use crate::decide::plans;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::requests::Effect;
use downbeat_model::PlanId;
use downbeat_plans::{
    Domains, PlanRecord, PlanState, ShareState, lopsided, read_file, read_goal, report, worth,
};
use downbeat_wire::plan::{ChangePlan, ListPlans, Plan, PlanChange, PlanWorker, ProposePlan};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;

/// The most workers of a plan at once.
const MOST_AT_ONCE: u32 = 50;

/// Reads a plan, and keeps it unless it is only to be shown.
///
/// # Errors
/// Fails if the text is no plan that can be done.
pub async fn propose(engine: &Engine, request: ProposePlan) -> Result<Plan, ApiError> {
    let project = find::project(&engine.ledger.state(), &request.project_id)?;
    let domains = Domains::default();
    let read = match request.file.unwrap_or(false) {
        true => read_file(request.text.as_bytes(), request.tag.as_deref(), &domains),
        false => read_goal(&request.text, &domains),
    };
    let read = read.map_err(|problem| ApiError::invalid(format!("the plan: {problem}")))?;
    let at_once = request.at_once.unwrap_or(6);
    if !(1..=MOST_AT_ONCE).contains(&at_once) {
        let what = format!("atOnce: {at_once} workers at once; 1 to {MOST_AT_ONCE} are possible");
        return Err(ApiError::invalid(what));
    }
    if let Some(agent) = &request.agent {
        engine.agent(agent)?;
    }
    let id = PlanId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let split = request.split.unwrap_or_default();
    let mut plan = PlanRecord::new(id, project.id.clone(), read, split, Timestamp::now());
    plan.at_once = at_once as usize;
    plan.agent = request.agent;
    if plan.shares.is_empty() {
        return Err(ApiError::invalid("the plan: all of its tasks are done"));
    }
    let answer = shown(&plan);
    if request.dry_run.unwrap_or(false) {
        return Ok(answer);
    }
    let written = engine.ledger.write(|draft| {
        draft.put_plan(plan);
        answered(draft, &answer);
        Ok(())
    });
    written.await?;
    Ok(answer)
}

/// Runs a plan. Its workers are started by a reactor.
///
/// # Errors
/// Fails if it is over.
pub async fn run(engine: &Engine, id: &str) -> Result<Plan, ApiError> {
    let id = found(engine, id)?.id;
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &id, |plan, now| match plan.state {
            PlanState::Proposed | PlanState::Paused => {
                plan.state = PlanState::Running;
                plan.started_at.get_or_insert(now);
                Ok(())
            }
            PlanState::Running => Ok(()),
            PlanState::Complete | PlanState::Cancelled => Err(over(plan)),
        })?;
        Ok(answer_of(draft, &id))
    });
    written.await?.ok_or_else(|| ApiError::not_found("plan", &id))
}

/// Returns the plans, newest first.
///
/// # Errors
/// Fails if there is no such project.
pub fn list(engine: &Engine, request: &ListPlans) -> Result<Vec<Plan>, ApiError> {
    let state = engine.ledger.state();
    let project = request.project.as_deref();
    let project = project.map(|name| find::project(&state, name)).transpose()?;
    let own = state.plans.values().filter(|plan| {
        let of = project.as_ref().map(|project| &project.id);
        of.is_none_or(|of| *of == plan.project)
    });
    let mut plans: Vec<_> = own.collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.created_at));
    Ok(plans.into_iter().map(|plan| shown(plan)).collect())
}

/// Returns one plan.
///
/// # Errors
/// Fails if there is none.
pub fn status(engine: &Engine, id: &str) -> Result<Plan, ApiError> {
    Ok(shown(&found(engine, id)?))
}

/// Changes a plan.
///
/// # Errors
/// Fails if the change does not fit the plan's state.
pub async fn change(engine: &Engine, request: &ChangePlan) -> Result<Plan, ApiError> {
    let id = found(engine, &request.id)?.id;
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &id, |plan, now| {
            if matches!(plan.state, PlanState::Complete | PlanState::Cancelled) {
                return Err(over(plan));
            }
            match request.change {
                PlanChange::Pause => plan.state = PlanState::Paused,
                PlanChange::Resume => {
                    plan.state = PlanState::Running;
                    plan.started_at.get_or_insert(now);
                }
                PlanChange::Cancel => {
                    plan.state = PlanState::Cancelled;
                    plan.ended_at = Some(now);
                }
                PlanChange::Retry | PlanChange::Skip => one(plan, request)?,
            }
            Ok(())
        })?;
        Ok(answer_of(draft, &id))
    });
    written.await?.ok_or_else(|| ApiError::not_found("plan", &id))
}

/// Retries or skips the tasks of one worker.
fn one(plan: &mut PlanRecord, request: &ChangePlan) -> Result<(), ApiError> {
    let names: Vec<String> = plan.shares.iter().map(|one| one.share.name.clone()).collect();
    let hint = format!("the workers of the plan are: {}", names.join(", "));
    let Some(name) = &request.worker else {
        return Err(ApiError::invalid("worker: name the worker that is meant").hint(hint));
    };
    let mut all = plan.shares.iter_mut();
    let Some(one) = all.find(|one| one.share.name == *name) else {
        return Err(ApiError::not_found("worker", name).hint(hint));
    };
    let state = match (request.change, one.state) {
        (PlanChange::Skip, ShareState::Waiting | ShareState::Running | ShareState::Failed) => {
            ShareState::Skipped
        }
        (PlanChange::Retry, ShareState::Failed | ShareState::Skipped) => ShareState::Waiting,
        (PlanChange::Retry, _) => {
            let what = format!("{name} did not fail: only what failed or was skipped is retried");
            return Err(ApiError::new(Code::Conflict, what));
        }
        _ => {
            let what = format!("{name} is done or skipped already");
            return Err(ApiError::new(Code::Conflict, what));
        }
    };
    one.state = state;
    one.why = None;
    if state == ShareState::Waiting {
        (one.session, one.ended_at) = (None, None);
    }
    plan.told = false;
    Ok(())
}

fn over(plan: &PlanRecord) -> ApiError {
    let what = match plan.state {
        PlanState::Cancelled => "the plan was cancelled",
        _ => "the plan is complete",
    };
    ApiError::new(Code::Conflict, what).hint("propose a new one")
}

/// Returns a plan by its id.
fn found(engine: &Engine, id: &str) -> Result<PlanRecord, ApiError> {
    let state = engine.ledger.state();
    let plan = PlanId::parse(id).and_then(|id| state.plans.get(&id).cloned());
    let plan =
        plan.ok_or_else(|| ApiError::not_found("plan", id).hint("`downbeat plan list` shows all plans"))?;
    Ok(PlanRecord::clone(&plan))
}

fn answer_of(draft: &mut crate::state::draft::Draft, id: &PlanId) -> Option<Plan> {
    let plan = draft.state().plans.get(id).cloned()?;
    let answer = shown(&plan);
    answered(draft, &answer);
    Some(answer)
}

fn answered(draft: &mut crate::state::draft::Draft, answer: &Plan) {
    draft.effect(Effect::Answer(serde_json::to_value(answer).unwrap_or_default()));
}

/// Returns a plan as faces show it.
fn shown(plan: &PlanRecord) -> Plan {
    let made = plan.schedule();
    let workers = plan.shares.iter().enumerate().map(|(place, one)| {
        let names = one.share.needs.iter().filter_map(|need| plan.shares.get(*need));
        let held = made.held.iter().find(|(other, _)| *other == place);
        PlanWorker {
            name: one.share.name.clone(),
            domain: one.share.domain.clone(),
            tasks: one.share.tasks.clone(),
            needs: names.map(|need| need.share.name.clone()).collect(),
            state: one.state,
            session_id: one.session.clone(),
            why: held.map(|(_, held)| plan.held(held)).or_else(|| one.why.clone()),
        }
    });
    let shares: Vec<_> = plan.shares.iter().map(|one| one.share.clone()).collect();
    Plan {
        id: plan.id.clone(),
        project_id: plan.project.clone(),
        title: plan.plan.title.clone(),
        state: plan.state,
        at_once: u32::try_from(plan.at_once).unwrap_or(u32::MAX),
        tasks: plan.plan.tasks.clone(),
        workers: workers.collect(),
        advice: worth(&plan.plan).why,
        warning: lopsided(&shares),
        report: report(plan, Timestamp::now()),
        created_at: plan.created_at,
    }
}
