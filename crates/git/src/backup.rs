//! Saves the content of a worktree under `refs/downbeat/backup/<session>/<n>`, without changing the worktree
//! or its index. [`crate::restore()`] restores it.
//!
//! A backup is a commit: its tree is the worktree, byte for byte, including untracked files and changed
//! copies; its first parent is HEAD, if that has a commit; its last parent is a commit with everything that
//! such a tree cannot hold (see `saved`).

use crate::command::Git;
use crate::convert::SCRATCH;
use crate::held::Held;
use crate::inspect::clean;
use crate::point::point;
use crate::quarantine::Quarantine;
use crate::record::{Record, Stage, lock_worktree};
use crate::repository::are_lonely;
use crate::{CopyRecord, Error, Repository, admin, below, blobs, fault, gone, ordinary, pack, path, saved};
use downbeat_model::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The prefix of the references of backups.
pub(crate) const BACKUPS: &str = "refs/downbeat/backup/";

/// The number of attempts to write a backup whose objects are pruned meanwhile.
const TRIES: u32 = 3;

/// A saved worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupInfo {
    /// The reference: `refs/downbeat/backup/<session>/<n>`.
    pub name: String,
    /// The commit of the backup.
    pub commit: String,
    /// The commit that was checked out; absent if there was none, or if it cannot be read.
    pub base: Option<String>,
    /// The number of uncommitted files in it.
    pub files: u32,
    /// The time at which it was saved.
    pub at: Timestamp,
    /// The branch that was checked out; absent if HEAD was detached.
    pub branch: Option<String>,
    /// Whether the reference is unreadable, or something it leads to is missing, so it cannot be restored.
    pub is_damaged: bool,
}

/// The details of a backup that are available without reading its trees, kept in its message.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Note {
    branch: Option<String>,
    files: u32,
}

/// Saves everything in a worktree that exists nowhere else: changes, untracked files, changed copies, commits
/// that nothing else reaches, operations in progress, nested repositories. If the folder of the worktree is
/// gone, saves what git still has of it. Returns `None` if there is nothing to save. Saving the same content
/// again returns the same backup. Fails if something cannot be read, or if nested repositories are too large.
///
/// # Errors
/// [`Error::Failed`] if git failed for a reason outside of the worktree.
pub fn save(
    repo: &Path,
    worktree: &Path,
    session: &SessionId,
    copies: &CopyRecord,
) -> Result<Option<BackupInfo>, Error> {
    save_all(repo, worktree, session, copies).map_err(|error| fault::reported(worktree, error))
}

fn save_all(
    repo: &Path,
    worktree: &Path,
    session: &SessionId,
    copies: &CopyRecord,
) -> Result<Option<BackupInfo>, Error> {
    let is_gone = !path::exists(worktree);
    if !is_gone && !worktree.join(".git").exists() {
        return Ok(None);
    }
    let repository = Repository::open(repo)?;
    let place = path::place(worktree)?;
    if is_gone && gone::open(&repository, &place)?.is_none() {
        return Ok(None);
    }
    // The lock excludes other processes that repeat or finish the same removal.
    let _mine = lock_worktree(&repository.common(), &place)?;
    let Some(inner) = open(&repository, &place)? else {
        return Ok(None);
    };
    sweep(&clean(inner.path()));
    pack::sweep(&repository.common(), &place, session);
    let mut held = match path::exists(&place) {
        true => Held::of(&place, copies)?,
        false => Held::of_gone(&inner, &place)?,
    };
    let branch = branch(&inner);
    if !held.is_work() && !holds_commits(&repository, &held, branch.as_deref(), session)? {
        return Ok(None);
    }
    held.check_sizes(&place)?;
    let mut tries = 1;
    let common = repository.common();
    let saved = loop {
        let quarantine = Quarantine::new(&common, &place)?;
        quarantine.take(&inner)?;
        let commit = write(&inner, &place, &mut held, branch.clone(), session)?;
        point("save-written", &place)?;
        match publish(
            &repository,
            (&inner, &quarantine),
            &place,
            session,
            commit,
            held.tip,
        ) {
            // A `git prune` may have deleted some of the objects, because no reference named them yet.
            Err(error @ (Error::Git { .. } | Error::Read { .. }))
                if tries < TRIES && error.full().is_none() =>
            {
                tracing::warn!("saving {} again from the start: {error}", place.display());
                tries += 1;
            }
            saved => break saved?,
        }
    };
    point("save-done", &place)?;
    Ok(Some(saved))
}

