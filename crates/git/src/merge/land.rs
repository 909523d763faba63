//! Moves a branch to a candidate. If a checkout has the branch, its files move with it, and what the person changed
//! there stays; where both touch the same file, nothing moves.
//!
//! The files come first, the branch second. A kill in between leaves the changes staged, which a repetition takes for
//! done. In the other order, the checkout would show the reverse of what landed, and a commit of it would undo that.

use crate::command::Programs;
use crate::inspect::clean;
use crate::outside::check_real;
use crate::point::point;
use crate::record::lock_repository;
use crate::shadow::{Shadow, Way};
use crate::{Error, Repository, admin, ordinary, path, tips};
use git2::{ObjectType, Oid, Tree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The maximum number of files that are named.
const NAMED: usize = 20;

/// The size of a file up to which its content is compared, in bytes.
const COMPARED: u64 = 64 << 20;

/// The result of a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landing {
    /// The branch was moved.
    Landed,
    /// The branch already contained the commit.
    Contained,
    /// The branch is not where it was expected: the candidate has to be made again.
    Moved {
        /// The full id of its commit now; absent if the branch is gone.
        now: Option<String>,
    },
    /// Nothing was changed.
    Refused(Refusal),
}

/// The reason of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The commit does not contain the branch, so that work on the branch would be lost.
    NotForward,
    /// An operation such as a merge or a rebase is in progress in a checkout of the branch.
    Operation {
        /// The checkout.
        place: PathBuf,
    },
    /// A checkout of the branch has changes in files that would change.
    Overlap {
        /// The checkout.
        place: PathBuf,
        /// The files, at most 20 of them.
        files: Vec<String>,
    },
    /// Git did not change the files of a checkout of the branch.
    Files {
        /// The checkout.
        place: PathBuf,
        /// What git said.
        why: String,
    },
}

/// Moves `branch` from `old` to `new`, with the files of every checkout that has it. `programs` decides whether filters
/// of the repository run; its hooks do not. Can be repeated after a kill.
pub fn land(repo: &Path, branch: &str, old: &str, new: &str, programs: Programs) -> Result<Landing, Error> {
    let repository = Repository::open(repo)?;
    let inner = repository.git2();
    let (old, new) = (known(&repository, old)?, known(&repository, new)?);
    let name = format!("refs/heads/{branch}");
    let common = repository.common();
    let _lock = lock_repository(&common)?;
    let tip = || inner.refname_to_id(&name).ok();
    let contains =
        |one: Oid, other: Oid| one == other || inner.graph_descendant_of(one, other).unwrap_or(false);
    match tip() {
        Some(now) if contains(now, new) => return Ok(Landing::Contained),
        Some(now) if now == old => {}
        now => {
            return Ok(Landing::Moved {
                now: now.map(|id| id.to_string()),
            });
        }
    }
    if !contains(new, old) {
        return Ok(Landing::Refused(Refusal::NotForward));
    }
    let heads = admin::heads(&common, repository.root());
    let places: Vec<PathBuf> = heads
        .into_iter()
        .filter(|(head, _)| *head == name)
        .map(|(_, at)| at)
        .collect();
    let changed = changed(&repository, old, new)?;
    let mut ready = Vec::new();
    for place in &places {
        match standing(&repository, place, &changed, new)? {
            Standing::Refused(refusal) => return Ok(Landing::Refused(refusal)),
            Standing::Ready(files) => ready.push(files),
        }
    }
    point("land-begun", repository.root())?;
    for (number, place) in places.iter().enumerate() {
        let staged = stage(&repository, place, &ready[number]);
        let Err(why) = staged.and_then(|()| move_files(&repository, place, old, new, programs)) else {
            continue;
        };
        for earlier in &places[..number] {
            move_files(&repository, earlier, new, old, programs)?;
        }
        return Ok(Landing::Refused(Refusal::Files {
            place: place.clone(),
            why: why.to_string(),
        }));
    }
    point("land-files", repository.root())?;
    let moved = inner.reference_matching(&name, new, true, old, &format!("downbeat: land {new}"));
    if moved.is_err() {
        let now = tip();
        // The files follow the branch wherever it went meanwhile.
        for place in &places {
            move_files(&repository, place, new, now.unwrap_or(old), programs)?;
        }
        return Ok(Landing::Moved {
            now: now.map(|id| id.to_string()),
        });
    }
    point("land-done", repository.root())?;
    Ok(Landing::Landed)
}

/// Returns the full id of the commit of a branch.
///
/// # Errors
/// [`Error::UnknownRef`] if there is no such branch.
pub fn branch_tip(repo: &Path, branch: &str) -> Result<String, Error> {
    let repository = Repository::open(repo)?;
    let found = repository.git2().refname_to_id(&format!("refs/heads/{branch}"));
    found.map(|id| id.to_string()).map_err(|_| Error::UnknownRef {
        name: branch.chars().take(80).collect(),
        near: Vec::new(),
    })
}

