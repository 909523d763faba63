//! The wish to resume an agent, in a session's row.

/// The wish to resume, as it is written down until the agent shows itself.
pub const INTENT: &str = "resume";
