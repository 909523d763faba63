//! Processes of sessions: started, ended, cleared away.

pub mod clear_shell;
pub mod end;
pub mod environment;
pub mod launch;
pub mod probe;
pub mod shells_end;
