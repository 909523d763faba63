//! What an agent's terminal shows, by the rules of its manifest: title, screen, prompt.

pub(crate) mod prompt;
pub(crate) mod retry;
pub(crate) mod screen;
pub(crate) mod state;
pub(crate) mod title;
