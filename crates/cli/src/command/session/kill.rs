//! `downbeat kill`: ends sessions immediately, with their whole process trees.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, each};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::worker::Ended;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The sessions
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<String>,
    /// Kill all workers below them instead, at every level
    #[arg(long)]
    workers: bool,
    /// Print what was ended as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    if arguments.workers {
        return each(&arguments.sessions, arguments.json, async |id| {
            let ended = client.kill_workers(SessionRef { id }).await?;
            let told = ended_text("killed", &ended);
            Ok((ended, told))
        })
        .await;
    }
    each(&arguments.sessions, arguments.json, async |id| {
        let session = client.kill_session(SessionRef { id }).await?;
        let kept = session.workspace_path.as_deref();
        let kept = kept.map(|path| format!("; its files stay in {path}"));
        let told = format!("killed {}{}\n", session.name, kept.unwrap_or_default());
        Ok((session, told))
    })
    .await
}

/// The maximum number of sessions that are named; of more only the number is printed.
const NAMED: usize = 12;

/// Formats a sentence with the sessions that ended.
pub(in crate::command) fn ended_text(word: &str, ended: &Ended) -> String {
    match ended.sessions.is_empty() {
        true => format!("no sessions were {word}\n"),
        false if ended.sessions.len() > NAMED => format!("{word} {} sessions\n", ended.sessions.len()),
        false => format!("{word} {}\n", ended.sessions.join(", ")),
    }
}
