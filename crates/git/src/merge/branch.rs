//! Reads and moves the branch on which a candidate lands.

use crate::command::Git;
use crate::merge::checkouts::Checkout;
use crate::merge::pin;
use crate::{Error, Repository, below, reached};
use git2::{Oid, ReferenceType};
use std::fs::File;
use std::path::Path;

/// A branch.
pub(crate) struct Branch<'a> {
    pub(crate) repository: &'a Repository,
    /// The full name: `refs/heads/main`.
    pub(crate) full: String,
}

impl<'a> Branch<'a> {
    /// Finds a branch by its short name.
    ///
    /// # Errors
    /// [`Error::UnknownRef`] if the name is not that of a branch, existing or not.
    pub(crate) fn of(repository: &'a Repository, name: &str) -> Result<Self, Error> {
        let is_valid = git2::Branch::name_is_valid(name).unwrap_or(false) && !name.starts_with('-');
        match is_valid {
            true => Ok(Self {
                repository,
                full: format!("refs/heads/{name}"),
            }),
            false => Err(Error::UnknownRef {
                name: name.chars().take(80).collect(),
                near: Vec::new(),
            }),
        }
    }

    /// Returns the commit of the branch; `None` if the branch does not exist.
    ///
    /// # Errors
    /// [`Error::Alias`] if it is another name for a branch.
    pub(crate) fn read(&self) -> Result<Option<Oid>, Error> {
        match self.repository.git2().find_reference(&self.full) {
            Ok(found) if found.kind() == Some(ReferenceType::Symbolic) => Err(Error::Alias {
                name: self.full.clone(),
            }),
            Ok(found) => Ok(found.target()),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(Error::read(self.repository.root())(error)),
        }
    }

    /// Fails if the file of the branch is reached through a link.
    pub(crate) fn check_place(&self) -> Result<(), Error> {
        below::check_reference(&self.repository.common(), &self.full)
    }

    /// Moves the branch from one commit to another. Returns `false`, and changes nothing, if it is not at
    /// that commit any more. Git itself moves it: it also writes the reflog of the checkout's HEAD.
    pub(crate) fn shift(
        &self,
        (old, new): (Oid, Oid),
        message: &str,
        checkout: Option<&Checkout>,
        lock: &File,
    ) -> Result<bool, Error> {
        self.check_place()?;
        let git2 = self.repository.git2();
        if git2.is_bare() && checkout.is_none() {
            // There is no checkout in which git would run.
            let moved = git2.reference_matching(&self.full, new, true, old, message);
            return match moved {
                Ok(_) => Ok(true),
                Err(error) => self.after((old, new), Error::read(self.repository.root())(error)),
            };
        }
        let dir = checkout.map_or_else(|| self.repository.root(), |checkout| &checkout.place);
        let git = Git::new(dir, "update-ref");
        let words = ["--no-deref", "-m", message, &self.full];
        let moved = git.args(words).args([new.to_string(), old.to_string()]);
        match moved.holding(lock)?.run() {
            Ok(_) => Ok(true),
            Err(error) => self.after((old, new), error),
        }
    }

    /// Whether a move that failed has happened all the same.
    fn after(&self, (old, new): (Oid, Oid), error: Error) -> Result<bool, Error> {
        match self.read()? {
            Some(now) if now == old => Err(error),
            now => Ok(now == Some(new)),
        }
    }

    /// Whether a commit is `tip` or one of its ancestors.
    pub(crate) fn reaches(&self, tip: Oid, commit: Oid) -> Result<bool, Error> {
        if tip == commit {
            return Ok(true);
        }
        reached::descends(self.repository, tip, commit)
    }
}

/// Returns the full id of the commit of a branch.
///
/// # Errors
/// [`Error::UnknownRef`] if there is no such branch.
pub fn branch_tip(repo: &Path, branch: &str) -> Result<String, Error> {
    let repository = Repository::open(repo)?;
    let tip = Branch::of(&repository, branch)?.read()?;
    tip.map(|id| id.to_string()).ok_or_else(|| Error::UnknownRef {
        name: branch.chars().take(80).collect(),
        near: Vec::new(),
    })
}

/// Returns the full id of the kept candidate `id`, if the branch contains it: then it has landed.
///
/// # Errors
/// [`Error::BadId`], or the repository cannot be read.
pub fn landed(repo: &Path, branch: &str, id: &str) -> Result<Option<String>, Error> {
    let repository = Repository::open(repo)?;
    let branch = Branch::of(&repository, branch)?;
    let kept = repository.git2().refname_to_id(&pin::name(id)?).ok();
    Ok(match (kept, branch.read()?) {
        (Some(kept), Some(tip)) if branch.reaches(tip, kept)? => Some(kept.to_string()),
        _ => None,
    })
}
