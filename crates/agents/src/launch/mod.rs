//! The start of an agent: the request, and the pieces from which the adapters build command lines.

pub(crate) mod briefing;
pub(crate) mod hook_command;
pub(crate) mod orchestrate;
pub(crate) mod request;
