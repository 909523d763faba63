//! Looks at a branch with work that no worker of Downbeat did.

use crate::host::blocking;
use crate::state::error;
use downbeat_git::Repository;
use downbeat_plans::PlanRecord;
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;

/// Returns the commit of a branch, which has the work that the tasks of a share need.
///
/// # Errors
/// Fails if there is no such branch, if it lacks that work, or if that work is not done.
pub(crate) async fn commit(
    project: &ProjectRow,
    plan: &PlanRecord,
    place: usize,
    branch: &str,
) -> Result<String, ApiError> {
    if let Some(name) = plan.open_needs(place).first() {
        let what = format!("the work of {name}, which these tasks need, is not done yet");
        return Err(
            ApiError::new(Code::Conflict, what).hint(format!("count {name} as done first, or skip it"))
        );
    }
    let needed: Vec<(String, String)> = plan
        .tips(place)
        .into_iter()
        .map(|(name, tip)| (name.to_owned(), tip.to_owned()))
        .collect();
    let (repo, branch) = (PathBuf::from(&project.path), branch.to_owned());
    let look = move || -> Result<(String, Option<String>), downbeat_git::Error> {
        let commit = Repository::open(&repo)?.base(&branch)?.commit;
        let from = [commit.clone()];
        for (name, tip) in needed {
            if !downbeat_git::is_reached(&repo, &tip, &from)? {
                return Ok((commit, Some(name)));
            }
        }
        Ok((commit, None))
    };
    let (commit, lacking) = blocking::in_time(&project.path, look)
        .await?
        .map_err(error::git)?;
    match lacking {
        None => Ok(commit),
        Some(name) => {
            let what = format!("branch: it does not have the work of {name}, which these tasks need");
            Err(ApiError::invalid(what).hint("merge that into it first"))
        }
    }
}
