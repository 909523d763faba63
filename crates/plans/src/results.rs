//! Result files: what a program that does the tasks of a worker elsewhere says of them, in a folder that the person chose. Which
//! files are awaited, what one says, and what follows for a kept plan. They are read by the engine.

use crate::file_names::file_names;
use crate::note::About;
use crate::record::PlanRecord;
use crate::result_folder::ResultFolder;
use crate::schedule::ShareState;
use crate::words::{name, one_line};
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most bytes of a result file.
pub const MOST_RESULT: u64 = 64 * 1024;

/// The most characters of the name of a branch.
const MOST_BRANCH: usize = 1_000;

/// What a result file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The tasks are done, with the work on this branch.
    Done {
        /// The branch.
        branch: String,
    },
    /// They are not done, and will not be.
    Failed {
        /// The reason, in one line.
        why: String,
    },
    /// Nothing that counts: it is part of a report of Downbeat's own.
    Nothing,
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    plan: Option<String>,
    status: String,
    #[serde(default)]
    branch: Option<String>,
    #[serde(default)]
    summary: Option<String>,
}

/// Reads a result file of a plan.
///
/// # Errors
/// Says what is wrong with it.
pub fn read_result(bytes: &[u8], plan: &str) -> Result<Told, String> {
    let read = serde_json::from_slice::<Written>(bytes);
    let written =
        read.map_err(|error| format!("it is not the JSON of a result: {}", name(&error.to_string())))?;
    if let Some(other) = written.plan.filter(|other| other != plan) {
        return Err(format!("it is a result of the plan {}", name(&other)));
    }
    match written.status.as_str() {
        "done" => {
            let branch = written.branch.unwrap_or_default();
            let branch = branch.trim();
            let is_name = !branch.is_empty()
                && branch.chars().count() <= MOST_BRANCH
                && one_line(branch) == branch
                && !branch.starts_with('-');
            match is_name {
                true => Ok(Told::Done {
                    branch: branch.to_owned(),
                }),
                false => Err("branch: name the branch that has the work".to_owned()),
            }
        }
        "failed" => Ok(Told::Failed {
            why: name(&written.summary.unwrap_or_default()),
        }),
        // As `downbeat plan report --files` writes them.
        "waiting" | "running" | "skipped" => Ok(Told::Nothing),
        other => Err(format!("status: {:?} is neither done nor failed", name(other))),
    }
}

/// Returns the name of the result file of each worker, in the same order.
#[must_use]
pub fn result_names(workers: &[&str]) -> Vec<String> {
    let names = file_names(workers).into_iter();
    names.map(|name| format!("worker-{name}_result.json")).collect()
}

impl PlanRecord {
    /// Lets result files in a folder count from now on, except for those that are there already. Choosing the same folder again
    /// changes nothing.
    pub fn count_results(&mut self, path: &str, there: BTreeMap<String, String>) {
        if self.results.as_ref().is_some_and(|folder| folder.path == path) {
            return;
        }
        self.results = Some(ResultFolder {
            path: path.to_owned(),
            settled: there,
            next: 0,
        });
    }

    /// Reports whether a result file can still count.
    #[must_use]
    pub fn awaits_results(&self) -> bool {
        self.results.is_some() && (0..self.shares.len()).any(|place| self.awaits_result(place))
    }

    /// Reports whether the result file of a share can still count.
    #[must_use]
    pub fn awaits_result(&self, place: usize) -> bool {
        let is_over = self.state.is_over();
        let share = self.shares.get(place).filter(|_| !is_over);
        share.is_some_and(|one| {
            matches!(
                one.state,
                ShareState::Waiting | ShareState::Running | ShareState::Failed
            )
        })
    }

    /// Returns the names of all result files, in the order of the shares.
    #[must_use]
    pub fn result_files(&self) -> Vec<String> {
        let names: Vec<&str> = self.shares.iter().map(|one| one.share.name.as_str()).collect();
        result_names(&names)
    }

    /// Records that a share is done by somebody else, with the commit that has its work. Returns whether it was still open.
    pub fn done_by_file(&mut self, place: usize, file: (&str, &str), tip: String, now: Timestamp) -> bool {
        if !self.awaits_result(place) {
            return false;
        }
        self.settle_result(file);
        self.done_by_hand(place, Some(tip), now);
        if let Some(one) = self.shares.get_mut(place) {
            one.by_file = true;
        }
        true
    }

    /// Records that somebody else could not do a share. One that a worker has stays with it.
    pub fn failed_by_file(&mut self, place: usize, file: (&str, &str), why: &str, now: Timestamp) {
        if !self.awaits_result(place) {
            return;
        }
        self.settle_result(file);
        let because = if why.is_empty() {
            "it does not say why"
        } else {
            why
        };
        let worker = self
            .shares
            .get(place)
            .filter(|one| one.state == ShareState::Running);
        if let Some(one) = worker {
            let note = format!(
                "it says that it failed ({because}), but {} has a worker here",
                one.share.name
            );
            self.refuse_result(file.0, &note);
            return;
        }
        self.failed(
            place,
            format!("its result file says that it failed: {because}"),
            now,
        );
        self.told = false;
    }

    /// Notes why a result file does not count. Returns the note, if it is a new one.
    pub fn refuse_result(&mut self, file: &str, why: &str) -> Option<String> {
        let about = About::ResultFile {
            file: file.to_owned(),
        };
        self.note_instead(about, &format!("{file} does not count: {why}"))
    }

    /// Notes why the folder of the result files cannot be read. Returns the note, if it is a new one.
    pub fn refuse_result_folder(&mut self, why: &str) -> Option<String> {
        let path = self.results.as_ref().map_or("", |folder| folder.path.as_str());
        let text = format!("the folder {path} does not count: {why}");
        self.note_instead(About::ResultFolder, &text)
    }

    /// Lets a version of a result file not count any more. A later one can.
    pub fn settle_result(&mut self, (file, version): (&str, &str)) {
        self.forget_notes_about(&About::ResultFile {
            file: file.to_owned(),
        });
        if let Some(folder) = &mut self.results {
            folder.settled.insert(file.to_owned(), version.to_owned());
        }
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
