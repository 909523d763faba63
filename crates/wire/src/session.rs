//! Sessions as they are shown, and what is done to one.

use crate::check::Checks;
use crate::merge::Merges;
pub use crate::pause::{GoOn, GoOnSession, PauseSession, PauseState, SnoozeSession};
use crate::report::WorkerReport;
use crate::restore::{EarlierAgent, ForkedFrom};
use crate::shell::Shell;
use crate::usage::{BudgetState, Usage};
pub use downbeat_model::lifecycle::Lifecycle;
pub use downbeat_model::session::{
    Approval, Base, ChangeCount, ChecksState, CollidingFile, Collision, Done, MergeState, SessionIssue,
    SessionPull, SessionReview, Step, StepState,
};
use downbeat_model::{
    Activity, Attention, Column, Evidence, PermissionMode, ProjectId, Question, Reason, Role, SessionId,
    Status, ToolsState, Workspace,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What lists show of a session. Its size does not depend on the session's task or history; [`Session`] has the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// Its identifier.
    pub id: SessionId,
    /// Its readable name, a slug unique in its project.
    pub name: String,
    /// What people see; free text.
    pub title: String,
    /// Its project.
    pub project_id: ProjectId,
    /// Conductor, worker or neither.
    pub role: Role,
    /// Whether it has the tools to spawn and steer workers.
    #[serde(default)]
    pub conducts: bool,
    /// The session that spawned it.
    pub parent: Option<SessionId>,
    /// Levels above it.
    pub depth: u32,
    /// Sessions directly below it.
    pub workers: u32,
    /// The agent's id: `claude`, `shell`, or a name from config.
    pub agent: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// How freely the agent may act.
    pub permission_mode: PermissionMode,
    /// The one word.
    pub status: Status,
    /// The finer observation; meaningful while live.
    pub activity: Activity,
    /// Why.
    pub status_evidence: Evidence,
    /// Since when.
    #[ts(type = "string")]
    pub status_since: Timestamp,
    /// What its agent says that it is at, in one line, while it works or waits.
    pub current_task: Option<String>,
    /// Why it seems stuck, where it works and nothing new was seen for long.
    pub stuck: Option<Evidence>,
    /// How far its agent is with the tools that Downbeat gave it; absent where it gave none.
    #[serde(default)]
    pub tools: Option<ToolsState>,
    /// What keeps it waiting.
    pub question: Option<Question>,
    /// The usage limit that keeps it waiting.
    #[serde(default)]
    pub limit: Option<LimitState>,
    /// Why it is not at work: what it waits for, in one line, and until when where that is known.
    #[serde(default)]
    pub reason: Option<Reason>,
    /// Why it needs the person, where it does. Every face shows and counts this, and none decides it again.
    #[serde(default)]
    pub attention: Option<Attention>,
    /// Until when the person snoozed what it needs them for; absent if nothing is snoozed.
    #[serde(default)]
    #[ts(type = "string | null")]
    pub snoozed_until: Option<Timestamp>,
    /// Its column of the board, by who must act next. Every face shows this, and none decides it again.
    #[serde(default)]
    pub column: Column,
    /// Why it is held back, where it is.
    #[serde(default)]
    pub paused: Option<PauseState>,
    /// What went wrong, where something did, with the way out.
    pub error: Option<String>,
    /// Whether it runs its task once and ends.
    #[serde(default)]
    pub once: bool,
    /// Where it runs.
    pub workspace: Workspace,
    /// The directory; absent until it is made and after it is removed.
    pub workspace_path: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// The dev-server port reserved for it.
    pub port: Option<u16>,
    /// When it was asked for.
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// When it last did anything.
    #[ts(type = "string")]
    pub last_activity_at: Timestamp,
    /// How its process ended; absent while it runs and where a signal ended it.
    pub exit_code: Option<i32>,
    /// Whether Resume can bring it back, its worktree too where that was removed.
    pub can_resume: bool,
    /// Whether saved work waits to be restored.
    pub has_backup: bool,
    /// Messages that wait for its agent.
    pub queued: u32,
    /// Since when it is put away; absent while it is on the list.
    #[ts(type = "string | null")]
    pub archived_at: Option<Timestamp>,
    /// What its agent used until its last turn ended.
    #[serde(default)]
    pub usage: Usage,
    /// The shells that are open beside its agent, by number.
    #[serde(default)]
    pub shells: Vec<Shell>,
    /// The first 160 characters of its task; absent if it has none.
    #[serde(default)]
    pub task_start: Option<String>,
    /// Equal for sessions with the same task; absent if it has none.
    #[serde(default)]
    pub task_key: Option<String>,
    /// Why its set-up was skipped, if there was something to set up.
    #[serde(default)]
    pub setup_skipped: Option<String>,
    /// The state of the project's checks on its work; absent until a run is requested.
    #[serde(default)]
    pub checks_state: Option<ChecksState>,
    /// How much its worktree changed against its base, as counted when its last turn ended; absent until then.
    #[serde(default)]
    pub changes: Option<ChangeCount>,
    /// The other sessions whose worktrees change the same files, as seen when one of them was last counted.
    #[serde(default)]
    pub collisions: Vec<Collision>,
    /// What is known about its task, if it reported it as done: whether that is only said, or verified by the project's
    /// checks of its newest commit.
    #[serde(default)]
    pub done: Option<Done>,
    /// The last review of its work here, and whether it is still about the newest commit; absent before the first.
    #[serde(default)]
    pub review: Option<SessionReview>,
    /// The issue that it works on.
    #[serde(default)]
    pub issue: Option<SessionIssue>,
    /// Its pull requests as they were last seen, the oldest first.
    #[serde(default)]
    pub pulls: Vec<SessionPull>,
    /// The merge of its work that is under way, or how the last one ended; absent once it has worked again.
    #[serde(default)]
    pub merge_state: Option<MergeState>,
    /// How far it is on its way to the base; absent for a client of an earlier engine.
    #[serde(default)]
    pub lifecycle: Option<Lifecycle>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// What lists show of it.
    #[serde(flatten)]
    #[ts(flatten)]
    pub summary: SessionSummary,
    /// What it was asked to do; empty for none.
    pub task: String,
    /// What the branch started from.
    pub base: Option<Base>,
    /// The steps of its spawn, in order.
    pub steps: Vec<Step>,
    /// What it said came of its task, where it is a worker that did.
    pub report: Option<WorkerReport>,
    /// The project's checks on its work; absent until a run is requested.
    #[serde(default)]
    pub checks: Option<Checks>,
    /// The merges of its work into the default branch; absent until one is requested.
    #[serde(default)]
    pub merges: Option<Merges>,
    /// Whether nothing is done by itself about its pull requests.
    #[serde(default)]
    pub reactions_paused: bool,
    /// The session whose conversation it began with.
    pub forked_from: Option<ForkedFrom>,
    /// The agents that had it before, the first one first.
    pub earlier_agents: Vec<EarlierAgent>,
    /// What it used with all below it, where there are any.
    #[serde(default)]
    pub subtree_usage: Option<Usage>,
    /// What it may use, itself and with all below it, where there are budgets.
    #[serde(default)]
    pub budgets: Vec<BudgetState>,
}

