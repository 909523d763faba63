//! The process that owns one session's PTY and screen, and the client of its socket.
//!
//! A keeper is a small detached process that outlives everything else. It holds the child, the
//! screen, a bounded ring and transcript of output, and a journal of facts until an engine has
//! stored them. The environment that it is given is never written to disk.
//!
//! Known limitations: [`mod@screen`] lists what a snapshot leaves out, and `tree` what a kill can
//! miss. A keeper that is killed ends its session (the engine shows the checkpoint and calls
//! [`end_tree`]).
//!
//! The modules, in the direction of the flow: those between an engine and a keeper, then the process
//! ([`run`]), then its clients ([`launch`], [`Link`], [`attach`], [`run_hook`]). A module imports only
//! modules that precede it in this list, which `scripts/checks/rooms.test.js` enforces.
//!
//! * `error`: the errors between an engine and a keeper
//! * `windows`: the Windows counterparts of modes, user ids and closed descriptors
//! * `detach`: detaches a keeper from the process that started it
//! * `spec`: what a keeper receives at its start
//! * `report`: what a keeper sends: its greeting, reports and journal entries
//! * `socket`: the address of a keeper, and access control
//! * `spool`: hook posts that the keeper did not take in time
//! * `proto`: frames, requests and answers
//! * `tree`: ends a process tree, and reports its resource usage
//! * `screen`: one terminal screen
//! * `keep`: the keeper process
//! * `checkpoint`: reading and cleaning up after a keeper that is gone
//! * `relay`: runs one program with files as its input and output
//! * `client`: an engine's link, viewers, hook posts, the launcher
#![deny(unsafe_code)]
// Tests open their own files.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod checkpoint;
mod client;
mod detach;
mod error;
mod keep;
mod proto;
mod relay;
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
    Attached, FrameReader, InputWriter, Link, attach, attach_blocking, attach_within, connect,
    connect_within, launch, post_hook, run_hook,
};
#[cfg(unix)]
pub use detach::login_shell;
pub use detach::spawn_detached;
pub use error::Error;
pub use keep::run;
pub use relay::run_relay;
pub use report::{Entry, EntryKind, Foreground, Hello, Report, State, Text, Typed};
pub use screen::{SCREEN_ALONE, Screen};
pub use socket::{private_dir, sockets_elsewhere};
pub use spec::{Limits, Spec, StepSpec};
pub use spool::lost_posts;
pub use tree::{MARK, Marked, Usage, Working, count, marked, usage, working_in};
