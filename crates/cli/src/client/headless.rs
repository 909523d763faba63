//! Starts an engine without a window, detached from this terminal, and waits until it answers.

use super::link::Link;
use crate::failure::Failure;
use crate::home::Home;
use crate::log;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::time::Instant;

/// The time limit for an engine from its start to its first answer, or to make way for the next one.
const START: Duration = Duration::from_secs(20);

/// The number of times that an engine is started if it exits immediately while nobody else has the data
/// directory. The first one may have found another engine that was just ending.
const STARTS: u32 = 2;

/// The interval between checks. A start takes about a tenth of a second.
const LOOK: Duration = Duration::from_millis(20);

/// The number of bytes at the end of the log that are read when a start fails.
const LOG_TAIL: u64 = 2 << 10;

/// Starts `downbeat serve` and waits until it answers.
pub(super) async fn start(home: &Home) -> Result<Link, Failure> {
    let until = Instant::now() + START;
    let (mut child, mut starts) = (None, 0);
    loop {
        if let Some(link) = Link::running(home).await? {
            return Ok(link);
        }
        // An engine that another command started, that takes over or that makes way: wait for the outcome.
        let is_held = home.is_held();
        let has_ended = child
            .as_mut()
            .map(Child::try_wait)
            .transpose()?
            .flatten()
            .is_some();
        if has_ended {
            child = None;
        }
        if child.is_none() && !is_held {
            if starts == STARTS {
                return Err(Failure::new("the engine did not start").hint(tail(home)));
            }
            child = Some(spawn(home)?);
            starts += 1;
        }
        if Instant::now() > until {
            return Err(match is_held {
                true => Failure::new("the engine that holds the data directory does not answer")
                    .hint("`downbeat doctor` checks why"),
                false => Failure::new("the engine did not start").hint(tail(home)),
            });
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns whether there is something to end although no engine runs: a live keeper, or a session that was
/// left unfinished when the engine was killed.
pub(crate) async fn anything_left(home: &Home) -> bool {
    home.left_unfinished().await || keepers_live(home).await
}

async fn keepers_live(home: &Home) -> bool {
    for entry in fs::read_dir(home.keepers()).into_iter().flatten().flatten() {
        let answer = downbeat_keeper::connect(&entry.path()).await;
        if !matches!(answer, Err(downbeat_keeper::Error::Gone)) {
            return true;
        }
    }
    false
}

fn spawn(home: &Home) -> Result<Child, Failure> {
    // An engine below a session's keeper would end with that session.
    if std::env::var_os("DOWNBEAT_SESSION").is_some() {
        let failure = Failure::new("Downbeat is not running, and a session cannot start it");
        return Err(failure.hint("start Downbeat in a terminal outside of Downbeat"));
    }
    let log = log::open(home)?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["serve", "--detached"])
        .env("DOWNBEAT_HOME", home.root());
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    // The engine leaves this terminal by itself, if the system has sessions (`--detached`).
    downbeat_keeper::spawn_detached(&mut command)
        .map_err(|error| Failure::new(format!("the engine cannot be started: {error}")))
}

fn tail(home: &Home) -> String {
    let path = home.log();
    let read = || -> std::io::Result<String> {
        let mut file = fs::File::open(&path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let last = text
        .lines()
        .rev()
        .find(|line| line.starts_with("error"))
        .or(text.lines().last());
    match last {
        Some(line) => format!("{line} (more in {})", path.display()),
        None => format!("see {}", path.display()),
    }
}
