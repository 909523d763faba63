//! Implements the table of operations, by domain, and the streams that faces watch.

pub mod attention;
pub mod board;
pub mod budgets;
pub mod callers;
pub mod changes;
pub mod checks;
pub mod cost;
pub mod engine;
pub mod explain;
pub mod host;
pub mod idempotency;
pub mod inspect_folder;
pub mod limits;
pub mod merge;
pub mod merge_queues;
pub mod messages;
pub mod move_project;
pub mod notices;
pub mod notifiers;
pub mod operations;
pub mod output;
pub mod preferences;
pub mod preview;
pub mod projects;
pub mod pulls;
pub mod reactions;
pub mod reason;
pub mod restore;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod stream;
#[cfg(test)]
mod subject_tests;
pub mod view;
pub mod webhooks;
pub mod workers;
