//! `downbeat attention`: raises a notice for the person, from a script or an agent; lists the sessions that need the person, and puts one of
//! them off.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use crate::show::{ago, clock};
use crate::table::{Cell, lines};
use clap::Subcommand;
use downbeat_model::Attention;
use downbeat_model::reactions::NoticePriority;
use downbeat_wire::Client as _;
use downbeat_wire::notice::AddAttention;
use downbeat_wire::session::{SessionFilter, SessionSummary, SnoozeSession, needing};
use jiff::{SignedDuration, Timestamp};

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// Raise a notice for the person
    Add {
        /// What the person should know
        text: String,
        /// The session it is about; inside a session, that session
        #[arg(long)]
        session: Option<String>,
        /// How urgent it is: info, warning, action or urgent
        #[arg(long, value_parser = priority)]
        priority: Option<NoticePriority>,
        /// Its title; by default that of the session
        #[arg(long)]
        title: Option<String>,
    },
    /// Put off what a session needs you for; something newer is shown at once
    Snooze {
        /// The session
        session: String,
        /// For how many minutes
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(i64).range(1..=43_200))]
        minutes: i64,
        /// Show it again now
        #[arg(long, conflicts_with = "minutes")]
        end: bool,
    },
    /// List the sessions that need you, longest first
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    match arguments {
        Arguments::Add {
            text,
            session,
            priority,
            title,
        } => {
            let request = AddAttention {
                text,
                session,
                priority,
                title,
            };
            client.add_attention(request).await?;
            print("the person is notified\n")
        }
        Arguments::Snooze {
            session,
            minutes,
            end,
        } => {
            let now = Timestamp::now();
            let until = (!end).then(|| now + SignedDuration::from_mins(minutes));
            let request = SnoozeSession { id: session, until };
            let session = client.snooze_session(request).await?;
            print(&match until {
                Some(until) => format!(
                    "{} is snoozed until {}; something newer is shown at once\n",
                    session.name,
                    clock(until, now)
                ),
                None => format!("{} is no longer snoozed\n", session.name),
            })
        }
        Arguments::List { json } => {
            let sessions = client.list_sessions(SessionFilter::default()).await?;
            let needing = needing(&sessions);
            match json {
                true => print_json(&needing.iter().map(|(session, _)| session).collect::<Vec<_>>()),
                false => print(&listed(&needing, Timestamp::now())),
            }
        }
    }
}

fn listed(sessions: &[(&SessionSummary, &Attention)], now: Timestamp) -> String {
    if sessions.is_empty() {
        return "no session needs you\n".to_owned();
    }
    let row = |(session, attention): &(&SessionSummary, &Attention)| {
        let cells = [
            session.name.clone(),
            ago(attention.since, now),
            plain(&attention.why),
        ];
        cells.map(Cell::from).to_vec()
    };
    let rows: Vec<Vec<Cell>> = sessions.iter().map(row).collect();
    lines(&["SESSION", "FOR", "WHY"], &rows)
}

fn priority(word: &str) -> Result<NoticePriority, String> {
    serde_json::from_value(serde_json::Value::String(word.to_owned()))
        .map_err(|_| "expected info, warning, action or urgent".to_owned())
}
