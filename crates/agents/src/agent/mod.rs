//! The functions that the engine calls about an agent, whichever adapter the agent has.

pub(crate) mod abilities;
pub(crate) mod conversation;
pub(crate) mod launch;
pub(crate) mod message;
pub(crate) mod post;
pub(crate) mod transcript;
pub(crate) mod trust;
