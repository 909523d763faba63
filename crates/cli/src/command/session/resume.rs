//! `downbeat resume`: starts ended sessions again, each in its directory.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, each, print, print_json};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::{ResumeSession, Session};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The sessions
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<String>,
    /// Start a new conversation if the old one cannot be found
    #[arg(long)]
    fresh: bool,
    /// Recreate its worktree if the folder was deleted by hand; uncommitted work is lost
    #[arg(long)]
    remake: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let (fresh, remake) = (arguments.fresh.then_some(true), arguments.remake.then_some(true));
    each(&arguments.sessions, arguments.json, async |id| {
        let request = ResumeSession { id, fresh, remake };
        let session = client.resume_session(request).await?;
        let told = summary(&session);
        Ok((session, told))
    })
    .await
}

/// Prints the status of a session that was started, and how to watch it.
pub(in crate::command) fn say(session: &Session, json: bool) -> Outcome {
    match json {
        true => print_json(session),
        false => print(&summary(session)),
    }
}

fn summary(session: &Session) -> String {
    let (name, status) = (&session.name, session.status.as_str());
    format!("{name} is {status}; `downbeat attach {name}`\n")
}
