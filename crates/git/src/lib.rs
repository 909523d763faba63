//! Repositories, worktrees, set-up copies and backups of sessions.
//!
//! Trees are changed with the `git` command (argument vectors, never a shell), so that hooks,
//! LFS, filters and locks behave as the person expects; they are read with libgit2. Nothing here
//! is async: the engine calls it on blocking threads.
//!
//! The API, along the life of a worktree: [`inspect`] classifies a folder; [`Repository`] lists branches and
//! bases; [`register`] and [`checkout`] create a worktree, and [`roll_back`] undoes a partly created one;
//! [`plan_copies`] and [`copy`] copy files that git does not track; [`lockfile_setup`] lists the install
//! commands; an [`Interrupt`] cancels the creation; [`work_state`], [`save`] and [`remove`] (or
//! [`remove_unchanged`]) remove the worktree without losing work; [`restore`] restores it from its backup,
//! and [`recreate`] recreates a worktree that needed none. For the merge queue, [`candidate`] makes the commit that
//! a branch would become on its target, and [`land`] moves the target to it.
//!
//! Known limitations: very large submodules and nested repositories that hold work block saving (see
//! `saved`); of the ignored files, build output, caches and very large files are not saved (see `ignored`);
//! sockets and devices are not saved; a copied dependency directory that git ignores is searched for
//! repositories only.
//!
//! The modules, along the life of a worktree. Each imports only from modules listed before it, which
//! `scripts/checks/rooms.test.js` checks.
//!
//! * `error`: the errors of this crate, each with its remedy
//! * `memory`: a limit on the memory of libgit2
//! * `point`: named steps at which a test kills this process or makes the step fail
//! * `path`: paths as bytes, as text and as locations of worktrees
//! * `outside`: safe reading of files that a repository brings
//! * `below`: safe writing below a folder that may contain links
//! * `mounts`: file systems that are mounted inside a folder
//! * `owners`: whether a worktree can be deleted completely
//! * `tree`: removal, comparison and measuring of directory trees
//! * `room`: whether a disk has room for a backup or a copy
//! * `admin`: git's administrative files of linked worktrees
//! * `tips`: the commits that a repository names, read from its files
//! * `ordinary`: detection of files that would make git wait forever
//! * `search`: the search path for git and installers
//! * `interrupt`: cancellation of the creation of a worktree
//! * `limit`: a time limit for git
//! * `command`: runs git
//! * `version`: the version of the installed git
//! * `inspect`: the classification of a folder
//! * `naming`: the branch name for a requested name
//! * `repository`: branches, bases, and commits that nothing else reaches
//! * `reached`: whether a commit is an ancestor of others
//! * `trees`: refuses trees that are too large to be walked, or forged
//! * `blobs`: files as objects, byte for byte
//! * `index`: git's index as text
//! * `split`: split indexes
//! * `shadow`: a git directory of our own, through which a repository is read
//! * `fresh`: an index of our own, from which git writes files
//! * `settings`: a single setting of an untrusted configuration
//! * `own`: the programs that a repository would run
//! * `summary`: a short summary of the work in a worktree
//! * `listed`: the files of a worktree, by name
//! * `diff`: what differs between two states of a worktree, for people who read it
//! * `changes`: the files that a worktree changed since its base
//! * `record`: the record of a worktree, and its locks
//! * `locked`: whether somebody locked a worktree
//! * `exclude`: excludes paths from `git status`
//! * `patterns`: bounded patterns in the syntax of `.gitignore`
//! * `copies`: plans and records the untracked files that a worktree receives
//! * `setup`: the install commands of a new worktree
//! * `duplicate`: copies one file
//! * `copying`: carries out a copy plan
//! * `copied`: whether a file in a worktree is the one that a copy put there
//! * `convert`: files that git converts, and whether they are as git wrote them
//! * `uncommitted`: the output of `git status`, without entries that are not work
//! * `undo`: removes a partly created worktree
//! * `register`: the first half of creating a worktree: git registers it
//! * `submodule`: the submodules of a worktree
//! * `checkout`: the second half of creating a worktree: its files and its hook
//! * `made`: files that a tool regenerates
//! * `build_output`: the folders that a tool regenerates, measured and deleted
//! * `rules`: the ignore rules of a nested repository
//! * `inside`: repositories inside a worktree, and whether they hold work
//! * `ignored`: ignored files that a person or an agent made
//! * `marks`: permissions, empty folders and pipes, which no tree can hold
//! * `operation`: operations in progress, and the files that git keeps for them
//! * `held`: the complete content of a worktree
//! * `overlooked`: files that `git status` does not list
//! * `present`: inspects the complete content of a worktree
//! * `gone`: the same for a worktree whose folder is gone
//! * `saved`: the parts of a backup that are not files of the worktree
//! * `fault`: whether the worktree is the reason that git failed
//! * `state`: the work that a removal would lose
//! * `quarantine`: the temporary object directory of a backup
//! * `pack`: the pack file of a backup
//! * `backup`: saves the content of a worktree
//! * `seen`: the state of a worktree before it was saved
//! * `remove`: removes a worktree and its branch
//! * `set_aside`: moves a worktree that git cannot read out of the way
//! * `put_back`: the steps of restoring a saved worktree
//! * `restore`: runs the steps of a restore in order
//! * `recreate`: recreates a worktree that has no backup
//! * `check_tree`: the worktree in which a project's checks run
//! * `relocate`: a repository that was moved
//! * `merge`: candidates of the merge queue, and their landing
//! * `upstream`: the remotes of a repository, and the heads of its branches here and there
//! * `push`: pushes a branch to its remote
#![deny(unsafe_code)]

