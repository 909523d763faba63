//! The commands, one module each, and what they share.

pub(crate) mod agents;
pub(crate) mod answer;
pub(crate) mod api;
pub(crate) mod archive;
pub(crate) mod attach;
pub(crate) mod completion;
pub(crate) mod config;
pub(crate) mod cost;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod fork;
pub(crate) mod go_on;
pub(crate) mod hand_over;
pub(crate) mod kill;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod messages;
pub(crate) mod new;
pub(crate) mod orphans;
pub(crate) mod output;
pub(crate) mod pause;
pub(crate) mod project;
pub(crate) mod remove;
pub(crate) mod rename;
pub(crate) mod report;
pub(crate) mod restart;
pub(crate) mod restore_work;
pub(crate) mod resume;
pub(crate) mod search;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod shell;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod wait;

use crate::arguments::{Cli, Command};
use crate::failure::Failure;
use crate::home::Home;
use downbeat_model::shown::line;
use serde::Serialize;
use std::future::Future;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// The way every command goes out.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// A command that did what it was asked.
pub(crate) const DONE: Outcome = Ok(ExitCode::SUCCESS);

/// Runs what was typed.
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
        Command::Spawn(arguments) => wait(new::run(arguments.into(), home()?)),
        Command::List(arguments) => wait(list::run(arguments, home()?)),
        Command::Status(arguments) => wait(status::run(arguments, home()?)),
        Command::Explain(arguments) => wait(explain::run(arguments, home()?)),
        Command::Output(arguments) => wait(output::run(arguments, home()?)),
        Command::Search(arguments) => wait(search::run(arguments, home()?)),
        Command::Cost(arguments) => wait(cost::run(arguments, home()?)),
        Command::Logs(arguments) => wait(logs::run(arguments, home()?)),
        Command::Send(arguments) => wait(send::run(arguments, home()?)),
        Command::Wait(arguments) => wait(wait::run(arguments, home()?)),
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
        Command::RestoreWork(arguments) => wait(restore_work::run(arguments, home()?)),
        Command::Remove(arguments) => wait(remove::run(arguments, home()?)),
        Command::Api(arguments) => wait(api::run(arguments, home()?)),
        Command::Orphans(arguments) => wait(orphans::run(arguments, home()?)),
        Command::Doctor(arguments) => wait(doctor::run(arguments, home()?)),
        Command::Completion(arguments) => completion::run(&arguments),
        Command::Config(arguments) => config::run(&arguments, &home()?),
        Command::Mcp => wait(crate::mcp::run(home()?)),
        // Both are told apart before anything is parsed; see `main`.
        Command::Keeper { .. } | Command::Hook => DONE,
    }
}

/// Runs a command that talks to the engine, on this thread alone.
pub(crate) fn wait<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}

/// Does the same to each named session, and tells of each as soon as it is done. One that fails does not
/// stop the others; the first failure is the outcome. JSON is one object for one session, else a list.
pub(crate) async fn each<T: Serialize>(
    sessions: &[String],
    json: bool,
    mut act: impl AsyncFnMut(String) -> Result<(T, String), Failure>,
) -> Outcome {
    let (mut done, mut failed) = (Vec::new(), None);
    for session in sessions {
        match act(session.clone()).await {
            Ok((one, told)) => {
                if !json {
                    print(&told)?;
                }
                done.push(one);
            }
            Err(failure) if failed.is_none() => failed = Some(failure),
            Err(failure) => drop(failure.report()),
        }
    }
    match &done[..] {
        [one] if json && sessions.len() == 1 => drop(print_json(one)?),
        all if json && !all.is_empty() => drop(print_json(&all)?),
        _ => {}
    }
    failed.map_or(DONE, Err)
}

/// Prints text. A reader that closed its end has seen enough, which is no failure.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(error.into()),
        Ok(()) => DONE,
    }
}

/// Prints the JSON of the API for programs. On a terminal, what would act on that is written as JSON has it
/// for any character, so that it is the same JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Outcome {
    let text = serde_json::to_string_pretty(value)?;
    let text = match std::io::stdout().is_terminal() {
        true => escaped(&text),
        false => text,
    };
    print(&format!("{text}\n"))
}

/// JSON in which no character acts on a terminal or changes the order of others.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let (mut bytes, mut units) = ([0; 4], [0; 2]);
        let shown = c.encode_utf8(&mut bytes);
        if c == '\n' || line(shown) == *shown {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_on_a_terminal_acts_on_nothing_and_is_the_same_json() {
        let value = serde_json::json!({ "a\u{9b}8m": "é\u{7f}\u{202e}\u{e0041}\t\u{1b}" });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(
            text,
            "{\n  \"a\\u009b8m\": \"é\\u007f\\u202e\\udb40\\udc41\\t\\u001b\"\n}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
