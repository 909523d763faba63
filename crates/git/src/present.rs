//! Inspects the complete content of a worktree. A worktree whose folder is gone is inspected in
//! [`crate::gone`]. Changes nothing.

use crate::below::there;
use crate::blobs::GITLINK;
use crate::convert::{self, Filled};
use crate::copied::Copied;
use crate::copying::is_unfinished;
use crate::held::Held;
use crate::ignored::{self, Ignored};
use crate::index::{Listed, listed};
use crate::inside::Inside;
use crate::marks::Found;
use crate::operation::State;
use crate::path::{exists, fields, from_bytes, from_text, to_text};
use crate::shadow::Shadow;
use crate::uncommitted::{Uncommitted, uncommitted};
use crate::{CopyRecord, Error, made, ordinary, overlooked, split};
use git2::{ObjectType, Oid};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The size of unchanged copies up to which they are saved without a question. More
/// does not belong in a repository.
const SILENT_BYTES: u64 = 32 * 1024 * 1024;

impl Held {
    /// Inspects a worktree.
    pub(crate) fn of(worktree: &Path, copies: &CopyRecord) -> Result<Self, Error> {
        let repository = ordinary::open(worktree)?;
        let inside = Inside::of(worktree)?;
        let copies = Copied::of(worktree, copies)?;
        let mut files = uncommitted(worktree, &copies)?;
        let (copied, alone) = copied(&copies)?;
        let shadow = Shadow::new(&repository, worktree)?;
        let listing = shadow.git("ls-files").args(["-v", "-s", "-z"]).run()?;
        let index: Vec<Listed> = fields(&listing).filter_map(listed).collect();
        let tracked = index.iter().map(|entry| &*entry.path).collect();
        let ignored = ignored::find(worktree, &inside, &tracked, &files.ignored, &copies, &copied);
        if let Some(path) = ignored.unreadable.first() {
            return Err(Error::Unreadable {
                path: worktree.join(path),
            });
        }
        let links: BTreeMap<PathBuf, Oid> = index
            .iter()
            .filter(|entry| entry.mode == GITLINK)
            .map(|entry| (from_bytes(&entry.path), entry.id))
            .collect();
        let (found, foreign) = look(worktree, &files, &copies, &ignored, &links)?;
        let mut nested = submodules_with_work(worktree, &repository, &inside, &links)?;
        nested.extend(
            files
                .nested
                .drain(..)
                .chain(ignored.nested.iter().cloned())
                .map(|text| from_text(&text)),
        );
        // Git does not report repositories in a folder with tracked files.
        let foreign = foreign.iter().filter(|path| !links.contains_key(*path));
        nested.extend(foreign.filter(|path| inside.has_work(path, None)).cloned());
        let tip = repository.head().and_then(|head| head.peel_to_commit()).ok();
        let tip = tip.map(|commit| commit.id());
        let state = State::read(&repository, &inside.notes, tip).map_err(Error::read(worktree))?;
        let mut held = Self {
            is_unfilled: !exists(&inside.notes.join("index")) && tip.is_some(),
            is_gone: false,
            forgotten: inside.forgotten(),
            inside,
            files,
            copied,
            alone,
            ignored,
            nested: outermost(&nested),
            found,
            index,
            listing,
            own: BTreeSet::new(),
            by_git: BTreeSet::new(),
            tip,
            state,
        };
        if !held.is_unfilled {
            overlooked::take_in(&mut held, worktree, &copies);
        }
        held.convert(worktree, &repository, &shadow)?;
        Ok(held)
    }

    /// Determines which tracked files have other bytes than git's objects.
    fn convert(
        &mut self,
        worktree: &Path,
        repository: &git2::Repository,
        shadow: &Shadow,
    ) -> Result<(), Error> {
        let dirty: HashSet<&String> = self.files.dirty.iter().collect();
        let paths = self
            .index
            .iter()
            .filter(|entry| entry.stage == 0 && entry.mode != GITLINK);
        let conversions = convert::conversions(shadow, repository, paths.clone().map(|entry| &entry.path))?;
        let filled = Filled::read(&self.inside.notes, repository);
        let (mut own, mut by_git) = (BTreeSet::new(), BTreeSet::new());
        for entry in paths {
            let Some(conversion) = conversions.get(&entry.path) else {
                continue;
            };
            let inside = from_bytes(&entry.path);
            let at = worktree.join(&inside);
            if dirty.contains(&to_text(&inside)) || !is_plain_file(worktree, &inside) {
                continue;
            }
            let untouched = filled
                .as_ref()
                .is_some_and(|filled| filled.is_as_written(&at, &entry.path, entry.id));
            if untouched && !conversion.outward {
                continue;
            }
            if conversion.by_program && (untouched || convert::is_large_file(repository, entry.id, &at)) {
                by_git.insert(entry.path.clone());
            } else if !untouched {
                let id = Oid::hash_file(ObjectType::Blob, &at).map_err(Error::read(&at))?;
                if id != entry.id || conversion.outward {
                    own.insert(entry.path.clone());
                }
            } else {
                by_git.insert(entry.path.clone());
            }
        }
        (self.own, self.by_git) = (own, by_git);
        Ok(())
    }
}

