//! The build output of a worktree: folders that git ignores and that tools fill again. Measures and deletes them, so that
//! a worktree that is kept takes less space. What a person or an agent made is in [`crate::ignored`].

use crate::path::{fields, from_bytes, to_text};
use crate::record::lock_worktree;
use crate::shadow::Shadow;
use crate::{Error, Repository, admin, below, made, ordinary, owners, path, tree};
use std::path::{Path, PathBuf};

/// The build output of a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOutput {
    /// Its folders, relative to the worktree.
    pub folders: Vec<String>,
    /// Their size in bytes, without files that have several hard links.
    pub bytes: u64,
}

/// Measures the build output of a worktree.
///
/// # Errors
/// Fails if git cannot read the worktree.
pub fn build_output(repo: &Path, worktree: &Path) -> Result<BuildOutput, Error> {
    Ok(measured(worktree, &find(repo, worktree)?))
}

/// Deletes the build output of a worktree. Returns what was deleted.
///
/// # Errors
/// Fails if git cannot read the worktree, or if a folder cannot be deleted; the ones before it are gone then.
pub fn clear_build_output(repo: &Path, worktree: &Path) -> Result<BuildOutput, Error> {
    // Nobody removes, moves or restores the worktree meanwhile.
    let _lock = lock_worktree(&Repository::open(repo)?.common(), &path::place(worktree)?)?;
    let folders = find(repo, worktree)?;
    owners::check(worktree)?;
    let output = measured(worktree, &folders);
    for folder in &folders {
        below::check(worktree, folder)?;
        tree::remove(&worktree.join(folder))?;
    }
    Ok(output)
}

fn measured(worktree: &Path, folders: &[PathBuf]) -> BuildOutput {
    BuildOutput {
        folders: folders.iter().map(|folder| to_text(folder)).collect(),
        bytes: folders
            .iter()
            .map(|folder| tree::bytes(&worktree.join(folder)))
            .sum(),
    }
}

/// Returns the folders. One with a repository in it is left out: that belongs to somebody.
fn find(repo: &Path, worktree: &Path) -> Result<Vec<PathBuf>, Error> {
    admin::check(&Repository::open(repo)?.common(), worktree)?;
    let inner = ordinary::open(worktree)?;
    let shadow = Shadow::new(&inner, worktree)?;
    let status = shadow.git("status").args([
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=all",
        "--no-renames",
    ]);
    let out = status.run()?;
    let ignored = fields(&out).filter_map(|field| field.strip_prefix(b"!! "));
    let folders = ignored.map(|name| from_bytes(name).components().collect::<PathBuf>());
    let is_output = |folder: &PathBuf| {
        let place = worktree.join(folder);
        let is_folder = place.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let has_repository = || made::repositories(worktree, folder).map_or(true, |found| !found.is_empty());
        is_folder && made::is_directory(&place) && !has_repository()
    };
    Ok(folders.filter(is_output).collect())
}
