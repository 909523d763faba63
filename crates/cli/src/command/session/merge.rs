//! `downbeat merge`: merges the work of a session: its pull request at the forge, or into its project's default branch.

use crate::client::Client;
use crate::command::look::wait::until;
use crate::command::session::queue::Level;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_model::session::{MergeOutcome, MergeStrategy};
use downbeat_wire::Client as _;
use downbeat_wire::merge::MergeSession;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use jiff::Timestamp;
use std::cell::Cell;
use std::io::IsTerminal as _;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Merge its commits as one
    #[arg(long, conflicts_with_all = ["rebase", "merge_commit", "cancel"])]
    squash: bool,
    /// Put its commits on top of the default branch, one by one
    #[arg(long, conflicts_with_all = ["merge_commit", "cancel"])]
    rebase: bool,
    /// Merge them with a merge commit, as is usual without a pull request
    #[arg(long, conflicts_with = "cancel")]
    merge_commit: bool,
    /// Merge work that its checks did not find good; a forge's own rules stand
    #[arg(long, conflicts_with = "cancel")]
    unchecked: bool,
    /// How soon it lands, if others wait too
    #[arg(long, value_name = "PRIORITY", conflicts_with = "cancel")]
    priority: Option<Level>,
    /// Merge into the default branch here, although there is an open pull request
    #[arg(long, conflicts_with_all = ["cancel", "number", "delete_branch", "when_ready"])]
    local: bool,
    /// The number of the pull request; default the only open one
    #[arg(long, short = 'n', value_name = "NUMBER", conflicts_with = "cancel")]
    number: Option<u64>,
    /// Delete the branch of the pull request at the forge afterwards
    #[arg(long, conflicts_with = "cancel")]
    delete_branch: bool,
    /// Let the forge merge the pull request as soon as nothing is missing
    #[arg(long, conflicts_with_all = ["cancel", "unchecked"])]
    when_ready: bool,
    /// Merge before the work in other projects that the session's plan needs first
    #[arg(long, conflicts_with = "cancel")]
    any_order: bool,
    /// The full id of the commit that you looked at: refuse to merge any other
    #[arg(long, value_name = "COMMIT", conflicts_with = "cancel")]
    head: Option<String>,
    /// Do not wait for the result
    #[arg(long, conflicts_with = "cancel")]
    no_wait: bool,
    /// Cancel the merge that is under way
    #[arg(long)]
    cancel: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Returns how the work is merged, if that is said.
    fn strategy(&self) -> Option<MergeStrategy> {
        match (self.squash, self.rebase, self.merge_commit) {
            (true, _, _) => Some(MergeStrategy::Squash),
            (_, true, _) => Some(MergeStrategy::Rebase),
            (_, _, true) => Some(MergeStrategy::Merge),
            _ => None,
        }
    }
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let id = arguments.session.clone();
    if arguments.cancel {
        let session = client.cancel_merge(SessionRef { id }).await?;
        return match arguments.json {
            true => print_json(&session),
            false => print(&format!("the merge of {} was cancelled\n", session.name)),
        };
    }
    let strategy = arguments.strategy();
    let request = MergeSession {
        id,
        strategy,
        unchecked: arguments.unchecked.then_some(true),
        priority: arguments.priority.map(Level::into),
        local: arguments.local.then_some(true),
        number: arguments.number,
        head: arguments.head,
        delete_branch: arguments.delete_branch.then_some(true),
        when_ready: arguments.when_ready.then_some(true),
        any_order: arguments.any_order.then_some(true),
    };
    let mut session = client.merge_session(request).await?;
    if !arguments.no_wait {
        let before = ended_at(&session);
        session = finished(&home, client, session.id.to_string()).await?;
        if ended_at(&session) == before {
            return Err(Failure::new(format!(
                "the merge of {} was cancelled",
                session.name
            )));
        }
    }
    match arguments.json {
        true => print_json(&session)?,
        false => print(&text(&session))?,
    };
    let last = session.merges.as_ref().and_then(|merges| merges.last.as_ref());
    let landed = |outcome| {
        matches!(
            outcome,
            MergeOutcome::Landed | MergeOutcome::Contained | MergeOutcome::Queued
        )
    };
    match last {
        Some(last) if !arguments.no_wait && !landed(last.outcome) => Ok(ExitCode::FAILURE),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns when the last merge ended.
fn ended_at(session: &Session) -> Option<Timestamp> {
    let last = session.merges.as_ref().and_then(|merges| merges.last.as_ref());
    last.map(|last| last.at)
}

/// Waits until the merge that is under way has ended.
async fn finished(home: &Home, client: Client, id: String) -> Result<Session, Failure> {
    let told = Cell::new(None);
    let over = |session: &Session| {
        let merges = session.merges.as_ref();
        let waits = merges.and_then(|merges| merges.waits.clone());
        if let Some(waits) = waits {
            let before = told.replace(Some(waits.clone()));
            if before.is_none() && std::io::stderr().is_terminal() {
                eprintln!("{} (Ctrl+C leaves it in the queue)", plain(&waits));
            } else if before.as_ref() != Some(&waits) {
                eprintln!("{}", plain(&waits));
            }
        }
        Ok(merges.is_none_or(|merges| !merges.under_way))
    };
    let found = until(home, client, &[id], None, over).await?;
    let gone = || Failure::new("the session is gone");
    found.into_iter().next().ok_or_else(gone)
}

fn text(session: &Session) -> String {
    let name = &session.name;
    let merges = session.merges.as_ref();
    match merges.and_then(|merges| merges.last.as_ref().filter(|_| !merges.under_way)) {
        None => format!("the merge of {name} was requested\n"),
        Some(last) => {
            let files = last.files.iter().map(|file| format!("  {}\n", plain(file)));
            format!("{}\n{}", plain(&last.detail), files.collect::<String>())
        }
    }
}
