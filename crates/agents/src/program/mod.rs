//! The program of an agent: where it is, what has to be started, and which version it has.

pub(crate) mod find;
pub(crate) mod version;
