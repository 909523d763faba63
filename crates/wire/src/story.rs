//! A session's story: what happened in it, in the order in which it happened. Why its status is what it is, is
//! [`crate::explain`]; what it changed is [`crate::change`].

use downbeat_model::SessionId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks what happened in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetStory {
    /// Id or readable name.
    pub id: String,
    /// How many entries from the end, at most 1,000; default 200.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum StoryKind {
    /// The session itself: created, ended, paused, resumed.
    Session,
    /// Something that was said to its agent.
    Prompt,
    /// Tools that its agent ran, one after the other.
    Tools,
    /// What its agent answered.
    Answer,
    /// A turn ended.
    Turn,
    /// A question, or the answer to it.
    Question,
    /// A commit.
    Commit,
    /// Its checks ended.
    Checks,
    /// Its work was approved, or changes were requested.
    Review,
    /// A merge ended.
    Merge,
    /// A reaction.
    Reaction,
    /// What it reported through its tool.
    Report,
    /// A budget.
    Budget,
}

/// How an entry is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum StoryTone {
    /// Neither good nor bad.
    #[default]
    Plain,
    /// Something succeeded.
    Good,
    /// Something failed.
    Bad,
    /// Somebody has to act.
    Needs,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct StoryEntry {
    /// When, or when it began.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// When it ended, if it took a while.
    #[ts(type = "string | null")]
    pub until: Option<Timestamp>,
    /// What it is about.
    pub kind: StoryKind,
    /// How it is meant.
    pub tone: StoryTone,
    /// What happened, in one line.
    pub text: String,
    /// More of it: words of a person or an agent, as they were; empty if there is no more.
    pub detail: String,
    /// The full id of a commit.
    pub commit: Option<String>,
}

/// The answer to [`GetStory`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Story {
    /// The session.
    pub id: SessionId,
    /// The entries, oldest first.
    pub entries: Vec<StoryEntry>,
    /// Whether there may be earlier ones.
    pub has_earlier: bool,
}
