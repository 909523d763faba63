//! The engine: projects, sessions, observation, notices and power, over one data directory.
//!
//! The folders follow the flow of data. Each imports only from those listed before it, and no two files
//! import each other in a circle; `scripts/checks/rooms.test.js` reads the imports.
//!
//! * `session`: what a session's row says, and nothing else
//! * `host`: this machine and the data directory: paths, files, configuration, programs, ports, power
//! * `state`: the recorded state, and the engine that all parts share
//! * `decide`: what may happen, what follows from it and what people are told; carries nothing out
//! * `keepers`: screens, usage and leftovers, read and swept through keepers
//! * `facts`: records what comes in: journals, screens, titles, transcripts, resources
//! * `effects`: carries things out: fleet, process, worktree, terminal, session
//! * `reactors`: work that starts by itself, after a change or after a time
//! * `api`: the operations by domain, and the streams that faces watch
//! * `open`: opens an engine over a data directory, and releases the directory
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
pub use open::{Options, database_problem, left_unfinished};
pub use state::context::Engine;
