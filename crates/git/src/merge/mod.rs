//! Merging the work of a session into a branch: first a candidate commit, which is checked, then the move of the
//! branch to exactly that commit. When to merge is decided by the engine.
//!
//! * `candidate`: makes the commit in the object database, without any checkout
//! * `land`: moves the branch, and the files of a checkout that has it

mod candidate;
mod land;

pub use candidate::{Candidate, MergeOrder, Strategy, candidate, drop_candidate};
pub use land::{Landing, Refusal, branch_tip, land};
