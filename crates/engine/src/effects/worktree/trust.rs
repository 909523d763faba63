//! Records whether a project is trusted, here and in the agent's own settings.

use crate::effects::worktree::allowed_commits;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{EventKind, ProjectId};
use downbeat_wire::ApiError;
use serde_json::Value;
use std::path::PathBuf;

/// Records the answer to the trust question, here and in the agent's own settings.
pub async fn trust(engine: &Engine, id: &ProjectId, yes: bool) -> Result<(), ApiError> {
    let project = engine.project(id)?;
    let tips = match yes {
        true => allowed_commits::tips(&project).await,
        false => Vec::new(),
    };
    trust_at(engine, PathBuf::from(&project.path), yes).await?;
    engine
        .ledger
        .write(|draft| {
            let project = draft.project(id)?;
            project.trusted = yes;
            allowed_commits::add(project, tips);
            draft.event(EventKind::ProjectChanged, Some(id), Value::Null);
            Ok(())
        })
        .await
}

/// Writes the answer into the agent's own settings. The agent looks up the repository of a worktree, so one
/// entry covers all worktrees.
pub(crate) async fn trust_at(engine: &Engine, root: PathBuf, yes: bool) -> Result<(), ApiError> {
    let files = engine.agent_files();
    blocking::blocking(move || match (files, yes) {
        (Some(files), true) => downbeat_agents::grant_trust(&files, &root),
        (Some(files), false) => downbeat_agents::revoke_trust(&files, &root),
        (None, _) => Ok(()),
    })
    .await?
    .map_err(error::agent)
}
