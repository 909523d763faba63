//! One engine per data directory: takes its lock, asking a running engine to let go where wanted.

use crate::error::OpenError;
use crate::manifest::{self, DataLock, Manifest};
use crate::paths::Paths;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a running engine has to let go.
const LETS_GO: Duration = Duration::from_secs(5);

/// Someone who only asks whether an engine lives holds the lock for an instant.
const ASKING: Duration = Duration::from_millis(200);

/// Between two looks at the lock.
const LOOK: Duration = Duration::from_millis(20);

/// Looks at all that would keep this engine from serving, and makes ready what it runs from, before
/// a running engine is asked to go: else none would be left. Gives the copy of the command.
pub async fn ready(paths: &Paths, cli: &Path) -> Result<PathBuf, OpenError> {
    let failed = |error: &dyn std::fmt::Display| OpenError::Data(error.to_string());
    if is_inside(paths, |name| std::env::var_os(name)) {
        return Err(OpenError::Inside);
    }
    downbeat_store::refuse_newer(&paths.database())
        .await
        .map_err(|error| failed(&error))?;
    paths
        .install_cli(cli)
        .map_err(|error| failed(&format!("{}: {error}", cli.display())))
}

/// Whether this process runs inside of a session of this data directory: every keeper that it
/// starts would be below the keeper of that session, and end with it.
fn is_inside(paths: &Paths, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    set(downbeat_keeper::MARK).is_some()
        && set("DOWNBEAT_ENGINE").is_none_or(|manifest| real(Path::new(&manifest)) == real(&paths.manifest()))
}

/// Takes the lock of the data directory.
pub async fn lock(paths: &Paths, take_over: bool) -> Result<DataLock, OpenError> {
    if let Some(lock) = within(paths, ASKING).await? {
        return Ok(lock);
    }
    if take_over {
        if let Some(running) = manifest::read(&paths.manifest()) {
            ask(&running).await;
        }
        if let Some(lock) = within(paths, LETS_GO).await? {
            return Ok(lock);
        }
    }
    let pid = manifest::read(&paths.manifest()).map_or(0, |manifest| manifest.pid);
    Err(OpenError::Locked {
        data_dir: paths.root().to_string_lossy().into_owned(),
        pid,
    })
}

async fn within(paths: &Paths, patience: Duration) -> Result<Option<DataLock>, OpenError> {
    let until = tokio::time::Instant::now() + patience;
    loop {
        let taken = DataLock::acquire(paths).map_err(|error| OpenError::Data(error.to_string()))?;
        if taken.is_some() || tokio::time::Instant::now() > until {
            return Ok(taken);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Asks a running engine to hand over. What becomes of it shows in the lock.
async fn ask(running: &Manifest) {
    let url = format!("http://127.0.0.1:{}/api/engine/handover", running.port);
    let client = reqwest::Client::builder().timeout(LETS_GO).no_proxy().build();
    let Ok(client) = client else { return };
    let asked = client.post(url).bearer_auth(&running.token).send().await;
    match asked.and_then(reqwest::Response::error_for_status) {
        Ok(_) => tracing::info!(pid = running.pid, "the running engine hands over"),
        Err(error) => tracing::warn!(pid = running.pid, "the running engine did not hand over: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_inside_of_a_session_of_its_own_is_told_from_one_beside() {
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
