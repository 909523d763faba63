//! What a repository says to whoever looks for the pull requests of its branches: the addresses of its remotes, and the
//! heads of branches here and as they were last pushed or fetched. Asks no remote.

use crate::{Error, Repository};
use std::path::Path;

/// The maximum number of remotes that are listed.
const REMOTES: usize = 8;

/// A remote of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its name: `origin`.
    pub name: String,
    /// Its address, as git would use it to fetch.
    pub url: String,
}

/// The heads of a branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchHeads {
    /// The full id of its commit; `None` if there is no such branch.
    pub head: Option<String>,
    /// The full ids of the commits that the remotes had when they were last asked, without those that have no such
    /// branch.
    pub pushed: Vec<String>,
}

/// Returns the remotes of a repository, `origin` first, at most eight.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn remotes(repo: &Path) -> Result<Vec<Remote>, Error> {
    let repository = Repository::open(repo)?;
    let git2 = repository.git2();
    let names = git2.remotes().map_err(Error::read(repository.root()))?;
    let names = names.iter().filter_map(|name| name.ok().flatten());
    let mut list: Vec<Remote> = names
        .filter_map(|name| {
            let remote = git2.find_remote(name).ok()?;
            Some(Remote {
                name: name.to_owned(),
                url: remote.url().ok()?.to_owned(),
            })
        })
        .collect();
    list.sort_by_key(|remote| (remote.name != "origin", remote.name.clone()));
    list.truncate(REMOTES);
    Ok(list)
}

/// Returns the heads of branches, in the order of their names.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn branch_heads(repo: &Path, branches: &[String]) -> Result<Vec<BranchHeads>, Error> {
    let remotes = remotes(repo)?;
    let repository = Repository::open(repo)?;
    let commit = |name: &str| {
        let found = repository.git2().refname_to_id(name).ok();
        found.map(|id| id.to_string())
    };
    let heads = branches.iter().map(|branch| {
        let on = |remote: &Remote| commit(&format!("refs/remotes/{}/{branch}", remote.name));
        BranchHeads {
            head: commit(&format!("refs/heads/{branch}")),
            pushed: remotes.iter().filter_map(on).collect(),
        }
    });
    Ok(heads.collect())
}
