//! The commit that a share begins at: it has the work of all that the share needs.

use crate::host::blocking;
use crate::state::error;
use downbeat_git::{CandidateSpec, Combination, Strategy};
use downbeat_plans::PlanRecord;
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// Makes the commit that a share begins at: it has the work of all that the share needs. Nobody's checkout is touched.
///
/// # Errors
/// Fails if the work of two of them conflicts.
pub(crate) async fn base(
    project: &ProjectRow,
    plan: &PlanRecord,
    place: usize,
) -> Result<Option<String>, ApiError> {
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
        let made = blocking::blocking(move || {
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
