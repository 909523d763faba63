//! Delivers worker news to conductors, and writes their results folders.

pub mod news;
pub mod results;
