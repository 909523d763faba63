//! Messages to a session: their sender, the time of their delivery, their state. Not the delivery, which
//! is the engine's.

use crate::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The time at which a message is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Once the agent can take the message: it is idle, asks nothing, and its prompt contains no draft.
    #[default]
    WhenReady,
    /// Now: the agent's own key interrupts a turn that is under way.
    Now,
}

/// The state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// The message waits.
    Queued,
    /// The message is being typed. This is recorded before its first byte, so that no message is typed
    /// twice after a crash.
    Typing,
    /// The agent was seen to take the message.
    Delivered,
    /// The message was typed, or may have been, and nothing shows whether the agent took it. It is never
    /// sent again by itself.
    Uncertain,
    /// The agent certainly did not take the message; `detail` says why.
    Failed,
    /// The agent took the message and gave it back: its turn was interrupted before it said anything, and
    /// the message is in no conversation. It is never sent again by itself.
    Interrupted,
}

impl MessageState {
    /// Returns whether the message is still to be delivered, or on its way.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Typing)
    }

    /// Returns the state as a word on the wire and in the store.
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

/// The sender of a message: `person`, `downbeat`, or the id of a session.
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
                .ok_or_else(|| format!("{word:?} is not a message sender")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_survives_a_round_trip_as_a_word() {
        let session = Sender::Session(SessionId::random().unwrap());
        for sender in [Sender::Person, Sender::Downbeat, session] {
            let word = serde_json::to_value(&sender).unwrap();
            assert!(word.is_string(), "{word}");
            assert_eq!(serde_json::from_value::<Sender>(word).unwrap(), sender);
        }
        assert!(Sender::try_from("somebody".to_owned()).is_err());
    }

    #[test]
    fn a_message_is_open_only_while_it_waits_or_is_typed() {
        use MessageState::{Delivered, Failed, Interrupted, Queued, Typing, Uncertain};
        for state in [Queued, Typing] {
            assert!(state.is_open(), "{state:?}");
        }
        for state in [Delivered, Uncertain, Failed, Interrupted] {
            assert!(!state.is_open(), "{state:?}");
        }
    }

    #[test]
    fn stored_and_serialized_names_agree() {
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
