//! The output of `git status` for a worktree, without entries that are not work: unchanged copies, leftovers
//! of a killed copy or checkout, and files as a filter wrote them.

use crate::convert::{Filled, conversions, is_large_file};
use crate::copied::Copied;
use crate::copying::is_unfinished;
use crate::inspect::clean;
use crate::path::{fields, from_bytes, to_bytes, to_text};
use crate::shadow::Shadow;
use crate::{Error, ordinary};
use git2::{ObjectType, Oid};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The mode of a link in git's index.
const LINK: &str = "120000";

/// The prefix of a status line for a file that differs from the index, while the index matches HEAD.
const CHANGED: &[u8] = b" M ";

/// Files that differ from HEAD, and repositories inside the worktree that are not submodules.
pub(crate) struct Uncommitted {
    pub(crate) dirty: Vec<String>,
    pub(crate) nested: Vec<String>,
    pub(crate) untracked: Vec<String>,
    /// The ignored files; a directory that is ignored entirely is one entry.
    pub(crate) ignored: Vec<PathBuf>,
}

/// Runs `git status`, which knows attributes and the filters that the person configured for all repositories.
/// Unchanged copies do not count as work. The caller has checked the target of the worktree's `.git`.
pub(crate) fn uncommitted(worktree: &Path, copied: &Copied) -> Result<Uncommitted, Error> {
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
            // A leftover of a killed copy or checkout, whose content exists elsewhere.
        } else if code.starts_with(b"??") {
            if !copied.is_unchanged(&inside) {
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

/// The files that git wrote into a worktree through a filter. No filter runs here, so git's status may report
/// such a file as changed although nobody changed it.
struct WrittenByGit<'a> {
    repository: &'a git2::Repository,
    head: Option<git2::Tree<'a>>,
    filled: Option<Filled>,
    /// The files with a filter among those that git's status reports as changed.
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

    /// Whether a file is as git wrote it. Its staged version matches HEAD.
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

/// A worktree whose checkout was not completed: it has no index, so git reports all its files as deleted, and
/// the existing ones as untracked.
struct HalfMade {
    repository: git2::Repository,
}

impl HalfMade {
    fn of(worktree: &Path) -> Option<Self> {
        let repository = git2::Repository::open(worktree).ok()?;
        let unborn = repository.head().is_err();
        (!unborn && !repository.path().join("index").exists()).then_some(Self { repository })
    }

    /// Whether a status line is not work: a file that was not written yet, or one
    /// with the content that HEAD has.
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
                false => downbeat_files::read(&there, blob.size() as u64).ok()?,
            };
            Some(now == blob.content())
        };
        same().unwrap_or(false)
    }
}

/// Returns changed files that the person hid from git (assume-unchanged, skip-worktree).
fn hidden(shadow: &Shadow, worktree: &Path) -> Result<Vec<String>, Error> {
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
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ').skip(1);
        let (mode, id) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if let Some(now) = content(shadow, worktree, &inside)?
            && (now.is_link != (mode == LINK) || now.id != id)
        {
            changed.push(to_text(&inside));
        }
    }
    Ok(changed)
}

/// The content of a path.
struct Content {
    /// The object that git would create from it.
    id: String,
    is_link: bool,
}

/// Returns the content of `inside`; `None` if it is neither a file nor a link.
fn content(shadow: &Shadow, worktree: &Path, inside: &Path) -> Result<Option<Content>, Error> {
    let at = worktree.join(inside);
    let id = match at.symlink_metadata() {
        Ok(meta) if meta.is_file() => shadow.git("hash-object").arg("--").arg(inside).line()?,
        Ok(meta) if meta.is_symlink() => {
            let target = to_bytes(&at.read_link().map_err(Error::io("read", &at))?);
            let id = Oid::hash_object(ObjectType::Blob, &target).map_err(Error::read(&at))?;
            return Ok(Some(Content {
                id: id.to_string(),
                is_link: true,
            }));
        }
        _ => return Ok(None),
    };
    Ok(Some(Content { id, is_link: false }))
}
