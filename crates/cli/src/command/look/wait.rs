//! `downbeat wait`: waits until sessions rest, over the stream of changes, and prints meanwhile what they
//! wait for. A wait that cannot end by itself ends with the reason.

use crate::client::Client;
use crate::command::look::status::{next_engine, subscribe};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use crate::show;
use clap::{Args, ValueEnum};
use downbeat_model::{QuestionKind, Status};
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use futures_util::StreamExt;
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// The number of further checks of a session that seems unable to reach the state.
const LOOKS: u32 = 4;

/// The pause between two of those checks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The sessions
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<String>,
    /// What to wait for; default any of them
    #[arg(long, value_name = "STATUS")]
    until: Option<Until>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Print the sessions as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::command) enum Until {
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

/// Returns whether a session rests: nothing more happens to it until somebody acts.
pub(in crate::command) fn rests(status: Status) -> bool {
    [Until::Idle, Until::Waiting, Until::Ended]
        .iter()
        .any(|until| until.is(status))
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let there = |session: &Session| {
        let is_there = match arguments.until {
            Some(until) => until.is(session.status),
            None => rests(session.status),
        };
        match never(session, arguments.until).filter(|_| !is_there) {
            Some(failure) => Err(failure),
            None => Ok(is_there),
        }
    };
    let patience = arguments.timeout.map(Duration::from_secs);
    let found = until(&home, client, &arguments.sessions, patience, there).await?;
    if arguments.json {
        return print_json(&found);
    }
    let line = |session: &Session| format!("{} is {}\n", session.name, session.status.as_str());
    print(&found.iter().map(line).collect::<String>())
}

/// Returns why a session never reaches the state, unless somebody acts.
fn never(session: &Session, until: Option<Until>) -> Option<Failure> {
    let name = plain(&session.name);
    let waits_for_life = matches!(until, Some(Until::Idle | Until::Waiting));
    match session.status {
        status if status.is_ended() && waits_for_life => {
            let what = format!("{name} has ended: it is {}", status.as_str());
            Some(Failure::new(what).hint(format!("`downbeat resume {name}` starts it again")))
        }
        Status::Paused if !matches!(until, Some(Until::Ended)) => {
            let what = standing(session).unwrap_or_else(|| format!("{name} is paused"));
            Some(Failure::new(what))
        }
        _ => None,
    }
}

/// Describes what a session waits for that does not come by itself, or not soon, and what to do about it.
pub(in crate::command) fn standing(session: &Session) -> Option<String> {
    let name = plain(&session.name);
    if let Some(question) = question(session) {
        return Some(question);
    }
    let why = show::why(session, Timestamp::now());
    match session.status {
        Status::Paused => {
            let why = why.unwrap_or_default();
            Some(format!(
                "{name} is paused ({why}); `downbeat go-on {name}` continues it"
            ))
        }
        Status::Unknown => {
            let seen = plain(&session.status_evidence.detail);
            Some(format!(
                "the status of {name} is unknown ({seen}); `downbeat attach {name}` shows it"
            ))
        }
        _ => why.map(|why| format!("{name}: {why}")),
    }
}

/// Describes the question that a session asks, and how to answer it.
pub(in crate::command) fn question(session: &Session) -> Option<String> {
    let name = plain(&session.name);
    let question = session.question.as_ref()?;
    let answers = question.options.iter().enumerate();
    let answers: Vec<String> = answers
        .map(|(at, option)| format!("{}: {}", at + 1, plain(option)))
        .collect();
    let answers = match answers.is_empty() {
        true => String::new(),
        false => format!(" ({})", answers.join(", ")),
    };
    let way = match question.kind {
        QuestionKind::Asks => "TEXT",
        _ => "CHOICE",
    };
    let text = plain(&question.text);
    Some(format!(
        "{name} asks: {text}{answers}; `downbeat answer {name} {way}`"
    ))
}

/// The lines that were printed last about the waiting sessions, so that each is printed once.
#[derive(Default)]
struct Said(Vec<String>);

impl Said {
    fn say(&mut self, waiting: &[&Session]) {
        let now: Vec<String> = waiting.iter().filter_map(|session| standing(session)).collect();
        for line in now.iter().filter(|line| !self.0.contains(line)) {
            eprintln!("waiting: {line}");
        }
        self.0 = now;
    }
}

/// Waits until each session is `there`, also across a change of engines, and prints to standard error what
/// the remaining ones wait for. Fails with the reason if `there` reports that a session never will be.
pub(in crate::command) async fn until(
    home: &Home,
    mut client: Client,
    sessions: &[String],
    patience: Option<Duration>,
    there: impl Fn(&Session) -> Result<bool, Failure>,
) -> Result<Vec<Session>, Failure> {
    let mut said = Said::default();
    let deadline = patience.map(|patience| Instant::now() + patience);
    loop {
        // Subscribes before the first read, so that nothing between the two is missed.
        let mut changes = subscribe(&client).await?;
        let mut looked = 0;
        loop {
            let found = look(&client, sessions).await?;
            let waiting = match waiting(&found, &there) {
                Ok(waiting) => waiting,
                // A session that is being restarted has ended, too, for a moment.
                Err(_) if looked < LOOKS => {
                    looked += 1;
                    tokio::time::sleep(BETWEEN_LOOKS).await;
                    continue;
                }
                Err(never) => return Err(never),
            };
            looked = 0;
            if waiting.is_empty() {
                return Ok(found);
            }
            said.say(&waiting);
            let next = changes.next();
            let next = match deadline {
                Some(deadline) => tokio::time::timeout_at(deadline, next).await,
                None => Ok(next.await),
            };
            match next {
                Ok(Some(Ok(_))) => {}
                Ok(_) => break,
                Err(_) => return Err(late(&waiting)),
            }
        }
        client = next_engine(home).await?;
    }
}

/// Returns the sessions that are not there yet; an error if one of them never will be.
fn waiting(
    found: &[Session],
    there: impl Fn(&Session) -> Result<bool, Failure>,
) -> Result<Vec<&Session>, Failure> {
    let mut waiting = Vec::new();
    for session in found {
        if !there(session)? {
            waiting.push(session);
        }
    }
    Ok(waiting)
}

fn late(waiting: &[&Session]) -> Failure {
    let others: Vec<String> = waiting
        .iter()
        .map(|session| format!("{} is {}", session.name, session.status.as_str()))
        .collect();
    Failure::new(format!("timed out: {}", others.join(", ")))
}

async fn look(client: &Client, sessions: &[String]) -> Result<Vec<Session>, Failure> {
    let mut found = Vec::new();
    for id in sessions {
        let request = SessionRef { id: id.clone() };
        let session = client.get_session(request).await;
        found.push(session.map_err(Failure::from)?);
    }
    Ok(found)
}
