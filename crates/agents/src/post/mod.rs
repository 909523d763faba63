//! The posts of an agent to its hooks, and the parts of posts that agents have in common. The meaning of an
//! event is in each adapter.

pub(crate) mod asking;
mod envelope;
pub(crate) mod prompt;
pub(crate) mod prose;
pub(crate) mod tasks;

pub use envelope::{Post, TranscriptFile};
