//! The git side of the merge queue: makes the commit that a verified head would become on its target, and
//! moves the target to it. Decides nothing about order, checks or retries.
//!
//! [`candidate()`] works on the object database alone: no checkout is read or written, and no hook, filter or
//! merge driver runs (`docs/adr/0026-merge-candidates-in-memory.md`). [`land()`] moves the branch by
//! compare-and-swap, and updates the checkouts that have it; what a person edited there is kept, or is the
//! reason for a refusal.
//!
//! Known limitations: renamed folders are not followed (a file that one side adds to a folder which the other
//! side renames stays where it was added); commits are not signed; checkouts of submodules are not updated.
//!
//! The modules, each of which imports only from those before it:
//!
//! * `objects`: a repository's objects, without its settings and checkouts
//! * `history`: commits in brief, and lists of them
//! * `combine`: three-way merges of trees
//! * `identity`: the author and committer of new commits
//! * `write`: writes commit objects
//! * `conflict`: what conflicts, and who changed it
//! * `foresee`: whether two commits conflict
//! * `collide`: whether the work in two worktrees touches the same lines, and how their merge would end
//! * `rebase`: writes the commits of a head again, on top of the target
//! * `pin`: references that keep candidates
//! * `candidate`: makes a candidate
//! * `delta`: the paths that differ between two commits
//! * `refusal`: why a landing is refused
//! * `checkouts`: the checkouts that have a branch
//! * `index_lock`: git's lock on an index
//! * `journal`: the record of a landing in progress
//! * `obstacle`: files in the way of those that a landing adds
//! * `update`: updates one checkout
//! * `compare`: compares files with what git would write
//! * `settle`: brings a partly updated checkout to one side
//! * `branch`: reads and moves the target
//! * `finish`: finishes or undoes a landing that was interrupted
//! * `land`: lands a candidate

mod branch;
mod candidate;
mod checkouts;
mod collide;
mod combine;
mod compare;
mod conflict;
mod delta;
mod finish;
mod foresee;
mod history;
mod identity;
mod index_lock;
mod journal;
mod land;
mod objects;
mod obstacle;
mod pin;
mod rebase;
mod refusal;
mod settle;
mod update;
mod write;

pub use branch::{branch_tip, landed};
pub use candidate::{Candidate, CandidateSpec, Combination, Strategy, candidate};
pub use collide::{Colliding, CollidingFile, OwnSide};
pub use conflict::{Conflict, ConflictFile, ConflictKind};
pub use finish::{Finished, finish_landing};
pub use foresee::conflict_between;
pub use history::{CommitInfo, Commits, commits_between};
pub use land::{LandSpec, Landing, land};
pub use pin::{Pin, pins, unpin};
pub use refusal::{Cause, Refusal};
