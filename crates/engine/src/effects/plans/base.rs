//! The commit that a share begins at: it has the work of all that the share needs in its project.

use crate::effects::worktree::committed::committed;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::{CandidateSpec, Combination, Strategy};
use downbeat_plans::PlanRecord;
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// Makes the commit that a share begins at: it has the work of all that the share needs in its project. Nobody's checkout is
/// touched.
///
/// # Errors
/// Fails if the work of two of them conflicts.
pub(crate) async fn base(
    engine: &Engine,
    project: &ProjectRow,
    plan: &PlanRecord,
    place: usize,
) -> Result<Option<String>, ApiError> {
    match merged(project, plan, place).await {
        Err(error) if error.code == Code::Conflict => {
            // Somebody may have merged one into the other since, as the error of the try before says.
            let newest = newest(engine, project, plan).await;
            if newest == *plan {
                return Err(error);
            }
            merged(project, &newest, place).await
        }
        done => done,
    }
}

/// Returns the plan with the newest commits of its workers in a project that are done, as far as these have the work that was done.
async fn newest(engine: &Engine, project: &ProjectRow, plan: &PlanRecord) -> PlanRecord {
    let mut newest = plan.clone();
    for (place, one) in newest.shares.iter_mut().enumerate() {
        if *plan.project_of(place) != project.id {
            continue;
        }
        let row = one.session.as_ref().and_then(|id| engine.ledger.session(id));
        let (Some(row), Some(tip)) = (row, one.tip.clone()) else {
            continue;
        };
        let Ok((head, 0)) = committed(project, &row).await else {
            continue;
        };
        let (repo, from) = (PathBuf::from(&project.path), vec![head.commit.clone()]);
        let has_it = blocking::in_time(&project.path, move || {
            downbeat_git::is_reached(&repo, &tip, &from)
        });
        if let Ok(Ok(true)) = has_it.await {
            one.tip = Some(head.commit);
        }
    }
    newest
}

/// Merges the commits of all that a share needs.
async fn merged(project: &ProjectRow, plan: &PlanRecord, place: usize) -> Result<Option<String>, ApiError> {
    let mut tips = plan.tips(place).into_iter();
    let Some((first, tip)) = tips.next() else {
        return Ok(None);
    };
    let (mut base, mut names) = (tip.to_owned(), vec![first.to_owned()]);
    let time = plan.started_at.unwrap_or(plan.created_at).to_zoned(TimeZone::UTC);
    for (name, head) in tips {
        let (repo, target, head) = (PathBuf::from(&project.path), base.clone(), head.to_owned());
        let (id, message) = (
            format!("{}-{place}", plan.id),
            format!("Merge {name} into the plan\n"),
        );
        let time = time.clone();
        let made = blocking::within(blocking::CHANGES, &project.path, move || {
            downbeat_git::candidate(&CandidateSpec {
                repo: &repo,
                id: &id,
                target: &target,
                head: &head,
                strategy: Strategy::Merge,
                message: &message,
                time: &time,
            })
        });
        match made.await?.map_err(error::git)? {
            Combination::Candidate(made) => base = made.commit,
            Combination::AlreadyMerged => {}
            Combination::Conflict(_) => {
                let what = format!("the work of {name} conflicts with that of {}", names.join(", "));
                let hint = "merge one into the other in its worktree, commit, then retry";
                return Err(ApiError::new(Code::Conflict, format!("{what}: {hint}")));
            }
        }
        names.push(name.to_owned());
    }
    Ok(Some(base))
}
