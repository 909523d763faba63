//! What goes to conductors and their folders.

pub mod news;
pub mod results;
