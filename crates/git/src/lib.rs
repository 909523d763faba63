//! Repositories, worktrees, set-up copies and backups of sessions.
//!
//! Trees are changed with the `git` command (argument vectors, never a shell), so that hooks,
//! LFS, filters and locks behave as the person expects; they are read with libgit2. Nothing here
//! is async: the engine calls it on blocking threads.
//!
//! Map, along the life of a worktree: [`inspect`] says what a folder is; [`Repository`] names
//! branches and bases; [`register`] and [`checkout`] make a worktree, [`roll_back`] undoes a
//! half-made one; [`plan_copies`] and [`copy`] bring what git does not track; [`lockfile_setup`]
//! says what to install; [`work_state`], [`save`] and [`remove`] end it without losing work;
//! [`restore`] brings it back.
//!
//! Known limitations: work inside submodules is named and blocks saving, it is not saved; files
//! that git ignores and that nobody copied (build output) are not saved; a copied dependency
//! directory is not watched for changes.
#![forbid(unsafe_code)]

mod error;
mod stub;

pub use error::Error;
pub use stub::*;
