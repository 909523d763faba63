//! `downbeat restore`: starts an ended session again, in the same directory.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_wire::session::{ResumeSession, Session};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session
    session: String,
    /// Start a new conversation where the old one cannot be found
    #[arg(long)]
    fresh: bool,
    /// Make its worktree again where that was deleted by hand; what was not committed is gone
    #[arg(long)]
    remake: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = ResumeSession {
        id: arguments.session,
        fresh: arguments.fresh.then_some(true),
        remake: arguments.remake.then_some(true),
    };
    let session: Session = client
        .call("resume_session", request)
        .await
        .map_err(Failure::from)?;
    say(&session, arguments.json)
}

/// Says how a session that was started stands now, and how to look at it.
pub(crate) fn say(session: &Session, json: bool) -> Outcome {
    if json {
        return print_json(session);
    }
    print(&format!(
        "{name} is {status}; `downbeat attach {name}`\n",
        name = session.name,
        status = session.status.as_str()
    ))
}
