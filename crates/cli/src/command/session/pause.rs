//! `downbeat pause`: holds a session back until `downbeat go-on`.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::PauseSession;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Also all sessions below it
    #[arg(long)]
    workers: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = PauseSession {
        id: arguments.session,
        workers: arguments.workers.then_some(true),
    };
    let session = client.pause_session(request).await?;
    if arguments.json {
        return print_json(&session);
    }
    let name = &session.name;
    print(&format!(
        "{name} is paused: messages wait and it starts no workers; `downbeat go-on {name}` continues it\n"
    ))
}
