//! The first half of creating a worktree: git registers it and its branch exists, but it has no files yet.
//! One registration at a time per repository. The other half is [`crate::checkout()`].

use crate::command::{Git, Programs};
use crate::outside::{check_real, make_place};
use crate::point::point;
use crate::record::{Record, Stage, lock_repository, lock_worktree};
use crate::undo::{refuse_work, undo};
use crate::{Error, Repository, admin, below, locked, path, tree};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum length of a lock reason, in characters.
const REASON_LIMIT: usize = 200;

/// The description of a worktree to create.
#[derive(Debug, Clone, Copy)]
pub struct WorktreeSpec<'a> {
    /// The repository.
    pub repo: &'a Path,
    /// The location of the worktree. Nothing may be there, except an empty directory.
    pub path: &'a Path,
    /// The requested branch; any text.
    pub branch: &'a str,
    /// The full id of the commit to start from.
    pub base_commit: &'a str,
    /// The reason of the lock, for people who ask git. "Downbeat" is put before it.
    pub reason: &'a str,
    /// Whether the repository's own hooks run.
    pub programs: Programs,
}

/// The branch and location of a created worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeMade {
    /// The actual name of the branch.
    pub branch: String,
    /// The actual location.
    pub path: PathBuf,
}

/// Registers a worktree with a new branch. Repeated for the same path and branch, it returns the same result.
/// After a failure or a kill, nothing of it remains, or the next call removes the rest.
pub fn register(spec: &WorktreeSpec<'_>) -> Result<WorktreeMade, Error> {
    let order = Order {
        repo: spec.repo,
        path: spec.path,
        wanted: spec.branch,
        base: spec.base_commit,
        reason: spec.reason,
        programs: spec.programs,
        existing: None,
        detached: false,
        restored: None,
    };
    order.fulfil().map(|(made, _)| made)
}

/// A worktree to register: on a new branch, on an existing one, or on none.
pub(crate) struct Order<'a> {
    pub(crate) repo: &'a Path,
    pub(crate) path: &'a Path,
    pub(crate) wanted: &'a str,
    pub(crate) base: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) programs: Programs,
    /// An existing branch to check out.
    pub(crate) existing: Option<&'a str>,
    /// Whether HEAD is detached at the base; `wanted` is then only a name.
    pub(crate) detached: bool,
    /// The backup from which the worktree is restored.
    pub(crate) restored: Option<&'a str>,
}

impl Order<'_> {
    /// Registers the worktree. Returns the stage of an earlier registration, or that of the new one.
    pub(crate) fn fulfil(&self) -> Result<(WorktreeMade, Stage), Error> {
        let repository = Repository::open(self.repo)?;
        let base = commit(&repository, self.base)?;
        let parent = self.path.parent().unwrap_or(self.path);
        make_place(repository.root(), parent)?;
        let place = path::place(self.path)?;
        let common = repository.common();
        let _mine = lock_worktree(&common, &place)?;
        let lock = lock_repository(&common)?;
        if let Some(record) = Record::load(&common, &place) {
            let whole = matches!(record.stage, Stage::Registered | Stage::Filled | Stage::Ready)
                // A caller that stored the result repeats the call with the branch's actual name.
                && (record.wanted == self.wanted || record.branch == self.wanted)
                && (record.restored.as_deref() == self.restored
                    // The worktree was restored from a backup and is complete.
                    || (self.restored.is_none() && record.stage == Stage::Ready))
                && admin::belongs(&common, &place)
                && admin::find(&common, &place).is_some();
            if whole {
                return Ok((
                    WorktreeMade {
                        branch: record.branch,
                        path: place,
                    },
                    record.stage,
                ));
            }
            if matches!(record.stage, Stage::Ready | Stage::Removing) && path::exists(&place) {
                return Err(occupied(&place, "a worktree that is in use or being removed"));
            }
            refuse_work(&repository, &record)?;
            undo(&repository, &record)?;
        }
        let made =
            vacant(&common, &place).and_then(|()| self.make(&repository, &common, &place, &base, &lock));
        match made {
            Ok(made) => Ok((made, Stage::Registered)),
            Err(error) => {
                match Record::load(&common, &place) {
                    Some(record) => {
                        // Only the first error is returned; the next call removes what remains.
                        if let Err(second) = undo(&repository, &record) {
                            tracing::warn!("{second}");
                        }
                    }
                    None => Record::erase(&common, &place)?,
                }
                Err(error)
            }
        }
    }

    fn make(
        &self,
        repository: &Repository,
        common: &Path,
        place: &Path,
        base: &str,
        lock: &File,
    ) -> Result<WorktreeMade, Error> {
        let branch = match self.existing {
            Some(name) => name.to_owned(),
            None if self.detached => self.wanted.to_owned(),
            None => repository.free_branch(self.wanted)?,
        };
        let is_new = self.existing.is_none() && !self.detached;
        let known = admin::all(common);
        let others = known
            .iter()
            .filter_map(|notes| notes.file_name())
            .map(|n| path::to_text(Path::new(n)));
        let record = Record {
            path: path::to_text(place),
            wanted: self.wanted.to_owned(),
            branch: branch.clone(),
            base: base.to_owned(),
            made_branch: is_new,
            others: others.collect(),
            restored: self.restored.map(str::to_owned),
            origin: tree::number(common),
            stage: Stage::Registering,
        };
        below::check(common, Path::new("worktrees"))?;
        if is_new {
            below::check_reference(common, &format!("refs/heads/{branch}"))?;
        }
        record.store(common)?;
        point("register-recorded", place)?;
        let add = || {
            let mut git = Git::new(repository.root(), "worktree").with(self.programs);
            git = git.args(["add", "--no-checkout", "--lock", "--force"]);
            git = git.arg("--reason").arg(plain(self.reason));
            if is_new {
                git = git.arg("-b").arg(&branch);
            }
            if self.detached {
                git = git.arg("--detach");
            }
            git = git.arg("--").arg(place);
            git = git.arg(self.existing.unwrap_or(base));
            git.holding(lock)?.run()
        };
        past_half_made_worktrees(add)?;
        check_real(repository.root(), place)?;
        point("register-added", place)?;
        record.at(common, Stage::Registered)?;
        point("register-done", place)?;
        Ok(WorktreeMade {
            branch,
            path: place.to_owned(),
        })
    }
}

