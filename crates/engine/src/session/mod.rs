//! Derives from a session's row what the model's [`downbeat_model::Session`] alone does not: in terms of the
//! wire, and from what other crates recorded in it. Reads no file and writes nothing; the lowest folder.

pub mod copies;
pub mod end_mode;
pub mod hold;
pub mod lines;
pub mod report;
pub mod retry;
pub mod review;
pub mod row;
pub mod stage;
pub mod status;
#[cfg(test)]
mod tables;
