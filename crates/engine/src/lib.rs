//! The engine: projects, sessions, observation, notices and power, over one data directory.
//!
//! Its folders stand along the flow of data. Each imports only from those that this list names before it, and no
//! two files import each other in a circle; `scripts/checks/rooms.test.js` reads the imports.
//!
//! * `session`: what a session's row says, and nothing else
//! * `host`: this machine and the data directory: paths, files, configuration, programs, ports, power
//! * `state`: what is known and written down, and the engine that all parts share
//! * `decide`: what may happen, what follows and what is said; carries nothing out
//! * `keepers`: screens, usage and leftovers, read and swept through keepers
//! * `facts`: what comes in, written down: journals, screens, titles, transcripts, resources
//! * `effects`: what is carried out: fleet, process, worktree, terminal, session
//! * `reactors`: what goes on by itself, after a change or after a time
//! * `api`: the operations by domain, and the streams that faces watch
//! * `open`: opens an engine over a data directory, and lets go of it
#![forbid(unsafe_code)]

mod api;
mod decide;
mod effects;
mod facts;
mod host;
mod keepers;
mod open;
mod reactors;
mod session;
mod state;

pub use host::blocking::STACK;
pub use host::handover::OpenError;
pub use host::{config, environment, failpoint, instance, paths, ports, power, proven};
pub use open::{Options, left_unfinished};
pub use state::context::Engine;
