//! Tests of the real `downbeat` binary: with the real server and a scripted host behind it, and on its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod alone;
mod bridge;
mod bridge_pulls;
mod commands;
mod help;
mod inside;
mod plans;
mod repeats;
mod rig;
#[path = "../../../server/tests/face/scripted.rs"]
mod scripted;
mod waiting;
