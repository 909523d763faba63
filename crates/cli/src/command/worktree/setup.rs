//! `downbeat setup`: continues a session whose set-up failed.

use crate::client::Client;
use crate::command::session::resume;
use crate::home::Home;
use crate::outcome::Outcome;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::ContinueSetup;

#[derive(Debug, Args)]
#[command(after_help = "Without an option, the failed step runs again.")]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Start the agent although set-up failed
    #[arg(long)]
    start_anyway: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let request = ContinueSetup {
        id: arguments.session,
        start_anyway: Some(arguments.start_anyway),
    };
    let session = client.continue_setup(request).await?;
    resume::say(&session, arguments.json)
}
