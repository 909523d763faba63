//! Saves what a worktree holds under `refs/downbeat/backup/<session>/<n>`, without touching the
//! worktree or its index. Bringing it back is in [`crate::restore()`].
//!
//! A backup is a commit: its tree is the worktree as it was, byte for byte, untracked files and changed
//! copies too; its first parent is HEAD, where that has a commit; its last parent is a commit of all
//! that such a tree cannot hold (see `saved`).

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

/// Where backups live.
pub(crate) const BACKUPS: &str = "refs/downbeat/backup/";

/// How often a backup is written whose objects are pruned meanwhile.
const TRIES: u32 = 3;

/// A saved worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupInfo {
    /// The ref: `refs/downbeat/backup/<session>/<n>`.
    pub name: String,
    /// The commit it names.
    pub commit: String,
    /// The commit that was checked out; absent where there was none, or it cannot be read.
    pub base: Option<String>,
    /// Files in it that were not committed.
    pub files: u32,
    /// When it was saved.
    pub at: Timestamp,
    /// The branch that was checked out; absent where HEAD was detached.
    pub branch: Option<String>,
    /// The reference cannot be read, or leads to something that is missing: it cannot be brought back.
    pub is_damaged: bool,
}

/// What is told of a backup without reading it, kept in its message.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Note {
    branch: Option<String>,
    files: u32,
}

/// Saves everything in a worktree that is not safe: changes, untracked files, changed copies, commits
/// that nothing else reaches, operations under way, repositories inside. Of a worktree whose folder is gone,
/// what git still has of it. `None` where there is nothing. Saving the same twice gives the same backup. Refuses where something cannot be read, or
/// where repositories inside hold too much.
///
/// # Errors
/// [`Error::Failed`] where git failed through no fault of the worktree.
pub fn save(
    repo: &Path,
    worktree: &Path,
    session: &SessionId,
    copies: &CopyRecord,
) -> Result<Option<BackupInfo>, Error> {
    save_all(repo, worktree, session, copies).map_err(|error| fault::told(worktree, error))
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
    // Against another process that repeats or finishes the same removal.
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
            // Somebody's `git prune` may have taken some of it, as nothing named it yet.
            Err(error @ (Error::Git { .. } | Error::Read { .. }))
                if tries < TRIES && error.full().is_none() =>
            {
                tracing::warn!("saving {} is begun again: {error}", place.display());
                tries += 1;
            }
            saved => break saved?,
        }
    };
    point("save-done", &place)?;
    Ok(Some(saved))
}

/// Opens the worktree at `place`, or what git keeps of it where its folder is gone; `None` where nobody can
/// have worked in it.
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

/// Whether HEAD, or what git noted of it, names commits that would be lost with the worktree and its
/// branch. The backup of another session keeps nothing for this one: it goes when that session wants.
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

/// The branch that is checked out, also one without commits.
fn branch(inner: &git2::Repository) -> Option<String> {
    let head = inner.find_reference("HEAD").ok()?;
    let name = head.symbolic_target().ok().flatten()?;
    name.strip_prefix("refs/heads/").map(str::to_owned)
}

/// Writes the commit; nothing names it yet.
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
    let count = held.files.dirty.len() + held.beside().count() - held.files.untracked.len();
    let note = Note {
        branch,
        files: u32::try_from(count).unwrap_or(u32::MAX),
    };
    let note = serde_json::to_string(&note).map_err(std::io::Error::from);
    let note = note.map_err(Error::io("describe the backup of", place))?;
    let message = format!("Downbeat backup of {session}\n\n{note}\n");
    saved::commit(inner, tree, held.tip.into_iter().chain([second]), &message)
}

/// Names the commit, unless the newest backup says the same.
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
    // The last number there is may be taken by somebody who wrote it there.
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

/// Waits until all that was written is on the disk: what it saves is deleted next.
#[cfg(target_os = "linux")]
fn settle(common: &Path) -> Result<(), Error> {
    let failed = || Error::io("write to the disk of", common);
    let folder = std::fs::File::open(common).map_err(failed())?;
    rustix::fs::syncfs(folder).map_err(|error| failed()(error.into()))
}

/// Git itself waits for packs and references; the names of the files are left.
#[cfg(all(unix, not(target_os = "linux")))]
fn settle(common: &Path) -> Result<(), Error> {
    let failed = || Error::io("write to the disk of", common);
    let pack = std::fs::File::open(common.join("objects/pack")).map_err(failed())?;
    pack.sync_all().map_err(failed())
}

/// A folder cannot be waited for here; git itself waits for packs and references.
#[cfg(not(unix))]
fn settle(_common: &Path) -> Result<(), Error> {
    Ok(())
}

/// The backups of a session, newest first, those that are damaged too.
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

/// What is there under the names of a session's backups, by number, as if none of it could be read.
fn damaged(repository: &Repository, session: &SessionId) -> BTreeMap<u64, BackupInfo> {
    let prefix = format!("{BACKUPS}{session}/");
    let listed = repository.git2().references_glob(&format!("{prefix}*"));
    let listed = listed.into_iter().flatten().flatten();
    let listed = listed.filter_map(|one| Some((one.name().ok()?.to_owned(), one.target())));
    // Git lists no file without the name of a commit in it.
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

/// Forgets a backup whose work is in a worktree again. One that is gone already is no error.
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

/// Removes what saves that were killed left; the caller holds the worktree's lock.
fn sweep(notes: &Path) {
    for entry in notes.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
