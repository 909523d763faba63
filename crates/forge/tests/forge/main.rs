//! Drives the crate against a GitHub on loopback that has state, executes queries against the published schema and checks
//! REST against the published description (`tests/forge`, a Node program). Each test starts its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bounds;
mod changes;
mod failures;
mod loopback;
mod observing;
mod refusals;
mod talk;
mod writing;
