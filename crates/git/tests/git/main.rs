//! The one integration binary: real git in temporary directories, with a clean environment.
//! Each area has its file; `fixture` builds repositories by named scripts.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking; helpers outside of tests too"
)]

mod backups;
mod copies;
mod crashes;
mod deep;
mod faltering;
mod fixture;
mod gone;
mod ignored;
mod indexes;
mod inside;
mod inspecting;
mod interrupts;
mod kinds;
mod kinds_of_copies;
mod kinds_of_files;
mod kinds_of_state;
mod measure;
mod ordinary;
mod planted;
mod programs;
mod recreating;
mod relocating;
mod removal;
mod rubbish;
mod searching;
mod shallow;
mod vouching;
mod waiting;
mod worktrees;
mod writers;
