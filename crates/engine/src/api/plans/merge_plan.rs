//! Merges the work of a plan: requests the merge of each worker that is done, after those that it needs. What is merged, and what
//! that keeps back, is decided by [`Merging`]; the merges themselves are made as those of single sessions.

use crate::api::merge;
use crate::api::plans::shown::found;
use crate::effects::plans::landing;
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_model::session::{MergeOutcome, MergeResult, MergeStrategy};
use downbeat_plans::{
    MergeChoices, MergeStep, Merging, PlanRecord, PlanState, ShareRecord, ShareState, WorkerFacts,
};
use downbeat_wire::merge::MergeSession;
use downbeat_wire::plan_merge::{MergePlan, PlanMerge, WorkerMerge, WorkerMergeResult};
use downbeat_wire::{ApiError, Caller, Code};

/// Merges the work of the workers that are done.
///
/// # Errors
/// Fails if there is no such plan. A merge that is refused is in the answer.
pub async fn merge(engine: &Engine, caller: &Caller, request: &MergePlan) -> Result<PlanMerge, ApiError> {
    let plan = found(engine, caller, &request.id)?;
    let sessions = plan.shares.iter().filter_map(|one| one.session.clone());
    let _held = engine.recall(&sessions.collect::<Vec<SessionId>>()).await?;
    landing::note_landed_by_hand(engine, &plan.id).await?;
    let plan = found(engine, caller, &request.id)?;
    let choices = MergeChoices {
        squash: request.strategy == Some(MergeStrategy::Squash),
        by_hand_merged: request.by_hand_merged == Some(true),
    };
    let facts = facts(&engine.ledger.state(), &plan);
    let mut merging = Merging::new(&plan, choices, facts);
    let mut workers = Vec::with_capacity(plan.shares.len());
    for place in merging.order() {
        let Some(one) = plan.shares.get(place) else {
            continue;
        };
        let step = merging.step(place);
        let (result, said, hint) = match step {
            MergeStep::Request => match requested(engine, one, request.strategy).await {
                Ok(said) => (WorkerMergeResult::Requested, said, None),
                Err(error) => {
                    merging.refused(place);
                    (WorkerMergeResult::Left, error.message, error.hint)
                }
            },
            step if step.leaves() => {
                let (said, hint) = left(&plan, step);
                (WorkerMergeResult::Left, said, hint.map(str::to_owned))
            }
            step => (WorkerMergeResult::Nothing, nothing(&plan, step), None),
        };
        workers.push(WorkerMerge {
            worker: one.share.name.clone(),
            session_id: one.session.clone(),
            result,
            said,
            hint,
        });
    }
    Ok(PlanMerge { workers })
}

/// Returns what is known of the workers of a plan.
fn facts(state: &State, plan: &PlanRecord) -> Vec<WorkerFacts> {
    let of = |one: &ShareRecord| {
        let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
        WorkerFacts {
            is_known: row.is_some(),
            is_archived: row.is_some_and(|row| row.archived_at.is_some()),
            base: row.and_then(|row| Some(row.base.as_ref()?.commit.clone())),
        }
    };
    plan.shares.iter().map(of).collect()
}

/// Requests the merge of the commit of a share's worker, and says so.
async fn requested(
    engine: &Engine,
    one: &ShareRecord,
    strategy: Option<MergeStrategy>,
) -> Result<String, ApiError> {
    let row = one.session.as_ref();
    let row = row.and_then(|id| engine.ledger.session(id));
    let row = row.ok_or_else(|| ApiError::new(Code::NotFound, "its session was removed"))?;
    let last = row.merging.last.as_ref();
    let failed = last.filter(|last| last.outcome.is_failure() && one.merge_failure().is_some());
    let is_elsewhere = row.merging.run.is_some() || row.pulls.iter().any(|card| card.is_open());
    let is_mendable = |last: &&MergeResult| {
        !is_elsewhere && matches!(last.outcome, MergeOutcome::Conflict | MergeOutcome::ChecksFailed)
    };
    let mended = failed.filter(is_mendable);
    let request = MergeSession {
        id: row.id.to_string(),
        strategy,
        unchecked: None,
        priority: None,
        local: None,
        number: None,
        // What came after the worker was done is looked at first, unless a conflict or failing checks had to be mended.
        head: one.tip.clone().filter(|_| mended.is_none()),
        delete_branch: None,
        when_ready: None,
        any_order: None,
    };
    merge::request(engine, &row, &request).await?;
    if row.merging.run.is_some() {
        return Ok(format!("{} is being merged", row.name));
    }
    Ok(match failed {
        Some(last) => format!(
            "the merge of {} was requested again; the last one failed: {}",
            row.name, last.detail
        ),
        None => format!("the merge of {} was requested", row.name),
    })
}

/// Says why there is nothing to merge of a share.
fn nothing(plan: &PlanRecord, step: MergeStep) -> String {
    let said = match step {
        MergeStep::With(other) => return format!("its work lands with that of {}", name(plan, other)),
        MergeStep::Landed => "its work has landed",
        MergeStep::Skipped => "it was skipped",
        MergeStep::MergedByHand => "it was merged by hand",
        MergeStep::NotKept => "another version of its task was kept",
        MergeStep::NoBranch => "it has no branch here",
        _ => "it committed nothing",
    };
    said.to_owned()
}

/// Says why a share is not merged, and what the person can do.
fn left(plan: &PlanRecord, step: MergeStep) -> (String, Option<&'static str>) {
    let is_over = plan.state == PlanState::Cancelled;
    let (said, hint) = match step {
        MergeStep::Needs(other) => (format!("it needs the work of {}", name(plan, other)), None),
        MergeStep::After(other) => (
            format!("it comes after {}, which is not merged", name(plan, other)),
            None,
        ),
        MergeStep::Open(ShareState::Waiting) if is_over => ("it was not started".to_owned(), None),
        MergeStep::Open(ShareState::Running) if is_over => ("it was stopped".to_owned(), None),
        MergeStep::Open(ShareState::Failed) => ("it failed".to_owned(), None),
        MergeStep::Open(state) => (format!("it is {}", state.as_str()), None),
        MergeStep::ByHand => (
            "it was done by hand".to_owned(),
            Some(
                "merge that branch yourself; if it lands as another commit, repeat this with `--by-hand-merged` (in the window: \
                 “Work done by hand is merged”)",
            ),
        ),
        MergeStep::Versions => (
            "there are several versions of its task".to_owned(),
            Some("compare them and keep one, then merge again"),
        ),
        MergeStep::MeantToFail => (
            "the checks fail with it on purpose, and what makes them pass is not done".to_owned(),
            None,
        ),
        _ => (
            "its session was removed".to_owned(),
            Some(
                "merge its branch yourself, then repeat this with `--by-hand-merged` (in the window: “Work done by hand is merged”)",
            ),
        ),
    };
    (said, hint)
}

fn name(plan: &PlanRecord, place: usize) -> &str {
    plan.shares.get(place).map_or("", |one| one.share.name.as_str())
}
