//! Defines where everything of one data directory is. The contents of the files are defined elsewhere.
//!
//! ```text
//! <data>/                0700
//!   downbeat.db          the store
//!   chronicle.db         the contents of agents' transcripts
//!   engine.json          the manifest of the live engine, 0600
//!   engine.lock          held while an engine lives
//!   identity.json        distinguishes a copy of the data directory from one that was moved
//!   downbeat.yaml        the global configuration, if DOWNBEAT_HOME moved it here
//!   keepers/<session>/   one per keeper
//!   transcripts/         transcripts of agents that write none themselves, one file per session
//!   worktrees/<project>/ worktrees
//!   checks/<project>/    the worktree in which checks run, their keepers and their output
//!   planners/<run>/      what a planner is asked and answers, and its keeper, while it runs
//!   attachments/         files that a person pasted or dropped, for a month
//!   results/<conductor>/ its workers' reports, as files
//!   git/                 Downbeat's own git directories while a repository is read
//!   bin/<version>-<hash>/downbeat, downbeat-hook   what keepers, bridges and hooks run
//!   bin/known.json       the programs that were copied there
//!   logs/
//! ```

use crate::host::config::Location;
use crate::host::files::{about, private};
use downbeat_model::{ProjectId, SessionId};
use std::io;
use std::path::{Path, PathBuf};

/// The file name of the manifest in the data directory.
pub const FILE: &str = "engine.json";

/// The file name of the lock in the data directory.
pub const LOCK: &str = "engine.lock";

/// The variable that moves the data directory.
pub const HOME: &str = "DOWNBEAT_HOME";

/// Returns the data directory: `DOWNBEAT_HOME`, otherwise the platform's. `None` if the person has no home.
#[must_use]
pub fn data_dir() -> Option<PathBuf> {
    match std::env::var_os(HOME).filter(|home| !home.is_empty()) {
        Some(home) => std::path::absolute(home).ok(),
        None => platform_dir(),
    }
}

/// Returns XDG's data directory, Application Support or LocalAppData.
fn platform_dir() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|dirs| dirs.data_local_dir().join("downbeat"))
}

/// Returns the data directory if it is not the platform's, by whatever path it is given.
#[must_use]
pub fn other_dir() -> Option<PathBuf> {
    other(&data_dir()?, platform_dir().as_deref())
}

fn other(chosen: &Path, usual: Option<&Path>) -> Option<PathBuf> {
    let chosen = real(chosen);
    (usual.map(real).as_ref() != Some(&chosen)).then_some(chosen)
}

/// Resolves the links in a path, even if its last parts do not exist yet.
fn real(path: &Path) -> PathBuf {
    let there = path
        .ancestors()
        .find_map(|above| Some((dunce::canonicalize(above).ok()?, path.strip_prefix(above).ok()?)));
    match there {
        Some((real, rest)) if rest.as_os_str().is_empty() => real,
        Some((real, rest)) => real.join(rest),
        None => path.to_owned(),
    }
}

/// The layout of one data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub(crate) data: PathBuf,
    pub(crate) config: PathBuf,
}

impl Paths {
    /// Creates the layout of `data`. A data directory other than the platform's holds its own configuration
    /// and shares nothing with the person's usual one.
    #[must_use]
    pub fn new(data: PathBuf) -> Self {
        let usual = platform_dir().is_some_and(|dir| dir == data);
        let folder = directories::BaseDirs::new().filter(|_| usual);
        let folder = folder.map_or_else(|| data.clone(), |dirs| dirs.config_dir().join("downbeat"));
        Self {
            config: folder.join(crate::host::config::FILE),
            data,
        }
    }

    /// Creates the missing folders, for the person alone.
    pub fn create(&self) -> io::Result<()> {
        for folder in [
            &self.data,
            &self.keepers(),
            &self.worktrees(),
            &self.bin(),
            &self.logs(),
            &self.transcripts(),
        ] {
            private::folder(folder).map_err(|error| about(folder, &error))?;
        }
        Ok(())
    }

