//! Starts, lists and cancels runs of `fix`.

use crate::decide::fix::{self as decide, words};
use crate::effects::checks::merge::new_run;
use crate::effects::checks::plan::Plan;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::budget::Budget;
use downbeat_model::fix::{End, Fix, Settings};
use downbeat_model::{SessionId, count};
use downbeat_store::ProjectRow;
use downbeat_wire::fix::{FixOutcome, FixRun, GetFixes, StartFix};
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::json;
use std::sync::Arc;

/// The largest numbers of workers and of tries.
const MOST: (u32, u32) = (20, 10);

/// Starts a run.
///
/// # Errors
/// Fails if the project has no checks that may run, or if a run is under way.
pub async fn start(engine: &Engine, caller: &Caller, request: &StartFix) -> Result<FixRun, ApiError> {
    let state = engine.ledger.state();
    let project = project(&state, caller, request.project.as_deref())?;
    refuse_landing(caller, request)?;
    let settings = settings(caller, request)?;
    if let Some(agent) = &settings.agent {
        engine.agent(agent)?;
    }
    Plan::of(engine, &project).await?.refuse_unusable(&project)?;
    let id = new_run()?;
    let written = engine.ledger.write(|draft| {
        decide::start(draft, &project, id.clone(), settings)?;
        let shown = shown(draft.state(), &id);
        draft.effect(Effect::Answer(json!(shown)));
        shown.ok_or_else(|| ApiError::not_found("run of fix", &id))
    });
    written.await
}

