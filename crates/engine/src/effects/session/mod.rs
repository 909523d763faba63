//! Starts, resumes, pauses, restarts, forks, archives and ends whole sessions.

pub mod archive;
pub mod cleanup;
pub mod conversation;
pub mod create;
pub mod end_all;
pub mod end_then;
pub mod fork;
pub mod handoff;
pub mod issues;
pub mod pause;
pub mod put_away;
pub mod restart;
pub mod resume;
pub mod shells;
pub mod start;
