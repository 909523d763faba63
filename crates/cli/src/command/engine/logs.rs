//! `downbeat logs`: the engine's own log, or all the text that a session's terminal still has.

use crate::client::Client;
use crate::command::look::output::{fetch, text};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print};
use clap::Args;
use downbeat_wire::session::OutputKind;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::time::Duration;

/// The number of lines that a terminal keeps.
const ALL_LINES: u32 = 10_000;

/// The number of bytes at the end of the engine's log that are read.
const LOG_TAIL: u64 = 1 << 20;

/// The interval between reads of a log that is followed.
const LOOK: Duration = Duration::from_millis(250);

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// A session; default the engine itself
    session: Option<String>,
    /// How many lines from the end
    #[arg(long, short = 'n', value_name = "LINES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    lines: Option<u32>,
    /// Keep printing new log lines, until interrupted
    #[arg(long, short, conflicts_with = "session")]
    follow: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    if let Some(session) = arguments.session {
        let client = Client::ready(&home).await?;
        let lines = arguments.lines.unwrap_or(ALL_LINES);
        return print(&text(
            &fetch(&client, session, OutputKind::Screen, Some(lines)).await?,
        ));
    }
    let path = home.log();
    let mut log = File::open(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::new("no engine has written a log here yet").hint(format!(
            "engines started without a terminal write to {}",
            path.display()
        )),
        _ => error.into(),
    })?;
    let length = log.metadata()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL)))?;
    let tail = more(&mut log)?;
    let lines: Vec<&str> = tail.lines().collect();
    let wanted = usize::try_from(arguments.lines.unwrap_or(100)).unwrap_or(usize::MAX);
    for line in &lines[lines.len().saturating_sub(wanted)..] {
        print(&format!("{line}\n"))?;
    }
    if !arguments.follow {
        return DONE;
    }
    loop {
        tokio::time::sleep(LOOK).await;
        print(&more(&mut log)?)?;
    }
}

fn more(log: &mut File) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    log.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
