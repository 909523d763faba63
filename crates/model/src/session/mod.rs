//! A session: everything that is kept of one between engines, with the questions that it alone answers. How it is
//! stored is the `store`'s, what follows from it the `engine`'s.

mod hold;
mod intent;
mod lineage;
mod removed;
mod report;
mod role;
mod run;
mod steps;

pub use hold::{BudgetScope, Hold, Pause};
pub use intent::{Intent, PinnedBackup, RemovalChoices};
pub use lineage::{EarlierAgent, Forked, Lineage, Then};
pub use removed::Removed;
pub use report::{LastReport, ReportStatus, WorkerReport};
pub use role::{Role, Workspace};
pub use run::RunProgress;
pub use steps::{Base, STEPS, Step, StepState, steps};

use crate::{
    Activity, Evidence, EvidenceSource, Observed, PermissionMode, ProjectId, Question, SessionId, Status,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its identifier. Fixed.
    pub id: SessionId,
    /// Its readable name, unique in its project.
    pub name: String,
    /// What people see.
    pub title: String,
    /// Its project. Fixed.
    pub project_id: ProjectId,
    /// Conductor, worker or neither.
    pub role: Role,
    /// The session that spawned it. Fixed; becomes `None` when that one is deleted. Stored beside the document.
    #[serde(skip)]
    pub parent: Option<SessionId>,
    /// Levels above it. Fixed.
    pub depth: u32,
    /// The agent's id.
    pub agent: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// How freely the agent may act.
    pub permission_mode: PermissionMode,
    /// What it was asked to do; empty for none. Fixed; stored beside the document, for its size.
    #[serde(skip)]
    pub task: String,
    /// Whether it was asked for with the orchestration tools.
    #[serde(default)]
    pub conducts: bool,
    /// Whether it runs one prompt and ends.
    #[serde(default)]
    pub one_shot: bool,
    /// The one word.
    pub status: Status,
    /// What is known of it while it lives.
    #[serde(default)]
    pub observed: Option<Observed>,
    /// Why the status is what it is.
    pub status_evidence: Evidence,
    /// Since when.
    pub status_since: Timestamp,
    /// What went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// Where it runs.
    pub workspace: Workspace,
    /// The directory, while it is there.
    #[serde(default)]
    pub workspace_path: Option<String>,
    /// Its branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// What the branch started from.
    #[serde(default)]
    pub base: Option<Base>,
    /// The dev-server port reserved for it.
    #[serde(default)]
    pub port: Option<u16>,
    /// The steps of its start.
    pub steps: Vec<Step>,
    /// When it was asked for. Fixed.
    pub created_at: Timestamp,
    /// When it last did anything.
    pub last_activity_at: Timestamp,
    /// How its process ended.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The agent's own id of the conversation.
    #[serde(default)]
    pub conversation: Option<String>,
    /// The token that its tools call with.
    pub token: String,
    /// The life of the keeper that holds it now.
    #[serde(default)]
    pub keeper: Option<String>,
    /// What was copied into its worktree, as `git` recorded it; `None` where nothing was yet.
    #[serde(default)]
    pub copies: Option<Value>,
    /// What its agent has behind it, in this run and before.
    #[serde(default)]
    pub run: RunProgress,
    /// Whether saved work waits to be restored.
    #[serde(default)]
    pub has_backup: bool,
    /// The newest worker event that was handed to it.
    #[serde(default)]
    pub told: i64,
    /// What someone asked for that is still under way, so that the next engine finishes it.
    #[serde(default)]
    pub intent: Option<Intent>,
    /// What its worktree was when it was removed.
    #[serde(default)]
    pub removed: Option<Removed>,
    /// What it said came of its task.
    #[serde(default)]
    pub result: Option<LastReport>,
    /// What it was forked from, which agents had it before, what it is stopped for.
    #[serde(default)]
    pub lineage: Lineage,
    /// Whether it goes on after a usage limit, and why it is held back.
    #[serde(default)]
    pub hold: Hold,
    /// Since when it is put away.
    #[serde(default)]
    pub archived_at: Option<Timestamp>,
    /// The prompt that its agent took last, as its hook told: the beginning by which it is known again.
    #[serde(default)]
    pub last_prompt: Option<String>,
    /// The session that it is an extra shell beside; `None` for a session. Fixed.
    #[serde(default)]
    pub beside: Option<SessionId>,
}

impl Session {
    /// Whether it ran its one prompt, and ended well by itself.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let by_itself = self.status_evidence.source == EvidenceSource::Process;
        self.one_shot && self.status == Status::Exited && self.exit_code == Some(0) && by_itself
    }

    /// Whether its agent ever showed itself.
    #[must_use]
    pub fn was_up(&self) -> bool {
        self.run.was_shown || self.step_is("start", StepState::Done)
    }

    /// Whether a turn of it ever started; where nobody looked for one, it is taken to have.
    #[must_use]
    pub fn had_turn(&self) -> bool {
        self.run.had_turn.unwrap_or_else(|| self.was_up())
    }

    /// Whether the agent's own program was started in this run, and no set-up runs any more.
    #[must_use]
    pub fn agent_started(&self) -> bool {
        let starts = self.step_is("start", StepState::Running) || self.step_is("start", StepState::Done);
        starts && !self.step_is("setup", StepState::Running)
    }

    /// Whether its agent starts, is up, and has not taken its first prompt yet.
    #[must_use]
    pub fn is_up_at_start(&self) -> bool {
        let seen = self.observed.as_ref();
        self.status == Status::Spawning && seen.is_some_and(|seen| seen.activity == Activity::Ready)
    }

    /// Whether a budget holds it back.
    #[must_use]
    pub fn is_paused_by_budget(&self) -> bool {
        self.hold
            .pause
            .as_ref()
            .is_some_and(|pause| pause.budget.is_some())
    }

    /// The question that it waits with, and that a message would be typed into. One in prose is none: a message is
    /// its answer.
    #[must_use]
    pub fn open_question(&self) -> Option<&Question> {
        let known = self.observed.as_ref()?;
        known.question().filter(|_| !known.asks_in_prose())
    }

    /// Whether it is archived and nothing is left to do for it: no end is waited for, nothing was asked for that is still
    /// under way, and no budget that is to let it go on. The store derives the same from the document.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let is_owed = self.intent.is_some() || self.is_paused_by_budget();
        self.archived_at.is_some() && self.status.is_ended() && !is_owed && self.beside.is_none()
    }

    /// Whether what is left of it can be taken up by Resume.
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
