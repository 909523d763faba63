//! Reads what an agent's terminal shows (title, screen, prompt) by the rules of its manifest.

pub(crate) mod prompt;
pub(crate) mod retry;
pub(crate) mod screen;
pub(crate) mod state;
pub(crate) mod title;
