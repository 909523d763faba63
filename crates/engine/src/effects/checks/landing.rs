//! The git side of a merge: makes the merged commit, and moves the target to it.

use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::{CandidateSpec, Cause, Combination, Error, LandSpec, Landing, Programs, Strategy};
use downbeat_model::queue::{Refusal, StepResult};
use downbeat_model::session::{MergeRun, MergeStrategy};
use downbeat_model::{SessionId, lines};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// Returns the commit of a branch.
pub async fn tip(project: &ProjectRow, branch: &str) -> Result<String, ApiError> {
    let (repo, branch) = (PathBuf::from(&project.path), branch.to_owned());
    let look = move || downbeat_git::branch_tip(&repo, &branch);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}

/// Why a commit could not be made.
pub struct NotMade {
    /// Whether that is due to what is merged, and not to the disk or the like, so that another try would fail, too.
    pub is_of_work: bool,
    /// Why.
    pub error: ApiError,
}

impl NotMade {
    fn of(error: Error) -> Self {
        let is_of_work = matches!(
            error,
            Error::UnknownRef { .. }
                | Error::Unrelated { .. }
                | Error::NoIdentity { .. }
                | Error::MergeInRebase { .. }
                | Error::TooManyCommits { .. }
        );
        Self {
            is_of_work,
            error: error::git(error),
        }
    }
}

/// Makes the commit that merges `head` into `target`. Repeated for the same merge, it makes the same commit.
pub async fn combine(
    project: &ProjectRow,
    row: &SessionRow,
    merge: &MergeRun,
    (target, head): (&str, &str),
) -> Result<Combination, NotMade> {
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
    let made = made.await.map_err(|error| NotMade {
        is_of_work: false,
        error,
    })?;
    made.map_err(NotMade::of)
}

/// Moves the target from one commit to another. Returns the result of the step, and what the person has to know of it.
pub async fn land(
    project: &ProjectRow,
    target: &str,
    names: &[String],
    (old, new): (&str, &str),
) -> Result<(StepResult, Option<String>), ApiError> {
    let (repo, branch) = (PathBuf::from(&project.path), target.to_owned());
    let (from, to) = (old.to_owned(), new.to_owned());
    let programs = programs(project);
    let message = format!("downbeat: merge {}", names.join(", "));
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
    Ok(match landing.await?.map_err(error::git)? {
        Landing::Landed { submodules, left } => (StepResult::Landed, note(&left, &submodules)),
        Landing::AlreadyLanded => (StepResult::Landed, None),
        Landing::Moved { .. } => (StepResult::Refused(Refusal::TargetMoved), None),
        Landing::Refused(refusal) => {
            let why = refusal.to_string();
            // Other git commands end soon. What the person has to do first may take long.
            let result = match refusal.cause {
                Cause::IndexLocked | Cause::Switched => StepResult::Failed { why },
                _ => StepResult::Refused(Refusal::NotNow { why }),
            };
            (result, None)
        }
    })
}

/// Says what the person has to know of a landing: files that were edited after a crash, and submodules.
fn note(left: &[String], submodules: &[String]) -> Option<String> {
    let mut note = String::new();
    if !left.is_empty() {
        let files = left.join(", ");
        note.push_str(&format!(
            "; these files were being edited and were left as they are: {files}"
        ));
    }
    if !submodules.is_empty() {
        let list = submodules.join(", ");
        note.push_str(&format!(
            "; submodules moved ({list}): run `git submodule update` in your checkout"
        ));
    }
    Some(note).filter(|note| !note.is_empty())
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
async fn finish(project: &ProjectRow, programs: Programs) -> Result<(), ApiError> {
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
    Ok(())
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
        let mut rows = state.sessions.values();
        rows.any(|row| row.merging.run.as_ref().is_some_and(|merge| merge.id == *run))
    };
    for run in found.iter().filter_map(|pin| SessionId::parse(&pin.id)) {
        if !is_waiting(&run) {
            drop_candidate(project, &run).await;
        }
    }
}
