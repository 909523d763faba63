//! The commands that can be typed. Each command's own arguments are in its file.

use super::engine::{api, completion, config, doctor, logs, orphans, serve, start};
use super::look::{cost, explain, list, output, search, status, wait};
use super::session::{archive, fork, go_on, hand_over, kill, new, pause, rename, restart, resume, stop};
use super::talk::{answer, attach, messages, report, send, shell};
use super::worktree::{remove, restore_work, setup};
use super::{agents, project};
use clap::{Parser, Subcommand};

/// Conducts a fleet of coding agents, each in its own git worktree and terminal.
#[derive(Debug, Parser)]
#[command(name = "downbeat", version, max_term_width = 100)]
#[command(after_help = "Sessions and projects are named by id or by readable name.\n\
    Exit codes: 1 failed, 2 wrong usage, 3 not found, 4 needs an explicit yes.\n\
    DOWNBEAT_HOME moves everything that Downbeat keeps.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the engine without a window, and print its address
    Serve(serve::Arguments),
    /// Open the window, or add and show what is named
    Start(start::Arguments),
    /// Add, list and remove projects
    #[command(subcommand)]
    Project(project::Arguments),
    /// Start a session
    New(new::Arguments),
    /// Start a session from its prompt alone: the short form of `new`
    Spawn(new::SpawnArguments),
    /// List sessions
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// Show how sessions are, and why
    Status(status::Arguments),
    /// Tell why a session's status is what it is, fact by fact
    Explain(explain::Arguments),
    /// Print the text of a session's terminal
    Output(output::Arguments),
    /// Find what was said in any session, or stood on its screen
    Search(search::Arguments),
    /// Show what agents used, in tokens and dollars
    Cost(cost::Arguments),
    /// Print the engine's log, or all the text a session's terminal still has
    Logs(logs::Arguments),
    /// Send a message to a session's agent, once that can take it
    Send(send::Arguments),
    /// Wait until sessions rest: idle, waiting for you, or ended
    Wait(wait::Arguments),
    /// Give a session another title; its name stays
    Rename(rename::Arguments),
    /// List and change the messages of a session
    Messages(messages::Arguments),
    /// Answer the question that a session's agent asks
    Answer(answer::Arguments),
    /// Tell your conductor what came of your task; inside a worker's session
    Report(report::Report),
    /// Ask your conductor; inside a worker's session
    Ask(report::Ask),
    /// Open a session's terminal here
    Attach(attach::Arguments),
    /// Open another shell in a session's workspace, beside its agent
    Shell(shell::Arguments),
    /// End sessions' whole process trees now; their worktrees stay
    Kill(kill::Arguments),
    /// End sessions gracefully; each can be resumed
    Stop(stop::Arguments),
    /// Start ended sessions again where they were; makes a removed worktree again
    #[command(alias = "restore")]
    Resume(resume::Arguments),
    /// Hold a session back: no messages, nothing starts below it
    Pause(pause::Arguments),
    /// Let a session go on that is paused, or waits for the end of a usage limit
    GoOn(go_on::Arguments),
    /// End a session's agent gracefully and resume it in the same conversation
    Restart(restart::Arguments),
    /// Start a new session from another one's conversation, in a worktree of its own
    Fork(fork::Arguments),
    /// Give a session's worktree to another agent, with a written summary
    HandOver(hand_over::Arguments),
    /// Put an ended session away; its worktree stays
    Archive(archive::Away),
    /// Put an archived session on the list again
    Unarchive(archive::Back),
    /// Run a failed set-up again, or start the agent without it
    Setup(setup::Arguments),
    /// Make a removed worktree again, with the work that was saved
    RestoreWork(restore_work::Arguments),
    /// Remove a session's worktree, after saving what is in it
    Remove(remove::Arguments),
    /// List and show agents, check manifests
    #[command(subcommand)]
    Agents(agents::Arguments),
    /// Call the engine's API directly
    Api(api::Arguments),
    /// Check this machine and the data directory, and say what to do
    Doctor(doctor::Arguments),
    /// List what runs although its session is over, or end it
    Orphans(orphans::Arguments),
    /// Print a completion script for a shell
    Completion(completion::Arguments),
    /// Show and check configuration
    #[command(subcommand)]
    Config(config::Arguments),
    /// The process that owns one session's terminal
    #[command(hide = true)]
    Keeper { dir: std::path::PathBuf },
    /// Hands an agent's hook to its keeper
    #[command(hide = true)]
    Hook,
    /// The orchestration tools, for an agent
    #[command(hide = true)]
    Mcp,
}
