//! The store: one SQLite file that holds projects, sessions, messages, events and notices.
//!
//! Everything that changes goes through a [`Write`]: one at a time, in one transaction with the
//! [events](EventRow) that tell of it. Reads run beside it and see the last commit. Events have
//! one global sequence, without gaps but for old ones that were thinned out.
//!
//! It knows no rule: what a row means is the model's and the engine's business. It is not where
//! terminal output is kept; that is the keepers'.
//!
//! Choices:
//! * WAL, so that readers never wait for the writer. What people and programs ask for is on the disk
//!   when its commit returns; what keepers tell is there a fifth of a second later ([`Store::begin_soon`]).
//! * An update writes what can change; identity (`id`, `project_id`, `parent`, `depth`,
//!   `created_at`) is fixed at the insert.
//! * A database is made beside its place and moved there when complete, so a file that is empty
//!   or half made is damage, never a fresh start.
//! * `quick_check` runs on every open up to [`CHECK_ALWAYS_BELOW`], and above that only where the
//!   last engine did not close the file (its write-ahead log is still there).
//!
//! Old events and notices are deleted (`retention`, [`Write::insert_notice`]). The file does not shrink: what was freed is
//! used again.
//!
//! The modules. Each imports only what this list names before it, which `scripts/checks/rooms.test.js` holds.
//!
//! * `error`: what can go wrong, and the way out
//! * `foreign`: looks into databases of other programs
//! * `codec`: how values stand in columns
//! * `row`: the rows and how they are stored
//! * `soon`: flushes what need not wait for the disk
//! * `open`: finds, checks and migrates the file
//! * `read`: the queries
//! * `at_rest`: those for archived sessions, which nobody keeps in memory
//! * `write`: the changes, and the transaction that they go through
//! * `effects`: what is to be carried out
//! * `retention`: how long events are kept
//! * `requests`: those that came under idempotency keys
//! * `preferences`: what a page of the interface keeps
//! * `chronicle`: the other file, with what was read from transcripts
#![forbid(unsafe_code)]

mod at_rest;
pub mod chronicle;
mod codec;
mod effects;
mod error;
pub mod foreign;
mod open;
mod preferences;
mod read;
pub mod requests;
pub mod retention;
pub mod row;
mod soon;
mod write;

pub use at_rest::{Kin, PlaceAtRest};
pub use chronicle::Chronicle;
pub use error::Error;
pub use open::{CHECK_ALWAYS_BELOW, Store, has_unfinished, refuse_newer};
pub use requests::RequestRow;
pub use row::{EventRow, MessageRow, NewNotice, NoticeRow, ProjectRow, SessionRow};
pub use write::Write;
