//! The program of an agent: where it is, what has to be started, which version it is.

pub(crate) mod find;
pub(crate) mod version;
