//! Reads a plan, and keeps it.

use crate::api::plans::domains;
use crate::api::plans::shown::{answered, shown};
use crate::decide::plan_access;
use crate::effects::plans::file;
use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_model::PlanId;
use downbeat_model::budget::Budget;
use downbeat_plans::{PlanRecord, Source, read_file, read_goal};
use downbeat_store::ProjectRow;
use downbeat_wire::plan::{Plan, ProposePlan};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The most workers of a plan at once.
const MOST_AT_ONCE: u32 = 50;

/// Reads a plan, and keeps it unless it is only to be shown.
///
/// # Errors
/// Fails if the text is no plan that can be done, or if an agent may not have such workers.
pub async fn propose(engine: &Engine, caller: &Caller, request: ProposePlan) -> Result<Plan, ApiError> {
    let (project, conductor) =
        plan_access::place(&engine.ledger.state(), caller, request.project_id.as_deref())?;
    let (text, source) = text(caller, &project, &request).await?;
    let domains = domains::of(engine, &project).await?;
    let read = match request.file.unwrap_or(false) || request.path.is_some() {
        true => read_file(text.as_bytes(), request.tag.as_deref(), &domains),
        false => read_goal(&text, &domains),
    };
    let read = read.map_err(|problem| ApiError::invalid(format!("the plan: {problem}")))?;
    let at_once = at_once(&request)?;
    if let Some(agent) = &request.agent {
        engine.agent(agent)?;
    }
    let may = (caller, &engine.known_agents(), engine.limits().max_depth);
    plan_access::may_propose(&engine.ledger.state(), may, &read, request.agent.as_deref())?;
    let id = PlanId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let split = request.split.unwrap_or_default();
    let mut plan = PlanRecord::new(id, project.id.clone(), read, split, Timestamp::now());
    plan.at_once = at_once as usize;
    plan.agent = request.agent;
    plan.conductor = conductor;
    plan.source = source;
    (plan.budget, plan.minutes) = limits(request.budget, request.minutes)?;
    if plan.shares.is_empty() {
        return Err(ApiError::invalid("the plan: all of its tasks are done"));
    }
    let answer = shown(&engine.ledger.state(), &plan);
    if request.dry_run.unwrap_or(false) {
        return Ok(answer);
    }
    let written = engine.ledger.write(|draft| {
        plan_access::has_room(draft.state(), plan.conductor.as_ref())?;
        draft.put_plan(plan);
        answered(draft, &answer);
        Ok(())
    });
    written.await?;
    Ok(answer)
}

fn at_once(request: &ProposePlan) -> Result<u32, ApiError> {
    match request.at_once.unwrap_or(6) {
        at_once if (1..=MOST_AT_ONCE).contains(&at_once) => Ok(at_once),
        at_once => Err(ApiError::invalid(format!(
            "atOnce: {at_once} workers at once; 1 to {MOST_AT_ONCE} are possible"
        ))),
    }
}

/// Checks the limits of a plan. 0 minutes are no limit.
pub(crate) fn limits(
    budget: Option<Budget>,
    minutes: Option<u32>,
) -> Result<(Budget, Option<u32>), ApiError> {
    let budget = budget.unwrap_or_default();
    if budget.usd.is_some_and(|usd| !usd.is_finite() || usd <= 0.0) || budget.tokens == Some(0) {
        return Err(ApiError::invalid("budget: it is more than 0, or left out"));
    }
    Ok((budget, minutes.filter(|minutes| *minutes > 0)))
}

/// Returns the text of a plan, and the file in which it is ticked: the one that a person named in the project's own checkout.
async fn text(
    caller: &Caller,
    project: &ProjectRow,
    request: &ProposePlan,
) -> Result<(String, Option<Source>), ApiError> {
    let Some(path) = request.path.clone() else {
        return Ok((request.text.clone(), None));
    };
    if *caller != Caller::Owner {
        let what = "an agent may not have a file in the project's own checkout ticked";
        return Err(
            ApiError::new(Code::Forbidden, what).hint("give the content of the file as `text`, with `file`")
        );
    }
    let (root, named) = (PathBuf::from(&project.path), path.clone());
    let look = move || file::read(&root, &named).map_err(|error| (error, near(&root, &named)));
    let read = blocking::in_time(&project.path, look).await?;
    let own = request.text.clone();
    match read {
        // A command read it already, at a place that only the command may know.
        Err(_) if !own.is_empty() => Ok((own, None)),
        Err((error, hint)) => {
            let what = format!("path: {path} cannot be read: {error}");
            Err(ApiError::invalid(what).hint(hint))
        }
        Ok(read) => {
            let tag = request.tag.clone();
            let path = read.path;
            Ok((read.text, Some(Source { path, tag })))
        }
    }
}

/// The number of files of a folder whose names are compared with a wrong one.
const MOST_COMPARED: usize = 500;

/// Names the files that were probably meant.
fn near(root: &Path, path: &str) -> String {
    let named = Path::new(path);
    let folder = root.join(named.parent().unwrap_or_else(|| Path::new("")));
    let wanted = named
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries
        .take(MOST_COMPARED)
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let rated = names.map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &wanted), name));
    let best = rated.max_by(|one, other| one.0.total_cmp(&other.0));
    match best.filter(|(rate, _)| *rate > 0.8) {
        Some((_, name)) => format!("did you mean {name}?"),
        None => "name a file in the project's folder".to_owned(),
    }
}
