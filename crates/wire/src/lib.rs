//! The table of operations and everything that travels between the engine and its faces.
//!
//! Every operation is declared once, in [`table`]: its request and response types, REST method
//! and path, who may call it, and what it invalidates. From that one declaration come the trait
//! that the engine implements ([`Operations`]), the one that whoever asks it uses ([`Client`]), the
//! router of every face ([`call`]), the
//! HTTP routes and OpenAPI (crate `server`), and the TypeScript types and client
//! ([`typescript`]; generated, committed, checked for drift by a test).
//!
//! JSON is camelCase, times are UTC RFC 3339, errors are [`ApiError`].
//! The two streams are not in the table: [`event`] says *what changed* (the reader asks again),
//! and [`downbeat_model::terminal`] is an ordered stream of bytes.
//! [`roster`] is the list of sessions of a client that follows changes.
//! A face reaches both, and the table, through [`Host`].
#![forbid(unsafe_code)]

pub mod agent;
pub mod caller;
pub mod change;
pub mod check;
pub mod cleanup;
pub mod editor;
pub mod engine;
pub mod error;
pub mod event;
pub mod explain;
pub mod file;
pub mod fix;
pub mod host;
pub mod key;
pub mod merge;
pub mod merge_queue;
pub mod message;
pub mod notice;
pub mod notifier;
pub mod orphan;
pub mod pause;
pub mod plan;
pub mod plan_merge;
pub mod preferences;
pub mod prelude;
pub mod project;
pub mod proof;
pub mod pull;
pub mod pull_request;
pub mod reaction;
pub mod report;
pub mod request;
pub mod restore;
pub mod review;
pub mod roster;
pub mod row;
pub mod search;
pub mod session;
pub mod settings;
pub mod shell;
pub mod spawn;
pub mod story;
pub mod table;
pub mod timeline;
pub mod topic;
pub mod typescript;
pub mod usage;
pub mod webhook;
pub mod worker;
pub mod workspace;

pub use caller::{Caller, Scope};
pub use error::{ApiError, Code};
pub use host::{FirstFrame, Host, TerminalLink};
pub use key::Key;
pub use row::{Misfit, Operation, Pace, Repeat};
pub use table::{Client, OPERATIONS, Operations, call, names, operation};
pub use topic::Topic;
