//! OpenCode: how it is launched, and what its events mean.
//!
//! As tried with OpenCode 1.18. A plugin of ours is its hooks; it comes by the environment
//! (`OPENCODE_CONFIG_CONTENT`), which OpenCode lays over the person's own settings, so nothing of
//! theirs is written.

mod command;
#[cfg(test)]
#[cfg(unix)]
mod plugin_tests;
mod post;

pub(crate) use command::launch;
pub(crate) use post::facts;

use crate::definition::Definition;

/// The id of OpenCode.
pub const OPENCODE: &str = "opencode";

/// The plugin, and the name of its file.
pub(crate) const PLUGIN: (&str, &str) = ("downbeat-opencode.js", include_str!("plugin.js"));

pub(crate) fn definition() -> Definition {
    Definition {
        id: OPENCODE.into(),
        name: "OpenCode".into(),
        program: "opencode".into(),
        install_hint: "npm install -g opencode-ai, then `opencode auth login`".into(),
        can_conduct: true,
        has_hooks: true,
        tells_start: false,
        tells_answers: true,
        can_resume: true,
    }
}
