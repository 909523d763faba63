//! Starts the workers of plans. A worker is recorded as having its share in the transaction that records its session, so that a
//! crash repeats no start and loses none.

use crate::decide::issue_batch::working_on;
use crate::decide::plans::{self, Passes};
use crate::decide::{plan_domains, plan_projects};
use crate::effects::plans::{base, elsewhere, ticked};
use crate::effects::session::create;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use downbeat_model::session::SessionIssue;
use downbeat_model::{PermissionMode, ProjectId, SessionId};
use downbeat_plans::{PlanRecord, prompt};
use downbeat_store::SessionRow;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;

/// How many times a start is repeated at once because its tasks were edited; after that it waits for the next look at the plan.
const MOST_EDITS: u32 = 3;

/// Starts the worker of a share, unless the person did its tasks. What prevents that is a failure of the share.
///
/// # Errors
/// Fails if it could not be started for a reason that may pass; it is then tried again later.
pub(crate) async fn start(engine: &Arc<Engine>, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    point("plan-due");
    if ticked::take(engine, plan, place).await? {
        return Ok(());
    }
    let started = start_as_edited(engine, plan, place).await;
    point("plan-started");
    let Err(error) = started else {
        return Ok(());
    };
    let passes = plans::passes(&error);
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |plan, now| {
            if plan.schedule().start.contains(&place) {
                match passes {
                    Passes::No => plan.failed(place, said(&error, plan), now),
                    Passes::Perhaps => plan.not_started(place, &error.message, now),
                    Passes::ByItself => {
                        if let Some(one) = plan.shares.get_mut(place) {
                            one.why = Some(error.message.clone());
                        }
                    }
                }
            }
            Ok(())
        })
    });
    written.await?;
    match passes {
        // What passes by itself is looked at again soon, and holds up nothing else of the plan.
        Passes::No | Passes::ByItself => Ok(()),
        Passes::Perhaps => Err(error),
    }
}

/// Says why a worker cannot be started. The work of an agent that is missing can be done elsewhere.
fn said(error: &ApiError, plan: &PlanRecord) -> String {
    let why = &error.message;
    match error.code {
        Code::AgentMissing => format!(
            "{why}; install it and retry, or write what it would be asked to a folder: `downbeat plan prompts {} FOLDER`",
            plan.id
        ),
        _ => why.clone(),
    }
}

/// Starts the worker of a share, again if its tasks are edited meanwhile.
async fn start_as_edited(engine: &Arc<Engine>, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    let mut asked = plan.clone();
    let mut edits = 0;
    loop {
        let started = try_start(engine, &asked, place).await;
        let now = engine.ledger.state().plans.get(&plan.id).cloned();
        let edited = now.filter(|now| started.is_err() && asks_otherwise(&asked, now, place));
        match edited.filter(|now| edits < MOST_EDITS && now.schedule().start.contains(&place)) {
            Some(now) => (asked, edits) = (PlanRecord::clone(&now), edits + 1),
            None => return started,
        }
    }
}

async fn try_start(engine: &Arc<Engine>, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    let Some(one) = plan.shares.get(place) else {
        return Ok(());
    };
    let project = engine.project(plan.project_of(place));
    let project = project.map_err(|error| ApiError::new(error.code, plan_projects::removed(plan, place)))?;
    // Its own project's, now: tasks may have been moved, and the project may have become stricter since the plan was made.
    let config = engine.project_config(&project).await?;
    let most = plan_domains::most(config.permission_mode, &project);
    let tasks = plan.tasks(place);
    let title = match tasks.as_slice() {
        [task] => task.title.clone(),
        tasks => format!("{}: {} tasks", one.share.name, tasks.len()),
    };
    let agent = tasks.first().and_then(|task| task.agent.clone());
    let agent = agent.or_else(|| plan.agent.clone());
    let conducts = plan.conductors && may_conduct(engine, plan, agent.as_ref().or(config.agent.as_ref()));
    let issue = tasks.iter().find_map(|task| task.issue.clone());
    let request = NewSession {
        project_id: Some(project.id.to_string()),
        title: Some(title),
        prompt: Some(prompt(plan, place, &elsewhere::of(engine, plan, place).await?)),
        agent,
        model: tasks.first().and_then(|task| task.model.clone()),
        permission_mode: plan_domains::strictest(&tasks, most),
        base: base::base(engine, &project, plan, place).await?,
        parent: plan.conductor.as_ref().map(ToString::to_string),
        conductor: Some(conducts),
        name: issue.as_ref().map(issue_name),
        branch: tasks.iter().find_map(|task| task.branch.clone()),
        ..NewSession::default()
    };
    let caller = plan.conductor.clone().map_or(Caller::Owner, Caller::Session);
    let chooser = chooser(engine, plan, place)?;
    let also = |draft: &mut Draft, new: &mut SessionRow| {
        let session = new.id.clone();
        if let Some(issue) = issue {
            refuse_at_work(draft, &new.project_id, &issue, &one.before)?;
            new.issue = Some(issue);
        }
        let asked = plan;
        plans::change(draft, &asked.id, |plan, now| {
            if asks_otherwise(asked, plan, place) {
                // It passes by itself, as a limit does, and counts as no failed start.
                let what = "its tasks were changed while it was started; it starts with the changed ones";
                return Err(ApiError::new(Code::LimitReached, what));
            }
            match plan.claim(place, session, now) {
                true => Ok(()),
                false => Err(ApiError::new(
                    Code::Conflict,
                    "it was started already, or may not start any more",
                )),
            }
        })
    };
    create::create(engine, (&caller, &chooser), request, also).await?;
    Ok(())
}

