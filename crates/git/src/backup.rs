//! Saves what a worktree holds under `refs/downbeat/backup/<session>/<n>`, without touching the
//! worktree or its index. Bringing it back is in [`crate::restore()`].
//!
//! A backup is a commit: its tree is the worktree as it was, untracked files and changed copies
//! too; its first parent is HEAD; a second parent, where there is one, has what was staged.

use crate::command::Git;
use crate::inspect::{clean, signed};
use crate::path::{from_text, to_bytes};
use crate::point::point;
use crate::record::{Record, Stage, lock_worktree};
use crate::remove::lonely;
use crate::state::{Uncommitted, changed_copies, hidden, uncommitted};
use crate::{CopyRecord, Error, Repository, ignored, path, submodule};
use downbeat_model::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where backups live.
pub(crate) const BACKUPS: &str = "refs/downbeat/backup/";

/// A saved worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupInfo {
    /// The ref: `refs/downbeat/backup/<session>/<n>`.
    pub name: String,
    /// The commit it names.
    pub commit: String,
    /// Files in it that were not committed.
    pub files: u32,
    /// When it was saved.
    pub at: Timestamp,
    /// The branch that was checked out; absent where HEAD was detached.
    pub branch: Option<String>,
}

/// What the tree of a backup cannot say, kept in its message.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Note {
    branch: Option<String>,
    files: u32,
    untracked: Vec<String>,
    copies: Vec<String>,
    conflicts: bool,
}

/// Saves everything in a worktree that is not safe: changes, untracked files, changed copies, and
/// commits that nothing else reaches. `None` where there is nothing. Saving the same twice gives
/// the same backup. Refuses where a submodule or nested repository holds work.
pub fn save(
    repo: &Path,
    worktree: &Path,
    session: &SessionId,
    copies: &CopyRecord,
) -> Result<Option<BackupInfo>, Error> {
    if !worktree.join(".git").exists() {
        return Ok(None);
    }
    let repository = Repository::open(repo)?;
    let place = path::place(worktree)?;
    // Against another process that repeats or finishes the same removal.
    let _mine = lock_worktree(&repository.common(), &place)?;
    if !place.join(".git").exists() {
        return Ok(None);
    }
    let inner = git2::Repository::open(&place).map_err(Error::read(&place))?;
    let record = Record::load(&repository.common(), &place);
    if record.is_some_and(|record| record.stage == Stage::Registering) {
        return Ok(None);
    }
    let mut files = uncommitted(&place, copies)?;
    files.nested.extend(submodule::with_work(&place)?);
    let mut changed = changed_copies(&place, copies)?;
    let ignored = ignored::find(&place, &files.ignored, copies, &changed)?;
    files.nested.extend(ignored.nested);
    if !files.nested.is_empty() {
        return Err(Error::NestedWork { paths: files.nested });
    }
    changed.extend(ignored.added);
    changed.extend(ignored.files);
    let head = inner.head().ok();
    let branch = head
        .as_ref()
        .filter(|head| head.is_branch())
        .and_then(|head| head.shorthand().ok())
        .map(str::to_owned);
    let tip = head
        .and_then(|head| head.peel_to_commit().ok())
        .map(|commit| commit.id());
    let full = branch
        .as_ref()
        .map(|name| format!("refs/heads/{name}"))
        .unwrap_or_default();
    let alone = tip
        .map_or(Ok(0), |tip| lonely(&repository, &full, tip))
        .map_err(Error::read(&place))?;
    if files.dirty.is_empty() && changed.is_empty() && alone == 0 {
        return Ok(None);
    }
    let scratch = Scratch::new(&place, clean(inner.path()))?;
    let tip = tip.map(|tip| tip.to_string());
    let commit = write(&scratch, &files, changed, branch, tip.as_deref(), session)?;
    point("save-written", &place)?;
    let saved = publish(&repository, session, &commit)?;
    point("save-done", &place)?;
    Ok(Some(saved))
}

/// Writes the commit; nothing names it yet.
fn write(
    scratch: &Scratch,
    files: &Uncommitted,
    changed: Vec<String>,
    branch: Option<String>,
    tip: Option<&str>,
    session: &SessionId,
) -> Result<String, Error> {
    if scratch.is_new
        && let Some(tip) = tip
    {
        scratch.git("read-tree").arg(tip).run()?;
    }
    // An index with conflicts cannot be written; the files with their markers are saved anyhow.
    let staged = scratch.git("write-tree").line().ok();
    let before = match tip {
        Some(tip) => Some(scratch.git("rev-parse").arg(format!("{tip}^{{tree}}")).line()?),
        None => None,
    };
    let hidden: Vec<PathBuf> = hidden(&scratch.worktree)?
        .iter()
        .map(|text| from_text(text))
        .collect();
    for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
        scratch.update(&[flag], &hidden)?;
    }
    let quiet = ["advice.addEmbeddedRepo=false", "core.safecrlf=false"].map(OsString::from);
    scratch
        .on(Git::configured(&scratch.worktree, "add", &quiet))
        // What was never written into a half-made tree is not deleted.
        .arg(if scratch.is_new {
            "--ignore-removal"
        } else {
            "--all"
        })
        .args(["--sparse", "--", "."])
        .run()?;
    let copied: Vec<PathBuf> = changed.iter().map(|text| from_text(text)).collect();
    scratch.update(&["--add"], &copied)?;
    let tree = scratch.git("write-tree").line()?;
    let count = files.dirty.len() + changed.len();
    let note = Note {
        branch,
        files: u32::try_from(count).unwrap_or(u32::MAX),
        untracked: files.untracked.clone(),
        copies: changed,
        conflicts: staged.is_none(),
    };
    let note = serde_json::to_string(&note).map_err(std::io::Error::from);
    let note = note.map_err(Error::io("describe the backup of", &scratch.worktree))?;
    let mut parents: Vec<String> = tip
        .iter()
        .flat_map(|tip| ["-p".to_owned(), (*tip).to_owned()])
        .collect();
    if let Some(staged) = staged.filter(|staged| Some(staged) != before.as_ref()) {
        let index = signed(scratch.git("commit-tree"))
            .arg(staged)
            .args(&parents)
            .args(["-m", "staged"])
            .line()?;
        parents.extend(["-p".to_owned(), index]);
    }
    let message = format!("Downbeat backup of {session}\n\n{note}\n");
    let commit = signed(scratch.git("commit-tree"))
        .arg(tree)
        .args(&parents)
        .args(["-F", "-"]);
    commit.input(message.into_bytes()).line()
}

