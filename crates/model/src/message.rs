//! Messages to a session: where they come from, when they are to be delivered, how far they are.
//! Not how they are delivered: that is the engine's.

use crate::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// When a message is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Once the agent can take it: it rests, asks nothing, and no draft stands in its prompt.
    #[default]
    WhenReady,
    /// Now: a turn that goes on is interrupted first, by the agent's own key.
    Now,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// It waits.
    Queued,
    /// It is being typed. Written down before its first byte, so that after a crash it is never
    /// typed again.
    Typing,
    /// The agent was seen to take it.
    Delivered,
    /// It was typed, or may have been; nothing shows whether it was taken. Never sent again by
    /// itself.
    Uncertain,
    /// It was not taken, for certain; `detail` says why.
    Failed,
    /// The agent took it and gave it back: its turn was interrupted before the agent said anything, and
    /// the message is in no conversation. Never sent again by itself.
    Interrupted,
}

impl MessageState {
    /// Whether it is still to be delivered, or on its way.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Typing)
    }

    /// The word as it travels and is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Typing => "typing",
            Self::Delivered => "delivered",
            Self::Uncertain => "uncertain",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Who sent a message: `person`, `downbeat`, or the id of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
#[ts(type = "string")]
pub enum Sender {
    /// The person.
    Person,
    /// Downbeat itself.
    Downbeat,
    /// The agent of a session.
    Session(SessionId),
}

const PERSON: &str = "person";
const DOWNBEAT: &str = "downbeat";

impl From<Sender> for String {
    fn from(sender: Sender) -> Self {
        match sender {
            Sender::Person => PERSON.into(),
            Sender::Downbeat => DOWNBEAT.into(),
            Sender::Session(id) => id.to_string(),
        }
    }
}

impl TryFrom<String> for Sender {
    type Error = String;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        match word.as_str() {
            PERSON => Ok(Self::Person),
            DOWNBEAT => Ok(Self::Downbeat),
            id => SessionId::parse(id)
                .map(Self::Session)
                .ok_or_else(|| format!("{word:?} is no sender of a message")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_one_word() {
        let session = Sender::Session(SessionId::random().unwrap());
        for sender in [Sender::Person, Sender::Downbeat, session] {
            let word = serde_json::to_value(&sender).unwrap();
            assert!(word.is_string(), "{word}");
            assert_eq!(serde_json::from_value::<Sender>(word).unwrap(), sender);
        }
        assert!(Sender::try_from("somebody".to_owned()).is_err());
    }

    #[test]
    fn the_stored_word_is_the_word_that_travels() {
        for state in [
            MessageState::Queued,
            MessageState::Uncertain,
            MessageState::Failed,
            MessageState::Interrupted,
        ] {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
    }
}
