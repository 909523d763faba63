//! Workspaces: what they hold that is not safe yet, their removal, and bringing work back.

use downbeat_model::SessionId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a workspace holds, asked before it is removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceState {
    /// The session.
    pub id: SessionId,
    /// The directory; absent where it is gone.
    pub path: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// Files with uncommitted changes, untracked ones too; at most 50 are named.
    pub dirty: Vec<String>,
    /// How many files that is in all.
    pub dirty_count: u32,
    /// Commits on the branch that neither its base nor any remote has, and that were not merged.
    pub unpushed: u32,
    /// Copied files that were changed since, and files added to copied directories; saved too.
    pub changed_copies: Vec<String>,
    /// Other files that git ignores and that no tool can make again; at most 50 places are named,
    /// what is too large to save first. What is saved needs no yes.
    pub ignored: Vec<IgnoredWork>,
    /// How many places that is in all.
    pub ignored_count: u32,
    /// Why git cannot read it, if so: nothing of it can be saved. A removal that is forced moves its folder
    /// aside, whole.
    #[serde(default)]
    pub unreadable: Option<String>,
    /// Why it cannot be removed now (still running, in place, submodules with work), if so.
    pub blocked: Option<String>,
    /// Bytes on disk, not counting what it shares by hard links.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// A file or directory that git ignores and that somebody filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredWork {
    /// Where, relative to the worktree.
    pub path: String,
    /// How many files; not all are counted where it is too large to save.
    pub files: u32,
    /// Their bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Whether it is saved before a removal. What is not is lost with the worktree.
    pub saved: bool,
}

/// Measures or deletes the build output in a worktree: folders that git ignores and that tools fill again, such as `target`
/// and `node_modules`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClearBuildOutput {
    /// The session, by id or readable name.
    pub id: String,
    /// Only measures it.
    #[serde(default)]
    #[ts(optional)]
    pub dry_run: Option<bool>,
}

/// The build output in a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct BuildOutput {
    /// The session.
    pub id: SessionId,
    /// Its folders, relative to the worktree.
    pub folders: Vec<String>,
    /// Their size in bytes, not counting what is shared by hard links.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// Removes a session's workspace, and what else is ticked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveWorkspace {
    /// Id or readable name.
    pub id: String,
    /// Yes to removing although work is dirty or unpushed. It is saved first, always.
    #[serde(default)]
    #[ts(optional)]
    pub force: Option<bool>,
    /// Deletes the branch too, where it is merged or saved. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub delete_branch: Option<bool>,
    /// Takes the session off the list too. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub forget: Option<bool>,
}

/// What a removal did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// The session.
    pub id: SessionId,
    /// Where the work was saved; absent where there was none.
    pub backup: Option<Backup>,
    /// The branch that was deleted.
    pub deleted_branch: Option<String>,
    /// How many shells in it were ended.
    #[serde(default)]
    pub shells: u32,
    /// What of it stays on the disk, where, and how to delete it, in words.
    #[serde(default)]
    pub left: Option<String>,
}

/// Work that was saved before a removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// The ref: `refs/downbeat/backup/<session>/<n>`.
    pub name: String,
    /// The commit it names.
    pub commit: String,
    /// Files in it that were not committed.
    pub files: u32,
    /// When it was saved.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// It is missing or damaged, and cannot be brought back; the commit is empty where it is not known.
    #[serde(default)]
    pub damaged: bool,
}

/// Makes a removed worktree again: its branch, and the saved files uncommitted as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestoreWork {
    /// Id or readable name.
    pub id: String,
    /// Which backup; default what the last removal saved, nothing where it was clean.
    #[serde(default)]
    #[ts(optional)]
    pub backup: Option<String>,
}
