//! Merges the work of a session into its project's default branch: makes the merged commit, checks it unless exactly its
//! files were checked before, and moves the branch. Each step can be repeated, so that a merge that a crash cut off is
//! made again by the next engine, under the same identifier.

use crate::decide::merge;
use crate::effects::checks::plan::Plan;
use crate::effects::checks::{command, run};
use crate::effects::worktree::allowed_commits;
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::{Candidate, Landing, MergeOrder, Refusal, Strategy};
use downbeat_model::effect::Check;
use downbeat_model::session::{MergeOutcome, MergeResult, MergeRun, MergeStrategy};
use downbeat_model::{SessionId, Verification};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::path::PathBuf;
use std::time::Duration;

/// The number of times that a merge is made anew because its target moved meanwhile.
const TRIES: usize = 5;

/// The interval between two looks whether a merge was cancelled.
const LOOK: Duration = Duration::from_millis(200);

/// Makes the merge, and records its result. Returns early, without a result, if the merge is cancelled, or if the engine
/// shuts down; the next engine then repeats it.
///
/// # Errors
/// Fails if the result cannot be recorded; the merge is then repeated later.
pub async fn carry_out(engine: &Engine, order: &Check) -> Result<(), ApiError> {
    point("merge-noted");
    let _held = engine.recall(std::slice::from_ref(&order.session)).await?;
    if !engine.ledger.write(|draft| merge::begin(draft, order)).await? {
        return Ok(());
    }
    let row = engine.row(&order.session)?;
    let project = engine.project(&row.project_id)?;
    let made = tokio::select! {
        made = make(engine, order, &project) => made,
        () = cancelled(engine, order) => {
            command::clear(&run::keeper(engine, order)?, &order.run).await;
            return Ok(());
        }
    };
    let made = made.unwrap_or_else(|error| Made::refused(error.to_string()));
    point("merge-made");
    let result = MergeResult {
        outcome: made.outcome,
        target: project.default_branch.clone(),
        head: made.head,
        commit: made.commit,
        detail: made.detail,
        files: made.files,
        at: Timestamp::now(),
    };
    let (repo, name) = (PathBuf::from(&project.path), order.run.to_string());
    let dropped = blocking::blocking(move || downbeat_git::drop_candidate(&repo, &name)).await;
    if let Ok(Err(error)) = dropped {
        tracing::warn!(session = %order.session, "the commit of a merge stays: {error}");
    }
    let written = engine
        .ledger
        .write(|draft| merge::conclude(draft, order, result, made.checked.as_ref()));
    written.await
}

async fn cancelled(engine: &Engine, order: &Check) {
    while merge::under_way(&engine.ledger.state(), order).is_some() && !engine.closing.is_cancelled() {
        tokio::time::sleep(LOOK).await;
    }
}

/// How a merge ended.
struct Made {
    outcome: MergeOutcome,
    head: String,
    commit: Option<String>,
    detail: String,
    files: Vec<String>,
    checked: Option<Verification>,
}

impl Made {
    fn new(outcome: MergeOutcome, head: &str, detail: String) -> Self {
        Self {
            outcome,
            head: head.to_owned(),
            commit: None,
            detail,
            files: Vec::new(),
            checked: None,
        }
    }

    fn refused(detail: String) -> Self {
        Self::new(MergeOutcome::Refused, "", detail)
    }
}

async fn make(engine: &Engine, order: &Check, project: &ProjectRow) -> Result<Made, ApiError> {
    let row = engine.row(&order.session)?;
    let state = engine.ledger.state();
    let Some(asked) = merge::under_way(&state, order).cloned() else {
        return Ok(Made::refused("it was cancelled".into()));
    };
    let plan = match asked.unchecked {
        true => None,
        false => Some(Plan::of(engine, project).await?).filter(|plan| !plan.checks.is_empty()),
    };
    let (head, uncommitted) = run::work(project, &row).await?;
    let name = &row.name;
    if uncommitted > 0 {
        let files = downbeat_model::count(uncommitted, "file", "files");
        let what =
            format!("{name} has {files} that are not committed; commit or discard them, then merge again");
        return Ok(Made::new(MergeOutcome::Refused, &head, what));
    }
    let verified = row.checks.last.as_ref().filter(|last| last.is_green());
    if let Some(plan) = &plan {
        plan.refuse_unusable(project)?;
        if !verified.is_some_and(|last| last.is_of(&head, &plan.hash)) {
            let what =
                format!("{name} has a newer commit than its checks saw; run its checks, then merge again");
            return Ok(Made::new(MergeOutcome::Refused, &head, what));
        }
    }
    for _ in 0..TRIES {
        let old = tip(project).await?;
        let candidate = candidate(project, &row, &asked, (&old, &head)).await?;
        let (commit, tree) = match candidate {
            Candidate::Made { commit, tree } => (commit, tree),
            other => return Ok(unmade(project, name, &head, other)),
        };
        point("merge-candidate");
        if let Some(plan) = &plan
            && verified.is_none_or(|last| last.tree != tree)
            && let Some(failed) = check(engine, order, (project, plan), &commit).await?
        {
            let branch = &project.default_branch;
            let what = format!("{name} fails its checks once it is merged into {branch}");
            let made = Made::new(MergeOutcome::ChecksFailed, &head, what);
            return Ok(Made {
                checked: Some(failed),
                ..made
            });
        }
        point("merge-checked");
        if let Some(made) = land(project, &row, (&old, &commit, &head)).await? {
            return Ok(made);
        }
    }
    let branch = &project.default_branch;
    let what = format!("{branch} moved {TRIES} times during the merge of {name}; merge again");
    Ok(Made::new(MergeOutcome::Refused, &head, what))
}

