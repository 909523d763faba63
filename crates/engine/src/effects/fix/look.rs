//! Runs checks on the branch, in the worktree of checks, and looks which files live worktrees change.

use crate::decide::fix::looked::{self, Seen};
use crate::effects::checks::plan::Plan;
use crate::effects::fix::seen;
use crate::facts::since::since;
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::effect::FixStep;
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The largest number of worktrees that are looked at.
const MOST: usize = 100;

/// Carries out the step.
///
/// # Errors
/// Fails if the result cannot be recorded.
pub async fn carry_out(
    engine: &Engine,
    (project, key): (&ProjectRow, &str),
    step: &FixStep,
    whole: bool,
) -> Result<(), ApiError> {
    let seen = see(engine, project, step, whole).await;
    point("fix-looked");
    if engine.closing.is_cancelled() {
        return Ok(());
    }
    let seen = seen.map_err(|error| error.to_string());
    let written = engine.ledger.write(|draft| {
        looked::looked(draft, key, step, seen);
        Ok(())
    });
    written.await?;
    point("fix-written");
    Ok(())
}

async fn see(engine: &Engine, project: &ProjectRow, step: &FixStep, whole: bool) -> Result<Seen, ApiError> {
    let state = engine.ledger.state();
    let Some(fix) = state.fixes.get(&step.run).cloned() else {
        return Err(ApiError::not_found("run of fix", &step.run));
    };
    let mut plan = Plan::of(engine, project).await?;
    plan.refuse_unusable(project)?;
    plan.checks
        .retain(|check| check.required && (whole || fix.red.contains(&check.name)));
    let (repo, target) = (PathBuf::from(&project.path), fix.target.clone());
    let tip = move || downbeat_git::branch_tip(&repo, &target);
    let commit = blocking::in_time(&project.path, tip).await?.map_err(error::git)?;
    let (checks, notes) = seen::checks(engine, step, (project, &plan), &commit).await?;
    let own = |row: &SessionRow| {
        fix.groups
            .iter()
            .any(|group| group.session.as_ref() == Some(&row.id))
    };
    let others = state.sessions.values();
    let others = others.filter(|row| row.project_id == project.id && row.status.is_live() && !own(row));
    let mut busy = BTreeMap::new();
    for other in others.take(MOST) {
        for file in changed(project, other).await {
            busy.entry(file).or_insert_with(|| other.name.clone());
        }
    }
    Ok(Seen {
        commit,
        checks,
        notes,
        busy,
    })
}

/// Returns the files that a session's worktree changes; none if it cannot be read.
async fn changed(project: &ProjectRow, other: &Arc<SessionRow>) -> Vec<String> {
    let (Ok(worktree), Some(base)) = (row::path_of(other), other.base.clone()) else {
        return Vec::new();
    };
    let repo = PathBuf::from(&project.path);
    let look = move || {
        let head = downbeat_git::head(&worktree).map(|head| head.commit);
        let since = since(&repo, Some(&base), head.as_deref())?;
        downbeat_git::changes(&repo, &worktree, &since)
    };
    match blocking::in_time(&project.path, look).await {
        Ok(Ok(files)) => files
            .into_iter()
            .flat_map(|file| file.from.into_iter().chain([file.path]))
            .collect(),
        _ => Vec::new(),
    }
}
