//! Finishes or undoes a landing that was interrupted, from its record and from what it left behind.

use crate::command::Programs;
use crate::merge::branch::Branch;
use crate::merge::checkouts::{self, Checkout};
use crate::merge::delta::{Delta, Side};
use crate::merge::index_lock::{self, IndexLock};
use crate::merge::journal::Journal;
use crate::merge::objects::Objects;
use crate::merge::refusal::{Cause, Refusal};
use crate::merge::settle::{Mixed, shown};
use crate::merge::update::Update;
use crate::point::point;
use crate::record::lock_landing;
use crate::{Error, Repository};
use git2::Oid;
use std::fs::File;
use std::path::Path;

/// The message in the reflog of a branch that is moved back.
const BACK: &str = "downbeat: landing undone";

/// How a landing that was interrupted ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// It is complete: the branch and its checkouts have the candidate. Files that somebody edited meanwhile
    /// were left as they are; they are named.
    Landed {
        /// The branch.
        branch: String,
        /// The full id of the candidate.
        candidate: String,
        /// The edited files.
        left: Vec<String>,
    },
    /// It is undone: nothing of it is left, or the branch was moved elsewhere.
    Undone {
        /// The branch.
        branch: String,
        /// The files that somebody edited meanwhile; they are the reason.
        left: Vec<String>,
    },
    /// Another git command has locked the index of a checkout. Call this again.
    Blocked(Refusal),
}

/// Finishes or undoes a landing that a killed process began; `None` if there is none. Until then, git refuses
/// commits in the checkouts that it was updating, so an engine calls this at its start.
///
/// # Errors
/// Fails if a checkout cannot be read or written; the call can be repeated.
pub fn finish_landing(repo: &Path, programs: Programs) -> Result<Option<Finished>, Error> {
    let repository = Repository::open(repo)?;
    let lock = lock_landing(&repository.common())?;
    finish(&repository, programs, &lock)
}

/// See [`finish_landing`]. The caller holds the lock on landings.
pub(crate) fn finish(
    repository: &Repository,
    programs: Programs,
    lock: &File,
) -> Result<Option<Finished>, Error> {
    let Some(journal) = Journal::load(&repository.common()) else {
        clear(repository)?;
        return Ok(None);
    };
    match End::of(repository, journal, programs, lock)? {
        Some(end) => end.conclude(true).map(Some),
        // The objects are gone, so nothing can be compared.
        None => abandon(repository).map(|()| None),
    }
}

/// Leaves the checkouts of a landing as they are, and releases their locks.
pub(crate) fn abandon(repository: &Repository) -> Result<(), Error> {
    clear(repository)?;
    Journal::erase(&repository.common())
}

/// Releases locks of landings that have no record.
fn clear(repository: &Repository) -> Result<(), Error> {
    for checkout in checkouts::all(repository) {
        if index_lock::is_ours(&checkout.notes)
            && let Some(lock) = IndexLock::take(&checkout.notes)?
        {
            lock.release()?;
        }
    }
    Ok(())
}

/// A landing that is brought to its end.
pub(crate) struct End<'a> {
    branch: Branch<'a>,
    journal: Journal,
    old: Oid,
    candidate: Oid,
    delta: Delta,
    programs: Programs,
    lock: &'a File,
}

/// A checkout that is brought to one side. Its index is locked.
struct Part {
    checkout: Checkout,
    update: Update,
}

impl<'a> End<'a> {
    /// Reads what is needed; `None` if a commit is gone.
    pub(crate) fn of(
        repository: &'a Repository,
        journal: Journal,
        programs: Programs,
        lock: &'a File,
    ) -> Result<Option<Self>, Error> {
        let objects = Objects::of(repository)?;
        let Some((old, candidate)) = journal.ids() else {
            return Ok(None);
        };
        if objects.git2().find_commit(old).is_err() || objects.git2().find_commit(candidate).is_err() {
            return Ok(None);
        }
        let delta = Delta::between(&objects, old, candidate)?;
        Ok(Some(Self {
            branch: Branch {
                repository,
                full: journal.branch.clone(),
            },
            journal,
            old,
            candidate,
            delta,
            programs,
            lock,
        }))
    }

