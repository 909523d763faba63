//! Commands that show something and change nothing, or wait for it.

pub(in crate::command) mod cost;
pub(in crate::command) mod diff;
pub(in crate::command) mod explain;
pub(in crate::command) mod list;
pub(in crate::command) mod notifiers;
pub(in crate::command) mod output;
pub(in crate::command) mod reactions;
pub(in crate::command) mod search;
pub(in crate::command) mod status;
pub(in crate::command) mod story;
pub(in crate::command) mod timeline;
pub(in crate::command) mod wait;
