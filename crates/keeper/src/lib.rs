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
//! Map: [`spec`](Spec) goes in at [`launch`]; `keep` is the process ([`run`]); `client` its
//! clients ([`Link`], [`attach`], [`run_hook`]); `proto`, `socket` and `spool` lie between
//! them; `screen`
//! is the terminal; `tree` ends processes.
#![deny(unsafe_code)]

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
    lost_posts, post_hook, run_hook,
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
pub use tree::{MARK, Marked, Usage, marked, usage};
