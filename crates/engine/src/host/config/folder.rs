//! Loads the manifests of agents that a person added as files: `agents/ID.yaml` next to the configuration.
//! They are reloaded after a change, which is noticed on access only. An invalid manifest adds nothing and is
//! reported.

use crate::host::config::rules;
use downbeat_agents::Manifest;
use downbeat_yaml::{Error, Problem};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The maximum number of files that are read; a folder with more does not hold manifests.
const MOST: usize = 200;

/// The contents of the folder.
#[derive(Debug, Clone, Default)]
pub struct Added {
    /// The valid manifests, by id.
    pub manifests: Vec<(String, Manifest)>,
    /// The problems of the others.
    pub problems: Vec<Problem>,
}

/// The names, times and sizes by which a change of the folder is noticed.
type Stamps = Vec<(PathBuf, Option<SystemTime>, u64)>;

/// The folder, and what was read from it.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: PathBuf,
    read: Mutex<(Stamps, Added)>,
}

impl Folder {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            read: Mutex::default(),
        }
    }

    /// Returns the present contents, reloaded if they changed.
    pub(crate) fn get(&self) -> Added {
        let stamps = stamps(&self.dir);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != stamps {
            let added = read_all(&stamps);
            for problem in &added.problems {
                tracing::warn!("an agent's manifest is ignored: {problem}");
            }
            *read = (stamps, added);
        }
        read.1.clone()
    }
}

/// Reads all manifests in the folder `dir`.
#[must_use]
pub fn added(dir: &Path) -> Added {
    read_all(&stamps(dir))
}

fn stamps(dir: &Path) -> Stamps {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().take(MOST);
    let files = entries.map(|entry| entry.path());
    let named = |path: &PathBuf, ending: &str| path.extension().is_some_and(|extension| extension == ending);
    let files = files.filter(|path| named(path, "yaml") || named(path, "yml"));
    let mut stamps: Stamps = files
        .map(|path| {
            let about = path.metadata().ok();
            let changed = about.as_ref().and_then(|about| about.modified().ok());
            (path, changed, about.map_or(0, |about| about.len()))
        })
        .collect();
    stamps.sort();
    stamps
}

fn read_all(stamps: &Stamps) -> Added {
    let mut all = Added::default();
    for (path, ..) in stamps {
        match one(path) {
            Ok(manifest) => all.manifests.push((manifest.id.clone(), manifest)),
            Err(problems) => all.problems.extend(problems),
        }
    }
    all
}

/// Reads the manifest at `path`, or returns all of its problems.
pub fn one(path: &Path) -> Result<Manifest, Vec<Problem>> {
    let whole = |message: String| {
        vec![Problem {
            file: path.to_owned(),
            line: 1,
            column: 1,
            message,
            nearest: None,
        }]
    };
    if path.extension().is_some_and(|extension| extension == "yml") {
        return Err(whole(
            "the file is ignored; its name has to end in `.yaml`".into(),
        ));
    }
    let id = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if !rules::is_id(id) {
        return Err(whole(
            "the file's name is the agent's id, made of a-z, 0-9 and `-`".into(),
        ));
    }
    let read = || {
        let text = downbeat_yaml::read(path)?.unwrap_or_default();
        downbeat_agents::read_manifest(id, path, &text)
    };
    read().map_err(|error| match error {
        Error::Wrong(problems) => problems,
        other => whole(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::Folder;

    #[test]
    fn a_file_adds_an_agent_and_an_invalid_one_is_reported_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().join("agents"));
        assert!(folder.get().manifests.is_empty());
        std::fs::create_dir(dir.path().join("agents")).unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(dir.path().join("agents").join(name), text).unwrap();
        write("mine.yaml", "name: Mine\ncommand: [mine]\n");
        write("bad.yaml", "command: [x]\npromt: type\n");
        write("Not An Id.yaml", "command: [x]\n");
        write("short.yml", "command: [x]\n");
        write("notes.txt", "nothing");
        let now = folder.get();
        assert_eq!(now.manifests.len(), 1);
        assert_eq!(
            (now.manifests[0].0.as_str(), now.manifests[0].1.name.as_str()),
            ("mine", "Mine")
        );
        let told = now
            .problems
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n");
        assert!(
            told.contains("bad.yaml:2:1") && told.contains("did you mean `prompt`?"),
            "{told}"
        );
        assert!(told.contains("has to end in `.yaml`"), "{told}");
        assert!(told.contains("the file's name is the agent's id"), "{told}");
        write("bad.yaml", "command: [x]\nprompt: type\n");
        assert_eq!(folder.get().manifests.len(), 2);
    }
}