/// Whether a worker of a plan may have workers: it is above the deepest level, and its agent, which is this one if one is named,
/// accepts the tools.
fn may_conduct(engine: &Engine, plan: &PlanRecord, agent: Option<&String>) -> bool {
    let lead = plan.conductor.as_ref().and_then(|id| engine.ledger.session(id));
    let depth = lead.as_ref().map_or(0, |lead| lead.depth + 1);
    let agent = agent.cloned().or_else(|| lead.map(|lead| lead.agent.clone()));
    let agent = agent.or_else(|| engine.default_agent().ok());
    let accepts = agent.and_then(|agent| engine.agent(&agent).ok());
    depth < engine.limits().max_depth && accepts.is_some_and(|agent| agent.can_conduct())
}

/// Whether the worker of a share would be asked something else, or elsewhere, than when its start began.
fn asks_otherwise(asked: &PlanRecord, now: &PlanRecord, place: usize) -> bool {
    asked.agent != now.agent
        || asked.tasks(place) != now.tasks(place)
        || asked.project_of(place) != now.project_of(place)
        || asked.tips(place) != now.tips(place)
}

/// Returns the name of a session that works on an issue.
fn issue_name(issue: &SessionIssue) -> String {
    let name = issue.name();
    format!("{} {}", name.trim_start_matches('#'), issue.title)
}

/// Refuses to work on an issue that another session works on. The workers of this share before, which nobody needs any more, do not.
fn refuse_at_work(
    draft: &Draft,
    project: &ProjectId,
    issue: &SessionIssue,
    before: &[SessionId],
) -> Result<(), ApiError> {
    let Some(other) = working_on(draft.state(), project, issue, before) else {
        return Ok(());
    };
    let what = format!(
        "{} works on {} already: count its branch as done (`downbeat plan done`), or archive that session and retry",
        other.name,
        issue.name()
    );
    Err(ApiError::new(Code::Conflict, what))
}

/// Returns who is answerable for the commit that a share begins at. The person, or the conductor, ran the plan; what its workers
/// committed is the agents'. Of several, the one that may do least is: if it may not run anything unasked, neither may the
/// merged work. A commit that a result file named was chosen by a program that is no session here, and that may do least of all.
fn chooser(engine: &Engine, plan: &PlanRecord, place: usize) -> Result<Caller, ApiError> {
    let tips = plan.tips(place);
    let needed = |name: &str| tips.iter().any(|(tip, _)| *tip == name);
    let before = plan.shares.iter().filter(|other| needed(&other.share.name));
    if before.clone().any(|other| other.by_file) {
        let nobody = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
        return Ok(Caller::Session(nobody));
    }
    let sessions = before.filter_map(|other| other.session.clone());
    let sessions: Vec<_> = sessions.chain(plan.conductor.clone()).collect();
    let state = engine.ledger.state();
    let may_all = |id: &SessionId| {
        let row = state.sessions.get(id);
        row.is_some_and(|row| row.permission_mode == PermissionMode::Bypass)
    };
    let least = sessions.iter().find(|id| !may_all(id)).or(sessions.first());
    Ok(least.cloned().map_or(Caller::Owner, Caller::Session))
}
