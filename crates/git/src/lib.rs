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
//! [`remove`] (or [`remove_unchanged`]) end it without losing work; [`restore`] brings it back from what was saved,
//! [`recreate`] where nothing had to be.
//!
//! Known limitations: submodules and repositories inside that are very large and hold work block
//! saving (see `saved`); of the files that git ignores, build output and caches are not saved, nor is
//! what is very large (see `ignored`); sockets and devices are not saved; a copied dependency directory
//! is not watched for changes.
#![forbid(unsafe_code)]

mod admin;
mod backup;
mod below;
mod blobs;
mod changes;
mod checkout;
mod command;
mod convert;
mod copies;
mod copying;
mod error;
mod exclude;
mod gone;
mod held;
mod ignored;
mod inside;
mod inspect;
mod interrupt;
mod limit;
mod made;
mod marks;
mod mounts;
mod naming;
mod operation;
mod ordinary;
mod outside;
mod overlooked;
mod own;
mod owners;
mod pack;
mod path;
mod point;
mod put_back;
mod quarantine;
mod reached;
mod record;
mod recreate;
mod register;
mod relocate;
mod remove;
mod repository;
mod restore;
mod room;
mod rules;
mod saved;
mod search;
mod seen;
mod set_aside;
mod setup;
mod shadow;
mod split;
mod state;
mod submodule;
mod summary;
mod tips;
mod tree;
mod undo;
mod version;

pub use backup::{BackupInfo, backups, drop_backup, save};
pub use changes::{ChangedFile, changes};
pub use checkout::checkout;
pub use command::Programs;
pub use copies::{CopiedFile, CopyPlan, CopyRecord, plan_copies};
pub use copying::copy;
pub use error::Error;
pub use exclude::exclude;
pub use ignored::IgnoredWork;
pub use inspect::{FolderKind, initialize, inspect};
pub use interrupt::Interrupt;
pub use outside::{check_place, read_inside};
pub use own::own_programs;
pub use point::POINTS;
pub use reached::{is_reached, shared_tips};
pub use recreate::{Head, head, recreate, recreate_detached};
pub use register::{WorktreeMade, WorktreeSpec, register};
pub use relocate::{Recorded, recognise, repair};
pub use remove::{delete_branch, remove, remove_unchanged};
pub use repository::{BaseInfo, BranchInfo, Repository};
pub use restore::{bring, restore};
pub use search::use_search_path;
pub use seen::Seen;
pub use set_aside::{SetAside, set_aside};
pub use setup::{SetupCommand, lockfile_setup, setup_warnings};
pub use shadow::use_private_folder;
pub use state::{WorkState, made_copies, work_state};
pub use submodule::empty_submodules;
pub use summary::{Summary, summary};
pub use tree::remove as remove_tree;
pub use undo::roll_back;
pub use version::{check_git, require_git};
