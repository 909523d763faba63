//! Everything that a worktree holds, looked at once: for the question before a removal, and for the
//! backup. Changes nothing.

use crate::below::there;
use crate::blobs::{self, Entries};
use crate::convert::{self, Filled};
use crate::copying::is_unfinished;
use crate::ignored::{self, Ignored};
use crate::inside::{GITLINK, Inside};
use crate::marks::Found;
use crate::operation::State;
use crate::path::{exists, fields, from_bytes, from_text, to_text};
use crate::shadow::Shadow;
use crate::state::{Uncommitted, changed_copies, uncommitted};
use crate::{CopyRecord, Error, gone, made, ordinary, overlooked, split};
use git2::{ObjectType, Oid};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// The largest file that is saved.
const LARGEST: u64 = 4_000_000_000;

/// One entry of git's index.
pub(crate) struct Listed {
    /// `H`; `S` where its file is kept out of the worktree; lower case where it is not looked at.
    pub(crate) tag: u8,
    pub(crate) mode: u32,
    pub(crate) id: Oid,
    pub(crate) stage: u8,
    pub(crate) path: Vec<u8>,
}

/// What a worktree holds.
pub(crate) struct Held {
    pub(crate) inside: Inside,
    pub(crate) files: Uncommitted,
    /// Changed copies and new environment files; git ignores them.
    pub(crate) copied: Vec<String>,
    pub(crate) ignored: Ignored,
    /// Repositories with work of their own.
    pub(crate) nested: Vec<PathBuf>,
    /// Git directories of submodules with work and without a checkout, relative to git's own.
    pub(crate) forgotten: Vec<PathBuf>,
    pub(crate) found: Found,
    pub(crate) index: Vec<Listed>,
    /// The index as text.
    pub(crate) listing: Vec<u8>,
    /// Tracked files that git's own objects do not have byte for byte.
    pub(crate) own: BTreeSet<Vec<u8>>,
    /// Tracked files that git writes again byte for byte, by a program that converts them.
    pub(crate) by_git: BTreeSet<Vec<u8>>,
    /// The commit of HEAD.
    pub(crate) tip: Option<Oid>,
    pub(crate) state: State,
    /// There is no index: the worktree was never filled.
    pub(crate) is_unfilled: bool,
    /// There is no folder: the worktree was deleted or moved by hand.
    pub(crate) is_gone: bool,
}

