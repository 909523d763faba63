//! Where Downbeat's things are, as the command line reads them. The layout is the engine's.

use crate::failure::Failure;
use crate::inside::{Inside, WAY_OUT};
use downbeat_engine::instance;
use downbeat_engine::paths::{HOME, Paths, data_dir};
use std::path::{Path, PathBuf};

/// What an engine says of itself in `engine.json`.
pub(crate) use downbeat_engine::instance::Manifest;

/// The manifest of the engine that lives; `None` where none does. A dead engine's port may be in
/// other hands by now.
pub(crate) fn manifest(file: &Path) -> Option<Manifest> {
    let live = instance::live(file);
    live.inspect_err(|error| tracing::warn!("{error}")).ok().flatten()
}

/// The data directory.
#[derive(Debug, Clone)]
pub(crate) struct Home(Paths);

impl Home {
    /// The one of this person; inside a session that of its engine, unless `DOWNBEAT_HOME` says
    /// otherwise. `None` where there is no home directory.
    pub(crate) fn find() -> Option<Self> {
        let around = Inside::here().filter(|_| std::env::var_os(HOME).is_none_or(|home| home.is_empty()));
        let around = around.and_then(|inside| Some(inside.manifest?.parent()?.to_owned()));
        around.or_else(data_dir).map(|root| Self(Paths::new(root)))
    }

    /// The session around this process, where this home is that of its engine. Another Downbeat, one
    /// that `DOWNBEAT_HOME` names, knows nothing of the session.
    pub(crate) fn inside(&self) -> Option<Inside> {
        Inside::here().filter(|inside| {
            let own = inside.manifest.as_deref().and_then(Path::parent);
            own.is_none_or(|own| real(own) == real(self.root()))
        })
    }

    /// Refuses, inside a session of this home, what a session may not do by any token.
    pub(crate) fn refuse_inside(&self, what: &str) -> Result<(), Failure> {
        match self.inside() {
            Some(_) => Err(Failure::forbidden(format!("a session cannot {what}")).hint(WAY_OUT)),
            None => Ok(()),
        }
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        self.0.root()
    }

    /// What the engine that lives says of itself.
    pub(crate) fn manifest(&self) -> Option<Manifest> {
        manifest(&self.0.manifest())
    }

    /// Whether an engine has the data directory: it starts, serves, hands over or ends.
    pub(crate) fn is_held(&self) -> bool {
        instance::is_held(&self.0.manifest()).unwrap_or(false)
    }

    /// Where the engine that lives says so.
    pub(crate) fn manifest_path(&self) -> PathBuf {
        self.0.manifest()
    }

    /// Where the output of engines without a window goes.
    pub(crate) fn log(&self) -> PathBuf {
        self.0.logs().join("engine.log")
    }

    /// Where the keepers of all sessions are.
    pub(crate) fn keepers(&self) -> PathBuf {
        self.0.keepers()
    }

    /// Whether an engine that is gone left something unfinished.
    pub(crate) async fn left_unfinished(&self) -> bool {
        downbeat_engine::left_unfinished(&self.0).await
    }

    /// The person's own configuration.
    pub(crate) fn config(&self) -> PathBuf {
        self.0.global_config()
    }

    /// The person's own prices.
    pub(crate) fn prices(&self) -> PathBuf {
        self.0.prices()
    }

    /// The folder of agents' manifests.
    pub(crate) fn agents(&self) -> PathBuf {
        self.0.agents()
    }
}

fn real(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}