/// Opens the worktree at `place`, or git's directory for it if its folder is gone; `None`
/// if nobody can have worked in it.
fn open(repository: &Repository, place: &Path) -> Result<Option<git2::Repository>, Error> {
    if !path::exists(place) {
        return gone::open(repository, place);
    }
    if !place.join(".git").exists() {
        return Ok(None);
    }
    admin::check(&repository.common(), place)?;
    let inner = ordinary::open(place)?;
    let record = Record::load(&repository.common(), place);
    let is_begun = record.is_some_and(|record| record.stage == Stage::Registering);
    Ok(Some(inner).filter(|_| !is_begun))
}

/// Whether HEAD or its reflog names commits that would be lost with the worktree and its branch. Backups of
/// other sessions do not count, because they are deleted independently of this one.
fn holds_commits(
    repository: &Repository,
    held: &Held,
    branch: Option<&str>,
    session: &SessionId,
) -> Result<bool, Error> {
    let branch = branch.map(|name| format!("refs/heads/{name}"));
    let own = format!("{BACKUPS}{session}/");
    let keeps = |name: &[u8]| match name.starts_with(BACKUPS.as_bytes()) {
        true => name.starts_with(own.as_bytes()),
        false => branch.as_ref().is_none_or(|branch| name != branch.as_bytes()),
    };
    let commits: Vec<_> = held.tip.iter().chain(&held.state.commits).copied().collect();
    are_lonely(repository.git2(), &commits, keeps).map_err(Error::read(repository.root()))
}

/// Returns the branch that is checked out, with or without commits.
fn branch(inner: &git2::Repository) -> Option<String> {
    let head = inner.find_reference("HEAD").ok()?;
    let name = head.symbolic_target().ok().flatten()?;
    name.strip_prefix("refs/heads/").map(str::to_owned)
}

/// Writes the commit of the backup, without a reference.
fn write(
    inner: &git2::Repository,
    place: &Path,
    held: &mut Held,
    branch: Option<String>,
    session: &SessionId,
) -> Result<git2::Oid, Error> {
    let files = held.tree(place, inner)?;
    let tree = blobs::tree(inner, &files)?;
    let second = saved::write(inner, place, held, branch.clone())?;
    let count = held.files.dirty.len() + held.saved_untracked().count() - held.files.untracked.len();
    let note = Note {
        branch,
        files: u32::try_from(count).unwrap_or(u32::MAX),
    };
    let note = serde_json::to_string(&note).map_err(std::io::Error::from);
    let note = note.map_err(Error::io("describe the backup of", place))?;
    let message = format!("Downbeat backup of {session}\n\n{note}\n");
    saved::commit(inner, tree, held.tip.into_iter().chain([second]), &message)
}

/// Writes the reference of the backup, unless the newest backup has the same content.
fn publish(
    repository: &Repository,
    (inner, quarantine): (&git2::Repository, &Quarantine),
    place: &Path,
    session: &SessionId,
    commit: git2::Oid,
    tip: Option<git2::Oid>,
) -> Result<BackupInfo, Error> {
    let fresh = inner
        .find_commit(commit)
        .map_err(Error::read(repository.root()))?;
    let older = numbered(repository, session)?;
    if let Some((_, name, last)) = older.first()
        && saved::is_same(last, &fresh)
    {
        return Ok(describe(name, last));
    }
    let newest = older.first().map_or(0, |(number, _, _)| *number);
    let is_free = |number: &u64| older.iter().all(|(taken, _, _)| taken != number);
    // The number after the newest one does not exist if somebody created a reference with the highest number.
    let number = std::iter::once(newest.saturating_add(1)).chain(1..).find(is_free);
    let name = format!("{BACKUPS}{session}/{}", number.unwrap_or(newest));
    below::check_reference(&repository.common(), &name)?;
    let kept = pack::write(repository, place, quarantine, session, (commit, tip))?;
    point("save-packed", place)?;
    let commit = commit.to_string();
    let absent = "0".repeat(commit.len());
    Git::new(repository.root(), "update-ref")
        .args(["-m", "saved", &name, &commit, &absent])
        .run()?;
    drop(kept);
    settle(&repository.common())?;
    Ok(describe(&name, &fresh))
}

/// Waits until everything is written to the disk, because the saved files are deleted next.
#[cfg(target_os = "linux")]
fn settle(common: &Path) -> Result<(), Error> {
    let failed = || Error::io("write to the disk of", common);
    let folder = std::fs::File::open(common).map_err(failed())?;
    rustix::fs::syncfs(folder).map_err(|error| failed()(error.into()))
}