impl Held {
    /// Looks at a worktree.
    pub(crate) fn of(worktree: &Path, copies: &CopyRecord) -> Result<Self, Error> {
        let repository = ordinary::open(worktree)?;
        let inside = Inside::of(worktree)?;
        let mut files = uncommitted(worktree, copies)?;
        let copied = changed_copies(worktree, copies)?;
        let shadow = Shadow::new(&repository, worktree)?;
        let listing = shadow.git("ls-files").args(["-v", "-s", "-z"]).run()?;
        let index: Vec<Listed> = fields(&listing).filter_map(listed).collect();
        let tracked = index.iter().map(|entry| &*entry.path).collect();
        let ignored = ignored::find(worktree, &inside, &tracked, &files.ignored, copies, &copied);
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
        let (found, foreign) = look(worktree, &files, copies, &ignored, &links)?;
        let used = links
            .iter()
            .filter(|(link, _)| there(worktree, &link.join(".git")).is_some());
        // Submodules are made again where their list is there and libgit2 reads the index. A split one it
        // does not read; that comes back whole.
        split::check(&inside.notes)?;
        let is_read = repository.index().is_ok() || split::shared(&inside.notes)?.is_some();
        let are_remade = exists(&worktree.join(".gitmodules")) && is_read;
        let with_work = used.filter(|(link, commit)| !are_remade || inside.has_work(link, Some(**commit)));
        let mut nested: BTreeSet<PathBuf> = with_work.map(|(link, _)| link.clone()).collect();
        nested.extend(
            files
                .nested
                .drain(..)
                .chain(ignored.nested.iter().cloned())
                .map(|text| from_text(&text)),
        );
        // Git names no repository in a folder that it tracks.
        let foreign = foreign.iter().filter(|path| !links.contains_key(*path));
        nested.extend(foreign.filter(|path| inside.has_work(path, None)).cloned());
        let outermost = |path: &PathBuf| !path.ancestors().skip(1).any(|way| nested.contains(way));
        let nested: Vec<PathBuf> = nested.iter().filter(|path| outermost(path)).cloned().collect();
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
            ignored,
            nested,
            found,
            index,
            listing,
            own: BTreeSet::new(),
            by_git: BTreeSet::new(),
            tip,
            state,
        };
        if !held.is_unfilled {
            overlooked::take_in(&mut held, worktree, copies);
        }
        held.convert(worktree, &repository, &shadow)?;
        Ok(held)
    }

    /// Whether there is anything that a removal would lose, but for commits of HEAD.
    pub(crate) fn is_work(&self) -> bool {
        let hidden = |entry: &Listed| entry.tag == b'S' || entry.tag.is_ascii_lowercase();
        !self.files.dirty.is_empty()
            || !self.copied.is_empty()
            || !self.ignored.added.is_empty()
            || !self.ignored.files.is_empty()
            || !self.inner().is_empty()
            || !self.own.is_empty()
            || self.found.marks.is_chosen()
            || self.index.iter().any(hidden)
            || self.state.is_work
    }

    /// Refuses a changed or new file that would take hours to save: an image of a disk, a core dump.
    ///
    /// # Errors
    /// [`Error::TooLarge`] names it.
    pub(crate) fn check_sizes(&self, worktree: &Path) -> Result<(), Error> {
        for text in self.files.dirty.iter().chain(self.beside()) {
            let inside = from_text(text);
            let bytes = there(worktree, &inside).map_or(0, |meta| meta.len());
            if bytes > LARGEST {
                let path = worktree.join(inside);
                return Err(Error::TooLarge { path, bytes });
            }
        }
        Ok(())
    }

    /// Repositories inside with work, as they are named to people.
    pub(crate) fn inner(&self) -> Vec<String> {
        let nested = self.nested.iter().map(|path| format!("{}/", to_text(path)));
        let forgotten = self.forgotten.iter().map(|path| {
            let name = path.strip_prefix("modules").unwrap_or(path);
            format!("commits of the submodule {}", to_text(name))
        });
        nested.chain(forgotten).collect()
    }

    /// The files that are not tracked and are saved.
    pub(crate) fn beside(&self) -> impl Iterator<Item = &String> {
        let ignored = self
            .copied
            .iter()
            .chain(&self.ignored.added)
            .chain(&self.ignored.files);
        self.files.untracked.iter().chain(ignored)
    }

    /// Sorts out which tracked files have other bytes than git's objects.
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

    /// The tree of what lies in the worktree; writes what git does not have yet.
    pub(crate) fn tree(&mut self, worktree: &Path, repository: &git2::Repository) -> Result<Entries, Error> {
        let changed: HashSet<&String> = self.files.dirty.iter().collect();
        let mut all = Entries::new();
        if let Some(tip) = self.tip.filter(|_| self.is_unfilled) {
            // What was never written into a half-made tree is not deleted.
            let tree = repository
                .find_commit(tip)
                .map_err(Error::read(worktree))?
                .tree_id();
            all = blobs::entries(repository, tree)?;
        }
        if self.is_gone {
            all.extend(gone::files(&self.index, repository)?);
            return Ok(all);
        }
        let mut tracked: BTreeMap<Vec<u8>, (u32, Oid)> = all.clone();
        for entry in &self.index {
            tracked.insert(entry.path.clone(), (entry.mode, entry.id));
        }
        let beside: Vec<String> = self.beside().cloned().collect();
        let holds_files = |link: &Path| beside.iter().any(|text| from_text(text).starts_with(link));
        for (path, (mode, id)) in tracked {
            let inside = from_bytes(&path);
            let at = worktree.join(&inside);
            if mode == GITLINK {
                let is_folder = there(worktree, &inside).is_some_and(|meta| meta.is_dir());
                if is_folder && !holds_files(&inside) {
                    all.insert(path, (mode, id));
                }
                continue;
            }
            let Some(meta) = there(worktree, &inside) else {
                continue;
            };
            if meta.is_dir() {
                all.remove(&path);
                continue;
            }
            if !meta.is_file() && !meta.is_symlink() {
                continue;
            }
            self.found.marks.note_way(worktree, &inside);
            let is_own = self.own.contains(&path) || changed.contains(&to_text(&inside));
            let id = match is_own || self.is_unfilled {
                true => blobs::store(repository, &at)?,
                false => id,
            };
            all.insert(path, (kind(&meta, mode), id));
        }
        for text in beside {
            let inside = from_text(&text);
            let Some(meta) = there(worktree, &inside).filter(|meta| meta.is_file() || meta.is_symlink())
            else {
                continue;
            };
            self.found.marks.note_way(worktree, &inside);
            let id = blobs::store(repository, &worktree.join(&inside))?;
            all.insert(crate::path::to_bytes(&inside), (kind(&meta, blobs::FILE), id));
        }
        Ok(all)
    }
}

