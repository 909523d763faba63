//! Starts a keeper so that the end of the launcher, its service or its login does not end it.

use super::link::{Link, connect};
use crate::error::Error;
use crate::report::Report;
use crate::socket::private_dir;
use crate::spec::{READY, Spec};
use crate::tree::MARK;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;

/// The time that a keeper may take until it listens.
const START: Duration = Duration::from_secs(10);

/// The time that a listening keeper may take to greet. A machine that is busy or swaps must not make a
/// running program look dead.
const GREETING: Duration = Duration::from_secs(60);

/// Creates `dir`, starts `<binary> keeper <dir>` detached, sends it `spec` over a pipe, waits until
/// it listens, and connects. On Linux with a user manager the keeper gets its own systemd scope,
/// so that the end of the launcher's service or login does not end it.
///
/// [`Error::Slow`] means that the keeper runs, and its program too: call [`connect`] again later.
pub async fn launch(binary: &Path, dir: &Path, spec: &Spec) -> Result<(Link, mpsc::Receiver<Report>), Error> {
    let dir = std::path::absolute(dir)?;
    private_dir(&dir)?;
    let spec_json = serde_json::to_vec(spec)?;
    let direct = vec![
        binary.as_os_str().to_owned(),
        OsString::from("keeper"),
        dir.clone().into_os_string(),
    ];
    let started = match scope(&spec.id.to_string(), &direct) {
        Some(scoped) => match start(&scoped, &spec_json).await {
            Ok(()) => Ok(()),
            Err(_) => start(&direct, &spec_json).await,
        },
        None => start(&direct, &spec_json).await,
    };
    started?;
    let until = Instant::now() + GREETING;
    loop {
        match connect(&dir).await {
            Err(Error::Slow(..)) if Instant::now() < until => {}
            met => return met,
        }
    }
}

#[cfg(target_os = "linux")]
fn scope(id: &str, direct: &[OsString]) -> Option<Vec<OsString>> {
    let manager = Path::new(&std::env::var_os("XDG_RUNTIME_DIR")?).join("systemd/private");
    if !manager.exists() {
        return None;
    }
    let unit = format!("--unit=downbeat-{id}-{}", std::process::id());
    let mut argv: Vec<OsString> = ["systemd-run", "--user", "--scope", "--quiet", "--collect"]
        .map(Into::into)
        .into();
    argv.push(unit.into());
    argv.push("--".into());
    argv.extend(direct.iter().cloned());
    Some(argv)
}

#[cfg(not(target_os = "linux"))]
fn scope(_: &str, _: &[OsString]) -> Option<Vec<OsString>> {
    None
}

async fn start(argv: &[OsString], spec: &[u8]) -> Result<(), Error> {
    let mut command = Command::new(&argv[0]);
    command
        .args(&argv[1..])
        // The keeper is not part of the session that may have started this engine.
        .env_remove(MARK)
        // One arena: a keeper's threads run one at a time, and each arena costs memory.
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(false);
    #[cfg(windows)]
    let spawned = crate::detach::apart(|flags| command.creation_flags(flags).spawn());
    #[cfg(unix)]
    let spawned = command.spawn();
    let mut child = spawned.map_err(|e| Error::Start(format!("{}: {e}", argv[0].display())))?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::Start("it has no pipes".to_owned()));
    };
    let mut line = String::new();
    let talk = async {
        // A keeper that dies early prints the reason.
        drop(stdin.write_all(spec).await);
        drop(stdin);
        BufReader::new(stdout).read_line(&mut line).await
    };
    let talked = tokio::time::timeout(START, talk).await;
    if line.trim() == READY {
        // The runtime reaps the keeper when it ends; if the runtime is gone by then, the system does.
        return Ok(());
    }
    drop(child.start_kill());
    drop(child.wait().await);
    Err(Error::Start(match talked {
        Err(_) => "it did not answer in time".to_owned(),
        Ok(_) if line.trim().is_empty() => "it exited without output".to_owned(),
        Ok(_) => line.trim().to_owned(),
    }))
}
