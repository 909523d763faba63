//! The commands that can be typed. Each command's own arguments are in its file.

use super::elsewhere;
use super::engine::{api, completion, config, doctor, logs, orphans, secret, serve, start};
use super::grouped::Grouped;
use super::look::{
    cost, diff, explain, list, notifiers, output, reactions, search, status, story, timeline, wait,
};
use super::plan;
use super::pr;
use super::session::{
    archive, batch_spawn, check, fix, fork, go_on, hand_over, kill, merge, new, pause, queue, rename,
    restart, resume, review, stop,
};
use super::talk::{answer, attach, attention, messages, report, send, shell};
use super::worktree::{cleanup, discard, edit, remove, restore_work, setup};
use super::{agents, project};
use crate::failure::Failure;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

/// Conducts a fleet of coding agents, each in its own git worktree and terminal.
#[derive(Debug, Parser)]
#[command(name = "downbeat", version, max_term_width = 100)]
#[command(after_help = "Name sessions and projects by id or by readable name.\n\
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
    /// Open the window; add the given folders, show the given session
    Start(start::Arguments),
    /// Add, list and remove projects
    #[command(subcommand)]
    Project(project::Arguments),
    /// Start a session
    New(new::Arguments),
    /// Start a session from its prompt alone: the short form of `new`
    Spawn(new::SpawnArguments),
    /// Start a session for each of several issues; those that a session works on are skipped
    BatchSpawn(batch_spawn::Arguments),
    /// List sessions
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// Show the status of sessions, and the reasons
    Status(status::Arguments),
    /// Explain a session's status, fact by fact
    Explain(explain::Arguments),
    /// Print what happened in a session, oldest first
    Story(story::Arguments),
    /// Print the text of a session's terminal
    Output(output::Arguments),
    /// Print what a session changed
    Diff(diff::Arguments),
    /// Search the conversations and screens of sessions
    Search(search::Arguments),
    /// Show what agents used, in tokens and dollars
    Cost(cost::Arguments),
    /// Show which session worked, waited or was held back in the last hours
    Timeline(timeline::Arguments),
    /// Print the engine's log, or all the text of a session's terminal
    Logs(logs::Arguments),
    /// Send a message to a session's agent, once it is ready
    Send(send::Arguments),
    /// Wait until sessions are idle, waiting for you, or ended
    Wait(wait::Arguments),
    /// Let workers fix what the project's checks find red, and print a report
    Fix(fix::Arguments),
    /// Run the project's checks on the newest commit of a session, and show their result
    Check(check::Arguments),
    /// End a review of a session's work: approve its newest commit, or request changes
    Review(review::Arguments),
    /// Merge the work of a session: its pull request, or into its project's default branch
    Merge(merge::Arguments),
    /// Show what waits to land, in this order, and why; pause it, and change its order
    Queue(queue::Arguments),
    /// Read tasks, or have a goal planned, show who does what, and run it with a worker for each domain
    Orchestrate(plan::orchestrate::Arguments),
    /// Show, run and change plans: tasks with what they need
    #[command(subcommand)]
    Plan(plan::Arguments),
    /// Show, open and change the pull requests of sessions
    #[command(subcommand)]
    Pr(pr::Arguments),
    /// Show, explain, simulate and control reactions: what Downbeat does automatically
    #[command(subcommand)]
    Reactions(reactions::Arguments),
    /// List and test what gets notices outside of Downbeat: Slack, a phone, a webhook
    #[command(subcommand)]
    Notifiers(notifiers::Arguments),
    /// Raise a notice for the person; list the sessions that need you, and snooze one
    #[command(subcommand)]
    Attention(attention::Arguments),
    /// Change a session's title; its name stays
    Rename(rename::Arguments),
    /// List and change the messages of a session
    Messages(messages::Arguments),
    /// Answer the question that a session's agent asks
    Answer(answer::Arguments),
    /// Report the result of your task to your conductor (inside a worker's session)
    Report(report::Report),
    /// Ask your conductor a question (inside a worker's session)
    Ask(report::Ask),
    /// Open a session's terminal here
    Attach(attach::Arguments),
    /// Open a side shell in a session's workspace
    Shell(shell::Arguments),
    /// End sessions' whole process trees now; their worktrees stay
    Kill(kill::Arguments),
    /// End sessions gracefully; each can be resumed
    Stop(stop::Arguments),
    /// Resume ended sessions; recreates a removed worktree
    #[command(alias = "restore")]
    Resume(resume::Arguments),
    /// Pause a session: it gets no messages, and no workers start below it
    Pause(pause::Arguments),
    /// Continue a session that is paused or waits for the end of a usage limit
    GoOn(go_on::Arguments),
    /// End a session's agent gracefully and resume it in the same conversation
    Restart(restart::Arguments),
    /// Start a new session from a copy of a session's conversation, in its own worktree
    Fork(fork::Arguments),
    /// Switch a session to another agent, which gets the worktree and a written summary
    HandOver(hand_over::Arguments),
    /// Archive an ended session; its worktree stays
    Archive(archive::Away),
    /// Restore an archived session to the list
    Unarchive(archive::Back),
    /// Retry a failed set-up, or start the agent without it
    Setup(setup::Arguments),
    /// Open a session's workspace, or a line of a file in it, in your editor
    Edit(edit::Arguments),
    /// Discard what a session changed in one file, or one hunk of it, or undo that
    Discard(discard::Arguments),
    /// Recreate a removed worktree, with the saved work
    RestoreWork(restore_work::Arguments),
    /// Remove a session's worktree, after saving the work in it
    Remove(remove::Arguments),
    /// Remove the worktrees of ended and merged sessions that hold nothing unsaved, and archive the sessions
    Cleanup(cleanup::Arguments),
    /// List and show agents, check manifests
    #[command(subcommand)]
    Agents(agents::Arguments),
    /// Call the engine's HTTP API directly
    Api(api::Arguments),
    /// Check this machine and the data directory, and say how to fix problems
    Doctor(doctor::Arguments),
    /// List processes that still run although their session has ended, or end them
    Orphans(orphans::Arguments),
    /// Print a completion script for a shell
    Completion(completion::Arguments),
    /// Store and delete secrets in the system's keychain, which the configuration names
    #[command(subcommand)]
    Secret(secret::Arguments),
    /// Show and check configuration
    #[command(subcommand)]
    Config(config::Arguments),
    /// Commands on sessions, under one word
    #[command(subcommand, hide = true)]
    Session(Grouped),
    /// Add a project: `project add`
    #[command(hide = true)]
    AddProject(project::Add),
    /// Remove a project from the list: `project remove`
    #[command(hide = true)]
    RemoveProject(project::Remove),
    /// Say where the configuration is, and what lists its keys
    #[command(hide = true)]
    ConfigHelp,
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

/// Reads what was typed. Wrong usage is answered here, and ends the program.
pub(crate) fn typed() -> Result<Cli, Failure> {
    Cli::try_parse().or_else(|error| {
        let words: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let is_unknown = matches!(
            error.kind(),
            ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument
        );
        match elsewhere::instead(&words).filter(|_| is_unknown) {
            Some(line) => Err(Failure::usage(line)),
            None => error.exit(),
        }
    })
}
