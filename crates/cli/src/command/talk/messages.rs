//! `downbeat messages`: lists and changes the queue of a session's messages.

use crate::client::{self, Client};
use crate::command::talk::send::spoken;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json};
use crate::paint::plain;
use crate::show::{ago, cut};
use crate::table;
use clap::{Args, Subcommand};
use downbeat_model::{Sender, When};
use downbeat_wire::Client as _;
use downbeat_wire::message::{EditMessage, Message, MessageRef};
use downbeat_wire::request::SessionRef;
use jiff::Timestamp;

/// The maximum length of a text in the list, in characters.
const SHOWN: usize = 60;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    #[command(subcommand)]
    action: Option<Action>,
    /// Print them as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the messages: the outcome of the latest, then the queued ones
    List,
    /// Change the text of a queued message
    Edit {
        /// Its number
        #[arg(value_name = "NUMBER")]
        message: String,
        /// The new text; `-` reads standard input
        #[arg(required = true, allow_hyphen_values = true)]
        text: Vec<String>,
    },
    /// Remove a message from the queue
    Delete {
        /// Its number
        #[arg(value_name = "NUMBER")]
        message: String,
    },
    /// Move a queued message to another place in the queue
    Move {
        /// Its number
        #[arg(value_name = "NUMBER")]
        message: String,
        /// The place, from 1
        place: u32,
    },
    /// Deliver a message next; the current turn is interrupted
    Now {
        /// Its number
        #[arg(value_name = "NUMBER")]
        message: String,
    },
    /// Send a message again that did not arrive
    Again {
        /// Its number
        #[arg(value_name = "NUMBER")]
        message: String,
    },
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    if matches!(arguments.action, None | Some(Action::List)) {
        return list(&home, arguments.session, arguments.json).await;
    }
    let client = Client::ready(&home).await?;
    let id = arguments.session.clone();
    let edit = |message: String| EditMessage {
        id: id.clone(),
        message,
        ..EditMessage::default()
    };
    let request = match arguments.action {
        None | Some(Action::List) => return DONE,
        Some(Action::Delete { message }) => {
            let request = MessageRef { id, message };
            let done = client.delete_message(request).await?;
            return match arguments.json {
                true => print_json(&done),
                false => print("deleted\n"),
            };
        }
        Some(Action::Edit { message, text }) => EditMessage {
            text: Some(spoken(&text)?),
            ..edit(message)
        },
        Some(Action::Move { message, place }) => EditMessage {
            place: Some(place),
            ..edit(message)
        },
        Some(Action::Now { message }) => EditMessage {
            when: Some(When::Now),
            ..edit(message)
        },
        Some(Action::Again { message }) => EditMessage {
            again: Some(true),
            ..edit(message)
        },
    };
    let changed = client.edit_message(request).await?;
    match arguments.json {
        true => print_json(&changed),
        false => print(&text(&[changed], Timestamp::now())),
    }
}

async fn list(home: &Home, id: String, json: bool) -> Outcome {
    let all = client::look(home).list_messages(SessionRef { id }).await?;
    match (json, all.is_empty()) {
        (true, _) => print_json(&all),
        (false, true) => print("no messages\n"),
        (false, false) => print(&text(&all, Timestamp::now())),
    }
}

fn text(messages: &[Message], now: Timestamp) -> String {
    let rows: Vec<Vec<table::Cell>> = messages
        .iter()
        .map(|message| {
            let from = match &message.from {
                Sender::Person => "you".to_owned(),
                other => String::from(other.clone()),
            };
            let when = match message.when {
                When::Now => "now",
                When::WhenReady => "when ready",
            };
            [
                message.id.to_string(),
                message
                    .place
                    .map_or_else(|| "-".to_owned(), |place| place.to_string()),
                message.state.as_str().to_owned(),
                ago(message.changed_at, now),
                when.to_owned(),
                from,
                cut(&plain(&message.text), SHOWN),
                plain(&message.detail),
            ]
            .map(table::Cell::from)
            .to_vec()
        })
        .collect();
    let titles = ["NUMBER", "PLACE", "STATE", "SINCE", "WHEN", "FROM", "TEXT", "WHY"];
    table::lines(&titles, &rows)
}
