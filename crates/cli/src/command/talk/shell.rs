//! `downbeat shell`: opens another shell in a session's workspace, next to its agent, and attaches to it.

use crate::client::Client;
use crate::command::talk::attach;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json, wait};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::shell::Shell;

#[derive(Debug, Args)]
#[command(
    after_help = "Press Ctrl-\\ twice to leave; the shell keeps running. `exit` or `downbeat kill` ends it."
)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Do not attach to it; print its name and id
    #[arg(long, short)]
    detach: bool,
    /// Do not attach to it; print it as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(arguments: Arguments, home: &Home) -> Outcome {
    home.refuse_inside("open a shell")?;
    let attaches = !arguments.detach && !arguments.json;
    if attaches {
        // Checked before the shell is opened: otherwise a shell that nobody sees would remain.
        attach::needs_terminal("`--detach` opens the shell without showing it")?;
    }
    let id = arguments.session;
    let shell: Shell = wait(async {
        let client = Client::ready(home).await?;
        let opened = client.open_shell(SessionRef { id }).await;
        opened.map_err(Failure::from)
    })?;
    match (arguments.json, attaches) {
        (true, _) => print_json(&shell),
        (_, true) => attach::to(&home.keepers().join(shell.id.as_str()), &shell.name),
        (_, false) => print(&format!("opened {} ({})\n", shell.name, shell.id)),
    }
}
