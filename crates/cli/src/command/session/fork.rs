//! `downbeat fork`: starts a new session from another one's conversation, in a worktree of its own.

use crate::client::Client;
use crate::command::session::resume;
use crate::home::Home;
use crate::outcome::Outcome;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::restore::ForkSession;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session to fork
    session: String,
    /// The fork's readable name; default made from its title
    #[arg(long)]
    name: Option<String>,
    /// Its title; default the other's, with "(fork)"
    #[arg(long)]
    title: Option<String>,
    /// The task of the fork
    #[arg(long, short)]
    prompt: Option<String>,
    /// Copy its uncommitted work, too
    #[arg(long, conflicts_with = "leave")]
    bring: bool,
    /// Start at its commit, without its uncommitted work
    #[arg(long)]
    leave: bool,
    /// Print the new session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = ForkSession {
        id: arguments.session,
        title: arguments.title,
        name: arguments.name,
        prompt: arguments.prompt,
        bring: match (arguments.bring, arguments.leave) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
    };
    let session = client.fork_session(request).await?;
    resume::say(&session, arguments.json)
}
