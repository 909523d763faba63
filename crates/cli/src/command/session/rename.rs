//! `downbeat rename`: gives a session another title.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::EditSession;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Its new title
    title: String,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = EditSession {
        id: arguments.session,
        title: arguments.title,
    };
    let session = client.edit_session(request).await?;
    if arguments.json {
        return print_json(&session);
    }
    let title = plain(&session.title);
    print(&format!(
        "{} is now titled {title:?}; its name stays the same\n",
        session.name
    ))
}
