//! Starts an engine without a window, detached from this terminal, and waits until it answers.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::log;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::time::Instant;

/// How long an engine may take from its start to its first answer.
const START: Duration = Duration::from_secs(10);

/// Between two looks. A start takes about a tenth of a second.
const LOOK: Duration = Duration::from_millis(20);

/// How much of the log is shown when a start fails.
const LOG_TAIL: u64 = 2 << 10;

/// Starts `downbeat serve` and waits for it.
pub(crate) async fn start(home: &Home) -> Result<Client, Failure> {
    let mut child = spawn(home)?;
    let until = Instant::now() + START;
    loop {
        if let Some(client) = Client::running(home).await? {
            return Ok(client);
        }
        // Another command may have started one at the same moment: ours then ends by itself, and
        // the other one answers soon.
        let ended = child.try_wait()?.is_some_and(|status| !status.success());
        if Instant::now() > until || (ended && !someone_starts(home).await?) {
            return Err(Failure::new("the engine did not start").hint(tail(home)));
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn someone_starts(home: &Home) -> Result<bool, Failure> {
    tokio::time::sleep(LOOK * 25).await;
    Ok(Client::running(home).await?.is_some())
}

fn spawn(home: &Home) -> Result<Child, Failure> {
    // An engine below a session's keeper would end with that session.
    if std::env::var_os("DOWNBEAT_SESSION").is_some() {
        let failure = Failure::new("Downbeat does not run, and a session cannot start it");
        return Err(failure.hint("start Downbeat outside of its own terminals"));
    }
    let log = log::open(home)?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["serve", "--detached"])
        .env("DOWNBEAT_HOME", home.root());
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    // It leaves this terminal by itself where there are sessions (`--detached`).
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
        None => format!("look into {}", path.display()),
    }
}
