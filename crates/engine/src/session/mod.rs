//! What a session says of itself, where the model's [`downbeat_model::Session`] alone does not: with words of the
//! wire, and with what other crates recorded in it. Reads no file and writes
//! nothing; the lowest room.

pub mod copies;
pub mod hold;
pub mod lines;
pub mod report;
pub mod retry;
pub mod row;
pub mod status;
pub mod wish;
