//! Records whether a project is trusted, here and in the agent's own settings.

use crate::effects::worktree::allowed_commits;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::RemoteAddress;
use downbeat_model::{EventKind, ProjectId};
use downbeat_store::ProjectRow;
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
    let repositories = match yes {
        // Not later: an agent could have named others by then.
        true => Some(repositories(&project).await?),
        false => None,
    };
    trust_at(engine, PathBuf::from(&project.path), yes).await?;
    engine
        .ledger
        .write(|draft| {
            let project = draft.project(id)?;
            project.trusted = yes;
            project.repositories = repositories;
            allowed_commits::add(project, tips);
            draft.event(EventKind::ProjectChanged, Some(id), Value::Null);
            Ok(())
        })
        .await
}

/// Returns the repositories at forges that the remotes of a project name now.
async fn repositories(project: &ProjectRow) -> Result<String, ApiError> {
    let repo = PathBuf::from(&project.path);
    let remotes = blocking::in_time(&project.path, move || downbeat_git::remotes(&repo)).await?;
    // A folder that is no repository has none.
    let remotes = remotes.unwrap_or_default();
    let addresses = remotes
        .iter()
        .filter_map(|remote| RemoteAddress::parse(&remote.url).ok());
    let names: Vec<String> = addresses.map(|address| address.to_string()).collect();
    Ok(names.join(" "))
}

/// Notes the repositories of projects that were trusted before they were noted.
pub async fn note_repositories(engine: &Engine) {
    let state = engine.ledger.state();
    let unknown = |project: &&std::sync::Arc<ProjectRow>| project.trusted && project.repositories.is_none();
    for project in state.projects.values().filter(unknown) {
        let noted = async {
            let names = repositories(project).await?;
            let noted = engine.ledger.write(|draft| {
                draft.project(&project.id)?.repositories.get_or_insert(names);
                Ok(())
            });
            noted.await
        };
        if let Err(error) = noted.await {
            tracing::warn!(project = project.name, "its repositories are not known: {error}");
        }
    }
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