    /// Completes the landing if `may_complete` and nothing is in its way; otherwise undoes it. If the branch
    /// has moved on from the candidate, it cannot be undone any more, and is completed as far as possible.
    pub(crate) fn conclude(&self, may_complete: bool) -> Result<Finished, Error> {
        let now = self.branch.read()?;
        let is_there = now == Some(self.candidate);
        let has_it = match now {
            Some(now) if now != self.old => self.branch.reaches(now, self.candidate)?,
            _ => false,
        };
        let parts = match self.parts(now, has_it)? {
            Ok(parts) => parts,
            Err(refusal) => return Ok(Finished::Blocked(refusal)),
        };
        let states = parts.iter().map(|part| Mixed::of(&part.update, &self.delta));
        let states = states.collect::<Result<Vec<_>, Error>>()?;
        // What was edited in a checkout that is complete came after the landing.
        let pending = || states.iter().filter(|one| !one.is_indexed(Side::New));
        let left: Vec<Vec<u8>> = match has_it {
            true => pending().flat_map(Mixed::others).collect(),
            false => states.iter().flat_map(Mixed::others).collect(),
        };
        if has_it && (!is_there || (may_complete && left.is_empty())) {
            match pending().try_for_each(|one| one.settle(Side::New, self.lock)) {
                Ok(()) => return self.end(&left, true),
                Err(error) if !is_there => return Err(error),
                // A filter that fails would fail again; the old files may be written without it.
                Err(error) => tracing::warn!("the landing is undone: {error}"),
            }
        }
        for one in &states {
            one.settle(Side::Old, self.lock)?;
        }
        point("land-restored", self.branch.repository.root())?;
        if is_there {
            let from = parts.first().map(|part| &part.checkout);
            let way = (self.candidate, self.old);
            if !self.branch.shift(way, BACK, from, self.lock)? {
                // Somebody moved the branch on in this moment, so the landing has to be completed.
                return self.conclude(true);
            }
        }
        point("land-returned", self.branch.repository.root())?;
        self.end(&left, false)
    }

    /// Returns the checkouts that the landing has not released, and those that nobody used since although
    /// their lock is gone. The branch is at `now`; `has_it` says whether that contains the candidate.
    fn parts(&self, now: Option<Oid>, has_it: bool) -> Result<Result<Vec<Part>, Refusal>, Error> {
        let unused: &[Side] = match has_it {
            true => &[Side::Old],
            false if now == Some(self.old) => &[Side::Old, Side::New],
            false => &[],
        };
        let mut parts = Vec::new();
        for checkout in checkouts::all(self.branch.repository) {
            let is_named = self.journal.checkouts.contains(&checkout.name);
            let is_on = checkouts::is_on(self.branch.repository, &checkout, &self.branch.full);
            if !is_named || !is_on || !checkout.place.is_dir() {
                continue;
            }
            let is_ours = index_lock::is_ours(&checkout.notes);
            if !is_ours && unused.is_empty() {
                continue;
            }
            let Some(mut lock) = IndexLock::take(&checkout.notes)? else {
                return Ok(Err(Refusal::new(Cause::IndexLocked).at(&checkout.place)));
            };
            if is_ours {
                lock.stay();
            }
            let update = Update::of(&checkout, self.programs)?;
            if !is_ours && !self.is_unused(&update, unused)? {
                continue;
            }
            lock.stay();
            parts.push(Part { checkout, update });
        }
        Ok(Ok(parts))
    }

    /// Whether the index is as the landing left it, on one of these sides.
    fn is_unused(&self, update: &Update, sides: &[Side]) -> Result<bool, Error> {
        for side in sides {
            if update.is_indexed(&self.delta, *side)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn end(&self, left: &[Vec<u8>], is_complete: bool) -> Result<Finished, Error> {
        clear(self.branch.repository)?;
        point("land-unlocked", self.branch.repository.root())?;
        Journal::erase(&self.branch.repository.common())?;
        let branch = self.journal.branch.trim_start_matches("refs/heads/").to_owned();
        let left = shown(left);
        Ok(match is_complete {
            true => Finished::Landed {
                branch,
                candidate: self.journal.candidate.clone(),
                left,
            },
            false => Finished::Undone { branch, left },
        })
    }
}
