//! What a worktree holds that is not safe yet. Looks only; saving is in [`crate::save`].

use crate::command::Git;
use crate::copies::{CopyRecord, environment_files};
use crate::copying::is_unfinished;
use crate::ignored::{self, IgnoredWork};
use crate::path::{fields, from_bytes, to_bytes, to_text};
use crate::{Error, Repository, submodule, tree};
use std::path::{Path, PathBuf};

/// How many dirty files are named.
const NAMED: usize = 50;

/// What a worktree holds that a removal would lose if it were not saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkState {
    /// Files with uncommitted changes, untracked ones too; at most 50.
    pub dirty: Vec<String>,
    /// How many that is in all.
    pub dirty_count: usize,
    /// Commits that neither the base nor any remote has.
    pub unpushed: u32,
    /// Copied files that were changed since, files that were added to copied directories, and new
    /// `.env*` files, all of them ignored by git.
    pub changed_copies: Vec<String>,
    /// Other files that git ignores and that no tool can make again; what is not saved first.
    pub ignored: Vec<IgnoredWork>,
    /// Submodules and nested repositories with work; they cannot be saved from outside.
    pub submodule_work: Vec<String>,
    /// Bytes on disk, without what is shared by hard links.
    pub bytes: u64,
}

/// Says what a worktree holds. A worktree that is gone holds nothing.
pub fn work_state(
    repo: &Path,
    worktree: &Path,
    base_commit: &str,
    copies: &CopyRecord,
) -> Result<WorkState, Error> {
    if !worktree.join(".git").exists() {
        return Ok(WorkState::default());
    }
    let files = uncommitted(worktree, copies)?;
    let repository = Repository::open(repo)?;
    let unpushed = unpushed(&repository, worktree, base_commit)?;
    let copied = changed_copies(worktree, copies)?;
    let ignored = ignored::find(worktree, &files.ignored, copies, &copied)?;
    Ok(WorkState {
        dirty_count: files.dirty.len(),
        dirty: files.dirty.into_iter().take(NAMED).collect(),
        unpushed,
        changed_copies: copied.into_iter().chain(ignored.added).collect(),
        ignored: ignored.work,
        submodule_work: files
            .nested
            .into_iter()
            .chain(ignored.nested)
            .chain(submodule::with_work(worktree)?)
            .collect(),
        bytes: tree::bytes(worktree),
    })
}

/// Files that differ from HEAD, and repositories inside the worktree that are no submodules.
pub(crate) struct Uncommitted {
    pub(crate) dirty: Vec<String>,
    pub(crate) nested: Vec<String>,
    pub(crate) untracked: Vec<String>,
    /// What git ignores; a directory that it ignores whole is one entry.
    pub(crate) ignored: Vec<PathBuf>,
}

/// Asks `git status`, since it alone knows the filters, attributes and monitors that are set up.
/// Unchanged copies are no work.
pub(crate) fn uncommitted(worktree: &Path, copies: &CopyRecord) -> Result<Uncommitted, Error> {
    let status = Git::new(worktree, "--no-optional-locks").args([
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=dirty",
        "--no-renames",
    ]);
    let out = status.run()?;
    let half = HalfMade::of(worktree);
    let mut found = Uncommitted {
        dirty: Vec::new(),
        nested: Vec::new(),
        untracked: Vec::new(),
        ignored: Vec::new(),
    };
    for field in fields(&out) {
        let Some((code, name)) = field.split_at_checked(3) else {
            continue;
        };
        let inside = from_bytes(name);
        let text = to_text(&inside);
        if code.starts_with(b"!!") {
            found.ignored.push(inside.components().collect());
        } else if name.ends_with(b"/") {
            found.nested.push(text.trim_end_matches('/').to_owned());
        } else if is_unfinished(&inside) || half.as_ref().is_some_and(|half| half.explains(code, &inside)) {
            // Left by a copy or a checkout that was killed; it repeats what is elsewhere.
        } else if code.starts_with(b"??") {
            if !copies.is_unchanged(worktree, &inside) {
                found.untracked.push(text.clone());
                found.dirty.push(text);
            }
        } else {
            found.dirty.push(text);
        }
    }
    for hidden in hidden(worktree)? {
        if !found.dirty.contains(&hidden) {
            found.dirty.push(hidden);
        }
    }
    Ok(found)
}

