//! Asking for a session, and the preview of what that would do.

use downbeat_model::{PermissionMode, SessionId, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for a session. The answer is the session at once; its workspace is made behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSession {
    /// Id or name of the project. A session's token may leave it out: its own project.
    #[serde(default)]
    #[ts(optional)]
    pub project_id: Option<String>,
    /// What people see. Default: the first line of the prompt, else the agent's name.
    #[serde(default)]
    #[ts(optional)]
    pub title: Option<String>,
    /// A readable name; default the title's slug.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    /// What the agent is asked to do.
    #[serde(default)]
    #[ts(optional)]
    pub prompt: Option<String>,
    /// An agent's id; default from config, else `claude`.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The model to request from the agent.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
    /// Gives it the orchestration tools and the briefing to delegate.
    #[serde(default)]
    #[ts(optional)]
    pub conductor: Option<bool>,
    /// Runs the prompt once, by the agent's own form for that, and ends: nobody is asked anything, and
    /// exit code 0 is done. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub once: Option<bool>,
    /// Id or readable name of the session it belongs under.
    #[serde(default)]
    #[ts(optional)]
    pub parent: Option<String>,
    /// How freely the agent may act; default the project's. Capped by the parent's.
    #[serde(default)]
    #[ts(optional)]
    pub permission_mode: Option<PermissionMode>,
    /// A branch name; default from the template in config. Gets a suffix where it is taken.
    #[serde(default)]
    #[ts(optional)]
    pub branch: Option<String>,
    /// What the branch starts from; default the project's default branch.
    #[serde(default)]
    #[ts(optional)]
    pub base: Option<String>,
    /// Where it runs; default a worktree of its own.
    #[serde(default)]
    #[ts(optional)]
    pub workspace: Option<Workspace>,
    /// The issue that it works on: `42`, `acme/shop#42`, `ENG-42` of Linear, or the address of its page. Title, name and branch follow from
    /// it by default, and its text is added to the prompt.
    #[serde(default)]
    #[ts(optional)]
    pub issue: Option<String>,
}

/// Asks for a session for each of several issues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartIssues {
    /// The issues, as in `issue` of a new session; at most 100.
    pub issues: Vec<String>,
    /// Id or name of the project. A session's token may leave it out: its own project.
    #[serde(default)]
    #[ts(optional)]
    pub project_id: Option<String>,
    /// What the agents are asked in addition.
    #[serde(default)]
    #[ts(optional)]
    pub prompt: Option<String>,
    /// An agent's id; default from config, else `claude`.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The model to request from the agents.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
    /// Id or readable name of the session they belong under.
    #[serde(default)]
    #[ts(optional)]
    pub parent: Option<String>,
}

/// What happened to one issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct StartedIssue {
    /// The issue, as it was named.
    pub issue: String,
    /// What happened.
    pub outcome: IssueOutcome,
    /// The session that works on it; absent if there is none that the caller may see.
    pub session: Option<SessionId>,
    /// Why none was started.
    pub why: Option<String>,
}

/// What happened to an issue for which a session was to be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum IssueOutcome {
    /// A session was started.
    Started,
    /// A session works on it already.
    Skipped,
    /// It was named before in the same request.
    Dropped,
    /// No session could be started.
    Failed,
}

/// What a [`NewSession`] would do. Reserves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SpawnPreview {
    /// The readable name it would get.
    pub name: String,
    /// The agent: as asked for, else as the configuration says.
    pub agent: String,
    /// How freely it may act: as asked for, else as project and configuration say.
    pub permission_mode: PermissionMode,
    /// The directory.
    pub path: String,
    /// The branch, with its suffix where the wanted one is taken.
    pub branch: Option<String>,
    /// What it starts from.
    pub base: Option<crate::session::Base>,
    /// Files that would be copied, relative to the repository; at most 50 are named.
    pub copied: Vec<String>,
    /// How many files that is in all.
    pub copied_count: u32,
    /// Commands that would run before the agent.
    pub setup: crate::project::SetupPlan,
    /// The port it would likely get.
    pub port: Option<u16>,
    /// What stands in the way or is worth knowing, one sentence each.
    pub warnings: Vec<String>,
}