/// Syncs the names of the files; git itself syncs packs and references.
#[cfg(all(unix, not(target_os = "linux")))]
fn settle(common: &Path) -> Result<(), Error> {
    let failed = || Error::io("write to the disk of", common);
    let pack = std::fs::File::open(common.join("objects/pack")).map_err(failed())?;
    pack.sync_all().map_err(failed())
}

/// Does nothing: folders cannot be synced here, and git itself syncs packs and references.
#[cfg(not(unix))]
fn settle(_common: &Path) -> Result<(), Error> {
    Ok(())
}

/// Returns the backups of a session, newest first, including damaged ones.
pub fn backups(repo: &Path, session: &SessionId) -> Result<Vec<BackupInfo>, Error> {
    let repository = Repository::open(repo)?;
    let whole = numbered(&repository, session)?;
    let mut found: BTreeMap<u64, BackupInfo> = damaged(&repository, session);
    found.extend(whole.iter().map(|(number, name, commit)| {
        let is_damaged = !saved::is_readable(repository.git2(), commit);
        let info = describe(name, commit);
        (*number, BackupInfo { is_damaged, ..info })
    }));
    Ok(found.into_values().rev().collect())
}

/// Returns everything under the names of a session's backups, by number, as if none of it could be read.
fn damaged(repository: &Repository, session: &SessionId) -> BTreeMap<u64, BackupInfo> {
    let prefix = format!("{BACKUPS}{session}/");
    let listed = repository.git2().references_glob(&format!("{prefix}*"));
    let listed = listed.into_iter().flatten().flatten();
    let listed = listed.filter_map(|one| Some((one.name().ok()?.to_owned(), one.target())));
    // Git does not list a file that contains no commit id.
    let files = repository.common().join(&prefix).read_dir();
    let files = files.into_iter().flatten().flatten();
    let files = files.map(|entry| (format!("{prefix}{}", entry.file_name().to_string_lossy()), None));
    let mut found = BTreeMap::new();
    for (name, commit) in files.chain(listed) {
        let number = name.strip_prefix(&prefix).and_then(|number| number.parse().ok());
        let Some(number) = number else { continue };
        let info = BackupInfo {
            name,
            commit: commit.map(|id| id.to_string()).unwrap_or_default(),
            base: None,
            files: 0,
            at: Timestamp::UNIX_EPOCH,
            branch: None,
            is_damaged: true,
        };
        found.insert(number, info);
    }
    found
}

/// Deletes a backup after its work was restored to a worktree. A missing backup is not an error.
pub fn drop_backup(repo: &Path, backup: &str) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    if backup.starts_with(BACKUPS) && repository.git2().find_reference(backup).is_ok() {
        below::check_reference(&repository.common(), backup)?;
        Git::new(repository.root(), "update-ref")
            .args(["-d", backup])
            .run()?;
    }
    Ok(())
}

type Numbered<'a> = (u64, String, git2::Commit<'a>);

fn numbered<'a>(repository: &'a Repository, session: &SessionId) -> Result<Vec<Numbered<'a>>, Error> {
    let prefix = format!("{BACKUPS}{session}/");
    let references = repository
        .git2()
        .references_glob(&format!("{prefix}*"))
        .map_err(Error::read(repository.root()))?;
    let mut found: Vec<_> = references
        .flatten()
        .filter_map(|reference| {
            let name = reference.name().ok()?.to_owned();
            let number = name.strip_prefix(&prefix)?.parse().ok()?;
            Some((number, name, reference.peel_to_commit().ok()?))
        })
        .collect();
    found.sort_by_key(|(number, _, _)| std::cmp::Reverse(*number));
    Ok(found)
}

fn describe(name: &str, commit: &git2::Commit<'_>) -> BackupInfo {
    let message = String::from_utf8_lossy(commit.message_bytes());
    let note = message
        .split_once("\n\n")
        .and_then(|(_, note)| serde_json::from_str(note).ok());
    let note: Note = note.unwrap_or_default();
    BackupInfo {
        name: name.to_owned(),
        commit: commit.id().to_string(),
        base: commit.parent_id(0).ok().map(|id| id.to_string()),
        files: note.files,
        at: Timestamp::from_second(commit.time().seconds()).unwrap_or(Timestamp::UNIX_EPOCH),
        branch: note.branch,
        is_damaged: false,
    }
}

/// Deletes files that killed saves left. The caller holds the worktree's lock.
fn sweep(notes: &Path) {
    for entry in notes.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
