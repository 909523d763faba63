//! The process that owns one session's PTY and screen, and the client of its socket.
//!
//! A keeper is a small detached process that outlives everything else: it keeps the child, the
//! screen, a bounded ring and transcript of output, and a journal of facts until an engine has
//! stored them. Nothing of the environment that it is given is written to disk.
//!
//! Known limitations: see [`mod@screen`] for what a snapshot leaves out and `tree` for what a kill
//! can miss; a keeper that is killed ends its session (the engine shows the checkpoint and calls
//! [`end_tree`]).
//!
//! The modules, along the flow: what lies between an engine and a keeper, then the process ([`run`]), then its
//! clients ([`launch`], [`Link`], [`attach`], [`run_hook`]). Each imports only what this list names before it, which
//! `scripts/checks/rooms.test.js` holds.
//!
//! * `error`: what can go wrong between an engine and a keeper
//! * `windows`: what stands on Windows for modes, user ids and closed descriptors
//! * `detach`: letting go of whoever started the keeper
//! * `spec`: what a keeper is handed at its start
//! * `report`: what a keeper tells
//! * `socket`: where a keeper listens, and who may come in
//! * `spool`: posts that missed their moment
//! * `proto`: frames, and what is asked and answered in them
//! * `tree`: ends a process tree, and says what it takes
//! * `screen`: one terminal screen
//! * `keep`: the keeper process
//! * `checkpoint`: what can still be said and done once a keeper is gone
//! * `client`: an engine's link, viewers, hook posts, the launcher
#![deny(unsafe_code)]
// Tests open files of their own.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod checkpoint;
mod client;
mod detach;
mod error;
mod keep;
mod proto;
mod report;
mod screen;
mod socket;
mod spec;
mod spool;
mod tree;
#[cfg(windows)]
mod windows;

pub use checkpoint::{checkpoint, checkpoint_frames, end_tree, leftover_entries, note_process};
pub use client::{
    FrameReader, InputWriter, Link, attach, attach_blocking, attach_within, connect, connect_within, launch,
    post_hook, run_hook,
};
#[cfg(unix)]
pub use detach::login_shell;
pub use detach::spawn_detached;
pub use error::Error;
pub use keep::run;
pub use report::{Entry, EntryKind, Foreground, Hello, Report, State, Text, Typed};
pub use screen::{SCREEN_ALONE, Screen};
pub use socket::{private_dir, sockets_elsewhere};
pub use spec::{Limits, Spec, StepSpec};
pub use spool::lost_posts;
pub use tree::{MARK, Marked, Usage, marked, usage};
