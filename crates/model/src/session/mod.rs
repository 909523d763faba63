//! A session: everything that is kept of it between engines, and the questions that it alone can answer. The
//! `store` decides how it is stored, the `engine` what follows from it.

mod changed;
mod checks;
pub mod collision;
mod done;
mod exchanges;
mod goal;
mod hold;
mod intent;
mod issue;
mod lineage;
mod merging;
mod new;
pub mod pulls;
mod reacted;
mod removed;
mod report;
mod review;
mod role;
mod run;
mod steps;

pub use changed::{ChangeCount, Changed, TurnEnd};
pub use checks::{CheckNow, CheckRun, CheckedFor, Checks, ChecksState, NextRun};
pub use collision::{CollidingFile, Collision, Collisions};
pub use done::{Done, DoneState};
pub use exchanges::Exchanges;
pub use goal::GoalToPlan;
pub use hold::{BudgetScope, Hold, Pause, Snooze};
pub use intent::{Intent, PinnedBackup, RemovalChoices};
pub use issue::{LinkedIssue, SessionIssue};
pub use lineage::{EarlierAgent, Forked, Lineage, Then};
pub use merging::{
    HeldMerge, MergeOutcome, MergeResult, MergeRun, MergeState, MergeStrategy, Merging, MergingPull,
};
pub use pulls::{SessionPull, UntoldMerge};
pub use reacted::{Reacted, ReactedTo, RunningCommand};
pub use removed::Removed;
pub use report::{LastReport, ReportStatus, Unchecked, WorkerReport};
pub use review::{LineComment, Review, ReviewVerdict, SessionReview};
pub use role::{Role, Workspace};
pub use run::RunProgress;
pub use steps::{Approval, Base, STEPS, Step, StepState, steps};

use crate::{
    Activity, Evidence, EvidenceSource, Observed, PermissionMode, ProjectId, Question, SessionId, Status,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The identifier. Fixed.
    pub id: SessionId,
    /// The readable name, unique in the project.
    pub name: String,
    /// The title that people see.
    pub title: String,
    /// The project. Fixed.
    pub project_id: ProjectId,
    /// The role: conductor, worker or neither.
    pub role: Role,
    /// The session that spawned this one. Fixed; becomes `None` when that session is deleted. Stored outside
    /// the document.
    #[serde(skip)]
    pub parent: Option<SessionId>,
    /// The number of levels above the session. Fixed.
    pub depth: u32,
    /// The id of the agent.
    pub agent: String,
    /// The model that was requested.
    pub model: Option<String>,
    /// The permission mode: how freely the agent may act.
    pub permission_mode: PermissionMode,
    /// The task that was given; empty for none. Fixed; stored outside the document because of its size.
    #[serde(skip)]
    pub task: String,
    /// Whether the session was requested with the orchestration tools.
    #[serde(default)]
    pub conducts: bool,
    /// Whether the session runs one prompt and ends.
    #[serde(default)]
    pub one_shot: bool,
    /// The status that people see.
    pub status: Status,
    /// The observation of the agent while the session lives.
    #[serde(default)]
    pub observed: Option<Observed>,
    /// The evidence for the status.
    pub status_evidence: Evidence,
    /// The time since which the session has the status.
    pub status_since: Timestamp,
    /// The error, if something went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// The kind of directory that the session runs in.
    pub workspace: Workspace,
    /// The path of the directory, while it exists.
    #[serde(default)]
    pub workspace_path: Option<String>,
    /// The branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// The base that the branch started from.
    #[serde(default)]
    pub base: Option<Base>,
    /// The dev-server port that is reserved for the session.
    #[serde(default)]
    pub port: Option<u16>,
    /// The steps of the start.
    pub steps: Vec<Step>,
    /// The time of the request for the session. Fixed.
    pub created_at: Timestamp,
    /// The time of the last activity.
    pub last_activity_at: Timestamp,
    /// The exit code of the process.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The agent's own id of the conversation.
    #[serde(default)]
    pub conversation: Option<String>,
    /// The token that the session's tools authenticate with.
    pub token: String,
    /// The incarnation of the keeper that holds the session now.
    #[serde(default)]
    pub keeper: Option<String>,
    /// The files that were copied into the worktree, as `git` recorded them; `None` before the copy.
    #[serde(default)]
    pub copies: Option<Value>,
    /// The progress of the agent, in this run and before.
    #[serde(default)]
    pub run: RunProgress,
    /// Whether saved work can be restored.
    #[serde(default)]
    pub has_backup: bool,
    /// The newest event of this worker that its conductor was notified of.
    #[serde(default, rename = "told")]
    pub notified_through: i64,
    /// The request that is still under way, so that the next engine finishes it.
    #[serde(default)]
    pub intent: Option<Intent>,
    /// The state of the worktree when it was removed.
    #[serde(default)]
    pub removed: Option<Removed>,
    /// The last report on the task.
    #[serde(default)]
    pub result: Option<LastReport>,
    /// The checks of the session's work.
    #[serde(default)]
    pub checks: Checks,
    /// What was last counted of the session's worktree; `None` before the first count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Changed>,
    /// The last review of the session's work; `None` before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// The other sessions whose worktrees change the same files.
    #[serde(default, skip_serializing_if = "Collisions::is_empty")]
    pub collisions: Collisions,
    /// How often the session and its conductor have gone back and forth since its code last changed.
    #[serde(default, skip_serializing_if = "Exchanges::is_empty")]
    pub exchanges: Exchanges,
    /// The merges of the session's work.
    #[serde(default)]
    pub merging: Merging,
    /// The issue that the session works on. Fixed.
    #[serde(default)]
    pub issue: Option<SessionIssue>,
    /// The pull requests of the session's work, as they were last seen, the oldest first.
    #[serde(default)]
    pub pulls: Vec<SessionPull>,
    /// A merge of the session's work that its issue is to be told of once none of its pull requests is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untold_merge: Option<UntoldMerge>,
    /// What rules did about the session and its pull requests.
    #[serde(default, skip_serializing_if = "Reacted::is_empty")]
    pub reacted: Reacted,
    /// Whether a person paused the rules for the session and its pull requests.
    #[serde(default)]
    pub reactions_paused: bool,
    /// The rules that a person switched off for the session and its pull requests, by their names.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reactions_off: BTreeSet<String>,
    /// The rule that started the session, by its name. Fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by_rule: Option<String>,
    /// The goal that the session was started to make a plan of. Fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_to_plan: Option<GoalToPlan>,
    /// The origin of the session, and its earlier agents.
    #[serde(default)]
    pub lineage: Lineage,
    /// Whether the session continues after a usage limit, and why it is held back.
    #[serde(default)]
    pub hold: Hold,
    /// The time at which the session was archived.
    #[serde(default)]
    pub archived_at: Option<Timestamp>,
    /// The beginning of the prompt that the agent took last, as its hook reported it; identifies the prompt.
    #[serde(default)]
    pub last_prompt: Option<String>,
    /// The session that this side shell belongs to; `None` for a session. Fixed.
    #[serde(default, rename = "beside")]
    pub side_shell_of: Option<SessionId>,
}

