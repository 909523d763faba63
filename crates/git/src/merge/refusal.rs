//! Why a candidate does not land, in words for the person and the agent, with a way out.

use crate::path::{from_bytes, to_text};
use std::fmt;
use std::path::{Path, PathBuf};

/// The maximum number of paths that are named.
const NAMED: usize = 50;

/// A landing that was refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The cause.
    pub cause: Cause,
    /// The checkout that is the reason, if one is.
    pub place: Option<PathBuf>,
    /// The paths that are the reason, relative to the checkout, at most 50.
    pub paths: Vec<String>,
    /// Whether there are more.
    pub has_more: bool,
}

/// The cause of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The candidate is not a descendant of the target.
    NotFastForward,
    /// An operation is in progress in the checkout; its name, such as `a rebase`.
    Operation(&'static str),
    /// The paths have uncommitted edits, and the candidate changes them.
    Edits,
    /// Files that git does not track are where the candidate adds some.
    InTheWay,
    /// The checkout has conflicts that nobody has resolved.
    Conflicts,
    /// Another git command has locked the index of the checkout.
    IndexLocked,
    /// Somebody switched to or from the branch at this moment.
    Switched,
    /// The folder of the checkout is missing, on a disk that is not mounted perhaps.
    Missing,
    /// Git would not update the checkout; its own words.
    Git(String),
}

impl Refusal {
    pub(crate) fn new(cause: Cause) -> Self {
        Self {
            cause,
            place: None,
            paths: Vec::new(),
            has_more: false,
        }
    }

    pub(crate) fn at(mut self, place: &Path) -> Self {
        self.place = Some(place.to_owned());
        self
    }

    /// Names paths as git writes them.
    pub(crate) fn naming<P: AsRef<[u8]>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        for path in paths {
            if self.paths.len() == NAMED {
                self.has_more = true;
                break;
            }
            self.paths.push(to_text(&from_bytes(path.as_ref())));
        }
        self
    }

    /// Returns a sentence that says what to do.
    #[must_use]
    pub fn way_out(&self) -> &'static str {
        match self.cause {
            Cause::NotFastForward => "merge again",
            Cause::Operation(_) => "finish or abort it there, then merge again",
            Cause::Edits => "commit, stash or undo these edits there, then merge again",
            Cause::InTheWay => "move these files away, or add and commit them, then merge again",
            Cause::Conflicts => "resolve them there (`git status` lists them), then merge again",
            Cause::IndexLocked => {
                "wait for the other git command; if none runs, remove the file index.lock that git names, then merge again"
            }
            Cause::Switched => "merge again",
            Cause::Missing => {
                "mount or restore the folder, or remove the worktree with `git worktree remove`, then merge again"
            }
            Cause::Git(_) => "repair what git names, then merge again",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(out, "in {}, ", place.display())?;
        }
        match &self.cause {
            Cause::NotFastForward => write!(out, "the merged commit is not based on the branch's")?,
            Cause::Operation(what) => write!(out, "{what} is in progress")?,
            Cause::Edits => write!(out, "uncommitted edits overlap with what lands")?,
            Cause::InTheWay => write!(
                out,
                "files that git does not track are in the place of files that land"
            )?,
            Cause::Conflicts => write!(out, "conflicts are not resolved")?,
            Cause::IndexLocked => write!(out, "another git command has locked the index")?,
            Cause::Switched => write!(out, "somebody is switching branches")?,
            Cause::Missing => write!(out, "the folder is missing")?,
            Cause::Git(said) => write!(out, "git refused: {said}")?,
        }
        if !self.paths.is_empty() {
            let more = if self.has_more { " and more" } else { "" };
            write!(out, " ({}{more})", self.paths.join(", "))?;
        }
        write!(out, "; nothing was changed: {}", self.way_out())
    }
}
