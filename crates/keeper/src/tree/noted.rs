//! What a keeper writes down of its processes, for whoever finds it dead: its steps, and what below them bears no
//! mark.

use super::os;
use super::process::{Known, is_another};
use downbeat_model::id::SessionId;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::Path;

/// The file in a keeper's directory that names the processes of its steps.
pub(super) const FILE: &str = "steps";

/// A process as it is written down, with the keeper's folder at that time.
#[derive(Serialize, Deserialize)]
struct Noted {
    #[serde(flatten)]
    known: Known,
    /// Missing in what earlier versions wrote.
    #[serde(default)]
    dir: Option<String>,
}

/// The most that is read of it: its agent may have made it longer.
const LARGEST: u64 = 1 << 20;

/// Forgets the steps of an earlier keeper in `dir`.
pub fn forget_steps(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(FILE));
}

/// Writes down that this keeper started a step, for whoever finds the keeper dead.
pub fn note_step(dir: &Path, pid: u32) {
    let note = || -> std::io::Result<()> {
        let Some(known) = os::known(pid) else {
            return Ok(());
        };
        let dir_of = Some(dir.to_string_lossy().into_owned());
        let mut line = serde_json::to_vec(&Noted { known, dir: dir_of })?;
        line.push(b'\n');
        downbeat_files::append(&dir.join(FILE))?.0.write_all(&line)
    };
    // A full disk must not keep a session from running.
    if let Err(error) = note() {
        tracing::debug!("a step could not be written down: {error}");
    }
}

/// Processes without the mark that are written down for one keeper; a session has a handful.
const UNMARKED: usize = 256;

/// What a keeper wrote down of the processes below it that no mark leads to.
#[derive(Debug, Default)]
pub struct Unmarked(Vec<Known>);

impl Unmarked {
    /// Looks for new ones.
    pub fn look(&mut self, dir: &Path, session: &SessionId) {
        for known in os::unmarked(session) {
            if self.0.len() < UNMARKED && !self.0.contains(&known) {
                self.0.push(known);
                note_step(dir, known.pid);
            }
        }
    }
}

pub(super) fn noted_steps(dir: &Path) -> Vec<Known> {
    let text = downbeat_files::read_start(&dir.join(FILE), LARGEST).unwrap_or_default();
    text.split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Noted>(line).ok())
        .filter(|noted| {
            !noted
                .dir
                .as_ref()
                .is_some_and(|of| is_another(Path::new(of), dir))
        })
        .map(|noted| noted.known)
        .collect()
}
