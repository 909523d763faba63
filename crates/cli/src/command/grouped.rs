//! `downbeat session`: commands on sessions under one word, as Agent Orchestrator has them. Each is the command of the
//! same meaning; nothing is done here.

use super::look::list;
use super::session::{kill, resume};
use super::talk::attach;
use super::worktree::cleanup;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Grouped {
    /// List sessions
    #[command(alias = "list")]
    Ls(list::Arguments),
    /// Open a session's terminal here
    Attach(attach::Arguments),
    /// End sessions' whole process trees now; their worktrees stay
    Kill(kill::Arguments),
    /// Remove the worktrees of ended and merged sessions that hold nothing unsaved, and archive the sessions
    Cleanup(cleanup::Arguments),
    /// Resume ended sessions; recreates a removed worktree
    #[command(alias = "resume")]
    Restore(resume::Arguments),
}
