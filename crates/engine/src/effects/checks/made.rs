//! How a merge ended, in the words that the person reads.

use crate::session::row;
use downbeat_git::{Conflict, Refusal};
use downbeat_model::Verification;
use downbeat_model::session::MergeOutcome;
use downbeat_store::ProjectRow;

/// How a merge ended; see [`downbeat_model::session::MergeResult`].
pub struct Made {
    pub outcome: MergeOutcome,
    pub head: String,
    pub commit: Option<String>,
    pub detail: String,
    pub files: Vec<String>,
    /// The result of the checks on the merged commit, if they failed.
    pub checked: Option<Verification>,
}

impl Made {
    pub fn new(outcome: MergeOutcome, head: &str, detail: String) -> Self {
        Self {
            outcome,
            head: head.to_owned(),
            commit: None,
            detail,
            files: Vec::new(),
            checked: None,
        }
    }

    pub fn refused(detail: String) -> Self {
        Self::new(MergeOutcome::Refused, "", detail)
    }

    pub fn landed(name: &str, project: &ProjectRow, head: &str, commit: &str) -> Self {
        let branch = &project.default_branch;
        let detail = format!("{name} landed on {branch} as {}", row::short(commit));
        let made = Self::new(MergeOutcome::Landed, head, detail);
        Self {
            commit: Some(commit.to_owned()),
            ..made
        }
    }

    /// The landing was complete except for files that the person edited after a crash, and for submodules.
    pub fn with_left(mut self, left: &[String], submodules: &[String]) -> Self {
        if !left.is_empty() {
            let files = left.join(", ");
            self.detail = format!(
                "{}; these files were being edited and were left as they are: {files}",
                self.detail
            );
        }
        if !submodules.is_empty() {
            let list = submodules.join(", ");
            self.detail = format!(
                "{}; submodules moved ({list}): run `git submodule update` in your checkout",
                self.detail
            );
        }
        self
    }

    pub fn contained(name: &str, project: &ProjectRow, head: &str) -> Self {
        let branch = &project.default_branch;
        let detail = format!("{branch} already contains the work of {name}");
        Self::new(MergeOutcome::Contained, head, detail)
    }

    pub fn conflict(name: &str, project: &ProjectRow, head: &str, conflict: &Conflict) -> Self {
        let files: Vec<_> = conflict.files.iter().map(|file| file.path.clone()).collect();
        let what = match files.as_slice() {
            [one] => one.clone(),
            all if conflict.has_more => format!("more than {} files", all.len()),
            all => format!("{} files", all.len()),
        };
        let branch = &project.default_branch;
        let detail = format!("{name} is in conflict with {branch}: both changed {what}");
        let made = Self::new(MergeOutcome::Conflict, head, detail);
        Self { files, ..made }
    }

    pub fn not_landed(name: &str, head: &str, refusal: &Refusal) -> Self {
        Self::new(
            MergeOutcome::Refused,
            head,
            format!("{name} was not merged: {refusal}"),
        )
    }
}
