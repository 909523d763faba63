//! Merges the work of a session into its project's default branch: makes the merged commit, checks it unless exactly its
//! files were checked before, and moves the branch. Each step can be repeated, so that a merge that a crash cut off is
//! made again by the next engine, under the same identifier.

use crate::decide::merge;
use crate::effects::checks::made::Made;
use crate::effects::checks::plan::Plan;
use crate::effects::checks::{command, landing, run};
use crate::effects::worktree::committed::committed;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_git::Combination;
use downbeat_model::effect::Check;
use downbeat_model::session::{MergeOutcome, MergeResult};
use downbeat_model::{SessionId, Verification};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use jiff::Timestamp;
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
    let begun = engine.ledger.write(|draft| merge::begin(draft, order)).await?;
    let row = engine.row(&order.session)?;
    let project = engine.project(&row.project_id)?;

    if !begun {
        // The engine that it was cancelled in may have been killed in the middle of the landing.
        landing::clear(&project).await;
        landing::drop_candidate(&project, &order.run).await;
        return Ok(());
    }
    run::clear_left(engine, &project.id).await;
    let keeper = run::keeper(engine, &project.id, &order.run);
    command::clear(&keeper, &order.run).await;
    let made = tokio::select! {
        made = make(engine, order, &project) => made,
        () = cancelled(engine, order) => {
            command::clear(&keeper, &order.run).await;
            if !engine.closing.is_cancelled() {
                landing::clear(&project).await;
                landing::drop_candidate(&project, &order.run).await;
            }
            return Ok(());
        }
    };
    let made = match made {
        Ok(made) => made,
        // The end of its checks is not their result: the next engine makes the merge again.
        _ if engine.closing.is_cancelled() => return Ok(()),
        Err(error) => Made::refused(error.to_string()),
    };
    if made.outcome == MergeOutcome::ChecksFailed && engine.closing.is_cancelled() {
        return Ok(());
    }
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
    let written = engine
        .ledger
        .write(|draft| merge::conclude(draft, order, result, made.checked.as_ref()));
    written.await?;
    landing::drop_candidate(&project, &order.run).await;
    Ok(())
}

async fn cancelled(engine: &Engine, order: &Check) {
    while merge::under_way(&engine.ledger.state(), order).is_some() && !engine.closing.is_cancelled() {
        tokio::time::sleep(LOOK).await;
    }
}

async fn make(engine: &Engine, order: &Check, project: &ProjectRow) -> Result<Made, ApiError> {
    let row = engine.row(&order.session)?;
    let state = engine.ledger.state();
    let Some(asked) = merge::under_way(&state, order).cloned() else {
        return Ok(Made::refused("it was cancelled".into()));
    };
    if let Some(made) = landing::landed_before(project, &row, &asked).await? {
        return Ok(made);
    }
    // An engine that was killed in the middle of a landing that is undone now.
    set_landing(engine, order, false).await?;
    let plan = match asked.unchecked {
        true => None,
        false => {
            let plan = Plan::of(engine, project).await?;
            plan.refuse_emptied(project)?;
            Some(plan).filter(|plan| !plan.checks.is_empty())
        }
    };
    let (head, uncommitted) = committed(project, &row).await?;
    let head = head.commit;
    let name = &row.name;
    if uncommitted > 0 {
        let files = downbeat_model::count(uncommitted, "uncommitted file", "uncommitted files");
        let what = format!("{name} has {files}; commit or discard them, then merge again");
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
        let old = landing::tip(project).await?;
        let (commit, tree) = match landing::combine(project, &row, &asked, (&old, &head)).await? {
            Combination::Candidate(made) => (made.commit, made.tree),
            Combination::AlreadyMerged => return Ok(Made::contained(name, project, &head)),
            Combination::Conflict(conflict) => return Ok(Made::conflict(name, project, &head, &conflict)),
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
        if !set_landing(engine, order, true).await? {
            return Ok(Made::refused("it was cancelled".into()));
        }
        if let Some(made) = landing::land(project, &row, (&old, &commit, &head)).await? {
            return Ok(made);
        }
        set_landing(engine, order, false).await?;
    }
    let branch = &project.default_branch;
    let what = format!("{branch} moved {TRIES} times during the merge of {name}; merge again");
    Ok(Made::new(MergeOutcome::Refused, &head, what))
}

async fn set_landing(engine: &Engine, order: &Check, is_landing: bool) -> Result<bool, ApiError> {
    let written = engine
        .ledger
        .write(|draft| merge::set_landing(draft, order, is_landing));
    written.await
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

/// Returns the identifier of a new merge.
pub fn new_run() -> Result<SessionId, ApiError> {
    SessionId::random().map_err(|error| ApiError::failed("no randomness", error))
}
