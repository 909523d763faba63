//! What plans of the same file did before: tasks are ticked once they are done on a branch, and a plan that begins where the
//! default branch is does not have that work before somebody merged it.

use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_plans::{PlanState, ShareState, Source};
use downbeat_store::ProjectRow;
use std::path::PathBuf;

/// The most commits of earlier plans that are looked at.
const MOST: usize = 100;

/// Returns a note for each share of an earlier plan of a file whose work is not on the default branch. A repository that cannot
/// be read now is no reason to refuse a plan: then there is none.
pub(super) async fn notes(engine: &Engine, project: &ProjectRow, source: &Source) -> Vec<String> {
    let state = engine.ledger.state();
    let plans = state.plans.values().filter(|plan| {
        let is_over = matches!(plan.state, PlanState::Complete | PlanState::Cancelled);
        let of = plan.source.as_ref().map(|of| (&of.path, &of.tag));
        is_over && plan.project == project.id && of == Some((&source.path, &source.tag))
    });
    let done = plans.flat_map(|plan| plan.shares.iter().filter(|one| one.state == ShareState::Done));
    let done = done.filter_map(|one| Some((one.share.name.clone(), one.tip.clone()?)));
    let done: Vec<(String, String)> = done.take(MOST).collect();
    if done.is_empty() {
        return Vec::new();
    }
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let look = move || -> Result<Vec<String>, downbeat_git::Error> {
        let head = downbeat_git::Repository::open(&repo)?.base(&branch)?.commit;
        let from = [head];
        let mut notes = Vec::new();
        for (name, tip) in done {
            // A commit that is gone was merged as another one, or nobody can use it any more.
            if !downbeat_git::is_reached(&repo, &tip, &from).unwrap_or(true) {
                notes.push(format!(
                    "{name} was done by an earlier plan of this file, but its commit {tip:.10} is not on {branch}: merge it, or the \
                     workers begin without it"
                ));
            }
        }
        Ok(notes)
    };
    let found = blocking::in_time(&project.path, look).await;
    found.ok().and_then(Result::ok).unwrap_or_default()
}