impl std::ops::Deref for Session {
    type Target = SessionSummary;

    fn deref(&self) -> &SessionSummary {
        &self.summary
    }
}

impl AsRef<SessionSummary> for Session {
    fn as_ref(&self) -> &SessionSummary {
        &self.summary
    }
}

impl AsRef<SessionSummary> for SessionSummary {
    fn as_ref(&self) -> &SessionSummary {
        self
    }
}

/// The sessions that need the person, longest first. What every face lists and counts.
#[must_use]
pub fn needing<S: AsRef<SessionSummary>>(sessions: &[S]) -> Vec<(&SessionSummary, &Attention)> {
    let needs = sessions
        .iter()
        .filter_map(|session| Some((session.as_ref(), session.as_ref().attention.as_ref()?)));
    let mut needs: Vec<_> = needs.collect();
    needs.sort_by_key(|(_, attention)| attention.since);
    needs
}

/// A usage limit that keeps a session waiting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct LimitState {
    /// What the agent said.
    pub text: String,
    /// When it ends, as far as the agent says.
    #[ts(type = "string | null")]
    pub resets_at: Option<Timestamp>,
    /// Until when messages wait: a little after its end.
    #[ts(type = "string | null")]
    pub over_at: Option<Timestamp>,
    /// Whether the session goes on by itself then.
    pub by_itself: bool,
    /// Whether it goes on now: the message for it is on its way.
    pub goes_on: bool,
}

/// Which sessions to list. Every field narrows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionFilter {
    /// Id or name of a project.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// Id or name of the session whose workers are meant.
    #[serde(default)]
    #[ts(optional)]
    pub parent: Option<String>,
    /// True for those that are put away, and only those; default those that are not.
    #[serde(default)]
    #[ts(optional)]
    pub archived: Option<bool>,
    /// Only sessions with these ids. Ids of sessions that do not exist or are not listed are ignored.
    #[serde(default)]
    #[ts(optional)]
    pub ids: Option<Vec<SessionId>>,
}

/// The short form of a session: how it is, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatus {
    /// Its identifier.
    pub id: SessionId,
    /// Its readable name.
    pub name: String,
    /// The one word.
    pub status: Status,
    /// The finer observation.
    pub activity: Activity,
    /// Why.
    pub status_evidence: Evidence,
    /// Since when.
    #[ts(type = "string")]
    pub status_since: Timestamp,
    /// What keeps it waiting.
    pub question: Option<Question>,
    /// Why it is not at work: what it waits for, in one line, and until when where that is known.
    #[serde(default)]
    pub reason: Option<Reason>,
    /// What is known about its task, if it reported it as done.
    #[serde(default)]
    pub done: Option<Done>,
    /// How its process ended.
    pub exit_code: Option<i32>,
}

