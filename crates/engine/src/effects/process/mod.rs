//! Starts, ends and clears away the processes of sessions.

pub mod clear_shell;
pub mod end;
pub mod environment;
pub mod launch;
pub mod probe;
pub mod shells_end;
