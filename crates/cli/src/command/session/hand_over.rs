//! `downbeat hand-over`: gives a session's worktree to another agent, with a written summary.

use crate::client::Client;
use crate::command::session::resume;
use crate::home::Home;
use crate::outcome::Outcome;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::restore::HandOverSession;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// The agent that takes over
    #[arg(long, short)]
    agent: String,
    /// The model to request; default the agent's own
    #[arg(long, short)]
    model: Option<String>,
    /// A note for the new agent, in addition to the summary
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = HandOverSession {
        id: arguments.session,
        agent: arguments.agent,
        model: arguments.model,
        note: arguments.note,
    };
    let session = client.hand_over_session(request).await?;
    resume::say(&session, arguments.json)
}
