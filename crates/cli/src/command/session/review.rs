//! `downbeat review`: ends a review of a session's work: approves exactly one commit, or requests changes of its agent.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::change::ListChanges;
use downbeat_wire::review::{ReviewSession, ReviewVerdict};
use downbeat_wire::session::Session;

/// The fewest digits that name a commit.
const DIGITS: usize = 4;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Approve its newest commit; only the person can do this
    #[arg(
        long,
        required_unless_present = "request_changes",
        conflicts_with = "request_changes"
    )]
    approve: bool,
    /// Request changes, in one message to its agent
    #[arg(long)]
    request_changes: bool,
    /// What you say of the work
    #[arg(long, short, value_name = "TEXT")]
    message: Option<String>,
    /// The commit that you looked at, by at least four of its first digits; default its newest one
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let commit = looked_at(&client, &arguments).await?;
    let request = ReviewSession {
        id: arguments.session,
        verdict: match arguments.approve {
            true => ReviewVerdict::Approved,
            false => ReviewVerdict::ChangesRequested,
        },
        commit,
        message: arguments.message,
        comments: None,
    };
    let session = client.review_session(request).await?;
    match arguments.json {
        true => print_json(&session),
        false => print(&text(&session)),
    }
}

/// Returns the full id of the commit that the person looked at.
async fn looked_at(client: &Client, arguments: &Arguments) -> Result<String, Failure> {
    let request = ListChanges {
        id: arguments.session.clone(),
        ..ListChanges::default()
    };
    let head = client.list_changes(request).await?.head;
    match &arguments.commit {
        None => Ok(head),
        Some(commit) if commit.len() >= DIGITS && head.starts_with(commit) => Ok(head),
        Some(commit) => {
            let (name, commit) = (plain(&arguments.session), plain(commit));
            let newest = head.get(..8).unwrap_or(&head);
            let what =
                format!("the session committed since you looked: {name} is at {newest}, not at {commit}");
            Err(Failure::new(what).hint(format!("`downbeat diff {name}` shows its changes")))
        }
    }
}

fn text(session: &Session) -> String {
    let review = session.review.as_ref();
    let says = review.map(|review| plain(&review.text)).unwrap_or_default();
    format!("{}: {says}\n", session.name)
}
