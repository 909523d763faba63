//! Commands for communication with a session's agent: messages, answers, its terminal.

pub(in crate::command) mod answer;
pub(in crate::command) mod attach;
pub(in crate::command) mod attention;
pub(in crate::command) mod messages;
pub(in crate::command) mod report;
pub(in crate::command) mod send;
pub(in crate::command) mod shell;
