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
//! that git ignores is looked through for repositories only.
//!
//! The modules, along the life of a worktree. Each imports only what this list names before it, which
//! `scripts/checks/rooms.test.js` holds.
//!
//! * `error`: what can go wrong, with the way out
//! * `memory`: how much memory libgit2 may take
//! * `point`: named steps at which a test ends this process or makes them fail
//! * `path`: paths as bytes, as text, and as places
//! * `outside`: files that a repository brings, read only inside of it
//! * `below`: what is written below a folder that may have links in it
//! * `mounts`: file systems that are mounted inside a folder
//! * `owners`: whether a worktree can be deleted whole
//! * `tree`: folders on disk, removed, compared and counted
//! * `room`: whether a disk has room for a backup
//! * `admin`: git's own notes about linked worktrees
//! * `tips`: the commits that a repository names, read from its files
//! * `ordinary`: files that git would wait for without end, found before it does
//! * `search`: where git and installers are looked for
//! * `interrupt`: cuts the making of a worktree short
//! * `limit`: a time limit for git
//! * `command`: runs git
//! * `version`: which git is installed
//! * `inspect`: what a folder is
//! * `naming`: how a wanted name becomes a branch name
//! * `repository`: branches, bases, and what nothing else reaches
//! * `reached`: whether one commit comes before others
//! * `blobs`: files as objects, byte for byte
//! * `index`: git's index as text
//! * `split`: split indexes
//! * `shadow`: a git directory of our own, to read a repository with
//! * `fresh`: an index of our own, for git to write files by
//! * `settings`: one setting in a configuration that somebody else wrote
//! * `own`: the programs that a repository would run
//! * `summary`: what was done in a worktree, in a few lines
//! * `changes`: what a worktree changed since its base
//! * `record`: what is written down of a worktree that is made, and its locks
//! * `exclude`: keeps paths out of `git status`
//! * `patterns`: patterns in the syntax of `.gitignore`, bounded
//! * `copies`: plans and remembers what a worktree gets that git does not track
//! * `setup`: what a fresh worktree must install
//! * `duplicate`: copies one file
//! * `copying`: carries out a copy plan
//! * `copied`: whether what lies in a worktree is what a copy put there
//! * `convert`: which files git converts, and whether they lie there as it wrote them
//! * `uncommitted`: what `git status` says, without what is no work
//! * `undo`: takes back a half-made worktree
//! * `register`: the first half of making a worktree: git knows it
//! * `submodule`: its submodules
//! * `checkout`: the second half: its files, its hook
//! * `made`: what a tool makes again
//! * `rules`: what a repository inside ignores
//! * `inside`: repositories inside a worktree, and whether they hold work
//! * `ignored`: files that git ignores and somebody made
//! * `marks`: permissions, empty folders and pipes, which no tree has
//! * `operation`: operations under way, and what git keeps beside the files
//! * `held`: everything that a worktree holds
//! * `overlooked`: files that `git status` does not name
//! * `present`: looks at all that a worktree holds
//! * `gone`: the same where its folder is gone
//! * `saved`: what a backup keeps beside the files
//! * `fault`: whether git failed because of a worktree
//! * `state`: what a removal would lose
//! * `quarantine`: where the objects of a backup are written
//! * `pack`: the pack of a backup
//! * `backup`: saves what a worktree holds
//! * `seen`: how a worktree lay before it was saved
//! * `remove`: the end of a worktree and of a branch
//! * `set_aside`: moves a worktree out of the way that git cannot read
//! * `put_back`: the steps of bringing a saved worktree back
//! * `restore`: their order
//! * `recreate`: makes a worktree again of which nothing was saved
//! * `relocate`: a repository that stands in another place than before
#![deny(unsafe_code)]

mod admin;
mod backup;
mod below;
mod blobs;
mod changes;
mod checkout;
mod command;
mod convert;
mod copied;
mod copies;
mod copying;
mod duplicate;
mod error;
mod exclude;
mod fault;
mod fresh;
mod gone;
mod held;
mod ignored;
mod index;
mod inside;
mod inspect;
mod interrupt;
mod limit;
mod made;
mod marks;
mod memory;
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
mod patterns;
mod point;
mod present;
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
mod settings;
mod setup;
mod shadow;
mod split;
mod state;
mod submodule;
mod summary;
mod tips;
mod tree;
mod uncommitted;
mod undo;
mod version;

pub use backup::{BackupInfo, backups, drop_backup, save};
pub use changes::{ChangedFile, changes};
pub use checkout::checkout;
pub use command::Programs;
pub use copied::made_copies;
pub use copies::{CopiedFile, CopyPlan, CopyRecord, plan_copies};
pub use copying::copy;
pub use error::Error;
pub use exclude::exclude;
pub use ignored::IgnoredWork;
pub use inspect::{FolderKind, initialize, inspect};
pub use interrupt::Interrupt;
pub use memory::bound_memory;
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
pub use state::{WorkState, work_state};
pub use submodule::empty_submodules;
pub use summary::{Summary, summary};
pub use tree::remove as remove_tree;
pub use undo::roll_back;
pub use version::{check_git, require_git};
