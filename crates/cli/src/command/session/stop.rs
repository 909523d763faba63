//! `downbeat stop`: ends sessions gracefully. `--all` also ends an engine without a window.

use crate::client::{self, Client};
use crate::command::session::kill::ended_text;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, each, print, print_json};
use clap::{ArgGroup, Args};
use downbeat_wire::Client as _;
use downbeat_wire::engine::{OnShutdown, Shutdown};
use downbeat_wire::request::Nothing;
use downbeat_wire::session::StopSessions;
use downbeat_wire::worker::Ended;

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).multiple(true).args(["sessions", "project", "all"])))]
pub(in crate::command) struct Arguments {
    /// The sessions
    #[arg(value_name = "SESSION", conflicts_with_all = ["project", "all"])]
    sessions: Vec<String>,
    /// All sessions of this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// All sessions, and the engine if it has no window; with --project all of that project, as without
    #[arg(long)]
    all: bool,
    /// Print what was ended as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let all = arguments.all && arguments.project.is_none();
    // Even without an engine there may be keepers, or sessions that an engine was about to start, with the
    // processes that prepared them: an engine is started to end those, and only then.
    let client = match Client::running(&home).await? {
        Some(client) => client,
        None if all && !client::anything_left(&home).await => {
            let ended = Ended { sessions: Vec::new() };
            return match arguments.json {
                true => print_json(&ended),
                false => print(&ended_text("stopped", &ended)),
            };
        }
        None => Client::started(&home).await?,
    };
    if !arguments.sessions.is_empty() {
        return each(&arguments.sessions, arguments.json, async |id| {
            let request = StopSessions {
                id: Some(id),
                project: None,
                all: None,
            };
            let ended = stop(&client, request).await?;
            let told = ended_text("stopped", &ended);
            Ok((ended, told))
        })
        .await;
    }
    let request = StopSessions {
        id: None,
        project: arguments.project,
        all: all.then_some(true),
    };
    let ended = stop(&client, request).await?;
    if all {
        let engine = client.get_engine(Nothing {}).await?;
        if engine.headless {
            let request = Shutdown {
                sessions: OnShutdown::Stop,
            };
            client.shutdown_engine(request).await?;
        }
    }
    if arguments.json {
        print_json(&ended)
    } else {
        print(&ended_text("stopped", &ended))
    }
}

async fn stop(client: &Client, request: StopSessions) -> Result<Ended, Failure> {
    client.stop_sessions(request).await.map_err(Failure::from)
}
