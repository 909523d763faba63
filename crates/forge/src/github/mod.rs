//! GitHub and GitHub Enterprise behind [`Forge`](crate::Forge): GraphQL for what is observed and written, REST where it is free of cost
//! (conditional requests), more reliable (the checks before a merge) or the only way (logs, labels by name).
//!
//! The modules, along the flow of data. Each imports only modules that this list names before it.
//!
//! * `endpoint`: where the API of a host is
//! * `login`: where the token of a host is found
//! * `refusal`: what a status and its headers mean
//! * `api`: a host, and the requests to it
//! * `queries`: the texts of the queries
//! * `parts`: pieces that several answers share
//! * `graphql`: sends a query, reads its data and errors
//! * `rest`: sends a REST request, reads its JSON
//! * `checks`: runs and statuses as checks
//! * `conversation`: threads, reviews, comments
//! * `observe`: pull requests
//! * `protection`: what a branch demands
//! * `confirm`: the checks before a merge, by REST
//! * `changes`: lists, and whether they changed
//! * `tail`: the end of a log
//! * `failure`: why a check failed
//! * `issue`: issues
//! * `left`: why GitHub does not merge a pull request by itself any more
//! * `links`: the issues that an issue is connected with
//! * `write`: everything that changes something
//! * `client`: the forge itself

mod api;
mod changes;
mod checks;
mod client;
mod confirm;
mod conversation;
mod endpoint;
mod failure;
mod graphql;
mod issue;
mod left;
mod links;
mod login;
mod observe;
mod parts;
mod protection;
mod queries;
mod refusal;
mod rest;
mod tail;
mod write;

pub use client::GitHub;
pub use endpoint::Endpoint;
pub use login::find_token;
