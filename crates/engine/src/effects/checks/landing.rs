//! The git side of a merge: makes the merged commit, and moves the default branch to it.

use crate::effects::checks::made::Made;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::{CandidateSpec, Combination, Finished, LandSpec, Landing, Programs, Strategy};
use downbeat_model::effect::Work;
use downbeat_model::session::{MergeRun, MergeStrategy};
use downbeat_model::{SessionId, lines};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// Returns the commit of the default branch.
pub async fn tip(project: &ProjectRow) -> Result<String, ApiError> {
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let look = move || downbeat_git::branch_tip(&repo, &branch);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}

/// Completes what an engine that was killed began of this merge. Returns the result if it landed, or cannot go on.
pub async fn landed_before(
    project: &ProjectRow,
    row: &SessionRow,
    merge: &MergeRun,
) -> Result<Option<Made>, ApiError> {
    let finished = finish(project, programs(project)).await?;
    if let Some(Finished::Blocked(refusal)) = &finished {
        return Ok(Some(Made::not_landed(&row.name, "", refusal)));
    }
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let id = merge.id.to_string();
    let look = move || downbeat_git::landed(&repo, &branch, &id);
    let landed = blocking::in_time(&project.path, look).await?;
    let commit = landed.map_err(error::git)?;
    Ok(commit.map(|commit| {
        let made = Made::landed(&row.name, project, "", &commit);
        match finished {
            Some(Finished::Landed { left, .. }) => made.with_left(&left, &[]),
            _ => made,
        }
    }))
}

/// Makes the commit that merges `head` into `target`. Repeated for the same merge, it makes the same commit.
pub async fn combine(
    project: &ProjectRow,
    row: &SessionRow,
    merge: &MergeRun,
    (target, head): (&str, &str),
) -> Result<Combination, ApiError> {
    let (repo, id) = (PathBuf::from(&project.path), merge.id.to_string());
    let (target, head) = (target.to_owned(), head.to_owned());
    let way = merge.strategy.unwrap_or_default();
    let strategy = match way {
        MergeStrategy::Merge => Strategy::Merge,
        MergeStrategy::Squash => Strategy::Squash,
        MergeStrategy::Rebase => Strategy::Rebase,
    };
    let title = lines::first_line(&row.title).to_owned();
    let message = match (way, &row.branch) {
        (MergeStrategy::Squash, _) | (_, None) => format!("{title}\n"),
        (_, Some(branch)) => format!("Merge branch '{branch}'\n\n{title}\n"),
    };
    let time = merge.at.to_zoned(TimeZone::system());
    let made = blocking::blocking(move || {
        downbeat_git::candidate(&CandidateSpec {
            repo: &repo,
            id: &id,
            target: &target,
            head: &head,
            strategy,
            message: &message,
            time: &time,
        })
    });
    made.await?.map_err(error::git)
}

/// Moves the default branch from `old` to `new`. Returns `None` if it moved meanwhile.
pub async fn land(
    project: &ProjectRow,
    row: &SessionRow,
    (old, new, head): (&str, &str, &str),
) -> Result<Option<Made>, ApiError> {
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let (from, to) = (old.to_owned(), new.to_owned());
    let programs = programs(project);
    let message = format!("downbeat: merge {}", row.name);
    let landing = blocking::blocking(move || {
        downbeat_git::land(&LandSpec {
            repo: &repo,
            branch: &branch,
            old: &from,
            candidate: &to,
            message: &message,
            programs,
        })
    });
    let name = &row.name;
    Ok(match landing.await?.map_err(error::git)? {
        Landing::Landed { submodules, left } => {
            let made = Made::landed(name, project, head, new);
            Some(made.with_left(&left, &submodules))
        }
        Landing::AlreadyLanded => Some(Made::landed(name, project, head, new)),
        Landing::Moved { .. } => None,
        Landing::Refused(refusal) => Some(Made::not_landed(name, head, &refusal)),
    })
}

/// Decides whether the repository's own filters run on merged files. Only the person requests merges, for whom they run as
/// with `git merge`.
fn programs(project: &ProjectRow) -> Programs {
    match project.trusted {
        true => Programs::Run,
        false => Programs::Skip,
    }
}

/// Finishes or undoes a landing that was cut off, and reports what failed in the log only.
pub async fn clear(project: &ProjectRow) {
    if let Err(error) = finish(project, programs(project)).await {
        tracing::warn!(project = project.name, "a landing stays cut off: {error}");
    }
}

/// Finishes or undoes a landing that was cut off, after which the person can commit in the checkout again.
async fn finish(project: &ProjectRow, programs: Programs) -> Result<Option<Finished>, ApiError> {
    let repo = PathBuf::from(&project.path);
    let finish = move || downbeat_git::finish_landing(&repo, programs);
    let finished = blocking::blocking(finish).await?.map_err(error::git)?;
    if let Some(end) = &finished {
        tracing::info!(
            project = project.name,
            ?end,
            "a landing that was cut off is ended"
        );
    }
    Ok(finished)
}

/// Lets git forget the commit of a merge that has ended, unless something else has it.
pub async fn drop_candidate(project: &ProjectRow, run: &SessionId) {
    let (repo, id) = (PathBuf::from(&project.path), run.to_string());
    let dropped = blocking::blocking(move || downbeat_git::unpin(&repo, &id)).await;
    if let Ok(Err(error)) = dropped {
        tracing::warn!(project = project.name, "the commit of a merge stays: {error}");
    }
}

/// Lets git forget the commits of merges that have ended: an engine may have been killed just before it did that.
pub async fn drop_left(engine: &Engine, project: &ProjectRow) {
    let repo = PathBuf::from(&project.path);
    let found = blocking::in_time(&project.path, move || downbeat_git::pins(&repo)).await;
    let Ok(Ok(found)) = found else { return };
    let state = engine.ledger.state();
    let is_waiting = |run: &SessionId| {
        let mut effects = state.effects.iter();
        effects.any(|effect| matches!(&effect.work, Work::Merge(merge) if merge.run == *run))
    };
    for run in found.iter().filter_map(|pin| SessionId::parse(&pin.id)) {
        if !is_waiting(&run) {
            drop_candidate(project, &run).await;
        }
    }
}
