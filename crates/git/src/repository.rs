//! Reads a repository: its branches, bases and free branch names. Changes nothing.

use crate::Error;
use crate::inspect::{clean, primary};
use crate::path::exists;
use crate::{admin, naming, ordinary};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The minimum similarity of a name that is suggested for an unknown one (Jaro–Winkler).
const NEAR: f64 = 0.8;

/// The maximum number of suggested names.
const NEAR_COUNT: usize = 3;

/// The maximum number of branches that are examined for the newest.
const LOOKED_AT: usize = 10_000;

/// The maximum number of listed branches, without those that are always listed.
const LISTED: usize = 1_000;

/// The maximum length of an unknown name in an error, in characters.
const NAME_SHOWN: usize = 100;

/// The repository of a project, opened for reading.
pub struct Repository {
    root: PathBuf,
    inner: git2::Repository,
}

/// A branch that a session can start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchInfo {
    /// The name: `main`, `origin/feature/x`.
    pub name: String,
    /// The abbreviated id of its commit.
    pub commit: String,
    /// The first line of the commit message.
    pub summary: String,
    /// Whether the branch is a remote-tracking branch.
    pub is_remote: bool,
    /// The checkout that has the branch checked out, if any.
    pub checked_out_at: Option<PathBuf>,
    /// The time of the commit.
    pub time: Timestamp,
}

/// The starting point of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseInfo {
    /// The requested branch, tag or commit.
    pub name: String,
    /// The full id of its commit.
    pub commit: String,
    /// The number of commits by which its upstream is ahead, as of the last fetch.
    pub behind: u32,
}

impl Repository {
    /// Opens the repository whose primary checkout is `root`, which may also be a linked worktree.
    pub fn open(root: &Path) -> Result<Self, Error> {
        let not = |error: git2::Error| Error::NotARepository {
            path: root.to_owned(),
            reason: error.message().to_owned(),
        };
        if !exists(root) {
            return Err(Error::Vanished {
                path: root.to_owned(),
            });
        }
        ordinary::check(root)?;
        let found = git2::Repository::open(root).map_err(not)?;
        let inner = primary(&found).map_err(not)?;
        let root = inner.workdir().map_or_else(|| root.to_owned(), clean);
        Ok(Self { root, inner })
    }

    /// Returns the primary checkout.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory that all worktrees share.
    pub(crate) fn common(&self) -> PathBuf {
        clean(self.inner.commondir())
    }

    pub(crate) fn git2(&self) -> &git2::Repository {
        &self.inner
    }

    /// Returns the branch of the primary checkout; `None` if HEAD is detached or unborn.
    #[must_use]
    pub fn current_branch(&self) -> Option<String> {
        let head = self.inner.head().ok()?;
        head.is_branch()
            .then(|| head.shorthand().ok().map(str::to_owned))
            .flatten()
    }

    /// Returns the default branch: the one that `origin/HEAD` names, else `init.defaultBranch`, else `main`
    /// or `master`, else the current branch, else the newest local branch.
    pub fn default_branch(&self) -> Result<String, Error> {
        let origin = self.inner.find_reference("refs/remotes/origin/HEAD").ok();
        let origin = origin
            .as_ref()
            .and_then(|head| head.symbolic_target().ok().flatten());
        if let Some(name) = origin.and_then(|target| target.strip_prefix("refs/remotes/origin/"))
            && self.resolve(name).is_some()
        {
            return Ok(name.to_owned());
        }
        let configured = self
            .inner
            .config()
            .and_then(|config| config.get_string("init.defaultBranch"))
            .ok();
        let candidates = configured.iter().map(String::as_str).chain(["main", "master"]);
        for name in candidates {
            if self.inner.find_branch(name, git2::BranchType::Local).is_ok() {
                return Ok(name.to_owned());
            }
        }
        let head = self.inner.head().ok().filter(git2::Reference::is_branch);
        if let Some(name) = head.as_ref().and_then(|head| head.shorthand().ok()) {
            return Ok(name.to_owned());
        }
        let newest = self.branches()?.into_iter().find(|branch| !branch.is_remote);
        newest.map(|branch| branch.name).ok_or_else(|| Error::NoCommits {
            path: self.root.clone(),
        })
    }

    /// Returns the local and remote branches, newest commit first. If there are more than 1,000, it
    /// returns the newest, those that are checked out, and the default one.
    pub fn branches(&self) -> Result<Vec<BranchInfo>, Error> {
        let heads = admin::heads(&self.common(), &self.root);
        let mut all = Vec::new();
        let mut named = 0;
        for entry in self.inner.branches(None).map_err(Error::read(&self.root))? {
            let (branch, kind) = entry.map_err(Error::read(&self.root))?;
            named += 1;
            if named > LOOKED_AT {
                break;
            }
            all.extend(info(&branch, kind, &heads));
        }
        if named > LISTED {
            all.sort_by(newest);
            all.truncate(LISTED);
            let default = self.default_branch().ok();
            let used = heads
                .iter()
                .filter_map(|(full, _)| full.strip_prefix("refs/heads/"));
            for name in used.chain(default.as_deref()) {
                let is_new = all.iter().all(|branch| branch.name != name);
                if is_new && let Ok(branch) = self.inner.find_branch(name, git2::BranchType::Local) {
                    all.extend(info(&branch, git2::BranchType::Local, &heads));
                }
            }
        }
        all.sort_by(newest);
        Ok(all)
    }

