//! Reads what real tools wrote (`tests/golden`), and what nobody should write.

#![allow(clippy::unwrap_used, reason = "the whole binary is a test")]

mod bounded;
pub mod golden;
mod grouped;
