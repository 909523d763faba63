//! References that keep candidates: git's garbage collection must not take them, and nobody else names them.

use crate::repository::QUEUE;
use crate::{Error, Repository, below};
use git2::Oid;
use std::path::Path;

/// The maximum length of a candidate's id, in characters.
const LONGEST: usize = 64;

/// The maximum number of pins that are listed.
const LISTED: usize = 10_000;

/// A candidate that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The id that was given to it.
    pub id: String,
    /// The full id of its commit.
    pub commit: String,
}

/// Returns the reference of a candidate: `refs/downbeat/queue/<id>`.
///
/// # Errors
/// [`Error::BadId`] unless the id consists of at most 64 letters, digits, `-` and `_`.
pub(crate) fn name(id: &str) -> Result<String, Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=LONGEST).contains(&id.len()) && id.chars().all(is_plain) {
        true => Ok(format!("{QUEUE}{id}")),
        false => Err(Error::BadId {
            id: id.chars().take(80).collect(),
        }),
    }
}

/// Keeps a commit under a name from [`name`], in place of the one that the name kept before.
pub(crate) fn pin(repository: &Repository, name: &str, commit: Oid) -> Result<(), Error> {
    below::check_reference(&repository.common(), name)?;
    let kept = repository.git2().reference(name, commit, true, "merge candidate");
    kept.map(drop).map_err(Error::read(repository.root()))
}

/// Stops keeping a candidate; one that is not kept is not an error.
///
/// # Errors
/// [`Error::BadId`], or the repository cannot be written.
pub fn unpin(repo: &Path, id: &str) -> Result<(), Error> {
    let name = name(id)?;
    let repository = Repository::open(repo)?;
    below::check_reference(&repository.common(), &name)?;
    let mut found = match repository.git2().find_reference(&name) {
        Ok(found) => found,
        Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(()),
        Err(error) => return Err(Error::read(repository.root())(error)),
    };
    found.delete().map_err(Error::read(repository.root()))
}

/// Lists the candidates that are kept, at most 10,000, so that those which nobody needs can be found.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn pins(repo: &Path) -> Result<Vec<Pin>, Error> {
    let repository = Repository::open(repo)?;
    let found = repository.git2().references_glob(&format!("{QUEUE}*"));
    let mut list = Vec::new();
    for reference in found.map_err(Error::read(repository.root()))?.take(LISTED) {
        let reference = reference.map_err(Error::read(repository.root()))?;
        let id = reference.name().ok().and_then(|name| name.strip_prefix(QUEUE));
        if let (Some(id), Some(commit)) = (id, reference.target()) {
            list.push(Pin {
                id: id.to_owned(),
                commit: commit.to_string(),
            });
        }
    }
    list.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(list)
}
