//! Drives the crate against a GitHub on loopback that has state, executes queries against the published schema and checks
//! REST against the published description, and against a GitLab with the routes that the client uses (`tests/forge`, Node
//! programs). Each test starts its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bounds;
mod changes;
mod failures;
mod gitlab_bounds;
mod gitlab_changes;
mod gitlab_observing;
mod gitlab_refusals;
mod gitlab_writing;
mod linear;
mod loopback;
mod observing;
mod refusals;
mod talk;
mod writing;
