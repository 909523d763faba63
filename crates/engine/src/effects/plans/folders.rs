//! Whether the folders of a plan's projects can be used: that is asked before anything of it runs.

use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::Repository;
use downbeat_model::ProjectId;
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Checks that workers can begin in each of these projects.
///
/// # Errors
/// Names the first project in which none can.
pub(crate) async fn refuse_unusable(engine: &Engine, projects: &[&ProjectId]) -> Result<(), ApiError> {
    let each: BTreeSet<&ProjectId> = projects.iter().copied().collect();
    for id in each {
        let project = engine.project(id).map_err(|error| {
            let what =
                "a project of this plan was removed: `downbeat plan show` says which, and what can be done";
            ApiError::new(error.code, what)
        })?;
        look(engine, &project).await.map_err(|error| ApiError {
            message: format!("the project {} cannot be used: {}", project.name, error.message),
            ..error
        })?;
    }
    Ok(())
}

/// Looks for the commit at which workers of a project begin.
async fn look(engine: &Engine, project: &ProjectRow) -> Result<(), ApiError> {
    let config = engine.project_config(project).await?;
    let base = config.base.unwrap_or_else(|| project.default_branch.clone());
    let repo = PathBuf::from(&project.path);
    let look = move || Repository::open(&repo)?.base(&base).map(drop);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}
