//! `downbeat status`: shows one session with its evidence, or all; `--watch` follows the event stream.

use crate::client::{self, Client};
use crate::command::look::list::{fetch, text};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::Paint;
use crate::show;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::roster::Roster;
use downbeat_wire::session::{Session, SessionFilter, SessionSummary};
use futures_util::StreamExt;
use jiff::Timestamp;
use std::io::IsTerminal;
use std::time::Duration;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;

/// The time limit for the next engine to appear.
const HANDOVER: Duration = Duration::from_secs(10);

/// The interval between checks for the next engine.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session; default all
    session: Option<String>,
    /// Only sessions of this project
    #[arg(long, short, value_name = "PROJECT", conflicts_with = "session")]
    project: Option<String>,
    /// Print as JSON; with --watch one object or list a line
    #[arg(long)]
    json: bool,
    /// Print again whenever something changes, until interrupted
    #[arg(long, short)]
    watch: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    if !arguments.watch {
        let engine = client::visit(&home).await?;
        let shown = show_once(&engine.client, &arguments).await;
        engine.leave().await;
        return shown;
    }
    let mut client = Client::ready(&home).await?;
    loop {
        follow(&client, &arguments).await?;
        client = next_engine(&home).await?;
    }
}

/// Prints now and at each change, until the engine ends.
async fn follow(client: &Client, arguments: &Arguments) -> Result<(), Failure> {
    // Subscribes before the first read, so that nothing between the two is missed.
    let mut changes = subscribe(client).await?;
    let mut roster = Roster::default();
    show_again(client, arguments, &mut roster).await?;
    while let Some(Ok(message)) = changes.next().await {
        let Message::Text(item) = message else {
            continue;
        };
        // Items of a newer engine are passed over.
        if let Ok(item) = serde_json::from_str(&item) {
            roster.note(&item);
        }
        if !roster.is_current() {
            show_again(client, arguments, &mut roster).await?;
        }
    }
    Ok(())
}

/// Waits for the engine that follows one that handed over. Starts none, since the last one may have been
/// stopped.
pub(in crate::command) async fn next_engine(home: &Home) -> Result<Client, Failure> {
    let until = Instant::now() + HANDOVER;
    while Instant::now() < until {
        tokio::time::sleep(LOOK).await;
        if let Some(client) = Client::running(home).await? {
            return Ok(client);
        }
    }
    Err(Failure::new("the engine ended").hint("sessions keep running; run this again to start an engine"))
}

async fn show_once(client: &Client, arguments: &Arguments) -> Outcome {
    match &arguments.session {
        Some(id) => show_one(client, &one(client, id).await?, arguments.json).await,
        None => show_all(&fetch(client, filter(arguments)).await?, arguments.json),
    }
}

async fn show_one(client: &Client, session: &Session, json: bool) -> Outcome {
    if json {
        return print_json(session);
    }
    let others = match session.collisions.is_empty() {
        true => Vec::new(),
        false => {
            let ids = session.collisions.iter().map(|one| one.session.clone()).collect();
            let ids = Some(ids);
            fetch(
                client,
                SessionFilter {
                    ids,
                    ..SessionFilter::default()
                },
            )
            .await?
        }
    };
    let others: Vec<&SessionSummary> = others.iter().collect();
    print(&show::session(
        Paint::for_stdout(),
        session,
        &others,
        Timestamp::now(),
    ))
}

fn show_all(sessions: &[SessionSummary], json: bool) -> Outcome {
    match json {
        true => print_json(&sessions),
        false => print(&text(sessions, false)),
    }
}

/// Prints the watched session, or all sessions after reading only those that changed.
async fn show_again(client: &Client, arguments: &Arguments, roster: &mut Roster) -> Outcome {
    let whole = match &arguments.session {
        Some(id) => {
            // How the others are is not asked for.
            roster.take_up(&SessionFilter::default(), Vec::new());
            Some(one(client, id).await?)
        }
        None => {
            let asked = roster.request(filter(arguments));
            let fresh = fetch(client, asked.clone()).await?;
            roster.take_up(&asked, fresh);
            None
        }
    };
    if arguments.json {
        let line = match &whole {
            Some(session) => serde_json::to_string(session)?,
            None => serde_json::to_string(roster.sessions())?,
        };
        return print(&format!("{line}\n"));
    }
    if std::io::stdout().is_terminal() {
        print("\x1b[H\x1b[2J")?;
    }
    match &whole {
        Some(session) => show_one(client, session, false).await,
        None => show_all(roster.sessions(), false),
    }
}

async fn one(client: &Client, id: &str) -> Result<Session, Failure> {
    client
        .get_session(SessionRef { id: id.to_owned() })
        .await
        .map_err(Failure::from)
}

fn filter(arguments: &Arguments) -> SessionFilter {
    SessionFilter {
        project: arguments.project.clone(),
        ..SessionFilter::default()
    }
}

pub(in crate::command) type Changes = tokio_tungstenite::WebSocketStream<tokio::net::TcpStream>;

/// Opens the stream of changes, from now on.
pub(in crate::command) async fn subscribe(client: &Client) -> Result<Changes, Failure> {
    let failed =
        |error: tokio_tungstenite::tungstenite::Error| Failure::new(format!("no event stream: {error}"));
    let url = format!("ws://127.0.0.1:{}/api/events", client.port());
    let mut request = url.into_client_request().map_err(failed)?;
    let bearer = HeaderValue::try_from(format!("Bearer {}", client.token()));
    let bearer =
        bearer.map_err(|_| Failure::new("the token in engine.json is damaged").hint("downbeat doctor"))?;
    request.headers_mut().insert("authorization", bearer);
    let stream = client.stream().await?;
    let opened = tokio_tungstenite::client_async(request, stream).await;
    let (socket, _) = opened.map_err(failed)?;
    Ok(socket)
}
