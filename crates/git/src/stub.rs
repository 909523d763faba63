//! The public surface while its parts are being written.
#![allow(missing_docs, clippy::missing_errors_doc)]
use crate::Error;
use downbeat_model::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn later<T>(path: &Path) -> Result<T, Error> {
    Err(Error::NotARepository {
        path: path.to_owned(),
        reason: "not built yet".into(),
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderKind {
    Repository { root: PathBuf },
    PlainFolder,
    NoCommits { root: PathBuf },
    Bare,
    Missing,
    NotAFolder,
    Unreadable,
}
pub fn inspect(_path: &Path) -> FolderKind {
    FolderKind::Unreadable
}
pub fn check_git() -> Result<String, Error> {
    Err(Error::NoGit)
}
pub fn initialize(path: &Path) -> Result<(), Error> {
    later(path)
}

pub struct Repository {
    root: PathBuf,
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchInfo {
    pub name: String,
    pub commit: String,
    pub summary: String,
    pub is_remote: bool,
    pub checked_out_at: Option<PathBuf>,
    pub time: Timestamp,
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseInfo {
    pub name: String,
    pub commit: String,
    pub behind: u32,
}
impl Repository {
    pub fn open(root: &Path) -> Result<Self, Error> {
        Ok(Self {
            root: root.to_owned(),
        })
    }
    pub fn default_branch(&self) -> Result<String, Error> {
        later(&self.root)
    }
    pub fn branches(&self) -> Result<Vec<BranchInfo>, Error> {
        later(&self.root)
    }
    pub fn base(&self, _name: &str) -> Result<BaseInfo, Error> {
        later(&self.root)
    }
    pub fn free_branch(&self, _wanted: &str) -> Result<String, Error> {
        later(&self.root)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct WorktreeSpec<'a> {
    pub repo: &'a Path,
    pub path: &'a Path,
    pub branch: &'a str,
    pub base_commit: &'a str,
    pub reason: &'a str,
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeMade {
    pub branch: String,
    pub path: PathBuf,
}
pub fn register(spec: &WorktreeSpec<'_>) -> Result<WorktreeMade, Error> {
    later(spec.path)
}
pub fn checkout(path: &Path) -> Result<(), Error> {
    later(path)
}
pub fn roll_back(repo: &Path, _path: &Path, _branch: Option<&str>) -> Result<(), Error> {
    later(repo)
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyPlan {
    pub copies: Vec<PathBuf>,
    pub links: Vec<PathBuf>,
}
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyRecord {
    #[serde(default)]
    pub files: BTreeMap<String, CopiedFile>,
    #[serde(default)]
    pub trees: Vec<String>,
    #[serde(default)]
    pub links: Vec<String>,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedFile {
    pub size: u64,
    pub mtime: i64,
    pub hash: String,
}
pub fn plan_copies(repo: &Path, _copy: &[String], _symlink: &[String]) -> Result<CopyPlan, Error> {
    later(repo)
}
pub fn copy(repo: &Path, _worktree: &Path, _plan: &CopyPlan) -> Result<CopyRecord, Error> {
    later(repo)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupCommand {
    pub argv: Vec<String>,
    pub because: String,
}
pub fn lockfile_setup(_worktree: &Path, _repo: &Path, _copied: &CopyPlan) -> Vec<SetupCommand> {
    Vec::new()
}
pub fn setup_warnings(_worktree: &Path, _repo: &Path, _copied: &CopyPlan) -> Vec<String> {
    Vec::new()
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkState {
    pub dirty: Vec<String>,
    pub dirty_count: usize,
    pub unpushed: u32,
    pub changed_copies: Vec<String>,
    pub submodule_work: Vec<String>,
    pub bytes: u64,
}
pub fn work_state(
    repo: &Path,
    _worktree: &Path,
    _base_commit: &str,
    _copies: &CopyRecord,
) -> Result<WorkState, Error> {
    later(repo)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupInfo {
    pub name: String,
    pub commit: String,
    pub files: u32,
    pub at: Timestamp,
    pub branch: Option<String>,
}
pub fn save(
    repo: &Path,
    _worktree: &Path,
    _session: &SessionId,
    _copies: &CopyRecord,
) -> Result<Option<BackupInfo>, Error> {
    later(repo)
}
pub fn backups(repo: &Path, _session: &SessionId) -> Result<Vec<BackupInfo>, Error> {
    later(repo)
}
pub fn remove(repo: &Path, _worktree: &Path) -> Result<(), Error> {
    later(repo)
}
pub fn delete_branch(repo: &Path, _branch: &str) -> Result<(), Error> {
    later(repo)
}
pub fn restore(
    repo: &Path,
    _worktree: &Path,
    _branch: &str,
    _backup: &BackupInfo,
) -> Result<WorktreeMade, Error> {
    later(repo)
}
pub fn exclude(repo: &Path, _pattern: &str) -> Result<(), Error> {
    later(repo)
}
