//! Opens and changes pull requests at forges, and reads issues, as a person or an agent asks. Merges are in `checks`, beside
//! the local ones.
//!
//! * [`reach`]: the client of a forge, and which pull request of a session is meant
//! * [`text`]: the title and the text of a new pull request
//! * [`failed`]: why an order was not carried out
//! * [`found`]: whether a change happened that was sent without an answer
//! * [`create`]: pushes a branch and opens a pull request
//! * [`change`]: changes a pull request
//! * [`order`]: records each of them before it is carried out, and finishes it
//! * [`issue`]: reads the issue of a new session
//! * [`epic`]: reads the parts of an epic, for a plan

pub mod change;
pub mod create;
pub mod epic;
pub mod failed;
pub mod found;
pub mod issue;
pub mod order;
pub mod reach;
pub mod text;