/// Returns the commit of the default branch.
async fn tip(project: &ProjectRow) -> Result<String, ApiError> {
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let look = move || downbeat_git::branch_tip(&repo, &branch);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}

async fn candidate(
    project: &ProjectRow,
    row: &SessionRow,
    asked: &MergeRun,
    (target, head): (&str, &str),
) -> Result<Candidate, ApiError> {
    let (repo, name) = (PathBuf::from(&project.path), asked.id.to_string());
    let (target, head) = (target.to_owned(), head.to_owned());
    let strategy = match asked.strategy {
        MergeStrategy::Merge => Strategy::Merge,
        MergeStrategy::Squash => Strategy::Squash,
        MergeStrategy::Rebase => Strategy::Rebase,
    };
    let title = downbeat_model::lines::first_line(&row.title).to_owned();
    let message = match (asked.strategy, &row.branch) {
        (MergeStrategy::Squash, _) | (_, None) => format!("{title}\n"),
        (_, Some(branch)) => format!("Merge branch '{branch}'\n\n{title}\n"),
    };
    let made = blocking::blocking(move || {
        downbeat_git::candidate(&MergeOrder {
            repo: &repo,
            target: &target,
            head: &head,
            strategy,
            message: &message,
            name: &name,
        })
    });
    made.await?.map_err(error::git)
}

fn unmade(project: &ProjectRow, name: &str, head: &str, candidate: Candidate) -> Made {
    let branch = &project.default_branch;
    match candidate {
        Candidate::Conflict { files, count } => {
            let what = match files.as_slice() {
                [one] if count == 1 => one.clone(),
                _ => format!("{count} files"),
            };
            let detail = format!("{name} is in conflict with {branch}: both changed {what}");
            let made = Made::new(MergeOutcome::Conflict, head, detail);
            Made { files, ..made }
        }
        Candidate::Contained | Candidate::Made { .. } => {
            let detail = format!("{branch} already contains the work of {name}");
            Made::new(MergeOutcome::Contained, head, detail)
        }
    }
}

/// Runs the checks on the merged commit, twice if they fail the first time. Returns the result if they fail.
async fn check(
    engine: &Engine,
    order: &Check,
    (project, plan): (&ProjectRow, &Plan),
    commit: &str,
) -> Result<Option<Verification>, ApiError> {
    let mut failed = None;
    for _ in 0..2 {
        let started_at = Timestamp::now();
        let (tree, checks) = run::on_commit(engine, order, (project, plan), commit, None).await?;
        let result = Verification {
            commit: commit.to_owned(),
            tree,
            hash: plan.hash.clone(),
            uncommitted: 0,
            started_at,
            finished_at: Timestamp::now(),
            checks,
            error: None,
        };
        if result.is_green() {
            return Ok(None);
        }
        failed = Some(result);
    }
    Ok(failed)
}

/// Moves the branch. Returns `None` if it moved meanwhile.
async fn land(
    project: &ProjectRow,
    row: &SessionRow,
    (old, new, head): (&str, &str, &str),
) -> Result<Option<Made>, ApiError> {
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let (from, to) = (old.to_owned(), new.to_owned());
    let programs = allowed_commits::programs(project, row).await?;
    let landing = blocking::blocking(move || downbeat_git::land(&repo, &branch, &from, &to, programs));
    let (name, branch) = (&row.name, &project.default_branch);
    let refused = |what: String| Some(Made::new(MergeOutcome::Refused, head, what));
    Ok(match landing.await?.map_err(error::git)? {
        Landing::Landed | Landing::Contained => {
            let detail = format!("{name} landed on {branch} as {}", row::short(new));
            let made = Made::new(MergeOutcome::Landed, head, detail);
            Some(Made {
                commit: Some(new.to_owned()),
                ..made
            })
        }
        Landing::Moved { .. } => None,
        Landing::Refused(Refusal::NotForward) => refused(format!("{name} does not contain {branch}")),
        Landing::Refused(Refusal::Operation { place }) => refused(format!(
            "a merge, rebase or similar is in progress in {}; finish it, then merge {name} again",
            place.display()
        )),
        Landing::Refused(Refusal::Overlap { place, files }) => refused(format!(
            "your changes in {} touch files that {name} changed: {}; commit or stash them, then merge again",
            place.display(),
            files.join(", ")
        )),
        Landing::Refused(Refusal::Files { place, why }) => refused(format!(
            "git could not change the files in {}: {why}",
            place.display()
        )),
    })
}

/// Returns the identifier of a new merge.
pub fn new_run() -> Result<SessionId, ApiError> {
    SessionId::random().map_err(|error| ApiError::failed("no randomness", error))
}
