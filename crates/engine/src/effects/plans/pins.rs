//! Removes the references that keep the merged commits at which workers of a plan began, once the plan is over. The branch of a worker
//! has that commit, so nothing is lost; where there is no such branch yet, the reference stays.

use crate::decide::plans;
use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_model::{ProjectId, SessionId};
use downbeat_plans::PlanRecord;
use downbeat_wire::ApiError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A commit at which a worker began, and its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Began {
    commit: String,
    branch: Option<String>,
}

/// Removes the references of a plan that is over, in all of its projects.
///
/// # Errors
/// Fails if a disk does not answer, or if nothing can be recorded; it is then tried again later.
pub(crate) async fn remove(engine: &Engine, plan: &PlanRecord) -> Result<(), ApiError> {
    if !plan.has_pins() || !plan.leaving.is_empty() {
        return Ok(());
    }
    let shares = plan.shares.iter();
    let workers: Vec<SessionId> = shares
        .flat_map(|one| one.session.iter().chain(&one.before))
        .cloned()
        .collect();
    let _held = engine.recall(&workers).await?;
    let began: Vec<Began> = workers
        .iter()
        .filter_map(|id| {
            let row = engine.ledger.session(id).filter(|row| row.removed.is_none())?;
            Some(Began {
                commit: row.base.as_ref()?.commit.clone(),
                branch: row.branch.clone(),
            })
        })
        .collect();
    let projects: BTreeSet<&ProjectId> = plan.projects().into_iter().collect();
    for id in projects {
        // What became of the references of a project that was removed is up to the person.
        let Ok(project) = engine.project(id) else { continue };
        let (repo, prefix, began) = (
            PathBuf::from(&project.path),
            format!("{}-", plan.id),
            began.clone(),
        );
        let remove = move || unpin(&repo, &prefix, &began);
        // A repository that is not there any more has none.
        if let Err(error) = blocking::in_time(&project.path, remove).await? {
            tracing::warn!(plan = %plan.id, "references that kept commits for its workers are not removed: {error}");
        }
    }
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |plan, _| {
            plan.unpinned = true;
            Ok(())
        })
    });
    written.await
}

/// Removes the references whose names begin like this, but for those of commits that only they keep for a worker. Blocks.
fn unpin(repo: &Path, prefix: &str, began: &[Began]) -> Result<(), downbeat_git::Error> {
    for pin in downbeat_git::pins(repo)? {
        if !pin.id.starts_with(prefix) {
            continue;
        }
        let mut is_needed = false;
        for one in began.iter().filter(|one| one.commit == pin.commit) {
            let branch = one.branch.clone().into_iter().collect::<Vec<_>>();
            let heads = downbeat_git::branch_heads(repo, &branch)?.into_iter();
            let heads: Vec<String> = heads.filter_map(|heads| heads.head).collect();
            is_needed |= !downbeat_git::is_reached(repo, &pin.commit, &heads)?;
        }
        if !is_needed {
            downbeat_git::unpin(repo, &pin.id)?;
        }
    }
    Ok(())
}
