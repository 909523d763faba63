//! The chronicle: a second SQLite file, with the data read from agents' transcripts: how far each
//! was read, the last answers, token usage, and searchable texts.
//!
//! It is not the store: no decision depends on it, and everything except usage can be read again from
//! the transcripts. So a file that is damaged, or of a newer version, is moved aside and replaced by a new
//! one, with the usage that can still be read from it.
//!
//! The results of one read are written together with the position that it reached, in one transaction: after
//! a crash that part is read again, and counted once.

mod conversation;
mod damaged;
mod file;
mod open;
mod pages;
mod search;
mod transcripts;
mod usage;

pub use conversation::Utterance;
pub use file::{Chronicle, Owner};
pub use pages::{Answer, Pages, Text};
pub use search::{Found, Query};
pub use transcripts::Transcript;
pub use usage::{Period, Sum, Tokens, Used};
