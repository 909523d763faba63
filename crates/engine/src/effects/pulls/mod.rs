//! Opens and changes pull requests at forges, and reads issues, as a person or an agent asks. Merges are in `checks`, beside
//! the local ones.
//!
//! * [`reach`]: the client of a forge, and which pull request of a session is meant
//! * [`text`]: the title and the text of a new pull request
//! * [`create`]: pushes a branch and opens a pull request
//! * [`change`]: changes a pull request
//! * [`issue`]: reads the issue of a new session

pub mod change;
pub mod create;
pub mod issue;
pub mod reach;
pub mod text;