/// Names the commit, unless the newest backup says the same.
fn publish(repository: &Repository, session: &SessionId, commit: &str) -> Result<BackupInfo, Error> {
    let inner = repository.git2();
    let fresh = git2::Oid::from_str(commit)
        .and_then(|oid| inner.find_commit(oid))
        .map_err(Error::read(repository.root()))?;
    let older = numbered(repository, session)?;
    if let Some((_, name, last)) = older.first() {
        let staged = |commit: &git2::Commit<'_>| commit.parent(1).ok().map(|parent| parent.tree_id());
        if last.tree_id() == fresh.tree_id()
            && last.parent_id(0).ok() == fresh.parent_id(0).ok()
            && staged(last) == staged(&fresh)
        {
            return Ok(describe(name, last));
        }
    }
    let number = older.first().map_or(0, |(number, _, _)| *number) + 1;
    let name = format!("{BACKUPS}{session}/{number}");
    let absent = "0".repeat(commit.len());
    Git::new(repository.root(), "update-ref")
        .args(["-m", "saved", &name, commit, &absent])
        .run()?;
    Ok(describe(&name, &fresh))
}

/// The backups of a session, newest first.
pub fn backups(repo: &Path, session: &SessionId) -> Result<Vec<BackupInfo>, Error> {
    let repository = Repository::open(repo)?;
    let found = numbered(&repository, session)?;
    Ok(found
        .iter()
        .map(|(_, name, commit)| describe(name, commit))
        .collect())
}

/// Forgets a backup whose work is in a worktree again. One that is gone already is no error.
pub fn drop_backup(repo: &Path, backup: &str) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    if backup.starts_with(BACKUPS) && repository.git2().find_reference(backup).is_ok() {
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
        files: note.files,
        at: Timestamp::from_second(commit.time().seconds()).unwrap_or(Timestamp::UNIX_EPOCH),
        branch: note.branch,
    }
}

/// What the names of scratch indexes begin with.
const SCRATCH: &str = "downbeat-index";

/// Removes what saves that were killed left; the caller holds the worktree's lock.
fn sweep(notes: &Path) {
    for entry in notes.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A copy of the worktree's index to work on; gone when dropped.
struct Scratch {
    worktree: PathBuf,
    index: PathBuf,
    /// The worktree has no index: it was never filled to the end.
    is_new: bool,
}

impl Scratch {
    fn new(worktree: &Path, notes: PathBuf) -> Result<Self, Error> {
        sweep(&notes);
        // Its own name: a git that outlived its killed parent may still write to the other one.
        let index = notes.join(format!("{SCRATCH}-{}", std::process::id()));
        let real = notes.join("index");
        let mut scratch = Self {
            worktree: worktree.to_owned(),
            index,
            is_new: false,
        };
        let copied = std::fs::copy(&real, &scratch.index).and_then(|_| {
            // Git looks into a file again that is as new as its index. A newer copy would make it
            // take an edit of the same second for unchanged.
            let at = real.metadata()?.modified()?;
            std::fs::File::options()
                .write(true)
                .open(&scratch.index)?
                .set_modified(at)
        });
        match copied {
            Ok(()) => Ok(scratch),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                scratch.is_new = true;
                Ok(scratch)
            }
            Err(error) => Err(Error::io("copy", &real)(error)),
        }
    }

    fn clear(&self) {
        let _ = std::fs::remove_file(&self.index);
        let _ = std::fs::remove_file(self.index.with_extension("lock"));
    }

    fn git(&self, name: &'static str) -> Git {
        self.on(Git::new(&self.worktree, name))
    }

    fn on(&self, git: Git) -> Git {
        git.env("GIT_INDEX_FILE", &self.index)
    }

    fn update(&self, flags: &[&str], files: &[PathBuf]) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        let names = files
            .iter()
            .flat_map(|file| to_bytes(file).into_iter().chain([0]))
            .collect();
        self.git("update-index")
            .args(flags)
            .args(["-z", "--stdin"])
            .input(names)
            .run()
            .map(drop)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.clear();
    }
}
