//! The repositories of projects at forges, and the branches of their sessions. Reads the local repositories only.

use crate::decide::pulls::Author;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::RemoteAddress;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use std::path::PathBuf;

/// A project with remotes, and its sessions with branches.
pub struct Place {
    /// The project.
    pub project: ProjectId,
    /// Its default branch, which no session's pull request comes from.
    pub default_branch: String,
    /// Its local repository.
    pub repository: PathBuf,
    /// Where its remotes are.
    pub remotes: Vec<RemoteAddress>,
    /// Those of them that it had when the person trusted it.
    pub trusted: Vec<RemoteAddress>,
    /// Its sessions with a branch.
    pub authors: Vec<Author>,
}

/// Returns the places of all trusted projects with a session that has a branch. A repository that cannot be read is left
/// out.
pub async fn places(engine: &Engine) -> Vec<Place> {
    let state = engine.ledger.state();
    let mut places = Vec::new();
    for project in state.projects.values().filter(|project| project.trusted) {
        let branches: Vec<Branch> = state
            .sessions
            .values()
            .filter(|row| row.project_id == project.id && row.is_followed_at_forges())
            .filter_map(|row| {
                Some(Branch {
                    id: row.id.clone(),
                    name: row.branch.clone()?,
                    base: row.base.as_ref().map(|base| base.commit.clone()),
                })
            })
            .collect();
        if branches.is_empty() {
            continue;
        }
        match place(project, branches).await {
            Ok(place) if !place.remotes.is_empty() => places.push(place),
            Ok(_) => {}
            Err(error) => tracing::debug!(project = project.name, "its remotes cannot be read: {error}"),
        }
    }
    places
}

/// The branch of a session.
struct Branch {
    id: SessionId,
    name: String,
    /// The commit that it started from.
    base: Option<String>,
}

async fn place(project: &ProjectRow, branches: Vec<Branch>) -> Result<Place, ApiError> {
    let repository = PathBuf::from(&project.path);
    let names: Vec<String> = branches.iter().map(|branch| branch.name.clone()).collect();
    let read = {
        let repository = repository.clone();
        move || -> Result<_, downbeat_git::Error> {
            let remotes = downbeat_git::remotes(&repository)?;
            if remotes.is_empty() {
                return Ok((remotes, Vec::new()));
            }
            let pushes_to = downbeat_git::push_remotes(&repository, &names)?;
            let heads = downbeat_git::branch_heads(&repository, &names)?;
            Ok((remotes, heads.into_iter().zip(pushes_to).collect()))
        }
    };
    let (remotes, heads) = blocking::in_time(&project.path, read)
        .await?
        .map_err(error::git)?;
    let mut addresses = Vec::new();
    for remote in &remotes {
        if let Ok(address) = RemoteAddress::parse(&remote.url)
            && !addresses.contains(&address)
        {
            addresses.push(address);
        }
    }
    let is_trusted = |at: &RemoteAddress| project.owns(&at.host, &at.repository.to_string());
    let pushes_to = |remote: &str| {
        let remote = remotes.iter().find(|one| one.name == remote)?;
        let at = RemoteAddress::parse(&remote.url).ok().filter(is_trusted)?;
        Some(format!("{}/{}", at.host, at.repository))
    };
    let author = |(branch, (heads, remote)): (Branch, (downbeat_git::BranchHeads, String))| Author {
        id: branch.id,
        branch: branch.name,
        head: heads.head.filter(|head| branch.base.as_ref() != Some(head)),
        pushed: heads.pushed,
        pushes_to: pushes_to(&remote),
    };
    Ok(Place {
        project: project.id.clone(),
        default_branch: project.default_branch.clone(),
        repository,
        trusted: addresses.iter().filter(|at| is_trusted(at)).cloned().collect(),
        remotes: addresses,
        authors: branches.into_iter().zip(heads).map(author).collect(),
    })
}
