//! The commits that a session's work is compared with.

use crate::{Error, Repository};
use git2::Oid;
use std::path::Path;

/// The least number of digits of an abbreviated commit.
const SHORTEST: usize = 4;

/// Returns the commit since which `head` is the session's own work. It is `base`, from which its branch started; but if the
/// branch took over newer commits of the branch `name` by a merge or a rebase, it is the newest of these.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn compared_base(repo: &Path, base: &str, name: &str, head: &str) -> Result<String, Error> {
    let repository = Repository::open(repo)?;
    let inner = repository.git2();
    let newest = || -> Option<Oid> {
        let (base, head) = (Oid::from_str(base).ok()?, Oid::from_str(head).ok()?);
        let tips = ["refs/heads/", "refs/remotes/"].into_iter();
        let found = tips.filter_map(|kind| inner.find_reference(&format!("{kind}{name}")).ok());
        let tip = found.filter_map(|found| found.target()).next()?;
        let shared = inner.merge_base(head, tip).ok()?;
        // A branch that has landed is all on its base: what it changed is still its work.
        let is_newer = shared != head && inner.graph_descendant_of(shared, base).unwrap_or(false);
        is_newer.then_some(shared)
    };
    Ok(newest().map_or_else(|| base.to_owned(), |oid| oid.to_string()))
}

/// Returns the full id of a commit that is named by at least four of its first digits.
///
/// # Errors
/// [`Error::UnknownRef`] if there is no such commit, or more than one.
pub fn find_commit(repo: &Path, text: &str) -> Result<String, Error> {
    let unknown = || Error::UnknownRef {
        name: text.chars().take(80).collect(),
        near: Vec::new(),
    };
    let is_hex = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        return Err(unknown());
    }
    let repository = Repository::open(repo)?;
    let found = repository.git2().find_commit_by_prefix(text);
    found.map(|commit| commit.id().to_string()).map_err(|_| unknown())
}

/// Returns the first parent of a commit; `None` for a first commit.
///
/// # Errors
/// [`Error::UnknownRef`] if there is no such commit.
pub fn first_parent(repo: &Path, commit: &str) -> Result<Option<String>, Error> {
    let repository = Repository::open(repo)?;
    let found = Oid::from_str(commit).and_then(|oid| repository.git2().find_commit(oid));
    let found = found.map_err(|_| Error::UnknownRef {
        name: commit.to_owned(),
        near: Vec::new(),
    })?;
    Ok(found.parent_id(0).ok().map(|oid| oid.to_string()))
}
