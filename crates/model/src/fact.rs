//! What was seen of a session: the input of every rule. Not what follows from it (see
//! [`crate::observe`]), and not where it was seen: adapters translate an agent's own words.

use crate::status::{EvidenceSource, Question};
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
}

/// The meaning of an observation, free of any agent's vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
pub enum FactKind {
    /// The agent is up and its prompt is empty. Carries its own conversation id where it has one.
    Ready(Option<String>),
    /// It took a message and works on it.
    TurnStarted,
    /// It shows work inside a turn: a tool starts or ends.
    Working,
    /// A sub-agent of it started or ended; it still works.
    SubAgent,
    /// It asks, and waits for the answer.
    Asked(Question),
    /// The question that was open is no longer: answered or dismissed.
    QuestionClosed,
    /// It finished its turn.
    TurnEnded,
    /// It cannot go on, for this reason.
    Blocked(String),
    /// It says that its conversation ended (the process may still live).
    ConversationEnded,
    /// Output came. The only evidence for agents without hooks.
    Output,
    /// No output for a while.
    Quiet,
}
