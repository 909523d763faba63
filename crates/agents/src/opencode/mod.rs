//! OpenCode: how it is launched, and what its events mean.
//!
//! As tried with OpenCode 1.18. A plugin of ours is its hooks; it comes by the environment
//! (`OPENCODE_CONFIG_CONTENT`), which OpenCode lays over the person's own settings, so nothing of
//! theirs is written.

mod command;
mod copying;
#[cfg(test)]
#[cfg(unix)]
mod plugin_tests;
mod post;

pub(crate) use command::launch;
pub(crate) use copying::copy;
pub(crate) use post::facts;

/// The id of OpenCode.
const OPENCODE: &str = "opencode";

/// The plugin, and the name of its file.
pub(crate) const PLUGIN: (&str, &str) = ("downbeat-opencode.js", include_str!("plugin.js"));