/// Number of times that git is run again if another worktree is only half created, and the pause before each.
const HALF_MADE: (u32, Duration) = (10, Duration::from_millis(20));

/// Runs `add`, and runs it again if git met a worktree that another program was just creating. Git fails then
/// before it has written anything ("failed to read …/commondir").
fn past_half_made_worktrees<T>(mut add: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let (tries, pause) = HALF_MADE;
    for _ in 0..tries {
        match add() {
            Err(Error::Git { output, .. }) if output.contains("commondir") => std::thread::sleep(pause),
            done => return done,
        }
    }
    add()
}

/// Checks that only an empty directory, if anything, is at the location, and that no locked registration
/// claims it. An unlocked registration whose directory is gone is stale; `--force` lets git replace it.
fn vacant(common: &Path, place: &Path) -> Result<(), Error> {
    match place.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("read", place)(error)),
        Ok(meta) if !meta.is_dir() => return Err(occupied(place, "a file")),
        Ok(_) => {
            let mut entries = place.read_dir().map_err(Error::io("read", place))?;
            if entries.next().is_some() {
                return Err(occupied(place, "a directory with files"));
            }
        }
    }
    match admin::find(common, place) {
        Some(notes) if admin::is_locked(&notes) => Err(occupied(
            place,
            "a locked worktree whose directory is missing; see `git worktree unlock`",
        )),
        _ => Ok(()),
    }
}

fn occupied(place: &Path, what: &str) -> Error {
    Error::Occupied {
        path: place.to_owned(),
        what: what.to_owned(),
    }
}

/// Requires the base to be the full id of a commit, so that no external text is resolved here.
fn commit(repository: &Repository, id: &str) -> Result<String, Error> {
    let found =
        git2::Oid::from_str(id).and_then(|oid| repository.git2().find_commit(oid).map(|commit| commit.id()));
    match found {
        Ok(oid) if oid.to_string() == id => Ok(id.to_owned()),
        _ => Err(Error::UnknownRef {
            name: id.chars().take(80).collect(),
            near: Vec::new(),
        }),
    }
}

fn plain(reason: &str) -> OsString {
    let text: String = locked::OURS
        .chars()
        .chain(reason.chars())
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(REASON_LIMIT)
        .collect();
    OsString::from(text)
}

#[cfg(test)]
mod tests {
    use super::{HALF_MADE, past_half_made_worktrees};
    use crate::Error;

    #[test]
    fn a_worktree_that_another_program_is_creating_is_waited_for_and_not_for_ever() {
        let failed = |output: &str| Error::Git {
            command: "worktree".into(),
            path: "/repo".into(),
            output: output.into(),
            is_ended: false,
        };
        let half = "fatal: failed to read .git/worktrees/wt/commondir: Success";
        for (failures, output, runs, passes) in [
            (0, half, 1, true),
            (3, half, 4, true),
            (99, half, HALF_MADE.0 + 1, false),
            (1, "fatal: no", 1, false),
        ] {
            let mut count = 0;
            let done = past_half_made_worktrees(|| {
                count += 1;
                if count <= failures {
                    Err(failed(output))
                } else {
                    Ok(())
                }
            });
            assert_eq!((count, done.is_ok()), (runs, passes), "{failures} {output}");
        }
    }
}
