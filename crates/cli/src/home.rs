//! The paths of Downbeat's files, as the command line reads them. The engine defines the layout.

use crate::failure::Failure;
use crate::inside::{Inside, WAY_OUT};
use downbeat_engine::instance;
use downbeat_engine::paths::{HOME, Paths, data_dir};
use std::path::{Path, PathBuf};

/// The contents of `engine.json`, which an engine writes about itself.
pub(crate) use downbeat_engine::instance::Manifest;

/// Reads the manifest of the live engine; `None` if there is none. Another program may have a dead engine's
/// port by now.
pub(crate) fn manifest(file: &Path) -> Option<Manifest> {
    let live = instance::live(file);
    live.inspect_err(|error| tracing::warn!("{error}")).ok().flatten()
}

/// The data directory.
#[derive(Debug, Clone)]
pub(crate) struct Home(Paths);

impl Home {
    /// Returns the data directory of this person, or inside a session that of its engine, unless
    /// `DOWNBEAT_HOME` names another one. `None` if there is no home directory.
    pub(crate) fn find() -> Option<Self> {
        let around = Inside::here().filter(|_| std::env::var_os(HOME).is_none_or(|home| home.is_empty()));
        let around = around.and_then(|inside| Some(inside.manifest?.parent()?.to_owned()));
        around.or_else(data_dir).map(|root| Self(Paths::new(root)))
    }

    /// Returns the session around this process, if this home is that of its engine. Another Downbeat, named
    /// by `DOWNBEAT_HOME`, does not know the session.
    pub(crate) fn inside(&self) -> Option<Inside> {
        Inside::here().filter(|inside| {
            let own = inside.manifest.as_deref().and_then(Path::parent);
            own.is_none_or(|own| real(own) == real(self.root()))
        })
    }

    /// Refuses an action that a session of this home may not do with any token.
    pub(crate) fn refuse_inside(&self, what: &str) -> Result<(), Failure> {
        match self.inside() {
            Some(_) => Err(Failure::forbidden(format!("a session cannot {what}")).hint(WAY_OUT)),
            None => Ok(()),
        }
    }

    /// Returns the folder itself.
    pub(crate) fn root(&self) -> &Path {
        self.0.root()
    }

    /// Returns the manifest of the live engine.
    pub(crate) fn manifest(&self) -> Option<Manifest> {
        manifest(&self.0.manifest())
    }

    /// Returns whether an engine has the data directory: it starts, serves, hands over or ends.
    pub(crate) fn is_held(&self) -> bool {
        instance::is_held(&self.0.manifest()).unwrap_or(false)
    }

    /// Returns the path of the live engine's manifest.
    pub(crate) fn manifest_path(&self) -> PathBuf {
        self.0.manifest()
    }

    /// Returns the path of the log of engines without a window.
    pub(crate) fn log(&self) -> PathBuf {
        self.0.logs().join("engine.log")
    }

    /// Returns the folder of the keepers of all sessions.
    pub(crate) fn keepers(&self) -> PathBuf {
        self.0.keepers()
    }

    /// Returns whether a dead engine left something unfinished.
    pub(crate) async fn left_unfinished(&self) -> bool {
        downbeat_engine::left_unfinished(&self.0).await
    }

    /// Returns what keeps an engine from starting with the database, while none runs.
    pub(crate) async fn database_problem(&self) -> Option<String> {
        downbeat_engine::database_problem(&self.0).await
    }

    /// Returns the path of the person's own configuration.
    pub(crate) fn config(&self) -> PathBuf {
        self.0.global_config()
    }

    /// Returns the path of the person's own prices.
    pub(crate) fn prices(&self) -> PathBuf {
        self.0.prices()
    }

    /// Returns the folder of agents' manifests.
    pub(crate) fn agents(&self) -> PathBuf {
        self.0.agents()
    }
}

fn real(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}
