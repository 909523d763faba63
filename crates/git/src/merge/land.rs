//! Lands a candidate: updates the checkouts that have the branch, and moves the branch to it by compare-and-swap.
//! Each step can be repeated, so a killed landing is finished or undone by the next call.
//!
//! Everything is checked before the first change, under git's own locks on the indexes. While these locks exist, HEAD
//! and index of a checkout may differ: nobody can commit there, also not after a kill.
//!
//! The branch moves last. `git commit` reads HEAD and then the index before it locks the index, so a commit that
//! began earlier could otherwise combine the new HEAD with the old index and revert what landed. In this order its
//! parent is the old commit, and git refuses it.

use crate::command::Programs;
use crate::merge::branch::Branch;
use crate::merge::checkouts::{self, Checkout};
use crate::merge::delta::Delta;
use crate::merge::finish::{End, Finished, abandon, finish};
use crate::merge::index_lock::IndexLock;
use crate::merge::journal::Journal;
use crate::merge::objects::Objects;
use crate::merge::refusal::{Cause, Refusal};
use crate::merge::update::Update;
use crate::point::point;
use crate::record::{lock_landing, lock_repository};
use crate::{Error, Repository};
use git2::Oid;
use std::fs::File;
use std::path::Path;

/// What to land.
#[derive(Debug, Clone, Copy)]
pub struct LandSpec<'a> {
    /// The repository.
    pub repo: &'a Path,
    /// The short name of the branch, such as `main`.
    pub branch: &'a str,
    /// The full id of the commit at which the branch has to be.
    pub old: &'a str,
    /// The full id of the commit to which it is moved; a descendant of `old`.
    pub candidate: &'a str,
    /// The message in the reflog.
    pub message: &'a str,
    /// Whether the filters that the repository's own configuration names run while files are written. Its
    /// hooks never do.
    pub programs: Programs,
}

/// The result of a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landing {
    /// The branch and the checkouts that have it are at the candidate.
    Landed {
        /// The submodules whose commit has changed; `git submodule update` brings their checkouts along.
        submodules: Vec<String>,
        /// Files that somebody edited while a killed landing was waiting to be finished. They were left as they
        /// are, and differ from the candidate.
        left: Vec<String>,
    },
    /// The branch had the candidate before.
    AlreadyLanded,
    /// The branch is at another commit; nothing was changed.
    Moved {
        /// The full id of that commit; absent if the branch is gone.
        now: Option<String>,
    },
    /// A checkout cannot be updated; nothing was changed.
    Refused(Refusal),
}

/// Lands a candidate. Can be repeated with the same arguments after a kill.
///
/// # Errors
/// Fails if the repository or a checkout cannot be read or written. Whatever was begun is finished or undone by the
/// next call, or by [`crate::finish_landing`].
pub fn land(spec: &LandSpec<'_>) -> Result<Landing, Error> {
    let repository = Repository::open(spec.repo)?;
    let branch = Branch::of(&repository, spec.branch)?;
    let lock = lock_landing(&repository.common())?;
    let earlier = finish(&repository, spec.programs, &lock)?;
    let objects = Objects::of(&repository)?;
    let (old, new) = (
        objects.commit(spec.old)?.id(),
        objects.commit(spec.candidate)?.id(),
    );
    match earlier {
        Some(Finished::Blocked(refusal)) => return Ok(Landing::Refused(refusal)),
        Some(Finished::Landed {
            branch,
            candidate,
            left,
        }) if branch == spec.branch && candidate == spec.candidate => {
            let submodules = Delta::between(&objects, old, new)?.submodules();
            return Ok(Landing::Landed { submodules, left });
        }
        _ => {}
    }
    let work = Work {
        spec,
        branch,
        delta: Delta::between(&objects, old, new)?,
        old,
        new,
        lock: &lock,
    };
    work.run()
}

/// The checkouts to update, and the locks on their indexes.
type Prepared = (Vec<Update>, Vec<IndexLock>);

struct Work<'a> {
    spec: &'a LandSpec<'a>,
    branch: Branch<'a>,
    delta: Delta,
    old: Oid,
    new: Oid,
    lock: &'a File,
}

