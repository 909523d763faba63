//! Repositories, worktrees, set-up copies and backups of sessions.
//!
//! Trees are changed with the `git` command (argument vectors, never a shell), so that hooks,
//! LFS, filters and locks behave as the person expects; they are read with libgit2. Nothing here
//! is async: the engine calls it on blocking threads.
//!
//! Map, along the life of a worktree: [`inspect`] says what a folder is; [`Repository`] names
//! branches and bases; [`register`] and [`checkout`] make a worktree, [`roll_back`] undoes a
//! half-made one; [`plan_copies`] and [`copy`] bring what git does not track; [`lockfile_setup`]
//! says what to install; an [`Interrupt`] cuts that short; [`work_state`], [`save`] and
//! [`remove`] end it without losing work; [`restore`] brings it back from what was saved,
//! [`recreate`] where nothing had to be.
//!
//! Known limitations: work inside submodules is named and blocks saving, it is not saved; of the
//! files that git ignores, build output and caches are not saved, nor is what is very large (see
//! `ignored`); a copied dependency directory is not watched for changes.
#![forbid(unsafe_code)]

mod admin;
mod backup;
mod changes;
mod checkout;
mod command;
mod copies;
mod copying;
mod error;
mod exclude;
mod ignored;
mod inspect;
mod interrupt;
mod naming;
mod path;
mod point;
mod record;
mod recreate;
mod register;
mod remove;
mod repository;
mod restore;
mod search;
mod setup;
mod state;
mod submodule;
mod summary;
mod tree;
mod undo;
mod version;

pub use backup::{BackupInfo, backups, drop_backup, save};
pub use changes::{ChangedFile, changes};
pub use checkout::checkout;
pub use copies::{CopiedFile, CopyPlan, CopyRecord, plan_copies};
pub use copying::copy;
pub use error::Error;
pub use exclude::exclude;
pub use ignored::IgnoredWork;
pub use inspect::{FolderKind, initialize, inspect};
pub use interrupt::Interrupt;
pub use point::POINTS;
pub use recreate::{Head, head, recreate, recreate_detached};
pub use register::{WorktreeMade, WorktreeSpec, register};
pub use remove::{delete_branch, remove};
pub use repository::{BaseInfo, BranchInfo, Repository};
pub use restore::restore;
pub use search::use_search_path;
pub use setup::{SetupCommand, lockfile_setup, setup_warnings};
pub use state::{WorkState, work_state};
pub use summary::{Summary, summary};
pub use undo::roll_back;
pub use version::{check_git, require_git};
