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
use std::path::Path;

/// Fills a registered worktree. Does nothing if the worktree is complete. After a kill or a failure it
/// resumes, and files that were written once are not written again. The repository's own hooks and filters
/// run if `programs` allows it and the branch still points at the registered commit.
pub fn checkout(path: &Path, programs: Programs) -> Result<(), Error> {
    let place = path::place(path)?;
    let inner = ordinary::open(&place)?;
    let common = clean(inner.commondir());
    let lock = lock_worktree(&common, &place)?;
    let mut record = match Record::load(&common, &place) {
        Some(record) if record.stage == Stage::Ready => return Ok(()),
        Some(record) if record.stage == Stage::Filled => record,
        // The backup is still to be written there.
        Some(record) if record.stage == Stage::Registered && record.restored.is_none() => record,
        // Somebody else created it, so it is not filled here.
        None if inner.is_worktree() => return Ok(()),
        _ => {
            return Err(Error::NotAWorktree {
                path: place,
                repo: common,
            });
        }
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
    let workers = [OsString::from("checkout.workers=0")];
    if programs == Programs::Skip {
        if record.stage == Stage::Registered {
            let (shadow, index) = (Shadow::new(&inner, &place)?, FreshIndex::new()?);
            let fill = index.of(shadow.git("read-tree")).args(["--reset", "-u", "HEAD"]);
            fill.holding(&lock)?.run()?;
            index.keep(&clean(inner.path()), Path::new("index"))?;
            convert::filled(&clean(inner.path()), &record.base)?;
            record = record.at(&common, Stage::Filled)?;
        }
        point("checkout-filled", &place)?;
    } else if has_hook_run() {
        if record.stage == Stage::Registered {
            let reset = Git::configured(&place, "reset", &workers).with(programs);
            let reset = reset.args(["--hard", "--quiet", "--no-recurse-submodules", &record.base, "--"]);
            reset.holding(&lock)?.run()?;
            convert::filled(&clean(inner.path()), &record.base)?;
            // From here on somebody may work in it, even if the rest fails.
            record = record.at(&common, Stage::Filled)?;
        }
        point("checkout-filled", &place)?;
        let zero = "0".repeat(record.base.len());
        let hook = Git::new(&place, "hook").with(programs);
        let output = hook
            .args(["run", "--ignore-missing", "post-checkout", "--"])
            .args([zero.as_str(), record.base.as_str(), "1"])
            .holding(&lock)?
            .output()?;
        if !output.status.success() {
            return Err(Error::Hook {
                path: place,
                output: said(&output),
            });
        }
    } else {
        // An older git has no command that runs a hook; a forced checkout fills the tree and runs it.
        let fill = Git::configured(&place, "checkout", &workers).with(programs);
        let fill = fill.args(["--force", "--quiet", "--no-recurse-submodules"]);
        fill.holding(&lock)?.run()?;
    }
    point("checkout-hooked", &place)?;
    submodule::populate(&inner, &common, &place, &[], programs, &lock)?;
    record.at(&common, Stage::Ready)?;
    point("checkout-done", &place)
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
