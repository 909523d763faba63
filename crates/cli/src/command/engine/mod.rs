//! Commands for the engine itself, this machine and its configuration.

pub(in crate::command) mod api;
pub(in crate::command) mod clone;
pub(in crate::command) mod completion;
pub(in crate::command) mod config;
pub(in crate::command) mod doctor;
pub(in crate::command) mod import;
pub(in crate::command) mod logs;
pub(in crate::command) mod orphans;
pub(in crate::command) mod secret;
pub(in crate::command) mod serve;
pub(in crate::command) mod set;
pub(in crate::command) mod start;
