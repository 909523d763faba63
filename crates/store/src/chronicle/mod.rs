//! The chronicle: a second SQLite file, with what was read from agents' transcripts. How far each
//! was read, the last answers, what was used, and texts that can be found.
//!
//! Not the store: nothing here decides anything, and but for usage all of it can be read again from
//! the transcripts. So a file that is damaged, or of a newer version, is put aside and begun anew, with
//! the usage that can still be read in it.
//!
//! Everything that one read gave is written with the place that it reached, in one transaction: after
//! a crash it is read again, and counted once.

mod damaged;
mod file;
mod open;
mod pages;
mod search;
mod transcripts;
mod usage;

pub use file::{Chronicle, Owner};
pub use pages::{Answer, Pages, Text};
pub use search::{Found, Query};
pub use transcripts::Transcript;
pub use usage::{Period, Sum, Tokens, Used};
