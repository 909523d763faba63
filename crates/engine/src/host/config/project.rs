//! What a repository says of itself. It comes from outside: it names no folder outside the
//! project, never lifts permissions to `bypass`, and what it runs waits for the person's yes.

use crate::host::config::command::Command;
use crate::host::config::global::{Budgets, Worktrees};
use downbeat_model::PermissionMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The place of the slug in [`ProjectConfig::branch`].
pub const SLUG: &str = "{task-slug}";

/// The `downbeat.yaml` in a project's primary checkout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProjectConfig {
    /// The template of branch names; `{task-slug}` stands for the session's readable name.
    #[schemars(length(min = 1))]
    pub branch: String,
    /// A word before each session's readable name.
    pub session_prefix: Option<String>,
    /// What sessions start from; default the default branch.
    #[schemars(length(min = 1))]
    pub base: Option<String>,
    /// The agent of new sessions, by id.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// The permission mode of new sessions; never `bypass`.
    pub permission_mode: Option<PermissionMode>,
    /// Files that git ignores and a worktree needs, as globs from the project's root.
    pub copy: Vec<String>,
    /// Paths that a worktree gets as links to the project's own, from its root.
    pub symlink: Vec<String>,
    /// Commands that a fresh worktree runs before its agent starts, in place of the lockfile's.
    pub setup: Vec<Command>,
    /// Where worktrees stand: `data` or `project`; only the global file may name a folder.
    pub worktrees: Option<Worktrees>,
    /// What its sessions may use, where that is less than the person allows.
    pub budgets: Option<Budgets>,
}

impl Default for ProjectConfig {
    fn default() -> Self {
        Self {
            branch: format!("feature/{SLUG}"),
            session_prefix: None,
            base: None,
            agent: None,
            permission_mode: None,
            copy: Vec::new(),
            symlink: Vec::new(),
            setup: Vec::new(),
            worktrees: None,
            budgets: None,
        }
    }
}

impl ProjectConfig {
    /// The branch name that a session of this readable name asks for.
    #[must_use]
    pub fn branch_for(&self, slug: &str) -> String {
        self.branch.replace(SLUG, slug)
    }

    /// The set-up commands as programs with arguments: what the person approves.
    #[must_use]
    pub fn setup_argv(&self) -> Vec<Vec<String>> {
        self.setup.iter().map(Command::argv).collect()
    }
}
