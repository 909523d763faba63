//! The shared code of whole-program tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

pub mod forge;
pub mod model_server;
pub mod programs;
pub mod real_agents;
pub mod real_tools;
pub mod receiver;
pub mod repository;
pub mod sandbox;
pub mod shapes;
