//! Repositories inside a worktree: submodules, clones, and worktrees of other repositories. Detects which of
//! them hold something that exists nowhere else.
//!
//! They are read as files, with libgit2 for objects and indexes only: their configuration is not read and no
//! program runs, because whoever wrote the files may have written those, too. So files are compared byte for
//! byte, without filters. Anything that cannot be read counts as work.

use crate::below::there;
use crate::blobs::{self, Entries, GITLINK};
use crate::convert::is_file_of;
use crate::inspect::clean;
use crate::path::{exists, from_bytes, to_bytes};
use crate::rules::Rules;
use crate::tips::{self, Tips};
use crate::{Error, made, ordinary, split, tree};
use git2::{IndexEntry, ObjectType, Odb, Oid, Repository};
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The maximum nesting depth of repositories.
const DEEPEST: usize = 8;

/// The size limit of an index.
const LARGEST_INDEX: u64 = 512 << 20;

/// The number of bytes of files that one inspection compares with committed content. Beyond it, a file that
/// was written since git last read it counts as work.
const COMPARED: u64 = 512 << 20;

/// A worktree whose nested repositories are inspected.
pub(crate) struct Inside {
    worktree: PathBuf,
    /// Git's own directory for the worktree.
    pub(crate) notes: PathBuf,
    /// The directory that all worktrees share.
    common: PathBuf,
    /// The number of bytes of files that may still be compared.
    left: Cell<u64>,
}

impl Inside {
    /// Opens the worktree.
    pub(crate) fn of(worktree: &Path) -> Result<Self, Error> {
        let inner = ordinary::open(worktree)?;
        Ok(Self {
            worktree: worktree.to_owned(),
            notes: clean(inner.path()),
            common: clean(inner.commondir()),
            left: Cell::new(COMPARED),
        })
    }

    /// Like [`Inside::of`], for a worktree whose folder is gone, from git's directory for it.
    pub(crate) fn of_gone(worktree: &Path, inner: &Repository) -> Self {
        Self {
            worktree: worktree.to_owned(),
            notes: clean(inner.path()),
            common: clean(inner.commondir()),
            left: Cell::new(COMPARED),
        }
    }

    /// Whether the repository at a path in the worktree, or one nested in it, holds work of its own. `wanted`
    /// is the commit at which its HEAD must be, if any.
    pub(crate) fn has_work(&self, inside: &Path, wanted: Option<Oid>) -> bool {
        self.work(&self.worktree.join(inside), wanted, 0) != Some(false)
    }

    /// Returns the git directories of submodules that have no checkout any more
    /// (`git submodule deinit`, `git rm`) but hold work, relative to the worktree's own.
    pub(crate) fn forgotten(&self) -> Vec<PathBuf> {
        let found = modules(&self.notes.join("modules"));
        let forgotten = found.into_iter().filter(|dir| !is_checked_out(dir));
        let with_work = forgotten.filter(|dir| {
            if tips::has_tables(dir) {
                return true;
            }
            let tips = Tips::read(dir, dir);
            tips::operation(dir).is_some() || self.commits(dir, dir, &tips) != Some(false)
        });
        with_work
            .filter_map(|dir| dir.strip_prefix(&self.notes).ok().map(Path::to_owned))
            .collect()
    }

