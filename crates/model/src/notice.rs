//! Notices: why the person is told something, how urgent that is, and what is recorded of it. Not where a notice is
//! sent: that is decided by its routes (see `delivery.rs`).

use crate::id::{PlanId, ProjectId, SessionId};
use crate::reactions::NoticePriority;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why the person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum NoticeKind {
    /// A session waits for an answer.
    NeedsInput,
    /// A session finished its turn.
    Finished,
    /// A session's process ended by itself, not as asked.
    Exited,
    /// A session could not be started or set up.
    Failed,
    /// A session seems stuck, or its processes take more than they should.
    NeedsLook,
    /// A script or an agent raised it for the person.
    Raised,
    /// A test of desktop notifications.
    Test,
}

impl NoticeKind {
    /// Returns how urgent a notice of this kind is if nothing else says so.
    #[must_use]
    pub const fn priority(self) -> NoticePriority {
        match self {
            Self::NeedsInput => NoticePriority::Urgent,
            Self::Failed | Self::Exited | Self::Raised => NoticePriority::Action,
            Self::NeedsLook => NoticePriority::Warning,
            Self::Finished | Self::Test => NoticePriority::Info,
        }
    }

    /// Returns the word of the kind, as it is stored and sent.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NeedsInput => "needsInput",
            Self::Finished => "finished",
            Self::Exited => "exited",
            Self::Failed => "failed",
            Self::NeedsLook => "needsLook",
            Self::Raised => "raised",
            Self::Test => "test",
        }
    }

    /// Returns what a title says after the name of the session; nothing for a notice that has a title of its own.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::NeedsInput => " needs you",
            Self::Finished => " has finished",
            Self::Exited => " ended unexpectedly",
            Self::Failed => " could not start",
            Self::NeedsLook => " needs a look",
            Self::Raised | Self::Test => "",
        }
    }
}

/// A notice to be recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewNotice {
    /// Why the person is told.
    pub kind: NoticeKind,
    /// How urgent it is.
    pub priority: NoticePriority,
    /// The session that it is about, if any.
    pub session_id: Option<SessionId>,
    /// The plan that it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<PlanId>,
    /// The project of the session or the plan.
    pub project_id: Option<ProjectId>,
    /// The session's title at that time, or the title that the notice was given.
    pub title: String,
    /// The question, the exit code, the error.
    pub text: String,
    /// The time of the notice.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::NoticeKind;
    use crate::reactions::NoticePriority;

    #[test]
    fn each_kind_has_its_word_and_its_priority() {
        use NoticeKind::{Exited, Failed, Finished, NeedsInput, NeedsLook, Raised, Test};
        use NoticePriority::{Action, Info, Urgent, Warning};
        for (kind, priority) in [
            (NeedsInput, Urgent),
            (Failed, Action),
            (Exited, Action),
            (Raised, Action),
            (NeedsLook, Warning),
            (Finished, Info),
            (Test, Info),
        ] {
            assert_eq!(kind.priority(), priority, "{kind:?}");
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
            assert_eq!(
                kind.phrase().is_empty(),
                matches!(kind, Raised | Test),
                "{kind:?}"
            );
        }
    }
}
