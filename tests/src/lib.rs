//! The ground that whole-program tests stand on.

pub mod model_server;
pub mod repository;
pub mod sandbox;
