//! `downbeat completion`: prints a script that teaches a shell these commands, and answers the script at each
//! press of Tab. The names of sessions and projects come from the running engine; none is started for them.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print};
use crate::paint::plain;
use clap::{Arg, Args, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;
use downbeat_wire::Client as _;
use downbeat_wire::project::Project;
use downbeat_wire::request::Nothing;
use downbeat_wire::session::{SessionFilter, SessionSummary};
use std::time::Duration;

/// The variable by which the script asks, and names its shell.
const ASKED_BY: &str = "COMPLETE";

/// The maximum time for which a person who pressed Tab waits for names.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The shell
    shell: clap_complete::Shell,
}

pub(in crate::command) fn run(arguments: &Arguments) -> Outcome {
    let name = arguments.shell.to_string();
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(&name) else {
        return Err(Failure::new(format!("there is no completion for {name}")));
    };
    let program = "downbeat";
    let mut script = Vec::new();
    shell
        .write_registration(ASKED_BY, program, program, program, &mut script)
        .map_err(|error| Failure::new(format!("the script cannot be written: {error}")))?;
    print(&String::from_utf8_lossy(&script))
}

/// Answers the script and exits, if the script asks: from `commands`, which are all the commands that can be
/// typed.
pub(crate) fn answer(commands: fn() -> Command) {
    // Read while it is set: it is not set while names are looked up.
    let shell = std::env::var_os(ASKED_BY).unwrap_or_default();
    CompleteEnv::with_factory(move || with_names(commands(), shell == "bash"))
        .var(ASKED_BY)
        .complete();
}

/// Adds the possible names to the arguments of the commands.
fn with_names(command: Command, in_bash: bool) -> Command {
    let is_archived = command.get_name() == "unarchive";
    command
        .mut_args(|argument| named(argument, is_archived, in_bash))
        .mut_subcommands(|below| with_names(below, in_bash))
}

fn named(argument: Arg, is_archived: bool, in_bash: bool) -> Arg {
    let what = argument.get_value_names().and_then(|names| names.first());
    match what.map(|name| name.as_str()) {
        Some("SESSION") => argument.add(ArgValueCandidates::new(move || sessions(is_archived))),
        Some("PROJECT") => argument.add(ArgValueCandidates::new(move || projects(in_bash))),
        _ => argument,
    }
}

fn sessions(is_archived: bool) -> Vec<CompletionCandidate> {
    let filter = SessionFilter {
        archived: is_archived.then_some(true),
        ..SessionFilter::default()
    };
    let found = asked(async |client: Client| client.list_sessions(filter).await.ok());
    let candidate = |session: SessionSummary| {
        let about = format!("{}, {}", plain(&session.title), session.status.as_str());
        CompletionCandidate::new(session.name).help(Some(about.into()))
    };
    found.unwrap_or_default().into_iter().map(candidate).collect()
}

fn projects(in_bash: bool) -> Vec<CompletionCandidate> {
    let found = asked(async |client: Client| client.list_projects(Nothing {}).await.ok());
    let candidate = |project: Project| {
        let about = plain(&project.path);
        let name = typed(&project.name, in_bash)?;
        Some(CompletionCandidate::new(name).help(Some(about.into())))
    };
    found
        .unwrap_or_default()
        .into_iter()
        .filter_map(candidate)
        .collect()
}

/// Formats a name as it is typed. Bash inserts a candidate unchanged, the other shells quote it themselves:
/// for bash, characters with a meaning are quoted one by one, so that the name still begins as it was typed.
/// Returns `None` for a name that cannot be typed on one line.
fn typed(name: &str, in_bash: bool) -> Option<String> {
    if !in_bash {
        return Some(name.to_owned());
    }
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+@%,=:".contains(c);
    let mut out = String::new();
    for c in name.chars() {
        if c.is_control() {
            return None;
        }
        if !is_plain(c) {
            out.push('\\');
        }
        out.push(c);
    }
    Some(out)
}

/// Returns the answer of the running engine, if it comes in time.
fn asked<R>(question: impl AsyncFnOnce(Client) -> Option<R>) -> Option<R> {
    let home = Home::find()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .ok()?;
    let answer = async {
        let client = Client::running(&home).await.ok()??;
        question(client).await
    };
    runtime.block_on(async { tokio::time::timeout(PATIENCE, answer).await.ok()? })
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn a_completed_name_has_no_special_meaning_in_its_shell() {
        for (name, quoted) in [
            ("shop", "shop"),
            ("my shop", "my\\ shop"),
            ("$(touch x)", "\\$\\(touch\\ x\\)"),
            ("a'b\"c", "a\\'b\\\"c"),
            ("größe", "größe"),
        ] {
            assert_eq!(typed(name, true).as_deref(), Some(quoted));
            assert_eq!(typed(name, false).as_deref(), Some(name));
        }
        assert_eq!(typed("two\nlines", true), None);
    }
}
