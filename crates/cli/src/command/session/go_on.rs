//! `downbeat go-on`: continues a session that is paused, or waits for the end of a usage limit.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::show;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::{GoOn, GoOnSession};
use jiff::Timestamp;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Automatically, whenever a usage limit is over
    #[arg(long, conflicts_with = "not")]
    after_limit: bool,
    /// Not automatically, whatever the settings say
    #[arg(long)]
    not: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let when = match (arguments.after_limit, arguments.not) {
        (true, _) => GoOn::AfterLimit,
        (_, true) => GoOn::Not,
        _ => GoOn::Now,
    };
    let request = GoOnSession {
        id: arguments.session,
        when: Some(when),
    };
    let session = client.go_on_session(request).await?;
    if arguments.json {
        return print_json(&session);
    }
    let name = &session.name;
    let over = session.limit.as_ref().and_then(|limit| limit.over_at);
    let over = over.map(|at| format!(", at {}", show::clock(at, Timestamp::now())));
    print(&match when {
        GoOn::Now => format!("{name} continues\n"),
        GoOn::AfterLimit => format!(
            "{name} continues automatically once its usage limit is over{}\n",
            over.unwrap_or_default()
        ),
        GoOn::Not => {
            format!("{name} does not continue automatically; `downbeat go-on {name}` continues it\n")
        }
    })
}
