//! Facts: what was seen of a session, and the input of every rule. Not what follows from a fact (see
//! `observe.rs`), and not how a fact is read: adapters translate an agent's own words.

use crate::retry::Retry;
use crate::status::{Evidence, EvidenceSource, Question};
use crate::usage_limit::UsageLimit;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An observation about a live session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// The time at which the fact happened, by the keeper's clock.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The source that saw it.
    pub source: EvidenceSource,
    /// A few words that a person can check: `Stop hook`.
    pub detail: String,
    /// The meaning of the fact.
    pub kind: FactKind,
    /// The agent, sub-agent or call that the fact is about, as far as the agent says.
    #[serde(default)]
    pub about: About,
}

/// The agent, sub-agent or tool call that a fact is about. An agent may run several calls at once, and
/// so may each of its sub-agents: what one of them did says nothing about the question of another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The sub-agent; absent for the agent itself.
    pub sub_agent: Option<String>,
    /// The tool call, in words that the call's question and the call's end have in common.
    pub call: Option<String>,
    /// True if that call ended or, if no call is named, all work of this agent or sub-agent.
    pub ended: bool,
}

impl Fact {
    /// Returns the fact as evidence for a status.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        Evidence {
            source: self.source,
            detail: self.detail.clone(),
            at: self.at,
        }
    }
}

impl About {
    /// Returns whether a fact about `self` ends what a question about `other` waits for.
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
    /// The agent is up and its prompt is empty. Carries its own conversation id if it has one.
    Ready(Option<String>),
    /// The agent is in this conversation of its own. The fact says nothing about the agent's activity.
    Conversation(String),
    /// The agent took a message and works on it.
    TurnStarted,
    /// The agent works inside a turn: a tool starts or ends.
    Working,
    /// This program has the terminal of a shell.
    Runs(String),
    /// A sub-agent started or ended; the agent itself still works.
    SubAgent,
    /// A sub-agent works, and may continue after the turn of its agent.
    SubAgentWorks,
    /// The agent asks, and waits for the answer.
    Asked(Question),
    /// A worker left a question for its conductor, which opens once the worker's turn ends.
    Left(Question),
    /// The screen shows these answers to the question that is open.
    Offered(Vec<String>),
    /// The open question was answered or dismissed.
    QuestionClosed,
    /// The agent finished its turn.
    TurnEnded,
    /// The agent cannot continue, for this reason.
    Blocked(String),
    /// The agent hit a usage limit.
    Limited(UsageLimit),
    /// The agent's model failed, and the agent asks the model again by itself.
    Retrying(Retry),
    /// The agent's last answer in a turn that ends, or the end of that answer. The fact says nothing about
    /// the agent's activity.
    Answered(String),
    /// The agent says that its conversation ended (the process may still live).
    ConversationEnded,
    /// There was output: the only evidence for agents without hooks.
    Output,
    /// No output for a while.
    Quiet,
    /// The agent replaced its list of tasks.
    Plan(Vec<Task>),
    /// A task of that list changed.
    Task(Task),
    /// The terminal's title names this topic.
    Topic(String),
    /// The agent listed the tools that Downbeat gave it.
    ToolsListed,
    /// The agent did not list those tools in time.
    ToolsMissing,
    /// The agent works, and nothing new was seen for long.
    Stuck,
    /// A person said that the status is wrong.
    Cleared,
}

/// A task of an agent's own list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The id that the agent gave the task.
    pub id: String,
    /// The task in one line; absent if only the task's state changed.
    pub text: Option<String>,
    /// True while the agent works on the task; absent if only the task's text changed.
    pub is_current: Option<bool>,
}

impl FactKind {
    /// Describes the fact in a few words whose subject is the agent: `took a message`.
    #[must_use]
    pub fn describe(&self) -> String {
        let words = match self {
            Self::Ready(_) => "started, with an empty prompt",
            Self::Conversation(_) => "reported its conversation",
            Self::TurnStarted => "took a message",
            Self::Working => "works",
            Self::Runs(program) => return format!("runs {program}"),
            Self::SubAgent | Self::SubAgentWorks => "has a working sub-agent",
            Self::Asked(question) => return format!("asks: {}", question.text),
            Self::Left(question) => return format!("asks its conductor: {}", question.text),
            Self::Offered(answers) => return format!("offers {} answers", answers.len()),
            Self::QuestionClosed => "no longer asks",
            Self::TurnEnded => "finished its turn",
            Self::Blocked(why) => return format!("cannot continue: {why}"),
            Self::Limited(limit) => return format!("hit a usage limit: {}", limit.text),
            Self::Retrying(retry) => return retry.describe(),
            Self::Answered(_) => "reported its answer",
            Self::ConversationEnded => "ended its conversation",
            Self::Output => "draws",
            Self::Quiet => "prints nothing",
            Self::Plan(_) | Self::Task(_) => "reported its task list",
            Self::Topic(topic) => return format!("is about: {topic}"),
            Self::ToolsListed => "loaded Downbeat's tools",
            Self::ToolsMissing => "has not loaded Downbeat's tools",
            Self::Stuck => "seems stuck",
            Self::Cleared => "had its status cleared",
        };
        words.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::FactKind::{Offered, Ready, TurnStarted};
    use crate::fixture::{asks, fails, limited, retries};

    #[test]
    fn a_fact_is_described_in_the_words_of_explain_output() {
        for (kind, words) in [
            (Ready(None), "started, with an empty prompt"),
            (TurnStarted, "took a message"),
            (asks("Bash: npm run migrate"), "asks: Bash: npm run migrate"),
            (Offered(vec!["Yes".into(), "No".into()]), "offers 2 answers"),
            (fails(), "cannot continue: Invalid API key"),
            (limited(None), "hit a usage limit: You've hit your limit"),
            (retries(None), "Overloaded; retrying"),
        ] {
            assert_eq!(kind.describe(), words);
        }
    }
}