impl Work<'_> {
    fn run(&self) -> Result<Landing, Error> {
        match self.branch.read()? {
            Some(now) if now == self.new => return Ok(Landing::AlreadyLanded),
            Some(now) if now == self.old => {}
            now => return self.moved(now),
        }
        if !self.branch.reaches(self.new, self.old)? {
            return Ok(Landing::Refused(Refusal::new(Cause::NotFastForward)));
        }
        self.branch.check_place()?;
        let common = self.branch.repository.common();
        // No worktree is registered while it is decided which checkouts have the branch.
        let registrations = lock_repository(&common)?;
        let found = match checkouts::with(self.branch.repository, &self.branch.full)? {
            Ok(found) => found,
            Err(refusal) => return Ok(Landing::Refused(refusal)),
        };
        let journal = Journal {
            branch: self.branch.full.clone(),
            old: self.spec.old.to_owned(),
            candidate: self.spec.candidate.to_owned(),
            checkouts: found.iter().map(|checkout| checkout.name.clone()).collect(),
        };
        let (updates, mut locks) = match self.record_and_prepare(&journal, &found)? {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Landing::Refused(refusal)),
        };
        point("land-locked", &common)?;
        locks.iter_mut().for_each(IndexLock::stay);
        // Without a checkout that has the branch, one could be registered before the branch moves.
        let registrations = found.is_empty().then_some(registrations);
        match self.write(&updates) {
            Ok(()) => {}
            Err(error @ Error::Interrupted { .. }) => return Err(error),
            Err(error) => return self.undo(journal, &error),
        }
        let way = (self.old, self.new);
        let moved = self
            .branch
            .shift(way, self.spec.message, found.first(), self.lock);
        drop(registrations);
        match moved {
            Ok(true) => {}
            Ok(false) => return self.overtaken(journal),
            Err(error) => {
                self.overtaken(journal)?;
                return Err(error);
            }
        }
        point("land-moved", &common)?;
        for lock in locks {
            lock.release()?;
        }
        self.ended()
    }

    fn moved(&self, now: Option<Oid>) -> Result<Landing, Error> {
        let has_it = match now {
            Some(now) => self.branch.reaches(now, self.new)?,
            None => false,
        };
        Ok(match has_it {
            true => Landing::AlreadyLanded,
            false => Landing::Moved {
                now: now.map(|now| now.to_string()),
            },
        })
    }

    /// Records the landing, and prepares it. If that is refused or fails, nothing remains of it.
    fn record_and_prepare(
        &self,
        journal: &Journal,
        found: &[Checkout],
    ) -> Result<Result<Prepared, Refusal>, Error> {
        let common = self.branch.repository.common();
        journal.store(&common)?;
        let prepared = point("land-recorded", &common).and_then(|()| self.prepare(found));
        if !matches!(prepared, Ok(Ok(_))) {
            // The locks on the indexes are released already.
            Journal::erase(&common)?;
        }
        prepared
    }

    /// Locks the index of each checkout, and checks each. Changes nothing if there is a refusal.
    fn prepare(&self, found: &[Checkout]) -> Result<Result<Prepared, Refusal>, Error> {
        let (mut updates, mut locks) = (Vec::new(), Vec::new());
        for checkout in found {
            let Some(lock) = IndexLock::take(&checkout.notes)? else {
                return Ok(Err(Refusal::new(Cause::IndexLocked).at(&checkout.place)));
            };
            locks.push(lock);
        }
        // With the locks held: somebody may have switched to another branch, or begun to rebase.
        match checkouts::with(self.branch.repository, &self.branch.full)? {
            Ok(now) if now == found => {}
            Ok(_) => {
                let place = found.first().map_or(self.spec.repo, |checkout| &checkout.place);
                return Ok(Err(Refusal::new(Cause::Switched).at(place)));
            }
            Err(refusal) => return Ok(Err(refusal)),
        }
        for checkout in found {
            let update = Update::of(checkout, self.spec.programs)?;
            if let Some(refusal) = update.refusal(&self.delta, self.old, self.new)? {
                return Ok(Err(refusal));
            }
            updates.push(update);
        }
        Ok(Ok((updates, locks)))
    }

    /// Writes the files and indexes of the checkouts. The indexes stay locked.
    fn write(&self, updates: &[Update]) -> Result<(), Error> {
        for update in updates {
            update.write(self.old, self.new, self.lock)?;
            point("land-written", &update.place)?;
            update.keep_index()?;
            point("land-indexed", &update.place)?;
        }
        Ok(())
    }

    /// Undoes the landing, because the branch could not be moved: somebody else moved it, or git refused.
    fn overtaken(&self, journal: Journal) -> Result<Landing, Error> {
        let end = End::of(self.branch.repository, journal, self.spec.programs, self.lock)?;
        match end {
            Some(end) => {
                if let Finished::Blocked(refusal) = end.conclude(false)? {
                    return Ok(Landing::Refused(refusal));
                }
            }
            None => abandon(self.branch.repository)?,
        }
        self.moved(self.branch.read()?)
    }

    fn ended(&self) -> Result<Landing, Error> {
        let common = self.branch.repository.common();
        point("land-unlocked", &common)?;
        Journal::erase(&common)?;
        match self.branch.read()? {
            Some(now) if self.branch.reaches(now, self.new)? => Ok(Landing::Landed {
                submodules: self.delta.submodules(),
                left: Vec::new(),
            }),
            now => Ok(Landing::Moved {
                now: now.map(|now| now.to_string()),
            }),
        }
    }

    /// Undoes the landing, because git could not write a checkout.
    fn undo(&self, journal: Journal, error: &Error) -> Result<Landing, Error> {
        let end = End::of(self.branch.repository, journal, self.spec.programs, self.lock)?;
        let Some(end) = end else {
            return Ok(Landing::Refused(Refusal::new(Cause::Git(error.to_string()))));
        };
        Ok(match end.conclude(false)? {
            Finished::Landed { left, .. } => Landing::Landed {
                submodules: self.delta.submodules(),
                left,
            },
            Finished::Undone { left, .. } if left.is_empty() => {
                Landing::Refused(Refusal::new(Cause::Git(error.to_string())))
            }
            Finished::Undone { left, .. } => Landing::Refused(Refusal {
                paths: left,
                ..Refusal::new(Cause::Edits)
            }),
            Finished::Blocked(refusal) => Landing::Refused(refusal),
        })
    }
}
