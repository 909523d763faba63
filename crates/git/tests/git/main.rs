//! The only integration test binary: it runs the real git in temporary directories, with a clean environment.
//! Each area has its own file; `fixture` builds repositories.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking; helpers outside of tests too"
)]

mod backups;
mod candidates;
mod check_trees;
mod colliding;
mod copies;
mod crashes;
mod deep;
#[cfg(unix)]
mod diffs;
#[cfg(unix)]
mod discarding;
#[cfg(unix)]
mod faltering;
mod fixture;
mod gone;
mod ignored;
#[cfg(unix)]
mod indexes;
mod inside;
mod inspecting;
mod interrupts;
#[cfg(unix)]
mod kinds;
#[cfg(unix)]
mod kinds_of_copies;
#[cfg(unix)]
mod kinds_of_files;
#[cfg(unix)]
mod kinds_of_state;
mod landing;
mod landing_crashes;
mod landing_kinds;
mod measure;
#[cfg(unix)]
mod ordinary;
#[cfg(unix)]
mod planted;
mod programs;
mod pushing;
mod queue;
mod queue_measure;
mod queue_properties;
mod recreating;
mod relocating;
mod removal;
mod rubbish;
#[cfg(unix)]
mod searching;
mod shallow;
mod vouching;
mod waiting;
mod worktrees;
mod writers;
