//! The parts of a backup that are not files of the worktree: a second tree with git's index and state, nested
//! repositories, and a manifest of everything that a tree cannot store.
//!
//! The tree has `manifest.json`; `index`, unchanged, and `sharedindex.*` if it is split; `staged/`, so that
//! git keeps the objects that the index names; `objects/` and `trees/`, which conflicts and operations name;
//! `inner/`, files of nested repositories; `notes/`, files of git's own directory for the worktree. Names
//! that git does not allow in a tree (`.git`) get the prefix `=`.

use crate::blobs::{self, Entries, GITLINK};
use crate::held::{self, Held};
use crate::inside::MadeIn;
use crate::marks::{Found, Marks};
use crate::operation::{State, is_kept};
use crate::path::{exists, from_bytes, hex, to_bytes, to_text};
use crate::{Error, split, tips};
use git2::{ObjectType, Oid, Repository};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The number of bytes of nested repositories that are saved in total. Beyond that, the person has to act.
const INNER_BYTES: u64 = 128 << 20;

/// The number of files of nested repositories that are saved in total.
const INNER_FILES: usize = 20_000;

/// The version of this format.
const VERSION: u32 = 2;

/// The message of the second tree's commit.
const MESSAGE: &str = "what git keeps beside the files";

/// The path of the manifest.
const MANIFEST: &str = "manifest.json";

/// The path of the index.
pub(crate) const INDEX: &str = "index";

/// The properties of a saved worktree that a tree cannot store.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Manifest {
    version: u32,
    /// The location of the worktree.
    pub(crate) place: String,
    /// The name of git's directory for the worktree.
    pub(crate) notes: String,
    /// The branch that was checked out, with or without commits.
    pub(crate) branch: Option<String>,
    /// Whether that branch had no commit yet.
    pub(crate) unborn: bool,
    /// The full names of branches to which an operation in progress returns, and their commits.
    pub(crate) branches: BTreeMap<String, String>,
    /// Tracked files that git writes through a program that converts them.
    pub(crate) by_git: Vec<String>,
    /// Whether the index has conflicts.
    pub(crate) conflicts: bool,
    /// The nested repositories that are saved.
    pub(crate) nested: Vec<String>,
    /// The hash of the listed index.
    index: String,
    /// The properties of files in the worktree.
    pub(crate) files: Marks,
    /// The properties of files in nested repositories.
    pub(crate) inner: Marks,
    /// The properties of files in git's directory for the worktree.
    pub(crate) state: Marks,
}

/// Writes the second tree and its commit, which reaches everything that the first one lacks.
pub(crate) fn write(
    repository: &Repository,
    worktree: &Path,
    held: &Held,
    branch: Option<String>,
) -> Result<Oid, Error> {
    let mut entries = Entries::new();
    let mut commits: BTreeSet<Oid> = held.state.commits.iter().copied().collect();
    let notes = &held.inside.notes;
    let index = notes.join("index");
    if exists(&index) {
        entries.insert(INDEX.into(), (blobs::FILE, blobs::store(repository, &index)?));
    }
    if let Some(shared) = split::shared(notes)? {
        let name = shared.file_name().map(Path::new).map(to_bytes);
        let entry = (blobs::FILE, blobs::store(repository, &shared)?);
        entries.extend(name.map(|name| (name, entry)));
    }
    indexed(repository, held, &mut entries)?;
    let mut state = Found::new(&notes.join("HEAD"));
    for file in &held.state.files {
        state.look(notes, file, &mut |_, _| false)?;
    }
    let inner = inner(worktree, held, &mut state)?;
    commits.extend(commits_of_nested_worktrees(repository, worktree, held)?);
    store(repository, worktree, "inner", &inner, &mut entries)?;
    store(repository, notes, "notes", &state, &mut entries)?;
    let branches = branches_to_return_to(repository, notes);
    commits.extend(branches.values().filter_map(|id| Oid::from_str(id).ok()));
    let name = notes.file_name().map(Path::new).map(to_text);
    let manifest = Manifest {
        version: VERSION,
        place: to_text(worktree),
        notes: name.unwrap_or_default(),
        branch,
        unborn: held.tip.is_none(),
        branches,
        by_git: held
            .by_git
            .iter()
            .map(|path| to_text(&from_bytes(path)))
            .collect(),
        conflicts: held.index.iter().any(|entry| entry.stage > 0),
        nested: held.nested.iter().map(|path| to_text(path)).collect(),
        index: hex(&Sha256::digest(&held.listing)),
        files: held.found.marks.clone(),
        inner: inner.marks,
        state: state.marks,
    };
    let text = serde_json::to_vec_pretty(&manifest).map_err(std::io::Error::from);
    let text = text.map_err(Error::io("describe the backup of", worktree))?;
    let text = repository.blob(&text).map_err(Error::read(worktree))?;
    entries.insert(MANIFEST.into(), (blobs::FILE, text));
    let tree = blobs::tree(repository, &entries)?;
    commit(repository, tree, commits, MESSAGE)
}

