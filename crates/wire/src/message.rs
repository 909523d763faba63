//! Messages to sessions: sending one, and the queue in which they wait.

use downbeat_model::{MessageState, Sender, SessionId, When};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A message to a session's agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its number, unique among all.
    #[ts(type = "number")]
    pub id: i64,
    /// Whose queue it is in.
    pub session_id: SessionId,
    /// Its place among those that wait, from 1; absent for others.
    pub place: Option<u32>,
    /// The text.
    pub text: String,
    /// Who sent it: `person`, `downbeat`, or the id of a session.
    pub from: Sender,
    /// When it is delivered.
    pub when: When,
    /// How far it is.
    pub state: MessageState,
    /// Why it waits, or how we know what became of it.
    pub detail: String,
    /// When it was sent.
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// When its state changed last.
    #[ts(type = "string")]
    pub changed_at: Timestamp,
}

/// Sends a message to a session's agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMessage {
    /// Id or readable name.
    pub id: String,
    /// The text, also accepted as `message`. It is pasted and submitted, never interpreted.
    #[serde(alias = "message")]
    pub content: String,
    /// When it is delivered; default `when-ready`.
    #[serde(default)]
    #[ts(optional)]
    pub when: Option<When>,
    /// How long the answer waits for the delivery, in seconds, at most 60; default 6. The message
    /// is delivered all the same where that was too short.
    #[serde(default)]
    #[ts(optional)]
    pub wait_seconds: Option<u32>,
}

/// The answer to [`SendMessage`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MessageReceipt {
    /// The message's number.
    #[ts(type = "number")]
    pub message: i64,
    /// How far it is.
    pub state: MessageState,
    /// One sentence on why it waits, or how we know what became of it.
    pub detail: String,
}

/// Changes a message. Only one that waits has a text, a place and a time to change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditMessage {
    /// Id or readable name of its session.
    pub id: String,
    /// Its number.
    pub message: String,
    /// Another text.
    #[serde(default)]
    #[ts(optional)]
    pub text: Option<String>,
    /// Another place among those that wait, from 1.
    #[serde(default)]
    #[ts(optional)]
    pub place: Option<u32>,
    /// When it is delivered; `now` brings it to the front.
    #[serde(default)]
    #[ts(optional)]
    pub when: Option<When>,
    /// Sends it again: only one that was not delivered, that was interrupted, or of which that is
    /// uncertain.
    #[serde(default)]
    #[ts(optional)]
    pub again: Option<bool>,
}

/// Names a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageRef {
    /// Id or readable name of its session.
    pub id: String,
    /// Its number.
    pub message: String,
}
