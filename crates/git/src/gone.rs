//! A worktree whose folder was deleted or moved by hand: reads what git's directory for it still has, for the
//! question before a removal and for the backup. That is its HEAD, its index, operations in progress and the
//! repositories of its submodules. Changes nothing.

use crate::blobs::{self, Entries, GITLINK};
use crate::convert;
use crate::held::Held;
use crate::ignored::Ignored;
use crate::index::{Listed, listed};
use crate::inside::Inside;
use crate::marks::Found;
use crate::operation::State;
use crate::path::{aside, exists, fields, from_bytes, to_text};
use crate::record::{Record, Stage};
use crate::shadow::{Shadow, private_folder};
use crate::uncommitted::Uncommitted;
use crate::{Error, Repository, admin, ordinary, split};
use git2::Oid;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Opens git's directory of the worktree that was at `place`. `None` if git knows no such worktree, if its
/// creation was not completed, or if a removal moved its folder aside.
pub(crate) fn open(repository: &Repository, place: &Path) -> Result<Option<git2::Repository>, Error> {
    let common = repository.common();
    let record = Record::load(&common, place);
    let is_begun = record.is_some_and(|record| record.stage == Stage::Registering);
    let notes = admin::find(&common, place).filter(|_| !is_begun);
    match notes.filter(|_| !exists(place) && !exists(&aside(place))) {
        Some(notes) => ordinary::open(&notes).map(Some),
        None => Ok(None),
    }
}

impl Held {
    /// Returns what is left of the worktree that was at `place`, from the result of [`open`].
    pub(crate) fn of_gone(inner: &git2::Repository, place: &Path) -> Result<Self, Error> {
        let inside = Inside::of_gone(place, inner);
        split::check(&inside.notes)?;
        let tip = inner.head().and_then(|head| head.peel_to_commit()).ok();
        let tip = tip.map(|commit| commit.id());
        let checkout = private_folder()?;
        let shadow = Shadow::new(inner, checkout.path())?;
        let listing = shadow.git("ls-files").args(["-v", "-s", "-z"]).run()?;
        let index: Vec<Listed> = fields(&listing).filter_map(listed).collect();
        let is_unfilled = !exists(&inside.notes.join("index")) && tip.is_some();
        let paths = index.iter().filter(|entry| entry.mode != GITLINK);
        let converted = convert::conversions(&shadow, inner, paths.map(|entry| &entry.path))?;
        let dirty = match is_unfilled {
            true => Vec::new(),
            false => staged(inner, tip, &index)?,
        };
        Ok(Self {
            forgotten: inside.forgotten(),
            files: Uncommitted {
                dirty,
                nested: Vec::new(),
                untracked: Vec::new(),
                ignored: Vec::new(),
            },
            copied: Vec::new(),
            alone: Vec::new(),
            ignored: Ignored::default(),
            nested: Vec::new(),
            found: Found::new(&inside.notes.join("HEAD")),
            state: State::read(inner, &inside.notes, tip).map_err(Error::read(place))?,
            by_git: converted.into_keys().collect(),
            own: BTreeSet::new(),
            is_gone: true,
            inside,
            index,
            listing,
            tip,
            is_unfilled,
        })
    }
}

/// Returns the paths whose index entry differs from HEAD.
fn staged(repository: &git2::Repository, tip: Option<Oid>, index: &[Listed]) -> Result<Vec<String>, Error> {
    let head = match tip {
        Some(tip) => {
            let commit = repository.find_commit(tip);
            let tree = commit.map_err(Error::read(repository.path()))?.tree_id();
            blobs::entries(repository, tree)?
        }
        None => Entries::new(),
    };
    let mut now: BTreeMap<&[u8], Option<(u32, Oid)>> = BTreeMap::new();
    for entry in index {
        let file = (entry.stage == 0).then_some((entry.mode, entry.id));
        now.insert(&entry.path, file);
    }
    let new = now
        .iter()
        .filter(|(path, file)| head.get(**path).copied() != **file)
        .map(|(path, _)| *path);
    let deleted = head
        .keys()
        .map(Vec::as_slice)
        .filter(|path| !now.contains_key(path));
    let mut names: Vec<String> = new
        .chain(deleted)
        .map(|path| to_text(&from_bytes(path)))
        .collect();
    names.sort();
    Ok(names)
}
