//! Covers this machine and the data directory: paths, files, configuration, environment, programs, ports,
//! power, and the instance that holds the directory. Knows nothing of sessions.

pub mod blocking;
pub mod config;
pub mod environment;
pub mod failpoint;
pub mod files;
pub mod handover;
pub mod identity;
pub mod installation;
pub mod instance;
pub mod listening;
pub mod named;
pub mod paths;
pub mod ports;
pub mod power;
pub mod prices;
pub mod programs;
pub mod proven;
pub mod reserve;
pub mod secret_file;