impl Session {
    /// Returns whether the session ran its one prompt, and ended well by itself.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let by_itself = self.status_evidence.source == EvidenceSource::Process;
        self.one_shot && self.status == Status::Exited && self.exit_code == Some(0) && by_itself
    }

    /// Returns whether the agent ever showed itself.
    #[must_use]
    pub fn was_up(&self) -> bool {
        self.run.was_shown || self.step_is("start", StepState::Done)
    }

    /// Returns whether a turn ever started; if that was not recorded, an agent that showed itself counts.
    #[must_use]
    pub fn had_turn(&self) -> bool {
        self.run.had_turn.unwrap_or_else(|| self.was_up())
    }

    /// Returns whether the agent's own program was started in this run, with no set-up still running.
    #[must_use]
    pub fn agent_started(&self) -> bool {
        let starts = self.step_is("start", StepState::Running) || self.step_is("start", StepState::Done);
        starts && !self.step_is("setup", StepState::Running)
    }

    /// Returns whether the agent is starting, is up, and has not taken its first prompt yet.
    #[must_use]
    pub fn is_up_at_start(&self) -> bool {
        let seen = self.observed.as_ref();
        self.status == Status::Spawning && seen.is_some_and(|seen| seen.activity == Activity::Ready)
    }

    /// Returns whether a budget pauses the session.
    #[must_use]
    pub fn is_paused_by_budget(&self) -> bool {
        self.hold
            .pause
            .as_ref()
            .is_some_and(|pause| pause.budget.is_some())
    }

    /// Returns the question that the session waits with, and that a message would be typed into. A question
    /// in prose does not count: a message answers it.
    #[must_use]
    pub fn open_question(&self) -> Option<&Question> {
        let known = self.observed.as_ref()?;
        known.question().filter(|_| !known.asks_in_prose())
    }

    /// Returns whether the session is archived with nothing left to do for it: it has ended, no request is
    /// under way, no budget has yet to release it, and none of its pull requests is open. The store derives the same from
    /// the document.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let is_owed = self.intent.is_some() || self.is_paused_by_budget() || self.has_open_pull();
        self.archived_at.is_some() && self.status.is_ended() && !is_owed && self.side_shell_of.is_none()
    }

    /// Returns whether one of the session's pull requests is open.
    #[must_use]
    pub fn has_open_pull(&self) -> bool {
        self.pulls.iter().any(SessionPull::is_open)
    }

    /// Returns whether its branch is looked for at forges: that of an archived session only while a pull request of it is open.
    #[must_use]
    pub fn is_followed_at_forges(&self) -> bool {
        self.branch.is_some() && (self.archived_at.is_none() || self.has_open_pull())
    }

    /// Returns whether Resume can continue the session.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.status.is_ended() && (self.workspace_path.is_some() || self.workspace == Workspace::Worktree)
    }

    fn step_is(&self, name: &str, state: StepState) -> bool {
        self.steps
            .iter()
            .any(|step| step.name == name && step.state == state)
    }
}
