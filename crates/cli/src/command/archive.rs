//! `downbeat archive` and `downbeat unarchive`: puts ended sessions away, and back on the list.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session
    session: String,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let (session, json) = change("archive_session", arguments, home).await?;
    if json {
        return print_json(&session);
    }
    let name = &session.name;
    print(&format!(
        "archived {name}; `downbeat list --archived` shows it, `downbeat unarchive {name}` brings it back\n"
    ))
}

pub(crate) async fn back(arguments: Arguments, home: Home) -> Outcome {
    let (session, json) = change("unarchive_session", arguments, home).await?;
    if json {
        return print_json(&session);
    }
    print(&format!("{} is on the list again\n", session.name))
}

async fn change(operation: &str, arguments: Arguments, home: Home) -> Result<(Session, bool), Failure> {
    let client = Client::ready(&home).await?;
    let request = SessionRef {
        id: arguments.session,
    };
    let session = client.call(operation, request).await.map_err(Failure::from)?;
    Ok((session, arguments.json))
}
