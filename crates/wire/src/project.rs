//! Projects: git repositories that the person added.

use downbeat_model::{PermissionMode, ProjectId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its identifier.
    pub id: ProjectId,
    /// Its name, unique among projects; the folder's name unless given.
    pub name: String,
    /// The repository's primary checkout, absolute.
    pub path: String,
    /// The branch that sessions start from unless told otherwise.
    pub default_branch: String,
    /// Whether agents may start in this project's worktrees without asking.
    pub trusted: bool,
    /// The permission mode that its sessions get unless told otherwise.
    pub permission_mode: PermissionMode,
    /// Whether a conductor may answer what its workers ask, for this once; the person is then told
    /// of a question only where it stays open.
    pub conductors_answer: bool,
    /// What is wrong with the repository right now (missing, unreadable), or with its config.
    pub problem: Option<String>,
    /// Set-up commands from the repository's `downbeat.yaml`, and whether they were approved.
    pub setup: SetupPlan,
    /// The checks from the repository's `downbeat.yaml`, and whether they were approved.
    #[serde(default)]
    pub checks: SetupPlan,
    /// The commands that the reactions of the repository's file run, and whether they were approved.
    #[serde(default)]
    pub reaction_commands: SetupPlan,
    /// The repository on a forge that its remote is: `github.com/acme/shop`; absent without one.
    #[serde(default)]
    pub forge: Option<String>,
    /// When it was added.
    #[ts(type = "string")]
    pub created_at: Timestamp,
}

/// What a fresh worktree of a project will run before its agent starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetupPlan {
    /// Each command as a person would read it.
    pub commands: Vec<String>,
    /// The lockfile or config that asked for them: `package-lock.json`, `downbeat.yaml`.
    pub because: Option<String>,
    /// Hash of what is to be approved.
    pub hash: String,
    /// Whether the person approved this very content. True where there is nothing to approve.
    pub approved: bool,
}

/// Adds a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddProject {
    /// A folder in or below a repository.
    pub path: String,
    /// The answer to the trust question. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub trust: Option<bool>,
    /// A name; default the folder's.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    /// Makes what is missing first: of a plain folder a repository (`git init`), and of a repository
    /// without commits one with an empty first commit. Adds no file. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub initialize: Option<bool>,
}

/// Asks what a folder is, before it is added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InspectFolder {
    /// The folder.
    pub path: String,
}

/// What a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum FolderKind {
    /// A repository that can be added.
    Repository,
    /// No repository; `initialize` makes it one.
    PlainFolder,
    /// A repository without a commit; `initialize` makes an empty first one.
    NoCommits,
    /// A bare repository; it has no files to work in.
    Bare,
    /// Not there.
    Missing,
    /// There, but not a folder.
    NotAFolder,
    /// Added already.
    AlreadyAdded,
    /// There, but it cannot be read.
    Unreadable,
}

/// The answer to [`InspectFolder`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FolderReport {
    /// What it is.
    pub kind: FolderKind,
    /// The repository's root, or the folder itself.
    pub path: String,
    /// The name it would get.
    pub name: String,
    /// One sentence for the person.
    pub message: String,
    /// The project it already is.
    pub project_id: Option<ProjectId>,
}

/// Takes a project off the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveProject {
    /// Id or name.
    pub id: String,
    /// Yes, although programs run in shells beside its sessions, which end.
    #[serde(default)]
    #[ts(optional)]
    pub force: Option<bool>,
}

/// Changes a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditProject {
    /// Id or name.
    pub id: String,
    /// A new name.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    /// The new folder of its repository. Refused where that is another repository.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// A new answer to the trust question.
    #[serde(default)]
    #[ts(optional)]
    pub trust: Option<bool>,
    /// A new default permission mode.
    #[serde(default)]
    #[ts(optional)]
    pub permission_mode: Option<PermissionMode>,
    /// Whether conductors may answer what their workers ask.
    #[serde(default)]
    #[ts(optional)]
    pub conductors_answer: Option<bool>,
    /// Approves the set-up commands with this hash (see [`SetupPlan`]).
    #[serde(default)]
    #[ts(optional)]
    pub approve_setup: Option<String>,
    /// Approves the checks with this hash (see [`Project::checks`]).
    #[serde(default)]
    #[ts(optional)]
    pub approve_checks: Option<String>,
    /// Approves the commands of reactions with this hash (see [`Project::reaction_commands`]).
    #[serde(default)]
    #[ts(optional)]
    pub approve_reactions: Option<String>,
}

/// A branch that a session can start from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// Its name: `main`, `origin/feature/x`.
    pub name: String,
    /// Its commit, abbreviated.
    pub commit: String,
    /// That commit's first line.
    pub summary: String,
    /// Whether it is the project's default.
    pub is_default: bool,
    /// Whether it lives on a remote only.
    pub is_remote: bool,
    /// The worktree that has it checked out, if any.
    pub checked_out_at: Option<String>,
}