/// Walks through what git does not ignore, and through the ignored places that are saved. The folders
/// with a `.git` that it came by are named beside.
fn look(
    worktree: &Path,
    files: &Uncommitted,
    copies: &CopyRecord,
    ignored: &Ignored,
    links: &BTreeMap<PathBuf, Oid>,
) -> Result<(Found, BTreeSet<PathBuf>), Error> {
    let mut repositories = BTreeSet::new();
    let mut found = Found::new(&worktree.join(".git"));
    let passed: HashSet<&PathBuf> = files.ignored.iter().collect();
    let mut foreign = |below: &Path, is_dir: bool| {
        if below == Path::new(".git") || is_unfinished(below) || copies.knows(&to_text(below)) {
            return true;
        }
        let is_repository = is_dir && exists(&worktree.join(below).join(".git"));
        if is_repository {
            repositories.insert(below.to_owned());
        }
        is_repository
    };
    found.look(worktree, Path::new(""), &mut |below, meta| {
        passed.contains(&below.to_owned()) || foreign(below, meta.is_dir())
    })?;
    for work in ignored.work.iter().filter(|work| work.is_saved) {
        let place = from_text(&work.path);
        found.look(worktree, &place, &mut |below, meta| {
            let at = worktree.join(below);
            let is_made = match meta.is_dir() {
                true => !copies.is_directory(below) && made::is_directory(&at),
                false => made::is_file(&at),
            };
            is_made || foreign(below, meta.is_dir())
        })?;
    }
    found.marks.without(|folder| links.contains_key(folder));
    Ok((found, repositories))
}

fn is_plain_file(worktree: &Path, inside: &Path) -> bool {
    there(worktree, inside).is_some_and(|meta| meta.is_file())
}

/// The mode of a file in a tree; what the system does not know is as before.
pub(crate) fn kind(meta: &std::fs::Metadata, before: u32) -> u32 {
    if meta.is_symlink() {
        return blobs::LINK;
    }
    match runs(meta) {
        Some(true) => blobs::PROGRAM,
        Some(false) => blobs::FILE,
        None if before == blobs::PROGRAM => before,
        None => blobs::FILE,
    }
}

#[cfg(unix)]
fn runs(meta: &std::fs::Metadata) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt;
    Some(meta.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn runs(_meta: &std::fs::Metadata) -> Option<bool> {
    None
}

/// `H 100644 <id> 0\t<path>`.
pub(crate) fn listed(field: &[u8]) -> Option<Listed> {
    let tab = field.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(&field[..tab]).ok()?;
    let mut words = head.split(' ');
    let (tag, mode, id, stage) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some(Listed {
        tag: *tag.as_bytes().first()?,
        mode: u32::from_str_radix(mode, 8).ok()?,
        id: Oid::from_str(id).ok()?,
        stage: stage.parse().ok()?,
        path: field[tab + 1..].to_vec(),
    })
}