mod admin;
mod backup;
mod below;
mod blobs;
mod build_output;
mod changes;
mod check_tree;
mod checkout;
mod command;
mod convert;
mod copied;
mod copies;
mod copying;
mod diff;
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
mod listed;
mod locked;
mod made;
mod marks;
mod memory;
mod merge;
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
mod push;
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
mod trees;
mod uncommitted;
mod undo;
mod upstream;
mod version;

pub use backup::{BackupInfo, backups, drop_backup, save};
pub use build_output::{BuildOutput, build_output, clear_build_output};
pub use changes::{ChangeCount, ChangedFile, changes, count_changes};
pub use check_tree::{CheckTree, check_tree, remove_check_tree, restore_tracked};
pub use checkout::checkout;
pub use command::Programs;
pub use copied::made_copies;
pub use copies::{CopiedFile, CopyPlan, CopyRecord, plan_copies};
pub use copying::copy;
pub use diff::{
    Change, Compared, Discard, FileChange, FileContent, Hunk, HunkAt, Listing, Row, RowKind, Unshown,
    compared_base, discard, file_diff, find_commit, first_parent, list_files, undo_discard,
};
pub use error::Error;
pub use exclude::exclude;
pub use ignored::IgnoredWork;
pub use inspect::{FolderKind, initialize, inspect};
pub use interrupt::Interrupt;
pub use listed::files;
pub use memory::bound_memory;
pub use merge::{
    Candidate, CandidateSpec, Cause, Colliding, CollidingFile, Combination, CommitInfo, Commits, Conflict,
    ConflictFile, ConflictKind, Finished, LandSpec, Landing, OwnSide, Pin, Refusal, Strategy, branch_tip,
    candidate, commits_between, conflict_between, finish_landing, land, landed, pins, unpin,
};
pub use outside::{check_place, read_inside};
pub use own::own_programs;
pub use point::POINTS;
pub use push::{Message, Pushed, messages, push, push_remote, push_remotes, pushed_commit};
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
pub use upstream::{BranchHeads, Remote, branch_heads, remotes};
pub use version::{check_git, require_git};
