//! Chooses the function for a command.

use super::arguments::{Cli, Command};
use super::engine::{api, completion, config, doctor, logs, orphans, secret, serve, start};
use super::grouped::Grouped;
use super::look::{
    cost, diff, explain, list, notifiers, output, reactions, search, status, story, timeline, wait as waiting,
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
use crate::home::Home;
use crate::mcp;
use crate::outcome::{DONE, Outcome, wait};

/// Runs the command that was typed.
pub(crate) fn run(cli: Cli) -> Outcome {
    let home = || {
        Home::find()
            .ok_or_else(|| Failure::new("there is no home directory").hint("set DOWNBEAT_HOME to a folder"))
    };
    match cli.command {
        Command::Serve(arguments) => serve::run(arguments, home()?),
        Command::Start(arguments) => wait(start::run(arguments, home()?)),
        Command::Project(arguments) => wait(project::run(arguments, home()?)),
        Command::New(arguments) => wait(new::run(arguments, home()?)),
        Command::BatchSpawn(arguments) => wait(batch_spawn::run(arguments, home()?)),
        Command::Spawn(arguments) => wait(new::run(arguments.into(), home()?)),
        Command::List(arguments) => wait(list::run(arguments, home()?)),
        Command::Status(arguments) => wait(status::run(arguments, home()?)),
        Command::Explain(arguments) => wait(explain::run(arguments, home()?)),
        Command::Story(arguments) => wait(story::run(arguments, home()?)),
        Command::Output(arguments) => wait(output::run(arguments, home()?)),
        Command::Diff(arguments) => wait(diff::run(arguments, home()?)),
        Command::Search(arguments) => wait(search::run(arguments, home()?)),
        Command::Cost(arguments) => wait(cost::run(arguments, home()?)),
        Command::Timeline(arguments) => wait(timeline::run(arguments, home()?)),
        Command::Logs(arguments) => wait(logs::run(arguments, home()?)),
        Command::Send(arguments) => wait(send::run(arguments, home()?)),
        Command::Wait(arguments) => wait(waiting::run(arguments, home()?)),
        Command::Fix(arguments) => wait(fix::run(arguments, home()?)),
        Command::Check(arguments) => wait(check::run(arguments, home()?)),
        Command::Review(arguments) => wait(review::run(arguments, home()?)),
        Command::Merge(arguments) => wait(merge::run(arguments, home()?)),
        Command::Queue(arguments) => wait(queue::run(arguments, home()?)),
        Command::Orchestrate(arguments) => wait(plan::orchestrate::run(arguments, home()?)),
        Command::Plan(arguments) => wait(plan::run(arguments, home()?)),
        Command::Pr(arguments) => wait(pr::run(arguments, home()?)),
        Command::Reactions(arguments) => wait(reactions::run(arguments, home()?)),
        Command::Notifiers(arguments) => wait(notifiers::run(arguments, home()?)),
        Command::Attention(arguments) => wait(attention::run(arguments, home()?)),
        Command::Rename(arguments) => wait(rename::run(arguments, home()?)),
        Command::Messages(arguments) => wait(messages::run(arguments, home()?)),
        Command::Agents(arguments) => wait(agents::run(arguments, home()?)),
        Command::Answer(arguments) => wait(answer::run(arguments, home()?)),
        Command::Report(arguments) => wait(report::report(arguments, home()?)),
        Command::Ask(arguments) => wait(report::ask(arguments, home()?)),
        Command::Attach(arguments) => attach::run(&arguments, &home()?),
        Command::Shell(arguments) => shell::run(arguments, &home()?),
        Command::Kill(arguments) => wait(kill::run(arguments, home()?)),
        Command::Stop(arguments) => wait(stop::run(arguments, home()?)),
        Command::Resume(arguments) => wait(resume::run(arguments, home()?)),
        Command::Pause(arguments) => wait(pause::run(arguments, home()?)),
        Command::GoOn(arguments) => wait(go_on::run(arguments, home()?)),
        Command::Restart(arguments) => wait(restart::run(arguments, home()?)),
        Command::Fork(arguments) => wait(fork::run(arguments, home()?)),
        Command::HandOver(arguments) => wait(hand_over::run(arguments, home()?)),
        Command::Archive(arguments) => wait(archive::run(arguments, home()?)),
        Command::Unarchive(arguments) => wait(archive::back(arguments, home()?)),
        Command::Setup(arguments) => wait(setup::run(arguments, home()?)),
        Command::Edit(arguments) => wait(edit::run(arguments, home()?)),
        Command::Discard(arguments) => wait(discard::run(arguments, home()?)),
        Command::RestoreWork(arguments) => wait(restore_work::run(arguments, home()?)),
        Command::Cleanup(arguments) => wait(cleanup::run(arguments, home()?)),
        Command::Remove(arguments) => wait(remove::run(arguments, home()?)),
        Command::Api(arguments) => wait(api::run(arguments, home()?)),
        Command::Orphans(arguments) => wait(orphans::run(arguments, home()?)),
        Command::Doctor(arguments) => wait(doctor::run(arguments, home()?)),
        Command::Completion(arguments) => completion::run(&arguments),
        Command::Secret(arguments) => secret::run(arguments, &home()?),
        Command::Config(arguments) => config::run(&arguments, &home()?),
        Command::ConfigHelp => config::help(&home()?),
        Command::AddProject(arguments) => wait(project::run(project::Arguments::Add(arguments), home()?)),
        Command::RemoveProject(arguments) => {
            wait(project::run(project::Arguments::Remove(arguments), home()?))
        }
        Command::Session(Grouped::Ls(arguments)) => wait(list::run(arguments, home()?)),
        Command::Session(Grouped::Attach(arguments)) => attach::run(&arguments, &home()?),
        Command::Session(Grouped::Kill(arguments)) => wait(kill::run(arguments, home()?)),
        Command::Session(Grouped::Cleanup(arguments)) => wait(cleanup::run(arguments, home()?)),
        Command::Session(Grouped::Restore(arguments)) => wait(resume::run(arguments, home()?)),
        Command::Mcp => wait(mcp::run(home()?)),
        // Both are handled before anything is parsed; see `main`.
        Command::Keeper { .. } | Command::Hook => DONE,
    }
}