    /// Whether a checkout holds work; `None` if that cannot be determined.
    fn work(&self, checkout: &Path, wanted: Option<Oid>, depth: usize) -> Option<bool> {
        if !exists(&checkout.join(".git")) && tips::is_git_directory(checkout) {
            return self.bare_work(checkout);
        }
        let dir = dunce::canonicalize(tips::directory(checkout)?).ok()?;
        let common = dunce::canonicalize(tips::common(&dir)).ok()?;
        if tips::has_tables(&common) {
            return None;
        }
        let tips = Tips::read(&dir, &common);
        let moved = wanted.is_some_and(|wanted| tips.head() != Some(wanted));
        // Only this repository names the commits of its own linked worktrees.
        let has_linked = dir == common && dir.join("worktrees").exists();
        if depth > DEEPEST || moved || has_linked || tips::operation(&dir).is_some() {
            return Some(true);
        }
        let repository = self.objects(&common, self.shared(&dir).as_deref())?;
        if self.commits(&dir, &common, &tips)? {
            return Some(true);
        }
        let mut changes = Changes::read(checkout, &dir, &repository, &tips, &self.left)?;
        if changes.any(checkout)? {
            return Some(true);
        }
        for (inner, commit) in changes.inner {
            if self.work(&checkout.join(inner), commit, depth + 1)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether a bare repository holds work. What a tool fetched into it belongs to a remote.
    fn bare_work(&self, dir: &Path) -> Option<bool> {
        if tips::has_tables(dir) {
            return None;
        }
        let tips = Tips::read(dir, dir);
        let is_used = dir.join("worktrees").exists() || tips::operation(dir).is_some();
        Some(is_used || self.commits(dir, dir, &tips)?)
    }

    /// Whether a repository names a commit that neither a remote nor the project's repository has.
    fn commits(&self, dir: &Path, common: &Path, tips: &Tips) -> Option<bool> {
        let shared = self.shared(dir);
        let mut safe = tips.elsewhere.clone();
        if let Some(shared) = &shared {
            let theirs = Tips::read(shared, shared);
            safe.extend(theirs.referenced().chain(theirs.elsewhere.iter().copied()));
        }
        let own: Vec<Oid> = tips.own.difference(&safe).copied().collect();
        if own.is_empty() {
            return Some(false);
        }
        let repository = self.objects(common, shared.as_deref())?;
        let mut walk = repository.revwalk().ok()?;
        for id in own {
            walk.push(id).ok()?;
        }
        for id in safe {
            // A missing commit hides nothing.
            let _ = walk.hide(id);
        }
        match walk.next() {
            None => Some(false),
            Some(found) => found.ok().map(|_| true),
        }
    }

    /// Returns the submodule of the primary checkout from which a submodule of this worktree was cloned.
    fn shared(&self, dir: &Path) -> Option<PathBuf> {
        let notes = dunce::canonicalize(&self.notes).ok()?;
        let own = dir.strip_prefix(notes).ok()?;
        let shared = self.common.join(own);
        (own.starts_with("modules") && tips::is_git_directory(&shared)).then_some(shared)
    }

    /// Opens the objects of a repository, without its configuration.
    fn objects(&self, common: &Path, shared: Option<&Path>) -> Option<Repository> {
        let objects = Odb::new().ok()?;
        for home in std::iter::once(common).chain(shared) {
            ordinary::check_objects(&home.join("objects")).ok()?;
            objects.add_disk_alternate(home.join("objects").to_str()?).ok()?;
        }
        Repository::from_odb(objects).ok()
    }
}

/// Returns the git directories below `modules`: those of submodules, and of their submodules.
fn modules(home: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![home.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let dir = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            match tips::is_git_directory(&dir) {
                true => {
                    folders.push(dir.join("modules"));
                    found.push(dir);
                }
                // The name of a submodule may contain slashes.
                false => folders.push(dir),
            }
        }
    }
    found
}

/// Whether a git directory below `modules` has a checkout whose `.git` points to it.
fn is_checked_out(dir: &Path) -> bool {
    let config = tips::contents(&dir.join("config"), 1 << 20).unwrap_or_default();
    let config = String::from_utf8_lossy(&config).into_owned();
    let worktree = config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "worktree").then(|| dir.join(value.trim().trim_matches('"')))
    });
    let real = |path: PathBuf| dunce::canonicalize(path).ok();
    let leads = worktree.and_then(|place| tips::directory(&place)).and_then(real);
    leads.is_some() && leads == real(dir.to_owned())
}

