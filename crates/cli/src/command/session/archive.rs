//! `downbeat archive` and `downbeat unarchive`: archive ended sessions, and put them back on the list.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::request::{OffTheList, SessionRef};

#[derive(Debug, Args)]
pub(in crate::command) struct Away {
    /// The session
    session: String,
    /// Archive it even if a program is running in a side shell; the program ends
    #[arg(long, short)]
    force: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Back {
    /// The session
    session: String,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Away, home: Home) -> Outcome {
    let request = OffTheList {
        id: arguments.session,
        force: arguments.force.then_some(true),
    };
    let session = Client::ready(&home).await?.archive_session(request).await?;
    if arguments.json {
        return print_json(&session);
    }
    let name = &session.name;
    print(&format!(
        "archived {name}; `downbeat list --archived` shows it, `downbeat unarchive {name}` restores it\n"
    ))
}

pub(in crate::command) async fn back(arguments: Back, home: Home) -> Outcome {
    let request = SessionRef {
        id: arguments.session,
    };
    let session = Client::ready(&home).await?.unarchive_session(request).await?;
    if arguments.json {
        return print_json(&session);
    }
    print(&format!("{} was restored to the list\n", session.name))
}