/// Checks that no file is too large, and that the nested repositories can be saved.
pub(crate) fn check(worktree: &Path, held: &Held) -> Result<(), Error> {
    held.check_sizes(worktree)?;
    let mut state = Found::new(&held.inside.notes);
    inner(worktree, held, &mut state).map(drop)
}

/// Writes a commit without a reference.
pub(crate) fn commit(
    repository: &Repository,
    tree: Oid,
    parents: impl IntoIterator<Item = Oid>,
    message: &str,
) -> Result<Oid, Error> {
    let write = || -> Result<Oid, git2::Error> {
        let who = git2::Signature::now("Downbeat", "downbeat@localhost")?;
        let tree = repository.find_tree(tree)?;
        let parents = parents.into_iter().map(|id| repository.find_commit(id));
        let parents = parents.collect::<Result<Vec<_>, _>>()?;
        let parents: Vec<_> = parents.iter().collect();
        repository.commit(None, &who, &who, message, &tree, &parents)
    };
    write().map_err(Error::read(repository.path()))
}

/// Adds the objects that the index and operations in progress name, which no commit may have.
fn indexed(repository: &Repository, held: &Held, entries: &mut Entries) -> Result<(), Error> {
    let objects = repository.odb().map_err(Error::read(repository.path()))?;
    for entry in &held.index {
        let mut path = b"staged/".to_vec();
        path.extend_from_slice(&entry.path);
        match (entry.stage, entry.mode) {
            // A partial clone lacks objects that were never checked out.
            _ if entry.mode != GITLINK && !objects.exists(entry.id) => {}
            (0, mode) => drop(entries.insert(path, (mode, entry.id))),
            (_, GITLINK) => {}
            _ => drop(entries.insert(format!("objects/{}", entry.id).into(), (blobs::FILE, entry.id))),
        }
    }
    for id in &held.state.objects {
        match objects.read_header(*id) {
            Ok((_, ObjectType::Blob)) => {
                entries.insert(format!("objects/{id}").into(), (blobs::FILE, *id));
            }
            Ok((_, ObjectType::Tree)) => {
                for (path, entry) in blobs::entries(repository, *id)? {
                    let mut below = format!("trees/{id}/").into_bytes();
                    below.extend_from_slice(&path);
                    entries.insert(below, entry);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the files of nested repositories. Their git directories, if inside git's own directory for the
/// worktree, are added to `state`.
fn inner(worktree: &Path, held: &Held, state: &mut Found) -> Result<Found, Error> {
    let notes = &held.inside.notes;
    let mut inner = Found::new(&worktree.join(".git"));
    let mut modules: Vec<PathBuf> = held.forgotten.clone();
    let real = dunce::canonicalize(notes).unwrap_or_else(|_| notes.clone());
    for nested in &held.nested {
        let checkout = worktree.join(nested);
        let dir = tips::directory(&checkout).and_then(|dir| dunce::canonicalize(dir).ok());
        let module = dir.as_ref().and_then(|dir| dir.strip_prefix(&real).ok());
        modules.extend(module.map(Path::to_owned));
        let mut made = BTreeMap::from([(nested.clone(), MadeIn::of(&checkout))]);
        inner.look(worktree, nested, &mut |below, meta| {
            let within = below.strip_prefix(nested).unwrap_or(below);
            let is_git = within.components().any(|part| part.as_os_str() == ".git");
            if !meta.is_dir() || is_git {
                return false;
            }
            let at = worktree.join(below);
            if exists(&at.join(".git")) {
                made.insert(below.to_owned(), MadeIn::of(&at));
                return false;
            }
            let enclosing = below
                .ancestors()
                .find_map(|above| Some((above, made.get(above)?)));
            enclosing.is_some_and(|(above, made)| made.has(below.strip_prefix(above).unwrap_or(below)))
        })?;
    }
    modules.sort();
    let outermost = |module: &PathBuf| {
        !module
            .ancestors()
            .skip(1)
            .any(|above| modules.iter().any(|other| other == above))
    };
    let before = (state.bytes, state.files.len());
    for module in modules
        .iter()
        .filter(|module| outermost(module))
        .collect::<BTreeSet<_>>()
    {
        state.look(notes, module, &mut |_, _| false)?;
    }
    let bytes = inner.bytes + state.bytes - before.0;
    let files = inner.files.len() + state.files.len() - before.1;
    if bytes > INNER_BYTES || files > INNER_FILES {
        return Err(Error::NestedWork { paths: held.inner() });
    }
    Ok(inner)
}

/// Returns the commits that nested worktrees of this same repository name.
fn commits_of_nested_worktrees(
    repository: &Repository,
    worktree: &Path,
    held: &Held,
) -> Result<Vec<Oid>, Error> {
    let mut commits = Vec::new();
    let home = dunce::canonicalize(repository.commondir().join("worktrees")).unwrap_or_default();
    for nested in &held.nested {
        let checkout = worktree.join(nested);
        let dir = tips::directory(&checkout).and_then(|dir| dunce::canonicalize(dir).ok());
        let dir = dir.filter(|dir| dir.parent() == Some(&home));
        if let Some(dir) = dir {
            let theirs = State::read(repository, &dir, held.tip).map_err(Error::read(&checkout))?;
            let head = tips::named(&dir.join("HEAD")).into_iter();
            commits.extend(theirs.commits.into_iter().chain(head));
        }
    }
    Ok(commits)
}

/// Writes files below a name in the second tree.
fn store(
    repository: &Repository,
    root: &Path,
    name: &str,
    found: &Found,
    entries: &mut Entries,
) -> Result<(), Error> {
    for file in &found.files {
        let at = root.join(file);
        let id = blobs::store(repository, &at)?;
        let meta = at.symlink_metadata().map_err(Error::io("read", &at))?;
        let mode = held::kind(&meta, blobs::FILE);
        entries.insert(masked(name, file), (mode, id));
    }
    Ok(())
}

/// Returns the branches to which operations in progress return.
fn branches_to_return_to(repository: &Repository, notes: &Path) -> BTreeMap<String, String> {
    let files = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];
    let names = files
        .iter()
        .filter_map(|file| tips::contents(&notes.join(file), 4096));
    let names = names.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
    let full = names.map(|name| match name.starts_with("refs/") {
        true => name,
        false => format!("refs/heads/{name}"),
    });
    full.filter_map(|name| {
        let id = repository.refname_to_id(&name).ok()?;
        Some((name, id.to_string()))
    })
    .collect()
}

/// Returns the path of a file in the second tree.
fn masked(name: &str, path: &Path) -> Vec<u8> {
    let mut out = name.as_bytes().to_vec();
    for part in to_bytes(path).split(|byte| *byte == b'/') {
        out.push(b'/');
        let lower = part.to_ascii_lowercase();
        if [&b".git"[..], b"git~", b"="]
            .iter()
            .any(|start| lower.starts_with(start))
        {
            out.push(b'=');
        }
        out.extend_from_slice(part);
    }
    out
}

/// Returns the original path of a file in the second tree, relative to the root of its name.
fn unmasked(path: &[u8]) -> PathBuf {
    let mut parts = path.split(|byte| *byte == b'/');
    parts.next();
    let parts = parts.map(|part| part.strip_prefix(b"=").unwrap_or(part));
    from_bytes(&parts.collect::<Vec<_>>().join(&b'/'))
}

/// The second tree of a backup, after reading it.
pub(crate) struct Saved {
    pub(crate) manifest: Manifest,
    pub(crate) index: Option<Oid>,
    /// The name and content of the shared file of a split index.
    pub(crate) shared: Option<(PathBuf, Oid)>,
    /// Files of nested repositories, relative to the worktree.
    pub(crate) inner: Vec<(PathBuf, u32, Oid)>,
    /// Files of git's directory for the worktree, relative to it.
    pub(crate) notes: Vec<(PathBuf, u32, Oid)>,
}

impl Saved {
    /// Reads the second tree; `None` for backups of the first format, which had none.
    pub(crate) fn read(repository: &Repository, backup: &git2::Commit<'_>) -> Result<Option<Self>, Error> {
        let Some(second) = second(backup) else {
            return Ok(None);
        };
        let damaged = Error::read(repository.path());
        let entries = blobs::entries(repository, second.tree_id())?;
        let manifest = entries
            .get(MANIFEST.as_bytes())
            .ok_or_else(|| git2::Error::from_str("a backup without its manifest"))
            .and_then(|(_, id)| repository.find_blob(*id))
            .map_err(damaged)?;
        let manifest = serde_json::from_slice(manifest.content()).map_err(std::io::Error::from);
        let manifest = manifest.map_err(Error::io("read the backup in", repository.path()))?;
        let below = |name: &str| {
            let files = entries
                .iter()
                .filter(|(path, _)| path.starts_with(name.as_bytes()));
            files
                .map(|(path, (mode, id))| (unmasked(path), *mode, *id))
                .collect::<Vec<_>>()
        };
        // We wrote these names, but a forged backup must not write to any other path.
        let state = |file: &(PathBuf, u32, Oid)| is_kept(&file.0) || file.0.starts_with("modules");
        Ok(Some(Self {
            index: entries.get(INDEX.as_bytes()).map(|(_, id)| *id),
            shared: entries
                .iter()
                .find(|(path, _)| path.starts_with(split::NAME.as_bytes()) && !path.contains(&b'/'))
                .map(|(path, (_, id))| (from_bytes(path), *id)),
            inner: below("inner/"),
            notes: below("notes/").into_iter().filter(state).collect(),
            manifest,
        }))
    }
}

/// Returns the commit of the second tree. It is recognized by its message, because a project may have a file
/// with the manifest's name.
pub(crate) fn second<'a>(backup: &git2::Commit<'a>) -> Option<git2::Commit<'a>> {
    let last = backup.parent_count().checked_sub(1)?;
    let second = backup.parent(last).ok()?;
    let is_ours = second.message_bytes().trim_ascii() == MESSAGE.as_bytes();
    is_ours.then_some(second)
}

/// Whether the trees and the manifest of a backup can be read. The contents of its files are not checked.
pub(crate) fn is_readable(repository: &Repository, backup: &git2::Commit<'_>) -> bool {
    blobs::entries(repository, backup.tree_id()).is_ok()
        && (0..backup.parent_count()).all(|number| backup.parent(number).is_ok())
        && Saved::read(repository, backup).is_ok()
}

/// Whether two backups have the same content, apart from the times in their indexes.
pub(crate) fn is_same(one: &git2::Commit<'_>, other: &git2::Commit<'_>) -> bool {
    let key = |backup: &git2::Commit<'_>| {
        let second = second(backup)?;
        let tree = second.tree().ok()?;
        let is_index = |name: &[u8]| name == INDEX.as_bytes() || name.starts_with(split::NAME.as_bytes());
        let named = tree.iter().filter(|entry| !is_index(entry.name_bytes()));
        let named: Vec<_> = named
            .map(|entry| (entry.name_bytes().to_vec(), entry.id()))
            .collect();
        let parents: Vec<_> = second.parent_ids().collect();
        Some((
            named,
            parents,
            backup.tree_id(),
            backup.parent_count(),
            backup.parent_id(0).ok().filter(|id| *id != second.id()),
        ))
    };
    key(one).is_some_and(|key_of_one| key(other) == Some(key_of_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_does_not_allow_round_trip() {
        for path in [
            "a/.git/config",
            ".GIT/x",
            "=a/b",
            ".gitmodules",
            "git~1/x",
            "plain",
        ] {
            let path = Path::new(path);
            let masked = masked("inner", path);
            let parts = masked.split(|byte| *byte == b'/');
            assert!(parts.clone().all(|part| !part.starts_with(b".git")), "{path:?}");
            assert_eq!(unmasked(&masked), path);
        }
    }
}
