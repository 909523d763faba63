//! `downbeat status`: shows one session with its evidence, or all; `--watch` follows the event stream.

use crate::client::{self, Client};
use crate::command::look::list::{fetch, text};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json};
use crate::paint::Paint;
use crate::show;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::Topic;
use downbeat_wire::event::StreamItem;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::{Session, SessionFilter};
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
    /// Only of this project
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
    show_again(client, arguments).await?;
    while let Some(Ok(message)) = changes.next().await {
        let Message::Text(item) = message else {
            continue;
        };
        let changed = match serde_json::from_str(&item) {
            Ok(StreamItem::Change(change)) => change.invalidates.contains(&Topic::Sessions),
            Ok(StreamItem::Resync { .. }) => true,
            // Items of a newer engine.
            Err(_) => false,
        };
        if changed {
            show_again(client, arguments).await?;
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
    if let Some(id) = &arguments.session {
        let session = one(client, id).await?;
        return match arguments.json {
            true => print_json(&session),
            false => print(&show::session(Paint::for_stdout(), &session, Timestamp::now())),
        };
    }
    let sessions = all(client, arguments).await?;
    if arguments.json {
        print_json(&sessions)
    } else {
        print(&text(&sessions, false))
    }
}

async fn show_again(client: &Client, arguments: &Arguments) -> Outcome {
    if arguments.json {
        let line = match &arguments.session {
            Some(id) => serde_json::to_string(&one(client, id).await?)?,
            None => serde_json::to_string(&all(client, arguments).await?)?,
        };
        return print(&format!("{line}\n"));
    }
    if std::io::stdout().is_terminal() {
        print("\x1b[H\x1b[2J")?;
    }
    show_once(client, arguments).await?;
    DONE
}

async fn one(client: &Client, id: &str) -> Result<Session, Failure> {
    client
        .get_session(SessionRef { id: id.to_owned() })
        .await
        .map_err(Failure::from)
}

async fn all(client: &Client, arguments: &Arguments) -> Result<Vec<Session>, Failure> {
    let filter = SessionFilter {
        project: arguments.project.clone(),
        parent: None,
        archived: None,
    };
    fetch(client, filter).await
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
