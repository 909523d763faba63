//! The store: one SQLite file that holds projects, sessions, messages, events and notices.
//!
//! Every change goes through a [`Write`]: one at a time, in one transaction with the
//! [events](EventRow) that report it. Reads run concurrently and see the last commit. Events have
//! one global sequence, without gaps except for old events that were thinned out.
//!
//! The store knows no rules: the meaning of a row is defined by the model and the engine. Terminal
//! output is not stored here but by the keepers.
//!
//! Choices:
//! * WAL, so that readers never wait for the writer. Changes that people and programs request are on the disk
//!   when their commit returns; reports of keepers are a fifth of a second later ([`Store::begin_soon`]).
//! * An update writes the fields that can change; identity (`id`, `project_id`, `parent`, `depth`,
//!   `created_at`) is fixed at the insert.
//! * A database is created under another name and renamed when complete, so a file that is empty
//!   or half made is damage, never a fresh start.
//! * `quick_check` runs on every open of a file below [`CHECK_ALWAYS_BELOW`], and for larger ones only if the
//!   last engine did not close the file (its write-ahead log still exists).
//!
//! Old events and notices are deleted (`retention`, [`Write::insert_notice`]). The file does not shrink:
//! freed space is reused.
//!
//! The modules. A module imports only modules that precede it in this list, which
//! `scripts/checks/rooms.test.js` enforces.
//!
//! * `error`: the errors, each with a way out
//! * `foreign`: reads databases of other programs
//! * `codec`: conversion between values and columns
//! * `row`: the rows and how they are stored
//! * `soon`: flushes commits that need not wait for the disk
//! * `migrations`: the changes of the schemas
//! * `open`: finds, checks and migrates the file
//! * `read`: the queries
//! * `at_rest`: the queries for archived sessions, which are not kept in memory
//! * `write`: the changes, and the transaction that they go through
//! * `effects`: work that is to be carried out
//! * `fix_runs`: what is red in a project, and who fixes it
//! * `merge_queues`: what waits to land on each branch
//! * `plans`: tasks with what they need, and how far they are
//! * `retention`: how long events are kept
//! * `requests`: requests made under idempotency keys
//! * `webhooks`: webhooks of forges that were taken
//! * `preferences`: values that pages of the interface store
//! * `chronicle`: the other file, with the data read from transcripts
#![forbid(unsafe_code)]

mod at_rest;
pub mod chronicle;
mod codec;
mod effects;
mod error;
mod fix_runs;
pub mod foreign;
mod merge_queues;
mod migrations;
mod open;
mod plans;
mod preferences;
mod read;
pub mod requests;
pub mod retention;
pub mod row;
mod soon;
pub mod webhooks;
mod write;

pub use at_rest::{Kin, PlaceAtRest};
pub use chronicle::Chronicle;
pub use error::Error;
pub use open::{CHECK_ALWAYS_BELOW, Store, has_unfinished, problem, refuse_newer};
pub use requests::RequestRow;
pub use row::{EventRow, MessageRow, NewNotice, NoticeRow, ProjectRow, SessionRow, StatusChange};
pub use webhooks::WebhookRow;
pub use write::Write;