/// A worktree whose filling did not come to its end: it has no index, so that git calls all its
/// files deleted and those that are there untracked.
struct HalfMade {
    repository: git2::Repository,
}

impl HalfMade {
    fn of(worktree: &Path) -> Option<Self> {
        let repository = git2::Repository::open(worktree).ok()?;
        let unborn = repository.head().is_err();
        (!unborn && !repository.path().join("index").exists()).then_some(Self { repository })
    }

    /// Whether a line of git's status is no work: a file that was not written yet, or one as HEAD
    /// has it.
    fn explains(&self, code: &[u8], inside: &Path) -> bool {
        if code.starts_with(b"D") {
            return true;
        }
        let there = self.repository.workdir().map(|root| root.join(inside));
        let same = || -> Option<bool> {
            let tree = self.repository.head().ok()?.peel_to_tree().ok()?;
            let blob = self.repository.find_blob(tree.get_path(inside).ok()?.id()).ok()?;
            let there = there?;
            let now = match there.symlink_metadata().ok()?.is_symlink() {
                true => to_bytes(&there.read_link().ok()?),
                false => std::fs::read(&there).ok()?,
            };
            Some(now == blob.content())
        };
        same().unwrap_or(false)
    }
}

/// Changed files that the person told git not to look at (assume-unchanged, skip-worktree).
pub(crate) fn hidden(worktree: &Path) -> Result<Vec<String>, Error> {
    let listed = Git::new(worktree, "ls-files").args(["-v", "-s", "-z"]).run()?;
    let mut changed = Vec::new();
    for field in fields(&listed) {
        // `h 100644 <id> 0\t<path>`; lower case or `S` means hidden.
        if !field
            .first()
            .is_some_and(|tag| tag.is_ascii_lowercase() || *tag == b'S')
        {
            continue;
        }
        let mut halves = field.splitn(2, |byte| *byte == b'\t');
        let (Some(head), Some(name)) = (halves.next(), halves.next()) else {
            continue;
        };
        let inside = from_bytes(name);
        let file = worktree.join(&inside);
        if !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            continue;
        }
        let id = String::from_utf8_lossy(head)
            .split(' ')
            .nth(2)
            .unwrap_or_default()
            .to_owned();
        let now = Git::new(worktree, "hash-object").arg("--").arg(&inside).line()?;
        if now != id {
            changed.push(to_text(&inside));
        }
    }
    Ok(changed)
}

/// Copied files that are ignored by git and were changed, and new ignored `.env*` files.
pub(crate) fn changed_copies(worktree: &Path, copies: &CopyRecord) -> Result<Vec<String>, Error> {
    let mut changed: Vec<String> = copies.changed(worktree);
    for inside in environment_files(worktree)? {
        let text = to_text(&inside);
        if !copies.knows(&text) && !changed.contains(&text) {
            changed.push(text);
        }
    }
    changed.sort();
    Ok(changed)
}

fn unpushed(repository: &Repository, worktree: &Path, base: &str) -> Result<u32, Error> {
    let count = || -> Result<usize, git2::Error> {
        let inner = git2::Repository::open(worktree)?;
        let mut walk = inner.revwalk()?;
        match inner.head().and_then(|head| head.peel_to_commit()) {
            Ok(head) => walk.push(head.id())?,
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => return Ok(0),
            Err(error) => return Err(error),
        }
        if let Ok(base) = git2::Oid::from_str(base) {
            // A base that is gone (rewritten, pruned) hides nothing: rather too much is named.
            let _ = walk.hide(base);
        }
        walk.hide_glob("refs/remotes/*")?;
        Ok(walk.count())
    };
    let count = count().map_err(Error::read(repository.root()))?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}