/// The differences between a checkout and its HEAD.
struct Changes<'a> {
    index: git2::Index,
    /// The time at which the index was written, in nanoseconds since 1970.
    written: i64,
    /// Whether the index differs from HEAD.
    is_staged: bool,
    /// The folders that have tracked files.
    folders: HashSet<PathBuf>,
    /// The ignore rules of the checkout.
    rules: Rules,
    /// The nested repositories, with the commit that the index names.
    inner: Vec<(PathBuf, Option<Oid>)>,
    repository: &'a Repository,
    /// The number of bytes of files that may still be compared.
    left: &'a Cell<u64>,
}

impl<'a> Changes<'a> {
    fn read(
        checkout: &Path,
        dir: &Path,
        repository: &'a Repository,
        tips: &Tips,
        left: &'a Cell<u64>,
    ) -> Option<Self> {
        let (index, written) = read_index(dir)?;
        let tracked = match tips.head() {
            Some(head) => {
                let tree = repository.find_commit(head).ok()?.tree_id();
                blobs::listed(repository, tree).ok()?
            }
            None => Entries::new(),
        };
        let staged = |entry: IndexEntry| tracked.get(&entry.path) != Some(&(entry.mode, entry.id));
        let is_staged = index.len() != tracked.len() || index.iter().any(staged);
        let inner = index.iter().filter(|entry| entry.mode == GITLINK);
        let inner = inner
            .map(|entry| (from_bytes(&entry.path), Some(entry.id)))
            .filter(|(link, _)| there(checkout, &link.join(".git")).is_some())
            .collect();
        Some(Self {
            folders: folders(&index),
            rules: Rules::of(checkout, Some(&tips::common(dir))),
            written,
            index,
            is_staged,
            inner,
            repository,
            left,
        })
    }

    /// Whether a file differs, or is untracked and not generated by a tool.
    fn any(&mut self, checkout: &Path) -> Option<bool> {
        if self.is_staged {
            return Some(true);
        }
        let mut there = BTreeSet::new();
        if self.untracked(checkout, &mut there)? {
            return Some(true);
        }
        for entry in self.index.iter() {
            let inside = from_bytes(&entry.path);
            let hidden =
                git2::IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended).is_skip_worktree();
            if entry.mode == GITLINK || (hidden && !there.contains(&inside)) {
                continue;
            }
            if !there.contains(&inside) || self.differs(&checkout.join(&inside), &entry)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether an untracked file exists. Collects the tracked files that exist.
    fn untracked(&mut self, checkout: &Path, there: &mut BTreeSet<PathBuf>) -> Option<bool> {
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            for entry in checkout.join(&folder).read_dir().ok()? {
                let entry = entry.ok()?;
                let kind = entry.file_type().ok()?;
                let below = folder.join(entry.file_name());
                if entry.file_name() == ".git" || self.inner.iter().any(|(inner, _)| *inner == below) {
                    continue;
                }
                if kind.is_dir() {
                    let at = entry.path();
                    let is_made = !self.folders.contains(&below) && made::is_directory(&at);
                    if is_made && self.rules.ignore(&below, true) {
                        let inner = made::repositories(checkout, &below).ok()?;
                        self.inner.extend(inner.into_iter().map(|inner| (inner, None)));
                        continue;
                    }
                    match exists(&at.join(".git")) {
                        true => self.inner.push((below, None)),
                        false => folders.push(below),
                    }
                } else if self.index.get_path(&below, 0).is_some() {
                    there.insert(below);
                } else if kind.is_file() || kind.is_symlink() {
                    let is_made = made::is_file(&below) && self.rules.ignore(&below, false);
                    if !is_made {
                        return Some(true);
                    }
                }
            }
        }
        Some(false)
    }

