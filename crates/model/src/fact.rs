//! What was seen of a session: the input of every rule. Not what follows from it (see
//! [`crate::observe`]), and not where it was seen: adapters translate an agent's own words.

use crate::retry::Retry;
use crate::status::{EvidenceSource, Question};
use crate::usage_limit::UsageLimit;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One observation about a live session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// When it happened, by the keeper's clock.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// What saw it.
    pub source: EvidenceSource,
    /// A few words that a person can check: `Stop hook`.
    pub detail: String,
    /// What it means.
    pub kind: FactKind,
    /// Whose doing it is, as far as the agent tells.
    #[serde(default)]
    pub about: About,
}

/// Whose doing a fact is. An agent may do several things at once, and have several sub-agents that
/// do: what one of them did says nothing about the question of another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The sub-agent; absent for the agent itself.
    pub sub_agent: Option<String>,
    /// The tool call, in words that its question and its end have in common.
    pub call: Option<String>,
    /// Whether that call ended, or all that this agent or sub-agent did where no call is named.
    pub ended: bool,
}

impl About {
    /// Whether this ends what `other` is about.
    #[must_use]
    pub fn ends(&self, other: &Self) -> bool {
        let is_whole = self.call.is_none();
        self.ended && self.sub_agent == other.sub_agent && (is_whole || self.call == other.call)
    }
}

/// The meaning of an observation, free of any agent's vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
pub enum FactKind {
    /// The agent is up and its prompt is empty. Carries its own conversation id where it has one.
    Ready(Option<String>),
    /// Which conversation of its own it is in. Says nothing of what it does.
    Conversation(String),
    /// It took a message and works on it.
    TurnStarted,
    /// It shows work inside a turn: a tool starts or ends.
    Working,
    /// A sub-agent of it started or ended; it still works.
    SubAgent,
    /// A sub-agent of it works, which may go on after the turn of the agent itself.
    SubAgentWorks,
    /// It asks, and waits for the answer.
    Asked(Question),
    /// It left a question for its conductor: open once its turn ends.
    Left(Question),
    /// The screen shows these answers to the question that is open.
    Offered(Vec<String>),
    /// The question that was open is no longer: answered or dismissed.
    QuestionClosed,
    /// It finished its turn.
    TurnEnded,
    /// It cannot go on, for this reason.
    Blocked(String),
    /// It ran into a usage limit.
    Limited(UsageLimit),
    /// Its model failed, and it asks again by itself.
    Retrying(Retry),
    /// What it said last in a turn that ends, or the end of that. Says nothing of what it does.
    Answered(String),
    /// It says that its conversation ended (the process may still live).
    ConversationEnded,
    /// Output came. The only evidence for agents without hooks.
    Output,
    /// No output for a while.
    Quiet,
    /// The list of what it wants to do, anew: those that it is at.
    Plan(Vec<Task>),
    /// One of that list changed.
    Task(Task),
    /// What its title says that it is about.
    Topic(String),
    /// It listed the tools that Downbeat gave it.
    ToolsListed,
    /// It did not list them in time.
    ToolsMissing,
    /// It works, and nothing new was seen for long.
    Stuck,
    /// A person says that what is known is wrong.
    Cleared,
}

/// One thing of an agent's own list of what it wants to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The agent's own id of it.
    pub id: String,
    /// What it is, in one line; absent where only its state changed.
    pub text: Option<String>,
    /// Whether the agent is at it; absent where only its text changed.
    pub is_current: Option<bool>,
}

impl FactKind {
    /// What it means, in a few words.
    #[must_use]
    pub fn says(&self) -> String {
        let words = match self {
            Self::Ready(_) => "is up, with an empty prompt",
            Self::Conversation(_) => "told its conversation",
            Self::TurnStarted => "took a message",
            Self::Working => "works",
            Self::SubAgent | Self::SubAgentWorks => "has a sub-agent that works",
            Self::Asked(question) => return format!("asks: {}", question.text),
            Self::Left(question) => return format!("asks its conductor: {}", question.text),
            Self::Offered(answers) => return format!("offers {} answers", answers.len()),
            Self::QuestionClosed => "asks no longer",
            Self::TurnEnded => "finished its turn",
            Self::Blocked(why) => return format!("cannot go on: {why}"),
            Self::Limited(limit) => return format!("ran into a usage limit: {}", limit.text),
            Self::Retrying(retry) => return retry.says(),
            Self::Answered(_) => "told its answer",
            Self::ConversationEnded => "ended its conversation",
            Self::Output => "draws",
            Self::Quiet => "draws nothing",
            Self::Plan(_) | Self::Task(_) => "told its list of tasks",
            Self::Topic(topic) => return format!("is about: {topic}"),
            Self::ToolsListed => "loaded Downbeat's tools",
            Self::ToolsMissing => "has not loaded Downbeat's tools",
            Self::Stuck => "seems stuck",
            Self::Cleared => "is not what it seemed",
        };
        words.to_owned()
    }
}
