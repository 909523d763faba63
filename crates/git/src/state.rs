//! What a worktree holds that is not safe yet. Looks only; saving is in [`crate::save`].

use crate::convert::{Filled, conversions, is_large_file};
use crate::copies::{CopyRecord, environment_files};
use crate::copying::is_unfinished;
use crate::held::Held;
use crate::ignored::IgnoredWork;
use crate::inspect::clean;
use crate::outside::read_ordinary;
use crate::path::{self, fields, from_bytes, from_text, to_bytes, to_text};
use crate::record::{Record, Stage};
use crate::shadow::Shadow;
use crate::{Error, Repository, admin, gone, ordinary, owners, saved, tree};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many dirty files are named.
const NAMED: usize = 50;

/// How a line of git's status begins whose file differs from the index, which is as HEAD.
const CHANGED: &[u8] = b" M ";

/// What a worktree holds that a removal would lose if it were not saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkState {
    /// Files with uncommitted changes, untracked ones and repositories with work too; at most 50.
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
    /// Why it cannot be removed, with the way out.
    pub blocked: Option<String>,
    /// Bytes on disk, without what is shared by hard links.
    pub bytes: u64,
}

/// Says what a worktree holds. One whose folder is gone holds what git's directory for it still has.
pub fn work_state(
    repo: &Path,
    worktree: &Path,
    base_commit: &str,
    copies: &CopyRecord,
) -> Result<WorkState, Error> {
    if !path::exists(worktree) {
        return gone(repo, worktree, base_commit);
    }
    if !worktree.is_dir() {
        return Ok(WorkState::default());
    }
    let repository = Repository::open(repo)?;
    if !worktree.join(".git").exists() {
        return match is_whole(&repository, worktree)? {
            true => Err(Error::NotAWorktree {
                path: worktree.to_owned(),
                repo: repository.root().to_owned(),
            }),
            false => Ok(WorkState::default()),
        };
    }
    admin::check(&repository.common(), worktree)?;
    let bytes = tree::bytes(worktree);
    let blocked = |error: &Error| {
        Ok(WorkState {
            blocked: Some(error.to_string()),
            bytes,
            ..WorkState::default()
        })
    };
    if let Err(error) = owners::check(worktree) {
        return blocked(&error);
    }
    let held = match Held::of(worktree, copies) {
        Err(error @ (Error::Unreadable { .. } | Error::NotOrdinary { .. } | Error::TooSlow { .. })) => {
            return blocked(&error);
        }
        held => held?,
    };
    let inner = git2::Repository::open(worktree).map_err(Error::read(worktree))?;
    let unpushed = unpushed(&repository, &inner, base_commit)?;
    Ok(told(worktree, held, unpushed, bytes))
}

/// The same of a worktree whose folder is gone: what git's directory for it still has.
fn gone(repo: &Path, worktree: &Path, base_commit: &str) -> Result<WorkState, Error> {
    // Where the repository is gone too, there is nothing left to look at.
    if !path::exists(repo) {
        return Ok(WorkState::default());
    }
    let repository = Repository::open(repo)?;
    let place = path::place(worktree)?;
    let Some(inner) = gone::open(&repository, &place)? else {
        return Ok(WorkState::default());
    };
    let held = Held::of_gone(&inner, &place)?;
    let unpushed = unpushed(&repository, &inner, base_commit)?;
    Ok(told(&place, held, unpushed, 0))
}

fn told(worktree: &Path, held: Held, unpushed: u32, bytes: u64) -> WorkState {
    let inner = held.inner();
    let is_new = |text: &String| !inner.contains(text);
    let dirty: Vec<String> = held
        .files
        .dirty
        .iter()
        .filter(|text| is_new(text))
        .chain(&inner)
        .cloned()
        .collect();
    WorkState {
        dirty_count: dirty.len(),
        dirty: dirty.into_iter().take(NAMED).collect(),
        unpushed,
        blocked: saved::check(worktree, &held).err().map(|error| error.to_string()),
        changed_copies: held.copied.into_iter().chain(held.ignored.added).collect(),
        ignored: held.ignored.work,
        bytes,
    }
}

/// Whether a folder with something in it was a worktree that we made to the end.
fn is_whole(repository: &Repository, worktree: &Path) -> Result<bool, Error> {
    let record = Record::load(&repository.common(), &path::place(worktree)?);
    let is_made = record.is_some_and(|record| record.stage == Stage::Ready);
    Ok(is_made
        && worktree
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some()))
}

