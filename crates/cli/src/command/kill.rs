//! `downbeat kill`: ends sessions now, their whole process trees.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use downbeat_wire::worker::Ended;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session
    session: String,
    /// Kill all workers below it instead, at every level
    #[arg(long)]
    workers: bool,
    /// Print what was ended as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = SessionRef {
        id: arguments.session,
    };
    if arguments.workers {
        let ended: Ended = client
            .call("kill_workers", request)
            .await
            .map_err(Failure::from)?;
        return match arguments.json {
            true => print_json(&ended),
            false => print(&told("killed", &ended)),
        };
    }
    let session: Session = client
        .call("kill_session", request)
        .await
        .map_err(Failure::from)?;
    if arguments.json {
        return print_json(&session);
    }
    let kept = session
        .workspace_path
        .as_deref()
        .map(|path| format!("; its files stay in {path}"));
    print(&format!("killed {}{}\n", session.name, kept.unwrap_or_default()))
}

/// Of more than these the number is told.
const NAMED: usize = 12;

/// Which sessions ended, in a sentence.
pub(crate) fn told(word: &str, ended: &Ended) -> String {
    match ended.sessions.is_empty() {
        true => format!("nothing to be {word}\n"),
        false if ended.sessions.len() > NAMED => format!("{word} {} sessions\n", ended.sessions.len()),
        false => format!("{word} {}\n", ended.sessions.join(", ")),
    }
}
