//! Linear, over its GraphQL API (<https://linear.app/developers>).
//!
//! * `queries`: the texts of the queries
//! * `refusal`: what a status and an error mean
//! * `api`: one query and its answer
//! * `issue`: an issue as Linear describes it
//! * `client`: the tracker

mod api;
mod client;
mod issue;
mod queries;
mod refusal;

pub use client::{HOST, KEY, Linear};
