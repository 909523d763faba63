//! `downbeat restart`: ends a session's agent gracefully and resumes it in the same conversation.

use crate::client::Client;
use crate::command::session::new::Mode;
use crate::command::session::resume;
use crate::home::Home;
use crate::outcome::Outcome;
use clap::Args;
use downbeat_model::PermissionMode;
use downbeat_wire::Client as _;
use downbeat_wire::restore::RestartSession;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// The model from now on
    #[arg(long, short)]
    model: Option<String>,
    /// The permission mode from now on
    #[arg(long, value_enum, value_name = "MODE")]
    permission_mode: Option<Mode>,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = RestartSession {
        id: arguments.session,
        model: arguments.model,
        permission_mode: arguments.permission_mode.map(PermissionMode::from),
    };
    let session = client.restart_session(request).await?;
    resume::say(&session, arguments.json)
}
