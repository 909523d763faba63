//! `downbeat check`: runs the project's checks on the newest commit of a session, and shows their result.

use crate::client::Client;
use crate::command::look::wait::until;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json, told_on_terminal};
use crate::paint::{Paint, plain};
use clap::Args;
use downbeat_model::session::ChecksState;
use downbeat_model::{CheckOutcome, CheckResult, MOST_PROCESSES, Verification, count};
use downbeat_wire::Client as _;
use downbeat_wire::check::{Checks, GetCheckOutput};
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use jiff::Timestamp;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Do not wait for the result
    #[arg(long)]
    no_wait: bool,
    /// Show the last result, and run nothing
    #[arg(long, conflicts_with_all = ["no_wait", "output", "send", "cancel"])]
    last: bool,
    /// Print the whole output of this check in the last run, and run nothing
    #[arg(long, value_name = "CHECK", conflicts_with_all = ["no_wait", "send", "cancel"])]
    output: Option<String>,
    /// Send the failures of the last run to the session's agent, and run nothing
    #[arg(long, conflicts_with_all = ["no_wait", "cancel"])]
    send: bool,
    /// Cancel the run that is under way
    #[arg(long, conflicts_with = "no_wait")]
    cancel: bool,
    /// Print the session, or the output, as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let id = arguments.session.clone();
    let request = SessionRef { id: id.clone() };
    if let Some(check) = arguments.output {
        let output = client.get_check_output(GetCheckOutput { id, check }).await?;
        return match arguments.json {
            true => print_json(&output),
            // The output of a terminal, whose control characters the keeper removed.
            false => print(&format!("{}\n", output.text.trim_end())),
        };
    }
    if arguments.send {
        let session = client.send_failures(request).await?;
        let text = format!("the failures were queued as a message to {}\n", session.name);
        return told(&session, arguments.json, &text);
    }
    if arguments.cancel {
        let session = client.cancel_checks(request).await?;
        let text = format!("the run of {} was cancelled\n", session.name);
        return told(&session, arguments.json, &text);
    }
    let session = match arguments.last {
        true => client.get_session(request).await?,
        false => {
            let session = client.check_session(request).await?;
            if arguments.no_wait {
                let text = format!("the checks of {} were requested\n", session.name);
                return told(&session, arguments.json, &text);
            }
            told_on_terminal("waiting for the checks; Ctrl-C leaves them running");
            let before = ended_at(&session);
            let session = finished(&home, client, session.id.to_string()).await?;
            if ended_at(&session) == before {
                let what = format!("the run of {} was cancelled", session.name);
                return Err(Failure::new(what).hint("`--last` shows the result of the run before"));
            }
            session
        }
    };
    if arguments.json {
        print_json(&session)?;
    } else {
        print(&text(&session)?)?;
    }
    let state = session.checks.as_ref().map(|checks| checks.state);
    match state {
        Some(ChecksState::Red | ChecksState::Error) => Ok(ExitCode::FAILURE),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn told(session: &Session, json: bool, text: &str) -> Outcome {
    match json {
        true => print_json(session),
        false => print(text),
    }
}

/// Returns when the last run ended.
fn ended_at(session: &Session) -> Option<Timestamp> {
    let last = session.checks.as_ref().and_then(|checks| checks.last.as_ref());
    last.map(|last| last.finished_at)
}

/// Waits until the run that is under way has ended.
async fn finished(home: &Home, client: Client, id: String) -> Result<Session, Failure> {
    let over = |session: &Session| {
        let state = session.checks_state;
        Ok(!matches!(
            state,
            Some(ChecksState::Waiting | ChecksState::Running)
        ))
    };
    let found = until(home, client, &[id], None, over).await?;
    let gone = || Failure::new("the session is gone");
    found.into_iter().next().ok_or_else(gone)
}

/// Describes the checks of a session.
fn text(session: &Session) -> Result<String, Failure> {
    let name = &session.name;
    let Some(checks) = &session.checks else {
        let failure = Failure::new(format!("the checks of {name} have not run yet"));
        return Err(failure.hint(format!("`downbeat check {name}` runs them")));
    };
    let mut text = match checks.state {
        ChecksState::Waiting => format!("{name}: its checks wait for those of another session\n"),
        ChecksState::Running => format!("{name}: its checks are running\n"),
        ChecksState::Green | ChecksState::Red | ChecksState::Error => String::new(),
    };
    if let Some(last) = &checks.last {
        text.push_str(&result(name, checks, last));
    }
    Ok(text)
}

fn result(name: &str, checks: &Checks, last: &Verification) -> String {
    let paint = Paint::for_stdout();
    let commit = last.commit.get(..8).unwrap_or(&last.commit);
    if let Some(error) = &last.error {
        let word = paint.bad("not run");
        return format!("{name}: {word}: {}\n", plain(error));
    }
    let word = match last.is_green() {
        true => paint.good("green"),
        false => paint.bad("red"),
    };
    let mut text = format!("{name} at {commit}: {word}\n");
    for check in &last.checks {
        text.push_str(&line(paint, check));
    }
    if last.uncommitted > 0 {
        let files = count(last.uncommitted, "file that is", "files that are");
        text.push_str(&format!("not checked: {files} not committed\n"));
    }
    if checks.sent > 0 {
        let times = count(checks.sent, "time", "times");
        text.push_str(&format!("sent to the agent {times}\n"));
    }
    text
}

fn line(paint: Paint, check: &CheckResult) -> String {
    let seconds = check.millis / 1000;
    let word = match check.outcome {
        CheckOutcome::Passed => paint.good("passed"),
        CheckOutcome::Failed => match check.exit_code {
            Some(code) => paint.bad(&format!("failed, exit code {code}")),
            None => paint.bad("failed, ended by a signal"),
        },
        CheckOutcome::TimedOut => paint.bad("ended at its time limit"),
        CheckOutcome::TooManyProcesses => {
            paint.bad(&format!("ended: it started more than {MOST_PROCESSES} processes"))
        }
        CheckOutcome::NotStarted => paint.bad("could not be started"),
    };
    let optional = if check.required { "" } else { ", optional" };
    let mut text = format!("  {}: {word} ({seconds} s{optional})\n", plain(&check.name));
    for line in check.excerpt.lines() {
        text.push_str(&format!("    {}\n", plain(line)));
    }
    text
}
