//! The configurations of projects, each in its primary checkout: read again when the file changed,
//! looked at only when somebody asks.

use super::{Error, FILE, ProjectConfig, load_project};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// What tells one state of a file from another.
#[derive(Debug, Clone, PartialEq)]
enum Stamp {
    /// There is none.
    Missing,
    /// When it was changed, how long it is, and which file it is, where the system tells.
    There(SystemTime, u64, Which),
}

/// Device, number and time of the last change of any kind, which no program sets back.
type Which = Option<(u64, u64, i64, i64)>;

/// What was read, by checkout.
#[derive(Debug, Default)]
pub(crate) struct Checkouts(Mutex<BTreeMap<PathBuf, (Stamp, ProjectConfig)>>);

impl Checkouts {
    /// What stands in the checkout `root` now. What is wrong, or cannot be looked at, is read again each
    /// time.
    pub(crate) fn get(&self, root: &Path) -> Result<ProjectConfig, Error> {
        let stamp = stamp(&root.join(FILE));
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.get(root).filter(|(known, _)| stamp.as_ref() == Some(known));
        if let Some((_, config)) = known {
            return Ok(config.clone());
        }
        read.remove(root);
        let config = load_project(root)?;
        if let Some(stamp) = stamp {
            read.insert(root.to_owned(), (stamp, config.clone()));
        }
        Ok(config)
    }
}

/// `None` where the system does not tell.
fn stamp(file: &Path) -> Option<Stamp> {
    match file.metadata() {
        Ok(about) => Some(Stamp::There(about.modified().ok()?, about.len(), which(&about))),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(Stamp::Missing),
        Err(_) => None,
    }
}

#[cfg(unix)]
fn which(about: &Metadata) -> Which {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino(), about.ctime(), about.ctime_nsec()))
}

#[cfg(not(unix))]
fn which(_: &Metadata) -> Which {
    None
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

    #[test]
    #[cfg(unix)]
    fn a_file_that_is_put_in_place_with_its_old_time_counts_and_one_that_cannot_be_read_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let (root, file) = (dir.path(), dir.path().join(FILE));
        let all = Checkouts::default();
        let put = |agent: &str| {
            let other = root.join("other");
            std::fs::write(&other, format!("agent: {agent}\n")).unwrap();
            let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
            let open = std::fs::File::options().write(true).open(&other).unwrap();
            open.set_modified(then).unwrap();
            std::fs::rename(&other, &file).unwrap();
        };
        put("codex");
        assert_eq!(all.get(root).unwrap().agent.as_deref(), Some("codex"));
        put("other");
        assert_eq!(all.get(root).unwrap().agent.as_deref(), Some("other"));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(all.get(root).unwrap().agent, None);
        std::os::unix::fs::symlink(FILE, &file).unwrap();
        assert!(all.get(root).is_err(), "it leads to itself");
    }
}
