//! Reads a plan, and keeps it.

use crate::api::plans::absent::Absent;
use crate::api::plans::shown::{answered, shown};
use crate::api::plans::{domains, earlier, issues};
use crate::decide::{plan_access, plan_projects, plans};
use crate::effects::checks::plan::Plan as Checks;
use crate::effects::plans::{file, reading};
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::find;
use downbeat_model::budget::Budget;
use downbeat_model::session::GoalToPlan;
use downbeat_model::{PlanId, ProjectId};
use downbeat_plans::{About, Domains, PlanRecord, Problem, Source, Split, one_line, read_file, read_goal};
use downbeat_store::ProjectRow;
use downbeat_wire::plan::{Plan, ProposePlan};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most characters of the name of a file that is the title of its plan.
const MOST_TITLE: usize = 100;

/// The most workers of a plan at once.
const MOST_AT_ONCE: u32 = 50;

/// Reads a plan, and keeps it unless it is only to be shown.
///
/// # Errors
/// Fails if the text is no plan that can be done, or if an agent may not have such workers.
pub async fn propose(engine: &Engine, caller: &Caller, request: ProposePlan) -> Result<Plan, ApiError> {
    let (project, conductor) =
        plan_access::place(&engine.ledger.state(), caller, request.project_id.as_deref())?;
    let goal = conductor.as_ref().and_then(|id| engine.ledger.session(id));
    let goal = goal.and_then(|row| row.goal_to_plan.clone());
    let request = match &goal {
        Some(goal) => chosen(goal, request),
        None => request,
    };
    let (mut read, source, notes) = tasks(engine, caller, &project, &request).await?;
    let named = request
        .path
        .as_deref()
        .and_then(|path| Path::new(path).file_name());
    if let Some(name) = named.filter(|_| read.is_untitled()) {
        read.title = one_line(&name.to_string_lossy())
            .chars()
            .take(MOST_TITLE)
            .collect();
    }
    let of = (&*project, conductor.is_some());
    plan_projects::resolve(&engine.ledger.state(), of, &mut read.tasks).map_err(|error| of_plan(&error))?;
    if let Some(agent) = &request.agent {
        engine.agent(agent)?;
    }
    domains::apply(engine, &project, request.agent.as_deref(), &mut read.tasks).await?;
    for agent in read.tasks.iter().filter_map(|task| task.agent.as_deref()) {
        engine.agent(agent)?;
    }
    let may = (caller, &engine.known_agents(), engine.limits().max_depth);
    plan_access::may_propose(&engine.ledger.state(), may, &read, request.agent.as_deref())?;
    if request.priority.is_some() {
        plan_access::may_prioritize(caller)?;
    }
    let mut plan = record(&project, read, &request)?;
    plan_projects::name(&engine.ledger.state(), &mut plan);
    plan.conductor = conductor;
    if let Some(source) = &source {
        for note in earlier::notes(engine, caller, (&project, source)).await {
            plan.note(About::Plan, &note);
        }
    }
    for note in notes {
        plan.note(About::Plan, &note);
    }
    Absent::look(engine, &project).await?.note(&mut plan);
    note_unapproved(engine, &mut plan).await?;
    plan.source = source;
    if let Some(goal) = &goal {
        plan.plan.title = plan_access::title_of_goal(&goal.goal);
        plan.person_runs = true;
        plan.priority = goal.priority.unwrap_or_default();
    }
    if plan.shares.is_empty() {
        return Err(ApiError::invalid("the plan: all of its tasks are done"));
    }
    let dry_run = request.dry_run.unwrap_or(false);
    kept(engine, plan, dry_run, |plan| plan).await
}

/// Notes in a plan of which projects nobody has approved the checks, so that nothing checks work there yet.
pub(crate) async fn note_unapproved(engine: &Engine, plan: &mut PlanRecord) -> Result<(), ApiError> {
    let places = 0..plan.shares.len();
    let ids: BTreeSet<ProjectId> = places.map(|place| plan.project_of(place).clone()).collect();
    for id in ids {
        let project = engine.project(&id)?;
        let checks = Checks::of(engine, &project).await?;
        if checks.checks.is_empty() || checks.approved {
            continue;
        }
        let name = &project.name;
        let note = format!(
            "the checks of {name} were not approved when this plan was made: work counts as done without them until you approve them \
             (`downbeat project approve {name}`)"
        );
        plan.note(About::Plan, &note);
    }
    Ok(())
}

