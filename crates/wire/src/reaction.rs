//! What is done by itself about sessions and their pull requests: the rules of a project, what they did, and their pause.
//! Not how a rule decides.

use downbeat_model::reactions::Event;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the rules do about a session, or about one of its pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Reactions {
    /// The session or the pull request, as one word.
    pub subject: String,
    /// What it is called: the name of the session, or `#12 Add a cart`.
    pub title: String,
    /// What each rule does that deals with it.
    pub reactions: Vec<ReactionState>,
}

/// What a person wants of a rule, for one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReactionControl {
    /// It acts on what is new now: without waiting, and although it does not act by itself or its attempts are used up.
    /// What was handled is not handled again.
    Run,
    /// It does nothing about what is new.
    Skip,
    /// It is switched off for the session and its pull requests.
    Off,
    /// It is switched on again. What is new since then is done.
    On,
}

/// Runs, skips or switches a rule for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControlReaction {
    /// Id or readable name of the session.
    pub id: String,
    /// The rule: `ci-failed`.
    pub rule: String,
    /// What is wanted.
    pub what: ReactionControl,
    /// The session or the pull request, as `explain_reactions` names it. By default all of them.
    #[serde(default)]
    pub subject: Option<String>,
}

/// What a rule does about a session or a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReactionState {
    /// The rule: `ci-failed`.
    pub rule: String,
    /// Whether what it reacts to stands now.
    pub stands: bool,
    /// What it did and does, in a sentence.
    pub says: String,
    /// When the person is notified that the problem is not solved, if nothing changes; or was.
    #[ts(type = "string | null")]
    pub notified_at: Option<Timestamp>,
    /// The number of things that it did not deal with yet, and that it would deal with if it were run now.
    pub fresh: usize,
    /// Whether a person switched it off for the session.
    pub is_off: bool,
}

/// A rule of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReactionRule {
    /// The rule: `ci-failed`.
    pub rule: String,
    /// What it does: `send-to-agent`, `notify`, `merge`, `restart`…
    pub action: String,
    /// Whether it acts by itself.
    pub auto: bool,
    /// The number of attempts for a problem; absent without a bound.
    pub attempts: Option<u32>,
    /// The time after which the person is notified, in seconds.
    #[ts(type = "number | null")]
    pub escalates_after: Option<u64>,
    /// How long the event has to stand before it acts, in seconds.
    #[ts(type = "number")]
    pub threshold: u64,
    /// The text in front of what is sent.
    pub message: Option<String>,
    /// The command that it runs, as people read it; absent if it runs none.
    #[serde(default)]
    pub command: Option<String>,
    /// Whether its command waits for the person's approval.
    #[serde(default)]
    pub needs_approval: bool,
    /// What has to hold besides.
    pub condition: Option<String>,
    /// Whether the project changes it.
    pub is_changed: bool,
    /// The file by which the project changes it: `downbeat.yaml`, or `agent-orchestrator.yaml`.
    pub file: Option<String>,
}

/// Asks what the rules of a project would do about an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SimulateReactions {
    /// Id or name of the project.
    pub id: String,
    /// The event; by default each event that has a rule.
    #[serde(default)]
    pub event: Option<Event>,
    /// The session that it happens to, for the values of messages and conditions; by default an example.
    #[serde(default)]
    pub session: Option<String>,
    /// The label or the budget that the event is about.
    #[serde(default)]
    pub detail: Option<String>,
}

/// What a rule would do about an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedReaction {
    /// The rule.
    pub rule: String,
    /// What it does, in order.
    pub steps: Vec<SimulatedStep>,
    /// Why it does nothing.
    pub nothing: Option<String>,
}

/// A step of what a rule would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedStep {
    /// When, in words: `after 30 s`.
    pub when: String,
    /// What, in words: `its agent gets a message`.
    pub what: String,
    /// The text that is sent, or that notifies.
    pub text: Option<String>,
}

/// How a reaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReactionOutcome {
    /// It was carried out.
    Done,
    /// The problem had gone before.
    Over,
    /// It could not be carried out.
    Failed,
}

impl ReactionOutcome {
    /// Returns the outcome as a word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Over => "over",
            Self::Failed => "failed",
        }
    }
}

/// Something that was done by itself, or could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReactionDone {
    /// When.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The rule.
    pub rule: String,
    /// The session or the pull request, as one word.
    pub subject: String,
    /// The number of the attempt.
    pub attempt: u32,
    /// How it ended.
    pub outcome: ReactionOutcome,
    /// The first line of the text, or why it failed.
    pub detail: String,
    /// The exit code of the command that was run; absent if it did not exit by itself, or if none was.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The end of the output of the command that was run: at most 20 lines and 4 KiB. Text from outside.
    #[serde(default)]
    pub output: Option<String>,
}

/// Pauses or resumes what is done by itself about a session and its pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseReactions {
    /// Id or readable name.
    pub id: String,
    /// True pauses; false resumes: what is new since then is done.
    pub paused: bool,
}