    /// Whether a file differs from its index entry.
    fn differs(&self, at: &Path, entry: &IndexEntry) -> Option<bool> {
        let meta = at.symlink_metadata().ok()?;
        if meta.is_symlink() {
            let target = to_bytes(&at.read_link().ok()?);
            let id = Oid::hash_object(ObjectType::Blob, &target).ok()?;
            return Some(entry.mode != 0o120_000 || id != entry.id);
        }
        if !meta.is_file() || entry.mode & 0o170_000 != 0o100_000 || runs_otherwise(&meta, entry.mode) {
            return Some(true);
        }
        let at_index =
            i64::from(entry.mtime.seconds()) * 1_000_000_000 + i64::from(entry.mtime.nanoseconds());
        let as_written = is_file_of(at, entry) && at_index < self.written;
        Some(!as_written && !self.is_same(at, meta.len(), entry.id)?)
    }

    /// Whether a file of this length equals the object, byte for byte. A sparse
    /// file may be longer than any disk.
    fn is_same(&self, at: &Path, length: u64, id: Oid) -> Option<bool> {
        let object = self.repository.odb().ok()?.read_header(id);
        let differs = object.is_ok_and(|(size, _)| size as u64 != length);
        let Some(left) = self.left.get().checked_sub(length).filter(|_| !differs) else {
            return Some(false);
        };
        self.left.set(left);
        Some(Oid::hash_file(ObjectType::Blob, at).ok()? == id)
    }
}

/// Recognizes the generated files in a checkout, as far as its index can be read.
pub(crate) struct MadeIn {
    checkout: PathBuf,
    folders: HashSet<PathBuf>,
    rules: Rules,
}

impl MadeIn {
    /// Reads which folders have tracked files, and the ignore rules.
    pub(crate) fn of(checkout: &Path) -> Self {
        let dir = tips::directory(checkout).and_then(|dir| dunce::canonicalize(dir).ok());
        let index = dir.as_ref().and_then(|dir| read_index(dir));
        Self {
            checkout: checkout.to_owned(),
            folders: index.map(|(index, _)| folders(&index)).unwrap_or_default(),
            rules: Rules::of(checkout, dir.map(|dir| tips::common(&dir)).as_deref()),
        }
    }

    /// Whether a tool regenerates a folder of the checkout with everything in it.
    pub(crate) fn has(&self, within: &Path) -> bool {
        !self.folders.contains(within)
            && made::is_directory(&self.checkout.join(within))
            && self.rules.ignore(within, true)
            && made::repositories(&self.checkout, within).is_ok_and(|inner| inner.is_empty())
    }
}

/// Reads the index in a git directory and the time of its last write; an empty index if there is none.
fn read_index(dir: &Path) -> Option<(git2::Index, i64)> {
    let file = dir.join("index");
    match file.symlink_metadata() {
        Ok(meta) if meta.is_file() && meta.len() <= LARGEST_INDEX => {
            split::check(dir).ok()?;
            Some((git2::Index::open(&file).ok()?, tree::mtime(&meta)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some((git2::Index::new().ok()?, 0)),
        _ => None,
    }
}

/// Returns the folders that contain files of an index.
fn folders(index: &git2::Index) -> HashSet<PathBuf> {
    let mut folders = HashSet::new();
    for entry in index.iter() {
        let file = from_bytes(&entry.path);
        let ways = file.ancestors().skip(1);
        for way in ways.take_while(|way| way.components().next().is_some()) {
            if !folders.insert(way.to_owned()) {
                break;
            }
        }
    }
    folders
}

/// Whether the executable bit of a file differs from the index.
#[cfg(unix)]
fn runs_otherwise(meta: &Metadata, mode: u32) -> bool {
    use std::os::unix::fs::PermissionsExt;
    (meta.permissions().mode() & 0o100 != 0) != (mode & 0o100 != 0)
}

#[cfg(not(unix))]
fn runs_otherwise(_meta: &Metadata, _mode: u32) -> bool {
    false
}
