//! Holds the global configuration, reloaded when its file changed, which is noticed on access only. An
//! invalid file changes nothing until it is valid again, also across engines: a copy of the last valid file
//! is kept. Without one the defaults apply.

use crate::host::config::{Error, GlobalConfig, parse};
use downbeat_yaml::read;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::SystemTime;

/// The time and size by which a change of the file is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    changed: SystemTime,
    bytes: u64,
}

/// The reason that the file is not in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The file, the line, and what was probably meant.
    pub(crate) problem: String,
    /// Whether no valid earlier file is known either, so that the defaults apply.
    pub(crate) only_defaults: bool,
}

/// The configuration that was read, and the state of the file at that time.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    config: GlobalConfig,
    stamp: Option<Stamp>,
    wrong: Option<Wrong>,
}

/// The configuration in effect.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    pub(crate) config: GlobalConfig,
    pub(crate) wrong: Option<Wrong>,
    /// Whether the file had changed since the last access.
    pub(crate) is_news: bool,
}

/// The configuration and the state of the file that it was read from.
#[derive(Debug)]
pub(crate) struct Current {
    file: PathBuf,
    copy: PathBuf,
    read: RwLock<Read>,
}

impl Current {
    /// Reads `file`; if it is invalid, reads `copy`, which holds the last valid text.
    pub(crate) fn open(file: PathBuf, copy: PathBuf) -> Self {
        let stamp = stamp(&file);
        let (config, wrong) = match judged(&file) {
            Ok((config, text)) => {
                keep_copy(&text, &copy);
                (config, None)
            }
            Err(error) => {
                let last = judged(&copy).ok().filter(|_| copy.is_file());
                let last = last.map(|(config, _)| config);
                let wrong = Wrong {
                    problem: error.to_string(),
                    only_defaults: last.is_none(),
                };
                say(&wrong);
                (last.unwrap_or_default(), Some(wrong))
            }
        };
        let read = RwLock::new(Read { config, stamp, wrong });
        Self { file, copy, read }
    }

    /// Returns the configuration in effect, reloaded if the file changed.
    pub(crate) fn get(&self) -> Now {
        let stamp = stamp(&self.file);
        let known = self.read.read().unwrap_or_else(PoisonError::into_inner).clone();
        let is_news = known.stamp != stamp;
        let read = match is_news {
            false => known,
            true => self.look(known, stamp),
        };
        Now {
            config: read.config,
            wrong: read.wrong,
            is_news,
        }
    }

    pub(crate) fn look(&self, known: Read, stamp: Option<Stamp>) -> Read {
        let read = match judged(&self.file) {
            Ok((config, text)) => {
                keep_copy(&text, &self.copy);
                Read {
                    config,
                    stamp,
                    wrong: None,
                }
            }
            Err(error) => {
                let wrong = Wrong {
                    problem: error.to_string(),
                    only_defaults: known.wrong.is_some_and(|wrong| wrong.only_defaults),
                };
                say(&wrong);
                Read {
                    config: known.config,
                    stamp,
                    wrong: Some(wrong),
                }
            }
        };
        self.keep(read.clone());
        read
    }

    /// Adopts what was just written to the file, and any later edit by the person.
    pub(crate) fn set(&self, config: GlobalConfig) {
        let stamp = stamp(&self.file);
        let written = Read {
            config,
            stamp,
            wrong: None,
        };
        self.look(written, stamp);
    }

    pub(crate) fn keep(&self, read: Read) {
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = read;
    }
}

fn say(wrong: &Wrong) {
    let instead = match wrong.only_defaults {
        true => "the defaults apply",
        false => "the previous values stay",
    };
    tracing::warn!("the configuration is invalid and {instead}: {}", wrong.problem);
}

/// Parses a file and returns the configuration with its text. A missing file is treated like an empty one.
fn judged(file: &Path) -> Result<(GlobalConfig, String), Error> {
    let text = read(file)?.unwrap_or_default();
    Ok((parse(file, &text)?, text))
}

/// Keeps a valid text for the next engine, written atomically.
fn keep_copy(text: &str, copy: &Path) {
    let draft = copy.with_extension("new");
    let kept = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, copy));
    if let Err(error) = kept {
        tracing::warn!("{} could not be kept: {error}", copy.display());
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
    use super::Current;
    use crate::host::config::{GlobalConfig, parse};

    #[test]
    fn a_valid_change_takes_effect_immediately_and_an_invalid_one_never() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("downbeat.yaml");
        let copy = dir.path().join("last.yaml");
        let current = Current::open(file.clone(), copy.clone());
        std::fs::write(&file, "defaults:\n  agent: shell\n").unwrap();
        assert_eq!(current.get().config.defaults.agent, "shell");
        std::fs::write(&file, "defaults:\n  agnt: claude\n").unwrap();
        assert_eq!(current.get().config.defaults.agent, "shell");
        let next = Current::open(file.clone(), copy.clone()).get();
        assert_eq!(
            next.config.defaults.agent, "shell",
            "the next engine goes on with it"
        );
        let wrong = next.wrong.unwrap();
        assert!(
            wrong.problem.contains("downbeat.yaml:2:3") && wrong.problem.contains("`agent`"),
            "{wrong:?}"
        );
        assert!(!wrong.only_defaults);
        std::fs::remove_file(&copy).unwrap();
        let first = Current::open(file.clone(), copy.clone()).get();
        assert_eq!(first.config, GlobalConfig::default());
        assert!(first.wrong.unwrap().only_defaults);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(current.get().config, GlobalConfig::default());
    }

    #[test]
    fn an_edit_right_after_a_write_takes_effect() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("downbeat.yaml");
        let copy = dir.path().join("last.yaml");
        let current = Current::open(file.clone(), copy.clone());
        let written: GlobalConfig = parse(&file, "defaults:\n  agent: shell\n").unwrap();
        let edit = "defaults:\n  agent: codex\n";
        std::fs::write(&file, edit).unwrap();
        current.set(written.clone());
        assert_eq!(current.get().config.defaults.agent, "codex");
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), edit);
        std::fs::write(&file, "defaults:\n  agnt: codex\n").unwrap();
        current.set(written);
        let now = current.get();
        assert_eq!(now.config.defaults.agent, "shell", "what was written counts");
        assert!(now.wrong.is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_instead_of_the_file_is_refused_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("downbeat.yaml");
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        let now = Current::open(file, dir.path().join("last.yaml")).get();
        assert_eq!(now.config, GlobalConfig::default());
        assert!(now.wrong.unwrap().problem.contains("downbeat.yaml"));
    }
}