/// Refuses a run whose work lands to a session: a group lands by its own checks, which only the person may decide.
fn refuse_landing(caller: &Caller, request: &StartFix) -> Result<(), ApiError> {
    match caller {
        Caller::Session(_) if request.dry_run != Some(true) => {
            let what = "only the person can let work land that not all checks have passed on";
            Err(ApiError::new(Code::Forbidden, what).hint(
                "ask for what is red (`dryRun`), and spawn workers for it; the person can run `downbeat fix`",
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the project of a request. A conductor looks at its own.
fn project(state: &State, caller: &Caller, named: Option<&str>) -> Result<Arc<ProjectRow>, ApiError> {
    let own = match caller {
        Caller::Owner => None,
        Caller::Session(id) => {
            let row = state
                .sessions
                .get(id)
                .ok_or_else(|| ApiError::not_found("session", id))?;
            if !row.conducts {
                let what = format!("{} is no conductor, so it gets no workers", row.name);
                return Err(
                    ApiError::new(Code::Forbidden, what).hint("fix what you were asked to fix yourself")
                );
            }
            Some(find::project(state, row.project_id.as_str())?)
        }
    };
    let named = named.map(|name| find::project(state, name)).transpose()?;
    match (own, named) {
        (Some(own), Some(named)) if own.id != named.id => {
            Err(ApiError::invalid("a worker belongs to its conductor's project"))
        }
        (Some(project), _) | (None, Some(project)) => Ok(project),
        (None, None) => only(state),
    }
}

/// Returns the only project.
fn only(state: &State) -> Result<Arc<ProjectRow>, ApiError> {
    let mut all = state.projects.values();
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(Arc::clone(only)),
        _ => {
            let number = count(state.projects.len() as u64, "project", "projects");
            Err(
                ApiError::invalid(format!("project is missing: there are {number}"))
                    .hint("name the project (`--project`)"),
            )
        }
    }
}

fn settings(caller: &Caller, request: &StartFix) -> Result<Settings, ApiError> {
    let own = Settings::default();
    let within = |what: &str, asked: Option<u32>, default: u32, most: u32| match asked.unwrap_or(default) {
        number if (1..=most).contains(&number) => Ok(number),
        number => Err(ApiError::invalid(format!(
            "{what}: {number} is not between 1 and {most}"
        ))),
    };
    if request.usd.is_some_and(|usd| !usd.is_finite() || usd <= 0.0) {
        return Err(ApiError::invalid("usd: a budget is more than 0"));
    }
    if request.tokens == Some(0) || request.minutes == Some(0) {
        return Err(ApiError::invalid("tokens, minutes: a budget is more than 0"));
    }
    Ok(Settings {
        agent: request.agent.clone(),
        parent: match caller {
            Caller::Owner => None,
            Caller::Session(id) => Some(id.clone()),
        },
        workers: within("workers", request.workers, own.workers, MOST.0)?,
        attempts: within("attempts", request.attempts, own.attempts, MOST.1)?,
        budget: Budget {
            usd: request.usd,
            tokens: request.tokens,
        },
        minutes: request.minutes,
        dry_run: request.dry_run.unwrap_or(false),
    })
}

/// Returns runs, the newest first. A session sees those that it started.
///
/// # Errors
/// Fails if there is no such run or project.
pub fn list(engine: &Engine, caller: &Caller, request: &GetFixes) -> Result<Vec<FixRun>, ApiError> {
    let state = engine.ledger.state();
    let project = request
        .project
        .as_deref()
        .map(|name| find::project(&state, name))
        .transpose()?;
    let id = request
        .id
        .as_deref()
        .map(|id| own(&state, caller, id))
        .transpose()?;
    let is_asked = |fix: &&Arc<Fix>| {
        let is_of = project.as_ref().is_none_or(|project| project.id == fix.project);
        is_of && id.as_ref().is_none_or(|id| *id == fix.id) && is_visible(caller, fix)
    };
    let mut found: Vec<_> = state.fixes.values().filter(is_asked).collect();
    found.sort_by_key(|fix| std::cmp::Reverse(fix.started_at));
    Ok(found
        .into_iter()
        .filter_map(|fix| shown(&state, &fix.id))
        .collect())
}

fn is_visible(caller: &Caller, fix: &Fix) -> bool {
    match caller {
        Caller::Owner => true,
        Caller::Session(id) => fix.settings.parent.as_ref() == Some(id),
    }
}

/// Returns the id of a run that the caller may see.
fn own(state: &State, caller: &Caller, id: &str) -> Result<SessionId, ApiError> {
    let known =
        SessionId::parse(id).filter(|id| state.fixes.get(id).is_some_and(|fix| is_visible(caller, fix)));
    known.ok_or_else(|| ApiError::not_found("run of fix", id).hint("`downbeat fix --list` lists them"))
}

/// Cancels a run, and ends its workers.
///
/// # Errors
/// Fails if there is no such run, or if it is over.
pub async fn cancel(engine: &Engine, caller: &Caller, id: &str) -> Result<FixRun, ApiError> {
    let id = own(&engine.ledger.state(), caller, id)?;
    let written = engine.ledger.write(|draft| {
        if !decide::cancel(draft, &id)? {
            return Err(ApiError::new(Code::Conflict, "this run of fix is over"));
        }
        let shown = shown(draft.state(), &id);
        draft.effect(Effect::Answer(json!(shown)));
        shown.ok_or_else(|| ApiError::not_found("run of fix", &id))
    });
    written.await
}

fn shown(state: &State, id: &SessionId) -> Option<FixRun> {
    let fix = state.fixes.get(id)?;
    let project = state.projects.get(&fix.project)?;
    let (tokens, usd) = fix.spent();
    let mut groups = fix.groups.clone();
    for group in &mut groups {
        group.why = words::state(group, &fix.target);
    }
    Some(FixRun {
        id: fix.id.clone(),
        project_id: project.id.clone(),
        project: project.name.clone(),
        target: fix.target.clone(),
        outcome: match &fix.end {
            None => FixOutcome::UnderWay,
            Some(End::Green) => FixOutcome::Green,
            Some(End::Left) => FixOutcome::Left,
            Some(End::Shown) => FixOutcome::Shown,
            Some(End::Budget(_)) => FixOutcome::Budget,
            Some(End::Cancelled) => FixOutcome::Cancelled,
            Some(End::Failed(_)) => FixOutcome::Failed,
        },
        says: words::sentence(fix),
        started_at: fix.started_at,
        ended_at: fix.ended_at,
        commit: fix.commit.clone(),
        red: fix.red.iter().cloned().collect(),
        groups,
        notes: fix.notes.clone(),
        tokens,
        usd,
    })
}
