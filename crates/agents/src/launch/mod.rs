//! The start of an agent: what is asked for, and the pieces that the adapters build command lines of.

pub(crate) mod briefing;
pub(crate) mod hook_command;
pub(crate) mod request;
