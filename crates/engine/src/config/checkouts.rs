//! The configurations of projects, each in its primary checkout: read again when the file changed,
//! looked at only when somebody asks.

use super::{Error, FILE, ProjectConfig, load_project};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// What tells one state of a file from another; absent where there is no file.
type Stamp = Option<(SystemTime, u64)>;

/// What was read, by checkout.
#[derive(Debug, Default)]
pub(crate) struct Checkouts(Mutex<BTreeMap<PathBuf, (Stamp, ProjectConfig)>>);

impl Checkouts {
    /// What stands in the checkout `root` now. What is wrong is read again each time.
    pub(crate) fn get(&self, root: &Path) -> Result<ProjectConfig, Error> {
        let stamp = stamp(&root.join(FILE));
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, config)) = read.get(root).filter(|(known, _)| *known == stamp) {
            return Ok(config.clone());
        }
        read.remove(root);
        let config = load_project(root)?;
        read.insert(root.to_owned(), (stamp, config.clone()));
        Ok(config)
    }
}

fn stamp(file: &Path) -> Stamp {
    let about = file.metadata().ok()?;
    Some((about.modified().ok()?, about.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_there_now_counts() {
        let dir = tempfile::tempdir().unwrap();
        let (root, file) = (dir.path(), dir.path().join(FILE));
        let all = Checkouts::default();
        assert_eq!(all.get(root).unwrap().agent, None);
        std::fs::write(&file, "agent: codex\n").unwrap();
        assert_eq!(all.get(root).unwrap().agent.as_deref(), Some("codex"));
        std::fs::write(&file, "agent: opencode\n").unwrap();
        assert_eq!(all.get(root).unwrap().agent.as_deref(), Some("opencode"));
        std::fs::write(&file, "agnet: codex\n").unwrap();
        assert!(all.get(root).is_err());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(all.get(root).unwrap().agent, None);
    }
}
