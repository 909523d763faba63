//! The request of each kind, within the limits of its receiver. Pure: identifier and time are passed in.

mod chat;
mod hook;

use crate::config::Kind;
use crate::message::Message;
use crate::request::Request;
use crate::target::Target;
use jiff::{SignedDuration, Timestamp};

impl Target {
    /// Returns the request that carries a message. The identifier is the same in each try.
    #[must_use]
    pub fn request(&self, message: &Message, id: &str, now: Timestamp) -> Request {
        match self.kind {
            Kind::Slack => chat::slack(self, message),
            Kind::Discord => chat::discord(self, message),
            Kind::Composio => chat::composio(self, message),
            Kind::Ntfy => chat::ntfy(self, message),
            Kind::Openclaw => hook::openclaw(self, message, id),
            Kind::Webhook | Kind::Desktop => hook::webhook(self, message, id, now),
        }
    }
}

impl Kind {
    /// Returns the shortest time between two requests.
    #[must_use]
    pub const fn gap(self) -> SignedDuration {
        match self {
            // One message a second, with short bursts.
            Self::Slack => SignedDuration::from_secs(1),
            // Thirty a minute for each channel.
            Self::Discord => SignedDuration::from_secs(2),
            // Each message starts a turn of an agent.
            Self::Openclaw => SignedDuration::from_secs(2),
            Self::Composio | Self::Ntfy => SignedDuration::from_secs(1),
            Self::Webhook | Self::Desktop => SignedDuration::from_millis(100),
        }
    }

    /// Returns whether a receiver recognises a repeat by its identifier.
    #[must_use]
    pub const fn recognises_repeats(self) -> bool {
        matches!(self, Self::Webhook)
    }
}

#[cfg(test)]
mod tests;
