//! Ensures one engine per data directory: takes its lock, and asks a running engine to hand over if
//! requested.

use crate::host::installation::install_cli;
use crate::host::instance;
use crate::host::instance::{DataLock, Manifest};
use crate::host::listening::HeldPort;
use crate::host::paths::Paths;
use crate::host::proven::Connection;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The reason that an engine could not be opened. Each message names the problem and the way out.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another engine holds the data directory, and was not asked or did not agree to hand over.
    #[error(
        "another Downbeat runs on {data_dir} (process {pid}); quit it, or set DOWNBEAT_HOME to use another directory"
    )]
    Locked {
        /// The data directory.
        data_dir: String,
        /// The process that holds it; 0 if that is unknown.
        pid: u32,
    },
    /// The engine was started inside one of its own sessions.
    #[error(
        "a session cannot run its own engine; start Downbeat in a terminal outside of Downbeat, or set DOWNBEAT_HOME to use another directory"
    )]
    Inside,
    /// The data directory is a copy whose original still exists.
    #[error(
        "{copy} is a copy of {original}, which still exists: an engine on the copy would end its sessions and remove its worktrees; use {original}, or, to replace it with the copy, run `downbeat stop --all` there, then rename or delete {original}",
        copy = copy.display(),
        original = original.display()
    )]
    Copy {
        /// This data directory.
        copy: PathBuf,
        /// The directory that it was copied from.
        original: PathBuf,
    },
    /// The engine cannot listen on the port.
    #[error("port {port}: {source}")]
    Port {
        /// The requested port; 0 for any.
        port: u16,
        /// The underlying error.
        source: std::io::Error,
    },
    /// The data directory, its files or its database cannot be used.
    #[error("{0}")]
    Data(String),
}

/// How long a running engine has to release the lock.
const LETS_GO: Duration = Duration::from_secs(5);

/// A process that only checks whether an engine lives holds the lock for an instant.
const ASKING: Duration = Duration::from_millis(200);

/// The interval between two attempts to take the lock.
const LOOK: Duration = Duration::from_millis(20);

/// Checks all that could keep this engine from serving, and installs the programs that it runs, before a
/// running engine is asked to hand over: otherwise no engine would be left. Returns the path of the installed
/// command.
pub async fn ready(paths: &Paths, cli: &Path) -> Result<PathBuf, OpenError> {
    let failed = |error: &dyn std::fmt::Display| OpenError::Data(error.to_string());
    if is_inside(paths, |name| std::env::var_os(name)) {
        return Err(OpenError::Inside);
    }
    downbeat_store::refuse_newer(&paths.database())
        .await
        .map_err(|error| failed(&error))?;
    match install_cli(paths, cli) {
        Err(error) if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            // Running without a copy is better than not running at all.
            tracing::warn!("running from the original location, without a copy: {error}");
            Ok(cli.to_owned())
        }
        installed => installed.map_err(|error| failed(&format!("{}: {error}", cli.display()))),
    }
}

/// Whether this process runs inside a session of this data directory: every keeper that it starts would be a
/// descendant of that session's keeper, and end with it.
fn is_inside(paths: &Paths, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    set(downbeat_keeper::MARK).is_some()
        && set("DOWNBEAT_ENGINE").is_none_or(|manifest| real(Path::new(&manifest)) == real(&paths.manifest()))
}

/// A data directory whose lock was taken.
pub struct Taken {
    pub lock: DataLock,
    /// The token and port that the previous engine handed over, if it did.
    pub heirloom: Option<Heirloom>,
}

/// The token and port that an engine passes to the one that takes over, so that links and tabs stay valid.
/// The token is kept only together with the port: if the port were free for a moment, another user could
/// listen on it and get the token from an open page.
pub struct Heirloom {
    pub token: String,
    pub port: HeldPort,
}

/// Takes the lock of the data directory.
pub async fn lock(paths: &Paths, take_over: bool) -> Result<Taken, OpenError> {
    let mut heirloom = None;
    if let Some(lock) = within(paths, ASKING, async || {}).await? {
        return Ok(Taken { lock, heirloom });
    }
    if take_over {
        let mut is_asked = false;
        let ask_once = async || {
            // An engine that is just starting publishes its address later.
            if let Some(running) = running(paths).filter(|_| !is_asked) {
                is_asked = true;
                heirloom = ask(&running).await;
            }
        };
        if let Some(lock) = within(paths, LETS_GO, ask_once).await? {
            return Ok(Taken { lock, heirloom });
        }
    }
    Err(OpenError::Locked {
        data_dir: paths.root().to_string_lossy().into_owned(),
        pid: instance::holder(&paths.manifest()).unwrap_or_default(),
    })
}

fn running(paths: &Paths) -> Option<Manifest> {
    let live = instance::live(&paths.manifest());
    live.inspect_err(|error| tracing::warn!("{error}")).ok().flatten()
}

async fn within(
    paths: &Paths,
    patience: Duration,
    mut meanwhile: impl AsyncFnMut(),
) -> Result<Option<DataLock>, OpenError> {
    let until = tokio::time::Instant::now() + patience;
    loop {
        let taken = DataLock::acquire(paths).map_err(|error| OpenError::Data(error.to_string()))?;
        if taken.is_some() || tokio::time::Instant::now() > until {
            return Ok(taken);
        }
        meanwhile().await;
        tokio::time::sleep(LOOK).await;
    }
}

/// Asks a running engine to hand over. Whether it does shows in the lock.
async fn ask(running: &Manifest) -> Option<Heirloom> {
    let refused = |why: &dyn std::fmt::Display| {
        tracing::warn!(pid = running.pid, "the running engine did not hand over: {why}");
    };
    let opened = Connection::open(running.port, &running.token).await;
    let mut connection = opened.inspect_err(|error| refused(error)).ok()?;
    // Connected first, because on some systems a held port accepts no new connections.
    let held = HeldPort::share(running.port);
    let held = held
        .inspect_err(|error| tracing::info!("links will change, since the port cannot be reserved: {error}"));
    let asked = connection.send("POST", "/api/engine/handover", None, None);
    match tokio::time::timeout(LETS_GO, asked).await {
        Ok(Ok((200, _))) => tracing::info!(pid = running.pid, "the running engine hands over"),
        Ok(Ok((status, _))) => {
            refused(&status);
            return None;
        }
        Ok(Err(error)) => {
            refused(&error);
            return None;
        }
        Err(_) => {
            refused(&"it took too long");
            return None;
        }
    }
    Some(Heirloom {
        token: running.token.clone(),
        port: held.ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::is_inside;
    use crate::host::paths::Paths;
    use std::path::Path;

    #[test]
    fn an_engine_inside_its_own_session_is_recognized() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(dir.path().to_owned());
        std::fs::write(paths.manifest(), "{}").unwrap();
        let inside = |session: &str, engine: &Path| {
            is_inside(&paths, |name| match name {
                "DOWNBEAT_SESSION" => Some(session.into()),
                "DOWNBEAT_ENGINE" => Some(engine.into()),
                _ => None,
            })
        };
        assert!(inside(
            "s",
            &dir.path().join(".").join(paths.manifest().file_name().unwrap())
        ));
        assert!(inside("s", Path::new("")));
        assert!(!inside("s", Path::new("/elsewhere/engine.json")));
        assert!(!inside("", &paths.manifest()));
    }
}
