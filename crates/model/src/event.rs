//! Events: the kinds of event that are written down, once, in one global order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The kind of an event. Readers ignore kinds that they do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A project was added.
    ProjectAdded,
    /// A project's name, trust or approval changed.
    ProjectChanged,
    /// A project was removed from the list; its folder stays.
    ProjectRemoved,
    /// A session was requested.
    SessionCreated,
    /// A step of a spawn started or ended.
    SessionStep,
    /// A fact about a session was seen.
    SessionFact,
    /// A fact about another subject was seen: a pull request, a branch.
    Fact,
    /// A session's status changed.
    SessionStatus,
    /// A session was renamed or otherwise edited.
    SessionChanged,
    /// A message was added to, changed in or removed from a session's queue, or its state changed.
    MessageChanged,
    /// A message was delivered to a session's agent.
    MessageSent,
    /// The agent's question was answered through Downbeat.
    QuestionAnswered,
    /// A worker reported the result of its task through its tool.
    WorkerReported,
    /// A worker asked its conductor through its tool.
    WorkerAsked,
    /// Two workers of a conductor changed the same place.
    WorkersCollided,
    /// The checks of a session's work ended, with a result.
    ChecksFinished,
    /// The merge of a session's work ended, with a result.
    MergeFinished,
    /// A session's work was approved, or changes were requested.
    Reviewed,
    /// What a rule decided was done, or could not be done.
    Reacted,
    /// A session's process ended.
    SessionExited,
    /// A session was stopped on request; it can be resumed.
    SessionStopped,
    /// A session was killed on request.
    SessionKilled,
    /// An ended session was started again.
    SessionResumed,
    /// Another agent continues a session's work.
    SessionHandedOver,
    /// A session was paused: by a person, or over a budget.
    SessionPaused,
    /// A paused session continues.
    SessionWentOn,
    /// A budget is near its end, or used up.
    BudgetWarned,
    /// An ended session was archived.
    SessionArchived,
    /// An archived session is on the list again.
    SessionUnarchived,
    /// A session's workspace was removed; its work was saved first.
    WorkspaceRemoved,
    /// Saved work was restored.
    WorkRestored,
    /// A session was removed from the list.
    SessionRemoved,
    /// A notice for the person was written or read.
    Notice,
    /// A setting changed.
    SettingsChanged,
    /// The list of installed agents, or of their versions, changed.
    AgentsChanged,
    /// An engine took the data directory.
    EngineStarted,
}

impl EventKind {
    /// Returns the kind as a word on the wire and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProjectAdded => "project-added",
            Self::ProjectChanged => "project-changed",
            Self::ProjectRemoved => "project-removed",
            Self::SessionCreated => "session-created",
            Self::SessionStep => "session-step",
            Self::SessionFact => "session-fact",
            Self::Fact => "fact",
            Self::SessionStatus => "session-status",
            Self::SessionChanged => "session-changed",
            Self::MessageChanged => "message-changed",
            Self::MessageSent => "message-sent",
            Self::QuestionAnswered => "question-answered",
            Self::WorkerReported => "worker-reported",
            Self::WorkerAsked => "worker-asked",
            Self::WorkersCollided => "workers-collided",
            Self::ChecksFinished => "checks-finished",
            Self::MergeFinished => "merge-finished",
            Self::Reviewed => "reviewed",
            Self::Reacted => "reacted",
            Self::SessionExited => "session-exited",
            Self::SessionStopped => "session-stopped",
            Self::SessionKilled => "session-killed",
            Self::SessionResumed => "session-resumed",
            Self::SessionHandedOver => "session-handed-over",
            Self::SessionPaused => "session-paused",
            Self::SessionWentOn => "session-went-on",
            Self::BudgetWarned => "budget-warned",
            Self::SessionArchived => "session-archived",
            Self::SessionUnarchived => "session-unarchived",
            Self::WorkspaceRemoved => "workspace-removed",
            Self::WorkRestored => "work-restored",
            Self::SessionRemoved => "session-removed",
            Self::Notice => "notice",
            Self::SettingsChanged => "settings-changed",
            Self::AgentsChanged => "agents-changed",
            Self::EngineStarted => "engine-started",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn stored_and_serialized_names_agree() {
        for kind in [
            EventKind::ProjectAdded,
            EventKind::SessionStep,
            EventKind::AgentsChanged,
            EventKind::EngineStarted,
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