/// Reads the tasks of a plan, as its template makes them; where they are ticked, and what a person has to know.
async fn tasks(
    engine: &Engine,
    caller: &Caller,
    project: &ProjectRow,
    request: &ProposePlan,
) -> Result<(downbeat_plans::Plan, Option<Source>, Vec<String>), ApiError> {
    if let Some(meant) = issues::meant(caller, project, request).await? {
        let domains = domains::of_request(engine, project, request).await?;
        let is_shown = request.dry_run.unwrap_or(false);
        let (read, source, notes) = issues::read(engine, project, (meant, domains.clone()), is_shown).await?;
        let read = made(engine, project, request, (move || Ok(read), domains)).await?;
        return Ok((read, source, notes));
    }
    let (text, source) = text(caller, project, request).await?;
    let outside = request.path.as_ref().filter(|_| source.is_none());
    let outside =
        outside.map(|path| format!("{path} is outside of the project, so its boxes are not ticked"));
    let domains = domains::of_request(engine, project, request).await?;
    let is_file = request.file.unwrap_or(false) || request.path.is_some();
    let (tag, own) = (request.tag.clone(), domains.clone());
    let read = move || match is_file {
        true => read_file(text.as_bytes(), tag.as_deref(), &own),
        false => read_goal(&text, &own),
    };
    let read = made(engine, project, request, (read, domains)).await?;
    Ok((read, source, outside.into_iter().collect()))
}

/// Makes the tasks of a plan by the template of a request.
pub(crate) async fn made(
    engine: &Engine,
    project: &ProjectRow,
    request: &ProposePlan,
    (read, domains): (
        impl FnOnce() -> Result<downbeat_plans::Plan, Problem> + Send + 'static,
        Domains,
    ),
) -> Result<downbeat_plans::Plan, ApiError> {
    let template = request.template.clone();
    let config = template.is_some().then(|| engine.config());
    let made = move || -> Result<downbeat_plans::Plan, Problem> {
        match (template, config) {
            (Some(template), Some(config)) => config.all_plan_templates(&domains).apply(&template, read()?),
            _ => read(),
        }
    };
    let made = reading::read(project, made).await?;
    made.map_err(|problem: Problem| ApiError::invalid(format!("the plan: {problem}")))
}

/// Returns an error of the tasks of a plan as one of the plan.
pub(crate) fn of_plan(error: &ApiError) -> ApiError {
    ApiError {
        message: format!("the plan: {}", error.message),
        ..error.clone()
    }
}

/// Returns the record of a new plan.
///
/// # Errors
/// Fails if the request has an option that is not possible.
pub(crate) fn record(
    project: &ProjectRow,
    read: downbeat_plans::Plan,
    request: &ProposePlan,
) -> Result<PlanRecord, ApiError> {
    let id = PlanId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    // A template makes several tasks of one, which one worker would do after the other.
    let split = request.split.unwrap_or(match request.template {
        Some(_) => Split::Task,
        None => Split::default(),
    });
    let mut plan = PlanRecord::new(id, project.id.clone(), read, split, Timestamp::now());
    plan.at_once = at_once(request.at_once)? as usize;
    plan.priority = request.priority.unwrap_or_default();
    plan.conductors = request.conductors.unwrap_or(false);
    plan.agent = request.agent.clone();
    (plan.budget, plan.minutes) = limits(request.budget, request.minutes)?;
    Ok(plan)
}

/// Keeps a plan, unless it is only to be shown, and answers with it.
///
/// # Errors
/// Fails if its conductor has too many, or if nothing can be recorded.
pub(crate) async fn kept<A: Serialize + Send>(
    engine: &Engine,
    plan: PlanRecord,
    dry_run: bool,
    answer: impl FnOnce(Plan) -> A,
) -> Result<A, ApiError> {
    let answer = answer(shown(&engine.ledger.state(), &plan));
    if dry_run {
        return Ok(answer);
    }
    let written = engine.ledger.write(|draft| {
        // They may have been removed while a planner ran.
        for project in plan.projects() {
            find::project(draft.state(), project.as_str())?;
        }
        plan_access::has_room(draft.state(), plan.conductor.as_ref())?;
        if plan.person_runs {
            let maker = plan.conductor.as_ref();
            let maker = maker.and_then(|id| draft.state().sessions.get(id));
            let maker = maker.map_or_else(String::new, |row| row.name.clone());
            let notice = plans::handed_in(&plan, &maker, draft.now());
            draft.notice(notice);
        }
        draft.put_plan(plan);
        answered(draft, &answer);
        Ok(())
    });
    written.await?;
    Ok(answer)
}

/// Puts in what the person chose for the plan of a goal. What the person left open is the session's, except how many
/// workers there are at once, how soon they start and whether they may have workers.
fn chosen(goal: &GoalToPlan, request: ProposePlan) -> ProposePlan {
    let split = goal.is_split_by_task.map(|each| match each {
        true => Split::Task,
        false => Split::Domain,
    });
    ProposePlan {
        split: split.or(request.split),
        agent: goal.agent.clone().or(request.agent),
        at_once: goal.at_once,
        conductors: Some(goal.conductors),
        template: goal.template.clone().or(request.template),
        budget: goal.budget.or(request.budget),
        minutes: goal.minutes.or(request.minutes),
        ..request
    }
}

/// Checks how many workers a plan has at once.
pub(crate) fn at_once(asked: Option<u32>) -> Result<u32, ApiError> {
    match asked.unwrap_or(6) {
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
