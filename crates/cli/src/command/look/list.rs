//! `downbeat list`: lists the sessions, with workers below their conductors.

use crate::client::{self, Client};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::{SessionFilter, SessionSummary};
use jiff::Timestamp;

const NONE: &str = "no sessions; start one with `downbeat new`\n";

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Only sessions of this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// Only workers of this session
    #[arg(long, value_name = "SESSION")]
    parent: Option<String>,
    /// The archived sessions instead
    #[arg(long)]
    archived: bool,
    /// Include side shells
    #[arg(long)]
    shells: bool,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let engine = client::visit(&home).await?;
    let Arguments {
        project,
        parent,
        archived,
        shells,
        json,
    } = arguments;
    let none = none(project.as_deref(), parent.as_deref(), archived);
    let filter = SessionFilter {
        project,
        parent,
        archived: archived.then_some(true),
        ids: None,
    };
    let sessions = fetch(&engine.client, filter).await;
    engine.leave().await;
    let sessions = sessions?;
    if json {
        print_json(&sessions)
    } else if sessions.is_empty() {
        print(&none)
    } else {
        print(&text(&sessions, shells))
    }
}

/// Returns the text for an empty list, by its filter.
fn none(project: Option<&str>, parent: Option<&str>, archived: bool) -> String {
    match (parent, project, archived) {
        (_, _, true) => "no archived sessions; `downbeat archive SESSION` archives one\n".to_owned(),
        (Some(parent), ..) => format!("{} has no workers\n", plain(parent)),
        (_, Some(project), _) => {
            let project = plain(project);
            format!("no sessions in {project}; start one with `downbeat new -p {project}`\n")
        }
        _ => NONE.to_owned(),
    }
}

/// Fetches the sessions that match a filter.
pub(in crate::command) async fn fetch(
    client: &Client,
    filter: SessionFilter,
) -> Result<Vec<SessionSummary>, Failure> {
    client.list_sessions(filter).await.map_err(Failure::from)
}

/// Formats sessions for people, with or without the shells next to them.
pub(in crate::command) fn text(sessions: &[SessionSummary], shells: bool) -> String {
    if sessions.is_empty() {
        return NONE.to_owned();
    }
    show::sessions(Paint::for_stdout(), sessions, shells, Timestamp::now())
}
