//! Runs a project's checks on the newest commit of a session: in a clean worktree of its own, one run at a time for
//! each project. What follows from a result is decided in [`crate::decide::checks`].
//!
//! * [`plan`]: the checks of a project, and whether the person approved them
//! * [`command`]: runs one command in a keeper of its own
//! * [`output`]: the output of checks on disk
//! * [`reports`]: the report files that checks write
//! * [`run`]: a whole run, from its request to its result
//! * [`made`]: how a merge at a forge ended, in words
//! * [`landing`]: the git side of a merge
//! * [`enqueue`]: puts the work of a session into the merge queue
//! * [`merge`]: carries out the steps of merge queues
//! * [`at_forge`]: merges a pull request at its forge

pub mod at_forge;
pub mod command;
pub mod enqueue;
pub mod landing;
pub mod made;
pub mod merge;
pub mod output;
pub mod plan;
pub mod reports;
pub mod run;
