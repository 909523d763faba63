//! The second half of creating a worktree: its files, its post-checkout hook once, and its submodules, in the
//! order of `git worktree add`. Any number of checkouts can run in parallel.

use crate::command::{Git, Programs, said};
use crate::fresh::FreshIndex;
use crate::inspect::clean;
use crate::point::point;
use crate::record::{Record, Stage, clear_index_lock, lock_worktree};
use crate::shadow::Shadow;
use crate::version::has_hook_run;
use crate::{Error, admin, convert, ordinary, path, submodule};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Fills a registered worktree. Does nothing if the worktree is complete. After a kill or a failure it
/// resumes, and files that were written once are not written again. The repository's own hooks and filters
/// run if `programs` allows it and the branch still points at the registered commit.
pub fn checkout(path: &Path, programs: Programs) -> Result<(), Error> {
    let place = path::place(path)?;
    let inner = ordinary::open(&place)?;
    let common = clean(inner.commondir());
    let lock = lock_worktree(&common, &place)?;
    let Some(record) = record_to_fill(&inner, &common, &place)? else {
        return Ok(());
    };
    admin::check(&common, &place)?;
    clear_index_lock(inner.path());
    if record.stage == Stage::Registered {
        forget_index(inner.path())?;
    }
    point("checkout-begun", &place)?;
    let head = inner.head().ok().and_then(|head| head.target());
    // The permission to run programs was given for that commit.
    let programs = match head.is_some_and(|id| id.to_string() == record.base) {
        true => programs,
        false => Programs::Skip,
    };
    let filling = Filling {
        place: &place,
        notes: clean(inner.path()),
        common: &common,
        lock: &lock,
    };
    let record = if programs == Programs::Skip {
        filling.fill_without_programs(&inner, record)?
    } else if has_hook_run() {
        let record = filling.fill(record)?;
        filling.run_hook(&record)?;
        record
    } else {
        filling.fill_with_hook()?;
        record
    };
    point("checkout-hooked", &place)?;
    submodule::populate(&inner, &common, &place, &[], programs, &lock)?;
    record.at(&common, Stage::Ready)?;
    point("checkout-done", &place)
}

/// Returns the record of a worktree that is not complete; `None` if there is nothing to fill.
fn record_to_fill(inner: &git2::Repository, common: &Path, place: &Path) -> Result<Option<Record>, Error> {
    match Record::load(common, place) {
        Some(record) if record.stage == Stage::Ready => Ok(None),
        Some(record) if record.stage == Stage::Filled => Ok(Some(record)),
        // The backup is still to be written there.
        Some(record) if record.stage == Stage::Registered && record.restored.is_none() => Ok(Some(record)),
        // Somebody else created it, so it is not filled here.
        None if inner.is_worktree() => Ok(None),
        _ => Err(Error::NotAWorktree {
            path: place.to_owned(),
            repo: common.to_owned(),
        }),
    }
}

/// A worktree that is being filled.
struct Filling<'a> {
    place: &'a Path,
    /// Git's directory for the worktree.
    notes: PathBuf,
    /// The repository's git directory.
    common: &'a Path,
    lock: &'a File,
}

impl Filling<'_> {
    /// Writes the files without the programs that the repository names, unless that was done before.
    fn fill_without_programs(&self, inner: &git2::Repository, mut record: Record) -> Result<Record, Error> {
        if record.stage == Stage::Registered {
            let (shadow, index) = (Shadow::new(inner, self.place)?, FreshIndex::new()?);
            let fill = index.of(shadow.git("read-tree")).args(["--reset", "-u", "HEAD"]);
            fill.holding(self.lock)?.run()?;
            index.keep(&self.notes, Path::new("index"))?;
            convert::filled(&self.notes, &record.base)?;
            record = record.at(self.common, Stage::Filled)?;
        }
        point("checkout-filled", self.place)?;
        Ok(record)
    }

    /// Writes the files with the repository's own filters, unless that was done before.
    fn fill(&self, mut record: Record) -> Result<Record, Error> {
        if record.stage == Stage::Registered {
            let reset = self.git_with_workers("reset");
            let reset = reset.args(["--hard", "--quiet", "--no-recurse-submodules", &record.base, "--"]);
            reset.holding(self.lock)?.run()?;
            convert::filled(&self.notes, &record.base)?;
            // From here on somebody may work in it, even if the rest fails.
            record = record.at(self.common, Stage::Filled)?;
        }
        point("checkout-filled", self.place)?;
        Ok(record)
    }

    /// Runs the post-checkout hook, as `git worktree add` does.
    fn run_hook(&self, record: &Record) -> Result<(), Error> {
        let zero = "0".repeat(record.base.len());
        let hook = Git::new(self.place, "hook").with(Programs::Run);
        let output = hook
            .args(["run", "--ignore-missing", "post-checkout", "--"])
            .args([zero.as_str(), record.base.as_str(), "1"])
            .holding(self.lock)?
            .output()?;
        match output.status.success() {
            true => Ok(()),
            false => Err(Error::Hook {
                path: self.place.to_owned(),
                output: said(&output),
            }),
        }
    }

    /// Writes the files and runs the hook. An older git has no command that runs a hook, but a forced checkout runs it.
    fn fill_with_hook(&self) -> Result<(), Error> {
        let fill = self.git_with_workers("checkout");
        let fill = fill.args(["--force", "--quiet", "--no-recurse-submodules"]);
        fill.holding(self.lock)?.run().map(drop)
    }

    /// Returns a git command that writes files in parallel and may run the repository's programs.
    fn git_with_workers(&self, name: &'static str) -> Git {
        let workers = [OsString::from("checkout.workers=0")];
        Git::configured(self.place, name, &workers).with(Programs::Run)
    }
}

/// Removes an index that existed before the first file was written. Git would delete files that the index
/// names and the commit lacks, wherever they are.
fn forget_index(notes: &Path) -> Result<(), Error> {
    let index = notes.join("index");
    match std::fs::remove_file(&index) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &index)(error)),
        _ => Ok(()),
    }
}
