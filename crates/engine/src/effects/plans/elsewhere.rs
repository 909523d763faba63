//! Where the work is that a share needs in other repositories, for its prompt. Nothing is read there.

use crate::state::context::Engine;
use downbeat_model::SessionId;
use downbeat_plans::{Elsewhere, PlanRecord};
use downbeat_wire::ApiError;

/// Returns the work in other repositories that a share needs: where its worker did it, as long as that folder is there, otherwise
/// in the repository.
///
/// # Errors
/// Fails if the sessions that did it cannot be read.
pub(crate) async fn of(engine: &Engine, plan: &PlanRecord, place: usize) -> Result<Vec<Elsewhere>, ApiError> {
    let places = plan.elsewhere(place);
    let shares = || {
        places
            .iter()
            .filter_map(|other| Some((*other, plan.shares.get(*other)?)))
    };
    let sessions: Vec<SessionId> = shares().filter_map(|(_, one)| one.session.clone()).collect();
    let _held = engine.recall(&sessions).await?;
    let state = engine.ledger.state();
    let all = shares().filter_map(|(other, one)| {
        let project = state.projects.get(plan.project_of(other))?;
        let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
        let folder = row
            .filter(|row| row.removed.is_none())
            .and_then(|row| row.workspace_path.clone());
        Some(Elsewhere {
            worker: one.share.name.clone(),
            project: project.name.clone(),
            branch: row.and_then(|row| row.branch.clone()),
            commit: one.tip.clone(),
            folder: folder.unwrap_or_else(|| project.path.clone()),
        })
    });
    Ok(all.collect())
}
