//! The checkouts that have a branch: the primary one and linked worktrees.

use crate::merge::refusal::{Cause, Refusal};
use crate::{Error, Repository, admin, tips};
use std::path::{Path, PathBuf};

/// The size limit of a file that names references.
const NAMES: u64 = 1 << 20;

/// The files in which a rebase keeps the branches that it moves at its end.
const REBASED: &[&str] = &[
    "rebase-merge/head-name",
    "rebase-merge/update-refs",
    "rebase-apply/head-name",
];

/// A checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkout {
    /// Its folder.
    pub(crate) place: PathBuf,
    /// Its git directory.
    pub(crate) notes: PathBuf,
    /// The name of that directory below `worktrees`; empty for the primary checkout.
    pub(crate) name: String,
}

/// Returns the checkouts that have the branch `full`, or the reason why one of them cannot be updated.
///
/// # Errors
/// [`Error::Redirected`] if the `.git` of one of them leads elsewhere.
pub(crate) fn with(repository: &Repository, full: &str) -> Result<Result<Vec<Checkout>, Refusal>, Error> {
    let mut found = Vec::new();
    for checkout in all(repository) {
        let has_it = is_on(repository, &checkout, full);
        if !has_it && !is_rebasing(&checkout, full) {
            continue;
        }
        let refused = |cause| Ok(Err(Refusal::new(cause).at(&checkout.place)));
        if let Some(what) = tips::operation(&checkout.notes) {
            return refused(Cause::Operation(what));
        }
        if !checkout.place.is_dir() {
            match admin::is_locked(&checkout.notes) {
                true => return refused(Cause::Missing),
                // Somebody deleted the folder, and git has yet to forget it.
                false => continue,
            }
        }
        if !checkout.name.is_empty() {
            admin::check(&repository.common(), &checkout.place)?;
        }
        if has_it {
            found.push(checkout);
        }
    }
    Ok(Ok(found))
}

/// Returns every checkout of a repository; a bare one has no primary checkout.
pub(crate) fn all(repository: &Repository) -> Vec<Checkout> {
    let common = repository.common();
    let primary = (!repository.git2().is_bare()).then(|| Checkout {
        place: repository.root().to_owned(),
        notes: common.clone(),
        name: String::new(),
    });
    let linked = admin::all(&common).into_iter().filter_map(|notes| {
        Some(Checkout {
            place: admin::worktree_of(&notes)?,
            name: notes.file_name()?.to_str()?.to_owned(),
            notes,
        })
    });
    primary.into_iter().chain(linked).collect()
}

/// Whether HEAD of a checkout is a branch, possibly by another name for it.
pub(crate) fn is_on(repository: &Repository, checkout: &Checkout, full: &str) -> bool {
    let text = tips::contents(&checkout.notes.join("HEAD"), NAMES).unwrap_or_default();
    let named = text.strip_prefix(b"ref: ").map(<[u8]>::trim_ascii);
    let Some(name) = named.and_then(|name| std::str::from_utf8(name).ok()) else {
        return false;
    };
    let resolved = || {
        let reference = repository.git2().find_reference(name).ok()?.resolve().ok()?;
        Some(reference.name().ok()? == full)
    };
    name == full || resolved().unwrap_or(false)
}

/// Whether a rebase in a checkout moves a branch at its end.
fn is_rebasing(checkout: &Checkout, full: &str) -> bool {
    let names = |file: &Path| {
        let text = tips::contents(file, NAMES).unwrap_or_default();
        text.split(|byte| *byte == b'\n')
            .any(|line| line == full.as_bytes())
    };
    REBASED.iter().any(|file| names(&checkout.notes.join(file)))
}
