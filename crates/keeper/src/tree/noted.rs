//! The notes of a keeper about its processes, for whoever finds it dead: its steps, and processes below them
//! without a mark.

use super::os;
use super::process::{Known, is_another};
use downbeat_model::id::SessionId;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::Path;

/// The file in a keeper's directory that lists the processes of its steps.
pub(super) const FILE: &str = "steps";

/// A recorded process, with the keeper's folder at that time.
#[derive(Serialize, Deserialize)]
struct Noted {
    #[serde(flatten)]
    known: Known,
    /// Missing in files of earlier versions.
    #[serde(default)]
    dir: Option<String>,
}

/// The maximum number of bytes that are read of the file: an agent may have made it longer.
const LARGEST: u64 = 1 << 20;

/// Removes the notes of an earlier keeper in `dir`.
pub fn forget_steps(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(FILE));
}

/// Records that this keeper started a step, for whoever finds the keeper dead.
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
    // A full disk must not prevent a session from running.
    if let Err(error) = note() {
        tracing::debug!("could not record a step: {error}");
    }
}

/// The maximum number of processes without the mark that are recorded for one keeper; a session has a handful.
const UNMARKED: usize = 256;

/// The recorded processes below a keeper that do not have the mark.
#[derive(Debug, Default)]
pub struct Unmarked(Vec<Known>);

impl Unmarked {
    /// Records processes without the mark that are not recorded yet.
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