/// Returns the submodules among `links` that a removal would lose: those with work of their own, or all that have a
/// checkout if it cannot be created again.
fn submodules_with_work(
    worktree: &Path,
    repository: &git2::Repository,
    inside: &Inside,
    links: &BTreeMap<PathBuf, Oid>,
) -> Result<BTreeSet<PathBuf>, Error> {
    let used = links
        .iter()
        .filter(|(link, _)| there(worktree, &link.join(".git")).is_some());
    // Submodules are created again if `.gitmodules` exists and libgit2 can read the index. It cannot read
    // a split index, which is restored as a single file.
    split::check(&inside.notes)?;
    let is_read = repository.index().is_ok() || split::shared(&inside.notes)?.is_some();
    let are_remade = exists(&worktree.join(".gitmodules")) && is_read;
    let with_work = used.filter(|(link, commit)| !are_remade || inside.has_work(link, Some(**commit)));
    Ok(with_work.map(|(link, _)| link.clone()).collect())
}

/// Leaves out the paths that are inside of another one.
fn outermost(paths: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let is_outermost = |path: &&PathBuf| !path.ancestors().skip(1).any(|way| paths.contains(way));
    paths.iter().filter(is_outermost).cloned().collect()
}

/// Returns the copies that count as work, and those that are saved without a question.
fn copied(copies: &Copied) -> Result<(Vec<String>, Vec<String>), Error> {
    let mut copied = copies.changed()?;
    let alone = copies.alone();
    let bytes: u64 = alone.iter().map(|(_, bytes)| bytes).sum();
    let alone: Vec<String> = alone.into_iter().map(|(text, _)| text).collect();
    if bytes <= SILENT_BYTES {
        return Ok((copied, alone));
    }
    copied.extend(alone);
    Ok((copied, Vec::new()))
}

/// Walks through the files that git does not ignore, and through the ignored paths that are saved. Also
/// returns the folders with a `.git` that it encountered.
fn look(
    worktree: &Path,
    files: &Uncommitted,
    copies: &Copied,
    ignored: &Ignored,
    links: &BTreeMap<PathBuf, Oid>,
) -> Result<(Found, BTreeSet<PathBuf>), Error> {
    let mut repositories = BTreeSet::new();
    let mut found = Found::new(&worktree.join(".git"));
    let passed: HashSet<&PathBuf> = files.ignored.iter().collect();
    let mut foreign = |below: &Path, meta: &Metadata| {
        let is_ours = is_unfinished(below) || copies.passes(below, meta, &files.untracked);
        if below == Path::new(".git") || is_ours {
            return true;
        }
        let is_repository = meta.is_dir() && exists(&worktree.join(below).join(".git"));
        if is_repository {
            repositories.insert(below.to_owned());
        }
        is_repository
    };
    found.look(worktree, Path::new(""), &mut |below, meta| {
        passed.contains(&below.to_owned()) || foreign(below, meta)
    })?;
    for work in ignored.work.iter().filter(|work| work.is_saved) {
        let place = from_text(&work.path);
        found.look(worktree, &place, &mut |below, meta| {
            let at = worktree.join(below);
            let is_made = match meta.is_dir() {
                true => !copies.is_place(below) && made::is_directory(&at),
                false => made::is_file(&at),
            };
            is_made || foreign(below, meta)
        })?;
    }
    found.marks.without(|folder| links.contains_key(folder));
    Ok((found, repositories))
}

fn is_plain_file(worktree: &Path, inside: &Path) -> bool {
    there(worktree, inside).is_some_and(|meta| meta.is_file())
}
