//! The recorded state: the ledger, the handles of live sessions, and the engine that its parts share.

pub mod addressed;
pub mod agents;
pub mod approvals;
pub mod at_rest;
pub mod budgets;
pub mod context;
pub mod draft;
pub mod error;
#[cfg(test)]
pub mod example;
pub mod find;
pub mod forges;
pub mod handles;
pub mod held;
pub mod intent_files;
pub mod known;
pub mod ledger;
pub mod notifiers;
pub mod programs;
pub mod read_issues;
pub mod recall;
pub mod requests;
pub mod rule_commands;
pub mod shells;
pub mod take_back;
pub mod transcripts;
pub mod usage;
pub mod views;
pub mod webhooks;
pub mod written;
