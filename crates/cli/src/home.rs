//! Where Downbeat's things are, as the command line reads them. The layout is the engine's.

use crate::inside::Inside;
use downbeat_engine::instance;
use downbeat_engine::paths::{HOME, Paths, data_dir};
use std::path::{Path, PathBuf};

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