fn known(repository: &Repository, id: &str) -> Result<Oid, Error> {
    let found = Oid::from_str(id).and_then(|id| repository.git2().find_commit(id).map(|commit| commit.id()));
    found.map_err(|_| Error::UnknownRef {
        name: id.chars().take(80).collect(),
        near: Vec::new(),
    })
}

/// Returns the paths that differ between two commits.
fn changed(repository: &Repository, old: Oid, new: Oid) -> Result<BTreeSet<PathBuf>, Error> {
    let inner = repository.git2();
    let tree = |id: Oid| inner.find_commit(id)?.tree();
    let diff = || inner.diff_tree_to_tree(Some(&tree(old)?), Some(&tree(new)?), None);
    let diff = diff().map_err(Error::read(repository.root()))?;
    let files = diff
        .deltas()
        .flat_map(|delta| [delta.old_file().path_bytes(), delta.new_file().path_bytes()]);
    Ok(files.flatten().map(path::from_bytes).collect())
}

/// What the person's changes in a checkout mean for a landing.
enum Standing {
    Refused(Refusal),
    /// The files can move; these are already as they will be.
    Ready(Vec<PathBuf>),
}

/// Compares the changes in a checkout with what is to change.
fn standing(
    repository: &Repository,
    place: &Path,
    changed: &BTreeSet<PathBuf>,
    new: Oid,
) -> Result<Standing, Error> {
    let inner = open(repository, place)?;
    if tips::operation(&clean(inner.path())).is_some() {
        return Ok(Standing::Refused(Refusal::Operation {
            place: place.to_owned(),
        }));
    }
    let shadow = Shadow::new(&inner, place)?;
    let status = shadow.git("status").args([
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=dirty",
    ]);
    let status = status.run()?;
    let dirty = path::fields(&status)
        .filter_map(|entry| entry.get(3..))
        .map(path::from_bytes);
    let touches = |dirty: &PathBuf| {
        let is_above = |path: &PathBuf| path.starts_with(dirty) || dirty.starts_with(path);
        changed.contains(dirty) || changed.iter().any(is_above)
    };
    let tree = inner
        .find_commit(new)
        .and_then(|commit| commit.tree())
        .map_err(Error::read(place))?;
    let (ready, others): (Vec<_>, Vec<_>) = dirty
        .filter(touches)
        .partition(|path| is_as_in(&tree, place, path));
    Ok(match others.is_empty() {
        true => Standing::Ready(ready),
        false => Standing::Refused(Refusal::Overlap {
            place: place.to_owned(),
            files: others
                .iter()
                .take(NAMED)
                .map(|path| path::to_text(path))
                .collect(),
        }),
    })
}

/// Whether a file of a checkout is byte for byte as in a tree: a landing that was killed wrote it.
fn is_as_in(tree: &Tree<'_>, place: &Path, file: &Path) -> bool {
    let (entry, at) = (tree.get_path(file).ok(), place.join(file));
    let bytes = match at.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => std::fs::read_link(&at).map(|to| path::to_bytes(&to)),
        Ok(meta) if meta.is_file() => downbeat_files::read(&at, COMPARED),
        Ok(_) => return false,
        Err(error) => return entry.is_none() && error.kind() == std::io::ErrorKind::NotFound,
    };
    let id = bytes
        .ok()
        .and_then(|bytes| Oid::hash_object(ObjectType::Blob, &bytes).ok());
    entry.is_some_and(|entry| Some(entry.id()) == id)
}

fn open(repository: &Repository, place: &Path) -> Result<git2::Repository, Error> {
    check_real(repository.root(), place)?;
    if path::place(place)? != path::place(repository.root())? {
        admin::check(&repository.common(), place)?;
    }
    ordinary::open(place)
}

/// Puts files into the index as they are, so that git takes them for already moved.
fn stage(repository: &Repository, place: &Path, files: &[PathBuf]) -> Result<(), Error> {
    if files.is_empty() {
        return Ok(());
    }
    let inner = open(repository, place)?;
    let names: Vec<u8> = files
        .iter()
        .flat_map(|file| [path::to_bytes(file), vec![0]].concat())
        .collect();
    let way = Way::new(&inner, place, Programs::Skip)?;
    let add = way
        .git("update-index")
        .args(["--add", "--remove", "-z", "--stdin"]);
    add.input(names).run().map(drop)
}

/// Changes the files and the index of a checkout from one commit to another, and keeps other changes.
fn move_files(
    repository: &Repository,
    place: &Path,
    from: Oid,
    to: Oid,
    programs: Programs,
) -> Result<(), Error> {
    let inner = open(repository, place)?;
    let way = Way::new(&inner, place, programs)?;
    // Otherwise a file with another time counts as changed. A failure says that some file is, which is fine.
    way.git("update-index").args(["-q", "--refresh"]).output()?;
    let (from, to) = (from.to_string(), to.to_string());
    way.git("read-tree")
        .args(["-m", "-u", &from, &to])
        .run()
        .map(drop)
}