    /// Returns the data directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.data
    }

    /// Returns the path of the store.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data.join("downbeat.db")
    }

    /// Returns the path of the chronicle, which holds what was read from agents' transcripts.
    #[must_use]
    pub fn chronicle(&self) -> PathBuf {
        self.data.join("chronicle.db")
    }

    /// Returns the folder of transcripts of agents that write none themselves.
    #[must_use]
    pub fn transcripts(&self) -> PathBuf {
        self.data.join("transcripts")
    }

    /// Returns the path of one session's transcript.
    #[must_use]
    pub fn transcript(&self, id: &SessionId) -> PathBuf {
        self.transcripts().join(format!("{id}.jsonl"))
    }

    /// Returns the path of the live engine's manifest.
    #[must_use]
    pub fn manifest(&self) -> PathBuf {
        self.data.join(FILE)
    }

    /// Returns the path of the live engine's lock.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.data.join(LOCK)
    }

    /// Returns the path of the global configuration.
    #[must_use]
    pub fn global_config(&self) -> PathBuf {
        self.config.clone()
    }

    /// Returns the path of the person's own price list, next to the global configuration.
    #[must_use]
    pub fn prices(&self) -> PathBuf {
        self.config.with_file_name("prices.yaml")
    }

    /// Returns the folder of agents' manifests, next to the global configuration.
    #[must_use]
    pub fn agents(&self) -> PathBuf {
        self.config.with_file_name("agents")
    }

    /// Returns the path of the copy of the last valid global configuration.
    #[must_use]
    pub fn last_config(&self) -> PathBuf {
        self.data.join("downbeat.last.yaml")
    }

    /// Returns the folder of all keepers' directories.
    #[must_use]
    pub fn keepers(&self) -> PathBuf {
        self.data.join("keepers")
    }

    /// Returns the directory of one session's keeper.
    #[must_use]
    pub fn keeper(&self, id: &SessionId) -> PathBuf {
        self.keepers().join(id.as_str())
    }

    /// Returns the folder of all worktrees in the data directory.
    #[must_use]
    pub fn worktrees(&self) -> PathBuf {
        self.data.join("worktrees")
    }

    /// Returns the folder of a project's worktrees. Where projects share a location it is named by id and not
    /// by name, because two projects may have the same name over time.
    #[must_use]
    pub fn worktree_root(&self, location: &Location, project: &Path, id: &ProjectId) -> PathBuf {
        match location {
            Location::Data => self.worktrees().join(id.as_str()),
            Location::Project => project.join(".worktrees"),
            Location::Folder(folder) => folder.join(id.as_str()),
        }
    }

    /// Returns the folder for the checks of a project: the worktree in which they run, their keepers, and their
    /// output.
    #[must_use]
    pub fn checks(&self, project: &ProjectId) -> PathBuf {
        self.data.join("checks").join(project.as_str())
    }

    /// Returns the folder for the output of a session's checks.
    #[must_use]
    pub fn check_output(&self, project: &ProjectId, session: &SessionId) -> PathBuf {
        self.checks(project).join("output").join(session.as_str())
    }

    /// Returns the folder of the keeper of a rule's command.
    #[must_use]
    pub fn rule_command(&self, project: &ProjectId, run: &SessionId) -> PathBuf {
        self.checks(project).join("commands").join(run.as_str())
    }

    /// Returns the folder of the runs of the person's planner.
    #[must_use]
    pub fn planners(&self) -> PathBuf {
        self.data.join("planners")
    }

    /// Returns the folder of files that a person pasted or dropped.
    #[must_use]
    pub fn attachments(&self) -> PathBuf {
        self.data.join("attachments")
    }

    /// Returns the folder in which a conductor finds its workers' results.
    #[must_use]
    pub fn results(&self, conductor: &SessionId) -> PathBuf {
        self.data.join("results").join(conductor.as_str())
    }

    /// Returns the folder of the files that say which intents are in effect.
    #[must_use]
    pub fn intents(&self) -> PathBuf {
        self.data.join("wishes")
    }

    /// Returns the folder of copies of the CLI.
    #[must_use]
    pub fn bin(&self) -> PathBuf {
        self.data.join("bin")
    }

    /// Returns the folder of log files.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }
}

#[cfg(test)]
mod tests {
    use super::{Paths, other, platform_dir};
    use crate::host::files;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_usual_folder_is_recognized_by_any_path() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("share")).unwrap();
        for there in [false, true] {
            let usual = root.path().join("share/downbeat");
            if there {
                std::fs::create_dir(&usual).unwrap();
            }
            for name in ["share/downbeat", "share/../share/downbeat", "share/downbeat/"] {
                assert_eq!(other(&root.path().join(name), Some(&usual)), None, "{name}");
            }
            #[cfg(unix)]
            {
                let link = root.path().join(format!("link-{there}"));
                std::os::unix::fs::symlink(root.path().join("share"), &link).unwrap();
                assert_eq!(other(&link.join("downbeat"), Some(&usual)), None);
            }
            let elsewhere = root.path().join("elsewhere");
            assert!(other(&elsewhere, Some(&usual)).is_some_and(|dir| dir.ends_with("elsewhere")));
        }
    }

    #[test]
    fn another_data_directory_holds_its_own_configuration() {
        let paths = Paths::new("/x/y".into());
        assert_eq!(paths.global_config(), Path::new("/x/y/downbeat.yaml"));
        if let Some(usual) = platform_dir() {
            let config = Paths::new(usual.clone()).global_config();
            assert!(
                !config.starts_with(usual) || cfg!(not(target_os = "linux")),
                "{config:?}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn new_files_and_folders_are_for_the_person_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("a/b"));
        paths.create().unwrap();
        files::replace(&paths.manifest(), b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(paths.root()), mode(&paths.keepers())), (0o700, 0o700));
        assert_eq!(mode(&paths.manifest()), 0o600);
        files::replace(&paths.manifest(), b"y").unwrap();
        assert_eq!(fs::read(paths.manifest()).unwrap(), b"y");
        let names = fs::read_dir(paths.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        assert!(
            names
                .into_iter()
                .all(|name| !name.to_string_lossy().ends_with(".new"))
        );
    }
}
