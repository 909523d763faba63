//! The configuration in a repository. It is not trusted: it cannot name a folder outside the project or raise
//! permissions to `bypass`, and its commands run only with the person's approval.

use crate::host::config::check::Check;
use crate::host::config::command::Command;
use crate::host::config::domain::DomainConfig;
use crate::host::config::global::{Budgets, Worktrees};
use crate::host::config::reaction::Reactions;
use crate::host::config::tracker::TrackerConfig;
use downbeat_model::PermissionMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The placeholder for the slug in [`ProjectConfig::branch`].
pub const SLUG: &str = "{task-slug}";

/// The `downbeat.yaml` in a project's primary checkout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProjectConfig {
    /// The template of branch names; `{task-slug}` stands for the session's readable name.
    #[schemars(length(min = 1))]
    pub branch: String,
    /// A word in front of each session's readable name.
    pub session_prefix: Option<String>,
    /// The branch, tag or commit that sessions start from; by default the default branch.
    #[schemars(length(min = 1))]
    pub base: Option<String>,
    /// The agent of new sessions, by id.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// The permission mode of new sessions; never `bypass`.
    pub permission_mode: Option<PermissionMode>,
    /// Git-ignored files that a worktree needs, as globs from the project's root.
    pub copy: Vec<String>,
    /// Paths from the project's root that are linked into a worktree.
    pub symlink: Vec<String>,
    /// Commands that run in a fresh worktree before its agent starts, instead of the lockfile's.
    pub setup: Vec<Command>,
    /// Commands that decide whether a commit is good: the project's own CI, run in a clean tree of each commit.
    pub checks: Vec<Check>,
    /// How work lands on the default branch.
    pub merge_queue: MergeQueue,
    /// Domains of the tasks of its plans, each with the keywords by which it is found and who works on it. They are added to those
    /// that every project has.
    pub domains: BTreeMap<String, DomainConfig>,
    /// Where its issues are, if not at the forges of its remotes.
    pub tracker: Option<TrackerConfig>,
    /// What is done by itself about pull requests of sessions.
    pub reactions: Reactions,
    /// The name of another program's file that the reactions come from.
    #[serde(skip)]
    pub reactions_file: Option<&'static str>,
    /// The location of worktrees: `data` or `project`; only the global file may name a folder.
    pub worktrees: Option<Worktrees>,
    /// Budgets of the project's sessions, if stricter than the person's.
    pub budgets: Option<Budgets>,
}

/// How work lands on the default branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MergeQueue {
    /// The number of sessions whose work is checked and lands together at most.
    #[schemars(range(min = 1, max = 32))]
    pub batch: u8,
}

impl Default for MergeQueue {
    fn default() -> Self {
        Self { batch: 1 }
    }
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
            checks: Vec::new(),
            merge_queue: MergeQueue::default(),
            domains: BTreeMap::new(),
            tracker: None,
            reactions: Reactions::default(),
            reactions_file: None,
            worktrees: None,
            budgets: None,
        }
    }
}

impl ProjectConfig {
    /// Returns the branch name for a session with this readable name.
    #[must_use]
    pub fn branch_for(&self, slug: &str) -> String {
        self.branch.replace(SLUG, slug)
    }

    /// Returns the set-up commands as programs with arguments, in the form that the person approves.
    #[must_use]
    pub fn setup_argv(&self) -> Vec<Vec<String>> {
        self.setup.iter().map(Command::argv).collect()
    }
}
