//! What an agent posts to its hooks, and the parts of posts that agents have in common. What an event
//! means is each adapter's.

pub(crate) mod asking;
mod envelope;
pub(crate) mod prompt;
pub(crate) mod prose;
pub(crate) mod tasks;

pub use envelope::{Post, TranscriptFile};