    /// Resolves the name of a branch, tag or commit, and counts how far it is behind its upstream.
    pub fn base(&self, name: &str) -> Result<BaseInfo, Error> {
        let Some(commit) = self.resolve(name) else {
            return Err(self.unknown(name));
        };
        Ok(BaseInfo {
            name: name.to_owned(),
            commit: commit.to_string(),
            behind: self.behind(name, commit),
        })
    }

    /// Returns a valid branch name, as close to `wanted` as possible, that no branch has or blocks.
    pub fn free_branch(&self, wanted: &str) -> Result<String, Error> {
        let mut existing = Vec::new();
        for reference in self
            .inner
            .references_glob("refs/heads/*")
            .map_err(Error::read(&self.root))?
        {
            let reference = reference.map_err(Error::read(&self.root))?;
            existing.push(String::from_utf8_lossy(reference.shorthand_bytes()).into_owned());
        }
        Ok(naming::free(wanted, &existing, self.folds_case()))
    }

    fn folds_case(&self) -> bool {
        let configured = self
            .inner
            .config()
            .and_then(|config| config.get_bool("core.ignorecase"));
        configured.unwrap_or(cfg!(any(windows, target_os = "macos")))
    }

    fn resolve(&self, name: &str) -> Option<git2::Oid> {
        let named = [
            format!("refs/heads/{name}"),
            format!("refs/remotes/{name}"),
            format!("refs/tags/{name}"),
        ];
        let reference = named.iter().find_map(|full| self.inner.find_reference(full).ok());
        let object = match reference {
            Some(reference) => reference.peel_to_commit().ok()?.id(),
            None => match self.inner.revparse_single(name) {
                Ok(object) => object.peel_to_commit().ok()?.id(),
                Err(_) => self
                    .inner
                    .find_reference(&format!("refs/remotes/origin/{name}"))
                    .ok()?
                    .peel_to_commit()
                    .ok()?
                    .id(),
            },
        };
        Some(object)
    }

    fn behind(&self, name: &str, commit: git2::Oid) -> u32 {
        let branch = self.inner.find_branch(name, git2::BranchType::Local);
        let upstream = branch
            .and_then(|branch| branch.upstream())
            .and_then(|up| up.get().peel_to_commit());
        let counted = upstream.and_then(|up| self.inner.graph_ahead_behind(commit, up.id()));
        counted.map_or(0, |(_, behind)| u32::try_from(behind).unwrap_or(u32::MAX))
    }

    fn unknown(&self, name: &str) -> Error {
        let shown: String = name.chars().take(NAME_SHOWN).collect();
        let mut near: Vec<(f64, String)> = self
            .branches()
            .unwrap_or_default()
            .into_iter()
            .map(|branch| (closeness(&shown, &branch.name), branch.name))
            .filter(|(score, _)| *score >= NEAR)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(NEAR_COUNT);
        Error::UnknownRef {
            name: shown,
            near: near.into_iter().map(|(_, name)| name).collect(),
        }
    }
}

/// Returns the similarity of two names; the last component of the existing name also counts alone.
fn closeness(asked: &str, name: &str) -> f64 {
    let last = name.rsplit('/').next().unwrap_or(name);
    strsim::jaro_winkler(asked, name).max(strsim::jaro_winkler(asked, last))
}

/// Returns the details of a branch. `None` for a symbolic reference, or if the commit is missing (in a
/// shallow or damaged repository), because it cannot be a base then.
fn info(
    branch: &git2::Branch<'_>,
    kind: git2::BranchType,
    heads: &[(String, PathBuf)],
) -> Option<BranchInfo> {
    let reference = branch.get();
    if reference.kind() == Some(git2::ReferenceType::Symbolic) {
        return None;
    }
    let commit = reference.peel_to_commit().ok()?;
    let full = String::from_utf8_lossy(reference.name_bytes());
    let id = commit.id().to_string();
    Some(BranchInfo {
        name: String::from_utf8_lossy(reference.shorthand_bytes()).into_owned(),
        commit: id[..id.len().min(8)].to_owned(),
        summary: commit
            .summary_bytes()
            .map(|s| String::from_utf8_lossy(s).into_owned())
            .unwrap_or_default(),
        is_remote: kind == git2::BranchType::Remote,
        checked_out_at: heads
            .iter()
            .find(|(name, _)| *name == full)
            .map(|(_, path)| path.clone()),
        time: Timestamp::from_second(commit.time().seconds()).unwrap_or(Timestamp::UNIX_EPOCH),
    })
}

fn newest(one: &BranchInfo, other: &BranchInfo) -> std::cmp::Ordering {
    let by_time = other.time.cmp(&one.time);
    by_time.then_with(|| one.name.cmp(&other.name))
}

/// The prefix of the references that keep the candidates of the merge queue, for as long as they are queued.
pub(crate) const QUEUE: &str = "refs/downbeat/queue/";

/// Whether any of the commits, or of their ancestors, is unreachable from the
/// references that `keeps` accepts. Those of the merge queue keep nothing, because they go soon.
pub(crate) fn are_lonely(
    repository: &git2::Repository,
    commits: &[git2::Oid],
    keeps: impl Fn(&[u8]) -> bool,
) -> Result<bool, git2::Error> {
    let mut walk = repository.revwalk()?;
    for commit in commits {
        walk.push(*commit)?;
    }
    // A reference that cannot be read keeps nothing.
    for reference in repository.references()?.flatten() {
        let is_queued = reference.name_bytes().starts_with(QUEUE.as_bytes());
        if !is_queued
            && keeps(reference.name_bytes())
            && let Ok(commit) = reference.peel_to_commit()
        {
            walk.hide(commit.id())?;
        }
    }
    Ok(walk.next().transpose()?.is_some())
}
