//! Who asks. Not how they proved it (tokens are the server's and the engine's business).

use downbeat_model::SessionId;

/// Who an operation runs for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The person, through any face of their own.
    Owner,
    /// An agent, through the token of its session: limited to that session and what is below it.
    Session(SessionId),
}

/// Who may call an operation at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only the person.
    Owner,
    /// Also an agent, for its own subtree; the engine checks which sessions are meant.
    Subtree,
}
