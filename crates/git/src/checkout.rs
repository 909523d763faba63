//! The second half of making a worktree: its files, its post-checkout hook once, its submodules.
//! Any number run side by side. What `git worktree add` would have done, in the same order.

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

/// Fills a registered worktree. Asked again when it is whole, it does nothing; after a kill or a
/// failure it goes on, and files that were written once are not written again. The repository's own
/// hooks and filters run where `programs` says so, and its branch still stands where it was registered.
pub fn checkout(path: &Path, programs: Programs) -> Result<(), Error> {
    let place = path::place(path)?;
    let inner = ordinary::open(&place)?;
    let common = clean(inner.commondir());
    let lock = lock_worktree(&common, &place)?;
    let mut record = match Record::load(&common, &place) {
        Some(record) if record.stage == Stage::Ready => return Ok(()),
        Some(record) if record.stage == Stage::Filled => record,
        // A backup is still to be written there.
        Some(record) if record.stage == Stage::Registered && record.restored.is_none() => record,
        // Made by someone else: nothing of it is ours to fill.
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
    // Whoever said that they run said so of that commit.
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
            // From now on someone may have worked here, should the rest fail.
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
        // An older git has no command for a hook; a forced checkout fills the tree and runs it.
        let fill = Git::configured(&place, "checkout", &workers).with(programs);
        let fill = fill.args(["--force", "--quiet", "--no-recurse-submodules"]);
        fill.holding(&lock)?.run()?;
    }
    point("checkout-hooked", &place)?;
    submodule::populate(&inner, &common, &place, &[], programs, &lock)?;
    record.at(&common, Stage::Ready)?;
    point("checkout-done", &place)
}

/// Removes an index from before the first file was written. Git would delete what it names and the commit
/// does not have, wherever that is.
fn forget_index(notes: &Path) -> Result<(), Error> {
    let index = notes.join("index");
    match std::fs::remove_file(&index) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &index)(error)),
        _ => Ok(()),
    }
}
