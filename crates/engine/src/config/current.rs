//! The global configuration as its file says now: read again when the file changed, looked at only
//! when somebody asks. A file that became wrong changes nothing until it is right again.

use super::{GlobalConfig, load_global};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::SystemTime;

/// What tells one state of the file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    changed: SystemTime,
    bytes: u64,
}

/// The configuration and the state of the file that it was read from.
#[derive(Debug)]
pub(crate) struct Current {
    file: PathBuf,
    read: RwLock<(GlobalConfig, Option<Stamp>)>,
}

impl Current {
    /// Goes on from `config`, which was read from `file` just now.
    pub(crate) fn new(file: PathBuf, config: GlobalConfig) -> Self {
        let read = RwLock::new((config, stamp(&file)));
        Self { file, read }
    }

    /// What counts now.
    pub(crate) fn get(&self) -> GlobalConfig {
        let now = stamp(&self.file);
        let (config, read) = self.read.read().unwrap_or_else(PoisonError::into_inner).clone();
        if read == now {
            return config;
        }
        let config = match load_global(&self.file) {
            Ok(config) => config,
            Err(error) => {
                tracing::warn!("the configuration is wrong and what counted before goes on: {error}");
                config
            }
        };
        self.keep(config.clone(), now);
        config
    }

    /// What was written into the file just now.
    pub(crate) fn set(&self, config: GlobalConfig) {
        self.keep(config, stamp(&self.file));
    }

    fn keep(&self, config: GlobalConfig, stamp: Option<Stamp>) {
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = (config, stamp);
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let file = std::fs::metadata(file).ok()?;
    Some(Stamp {
        changed: file.modified().ok()?,
        bytes: file.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_counts_at_once_and_a_wrong_one_never() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("downbeat.yaml");
        let current = Current::new(file.clone(), GlobalConfig::default());
        std::fs::write(&file, "defaults:\n  agent: shell\n").unwrap();
        assert_eq!(current.get().defaults.agent, "shell");
        std::fs::write(&file, "defaults:\n  agnt: claude\n").unwrap();
        assert_eq!(current.get().defaults.agent, "shell");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(current.get(), GlobalConfig::default());
    }
}