/// Files that differ from HEAD, and repositories inside the worktree that are no submodules.
pub(crate) struct Uncommitted {
    pub(crate) dirty: Vec<String>,
    pub(crate) nested: Vec<String>,
    pub(crate) untracked: Vec<String>,
    /// What git ignores; a directory that it ignores whole is one entry.
    pub(crate) ignored: Vec<PathBuf>,
}

/// Asks `git status`, since it knows attributes, and the filters that the person set up for all
/// repositories. Unchanged copies are no work. The caller checked what the worktree's `.git` names.
pub(crate) fn uncommitted(worktree: &Path, copies: &CopyRecord) -> Result<Uncommitted, Error> {
    let inner = ordinary::open(worktree)?;
    let shadow = Shadow::new(&inner, worktree)?;
    let status = shadow.git("status").args([
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=dirty",
        "--no-renames",
    ]);
    let out = status.run()?;
    let half = HalfMade::of(worktree);
    let written = WrittenByGit::of(&inner, &shadow, &out)?;
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
        } else if code != CHANGED || !written.explains(worktree, &inside, name) {
            found.dirty.push(text);
        }
    }
    for hidden in hidden(&shadow, worktree)? {
        if !found.dirty.contains(&hidden) {
            found.dirty.push(hidden);
        }
    }
    Ok(found)
}

/// The files that git wrote into a worktree through a filter. No filter runs here, so git's status
/// may call such a file changed although nobody touched it.
struct WrittenByGit<'a> {
    repository: &'a git2::Repository,
    head: Option<git2::Tree<'a>>,
    filled: Option<Filled>,
    /// The files with a filter, of those that git's status calls changed.
    filtered: HashSet<Vec<u8>>,
}

impl<'a> WrittenByGit<'a> {
    fn of(repository: &'a git2::Repository, shadow: &Shadow, status: &[u8]) -> Result<Self, Error> {
        let changed = fields(status).filter_map(|field| field.strip_prefix(CHANGED));
        let changed: Vec<Vec<u8>> = changed.map(<[u8]>::to_vec).collect();
        let filtered = match changed.is_empty() {
            true => HashMap::new(),
            false => conversions(shadow, repository, changed.iter())?,
        };
        let filtered = filtered.into_iter().filter(|(_, how)| how.by_program);
        Ok(Self {
            filtered: filtered.map(|(path, _)| path).collect(),
            head: repository.head().and_then(|head| head.peel_to_tree()).ok(),
            filled: Filled::read(&clean(repository.path()), repository),
            repository,
        })
    }

    /// Whether a file lies there as git wrote it. What was staged of it is as in HEAD.
    fn explains(&self, worktree: &Path, inside: &Path, name: &[u8]) -> bool {
        let entry = self.head.as_ref().and_then(|head| head.get_path(inside).ok());
        let Some(entry) = entry.filter(|_| self.filtered.contains(name)) else {
            return false;
        };
        let at = worktree.join(inside);
        let filled = self.filled.as_ref();
        filled.is_some_and(|filled| filled.is_as_written(&at, name, entry.id()))
            || is_large_file(self.repository, entry.id(), &at)
    }
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
                false => read_ordinary(&there, blob.size() as u64).ok()?,
            };
            Some(now == blob.content())
        };
        same().unwrap_or(false)
    }
}

/// Changed files that the person told git not to look at (assume-unchanged, skip-worktree).
pub(crate) fn hidden(shadow: &Shadow, worktree: &Path) -> Result<Vec<String>, Error> {
    let listed = shadow.git("ls-files").args(["-v", "-s", "-z"]).run()?;
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
        let now = shadow.git("hash-object").arg("--").arg(&inside).line()?;
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

/// The ignored `.env*` files and copies that are not as they were copied, and were written until `until`:
/// that being the end of set-up, they are what it made.
pub fn made_copies(worktree: &Path, copies: &CopyRecord, until: SystemTime) -> Result<CopyRecord, Error> {
    let mut names = changed_copies(worktree, copies)?;
    names.retain(|name| {
        let meta = worktree.join(from_text(name)).symlink_metadata();
        meta.and_then(|meta| meta.modified())
            .is_ok_and(|written| written <= until)
    });
    CopyRecord::of(worktree, &names)
}

/// Commits of HEAD that neither the base nor any remote has.
fn unpushed(repository: &Repository, inner: &git2::Repository, base: &str) -> Result<u32, Error> {
    let count = || -> Result<usize, git2::Error> {
        let head = match inner.head().and_then(|head| head.peel_to_commit()) {
            Ok(head) => head.id(),
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => return Ok(0),
            Err(error) => return Err(error),
        };
        // The directory that all worktrees share says where the history of a shallow clone ends.
        let mut walk = repository.git2().revwalk()?;
        walk.push(head)?;
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
