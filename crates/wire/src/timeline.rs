//! The fleet's timeline: which session worked, waited or was held back when. What happened in one session, in words, is
//! [`crate::story`].

use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks what the sessions did in the last hours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTimeline {
    /// Id or name of a project; all by default.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// How many hours back, at most 168 (a week); 24 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 168))]
    #[ts(optional)]
    pub hours: Option<u32>,
}

/// What a session did during a span.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
pub enum TimelineState {
    /// It started, or its agent worked.
    Working,
    /// It could not continue without somebody: a question, a failed set-up, an error of the agent.
    Waiting,
    /// It was held back: queued behind a cap, paused, or at a usage limit.
    Held,
    /// Its agent waited for its next message.
    Idle,
    /// Nothing showed what its agent did.
    Unknown,
}

/// A time during which a session's state did not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimelineSpan {
    /// When it began, or the timeline did.
    #[ts(type = "string")]
    pub from: Timestamp,
    /// When it ended, or the timeline does.
    #[ts(type = "string")]
    pub until: Timestamp,
    /// What the session did.
    pub state: TimelineState,
    /// Why, in one line; empty if that is not recorded.
    pub reason: String,
}

/// How long a session was in each state, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimelineSums {
    /// In [`TimelineState::Working`].
    #[ts(type = "number")]
    pub working: u64,
    /// In [`TimelineState::Waiting`].
    #[ts(type = "number")]
    pub waiting: u64,
    /// In [`TimelineState::Held`].
    #[ts(type = "number")]
    pub held: u64,
    /// In [`TimelineState::Idle`] or [`TimelineState::Unknown`].
    #[ts(type = "number")]
    pub idle: u64,
}

/// One session's part of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimelineSession {
    /// The session.
    pub id: SessionId,
    /// Its readable name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its agent.
    pub agent: String,
    /// Its project.
    pub project_id: ProjectId,
    /// Whether it is archived by now.
    pub is_archived: bool,
    /// Its spans, oldest first; while it had ended, there is none.
    pub spans: Vec<TimelineSpan>,
    /// The sums of its spans.
    pub sums: TimelineSums,
}

/// The answer to [`GetTimeline`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// When it begins.
    #[ts(type = "string")]
    pub from: Timestamp,
    /// When it ends: now.
    #[ts(type = "string")]
    pub until: Timestamp,
    /// The sessions that were live in that time, in the order in which they first were.
    pub sessions: Vec<TimelineSession>,
    /// The sums over all sessions.
    pub sums: TimelineSums,
}
