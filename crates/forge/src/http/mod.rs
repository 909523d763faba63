//! What all forges share of HTTP: addresses that a token may travel to, tokens, limits, bounded requests, the ends of logs.
//! It knows no forge: each describes itself with a [`Dialect`](asked::Dialect).
//!
//! The modules, along the flow of data. Each imports only modules that this list names before it.
//!
//! * `options`: bounds in time and size
//! * `address`: where an API is, and whether a token may travel there
//! * `token`: the token, and how another program is asked for it
//! * `meter`: what the limits let us ask
//! * `asked`: what a refused request was, and the errors that it may lead to
//! * `connection`: HTTP over TLS
//! * `transport`: sends one request and reads one bounded answer
//! * `json`: reads an answer as JSON
//! * `rest`: REST requests as every forge has them
//! * `log_end`: the end of a log

pub(crate) mod address;
pub(crate) mod asked;
mod connection;
pub(crate) mod json;
pub(crate) mod log_end;
pub(crate) mod meter;
mod options;
mod rest;
pub(crate) mod token;
pub(crate) mod transport;

pub use options::Options;
pub use token::Token;