/// What there is to read of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum OutputKind {
    /// The last lines of its terminal.
    #[default]
    Screen,
    /// The last answer of its agent, in full, as the agent wrote it down.
    Answer,
    /// Which files differ from what its branch started from, and by how many lines.
    Diff,
}

/// Asks for the text of a session's terminal, its last answer, or what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetOutput {
    /// Id or readable name.
    pub id: String,
    /// What to read; default the screen.
    #[serde(default)]
    #[ts(optional)]
    pub what: Option<OutputKind>,
    /// How many lines from the end of the screen, at most 10,000; default 50.
    #[serde(default)]
    #[ts(optional)]
    pub lines: Option<u32>,
}

/// A text of a session, without colours or control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The session.
    pub id: SessionId,
    /// Its last lines, soft-wrapped ones joined, trailing blank ones left out; or its agent's last
    /// answer; or a line for each changed file: `+12 -3 src/lib.rs`.
    pub text: String,
    /// When it was said, of an answer.
    #[ts(type = "string | null")]
    pub at: Option<Timestamp>,
    /// The window title, where the agent set one; empty with an answer or a diff.
    pub title: String,
    /// Whether this is the last checkpoint of a keeper that is gone.
    pub is_checkpoint: bool,
    /// The same as numbers, with a diff.
    pub changes: Option<Changes>,
}

/// What a session changed since its base, committed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// What it is compared with: `main`.
    pub since: String,
    /// How many files differ.
    pub count: u32,
    /// Lines that were added, in all files whose lines can be counted.
    #[ts(type = "number")]
    pub added: u64,
    /// Lines that were removed.
    #[ts(type = "number")]
    pub removed: u64,
    /// The files by path, at most 500.
    pub files: Vec<ChangedFile>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// Where, relative to the workspace, without control characters.
    pub path: String,
    /// Lines that were added; absent where they cannot be counted, as in a picture.
    pub added: Option<u32>,
    /// Lines that were removed.
    pub removed: Option<u32>,
    /// Whether git does not know it yet.
    pub is_untracked: bool,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// The agent's own hook or screen showed that it took the answer.
    Taken,
    /// It was handed over; nothing shows yet whether it was taken.
    Uncertain,
}

/// Answers the question that a session's agent shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerQuestion {
    /// Id or readable name.
    pub id: String,
    /// One of the answers on offer: its number from 1, its text, or the beginning of that. A
    /// question in prose (`asks`) takes any text.
    pub choice: String,
    /// The text of the question that is meant: nothing is answered where another one is open by
    /// now. Default whichever is open.
    #[serde(default)]
    #[ts(optional)]
    pub question: Option<String>,
}

/// The answer to [`AnswerQuestion`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AnswerReceipt {
    /// The answer that was given, as the agent words it.
    pub answer: String,
    /// Whether the question closed.
    pub delivery: Delivery,
    /// One sentence on how we know.
    pub detail: String,
}

/// Renames a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditSession {
    /// Id or readable name.
    pub id: String,
    /// The new title. The readable name stays.
    pub title: String,
}

/// Starts an ended session again in the same directory, with its agent's own conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResumeSession {
    /// Id or readable name.
    pub id: String,
    /// Starts a new conversation where the old one cannot be found.
    #[serde(default)]
    #[ts(optional)]
    pub fresh: Option<bool>,
    /// Makes a worktree again that was deleted by hand; what was not committed there is gone.
    #[serde(default)]
    #[ts(optional)]
    pub remake: Option<bool>,
}

/// Goes on after a failed set-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContinueSetup {
    /// Id or readable name.
    pub id: String,
    /// True starts the agent although set-up failed; false runs the failed step again.
    #[serde(default)]
    #[ts(optional)]
    pub start_anyway: Option<bool>,
}

/// Stops sessions gracefully; each can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopSessions {
    /// One session, by id or readable name.
    #[serde(default)]
    #[ts(optional)]
    pub id: Option<String>,
    /// All sessions of a project, by id or name.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// All sessions.
    #[serde(default)]
    #[ts(optional)]
    pub all: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::{SessionSummary, needing};

    #[test]
    fn the_sessions_that_need_the_person_are_those_with_attention_longest_first() {
        let (shown, count): (Vec<SessionSummary>, usize) =
            serde_json::from_str(include_str!("../fixtures/attention.json")).unwrap();
        let needs = needing(&shown);
        assert_eq!(needs.len(), count);
        assert!(needs.is_sorted_by_key(|(_, attention)| attention.since));
        assert_eq!(needs[0].0.name, "is-blocked");
        for (session, attention) in needs {
            assert_eq!(session.attention.as_ref(), Some(attention));
        }
    }
}
