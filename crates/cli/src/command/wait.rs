//! `downbeat wait`: waits until sessions rest, over the stream of changes.

use crate::client::Client;
use crate::command::status::{next_engine, subscribe};
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::{Args, ValueEnum};
use downbeat_model::Status;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The sessions
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<String>,
    /// What to wait for; default any of them
    #[arg(long, value_name = "STATUS")]
    until: Option<Until>,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Print the sessions as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Until {
    /// Its turn is over
    Idle,
    /// It waits for you
    Waiting,
    /// Its agent ended
    Ended,
}

impl Until {
    fn is(self, status: Status) -> bool {
        match self {
            Self::Idle => status == Status::Idle,
            Self::Waiting => matches!(status, Status::Waiting | Status::SetupFailed),
            Self::Ended => status.is_ended(),
        }
    }
}

/// Whether a session rests: nothing more comes of it until somebody does something.
pub(crate) fn rests(status: Status) -> bool {
    [Until::Idle, Until::Waiting, Until::Ended]
        .iter()
        .any(|until| until.is(status))
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let there = |session: &Session| match arguments.until {
        Some(until) => until.is(session.status),
        None => rests(session.status),
    };
    let patience = arguments.timeout.map(Duration::from_secs);
    let found = until(&home, client, &arguments.sessions, patience, there).await?;
    if arguments.json {
        return print_json(&found);
    }
    let line = |session: &Session| format!("{} is {}\n", session.name, session.status.as_str());
    print(&found.iter().map(line).collect::<String>())
}

/// Waits until each session is `there`, across engines that follow one another.
pub(crate) async fn until(
    home: &Home,
    mut client: Client,
    sessions: &[String],
    patience: Option<Duration>,
    there: impl Fn(&Session) -> bool,
) -> Result<Vec<Session>, Failure> {
    let deadline = patience.map(|patience| Instant::now() + patience);
    loop {
        // Subscribed before the first look, so that nothing between the two is missed.
        let mut changes = subscribe(&client).await?;
        loop {
            let found = look(&client, sessions).await?;
            if found.iter().all(&there) {
                return Ok(found);
            }
            let next = changes.next();
            let next = match deadline {
                Some(deadline) => tokio::time::timeout_at(deadline, next).await,
                None => Ok(next.await),
            };
            match next {
                Ok(Some(Ok(_))) => {}
                Ok(_) => break,
                Err(_) => return Err(late(&found, there)),
            }
        }
        client = next_engine(home).await?;
    }
}

fn late(found: &[Session], there: impl Fn(&Session) -> bool) -> Failure {
    let others = found.iter().filter(|session| !there(session));
    let others: Vec<String> = others
        .map(|session| format!("{} is {}", session.name, session.status.as_str()))
        .collect();
    Failure::new(format!("the time is over: {}", others.join(", ")))
}

async fn look(client: &Client, sessions: &[String]) -> Result<Vec<Session>, Failure> {
    let mut found = Vec::new();
    for id in sessions {
        let request = SessionRef { id: id.clone() };
        let session = client.call("get_session", request).await;
        found.push(session.map_err(Failure::from)?);
    }
    Ok(found)
}
