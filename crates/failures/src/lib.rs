//! Reads what a check printed, and the report files that it wrote, into failures with stable ids, and groups them into
//! work for one agent each. Pure: bytes in, values out. Running checks, and reading files, is not here.
//!
//! All input is written by programs that run what agents wrote. So every size is bounded, what is left out is named in
//! [`Reading::notes`], and nothing in a report can make the reader load, expand or run anything.

mod bounds;
mod failure;
mod group;
mod json;
mod words;

mod report;
mod text;

mod read;

pub use failure::{Failure, Tool};
pub use group::{Group, Limits, group};
pub use read::{MAX_REPORT, Printed, Reading, Report, read};
