//! Named steps at which a test can kill this process, hold it, or make the step fail as on a full disk. In a release
//! build every point does nothing. This is not a Cargo feature, which would make whole-program tests build
//! every crate twice.
//!
//! `DOWNBEAT_CRASH_AT=<step>` kills with SIGKILL; `DOWNBEAT_FAIL_AT=<step>` returns an error;
//! `DOWNBEAT_WRITE_AT=<step>` appends a line to the file `DOWNBEAT_WRITE_TO`, as another process would;
//! `DOWNBEAT_PAUSE_AT=<step>` creates the file `DOWNBEAT_PAUSE_FILE`, and waits until a test deletes it.

use crate::Error;
use std::path::Path;

/// The named steps, in the order of a worktree's life, then of the merge queue.
pub const POINTS: &[&str] = &[
    "register-recorded",
    "register-added",
    "register-done",
    "checkout-begun",
    "checkout-filled",
    "checkout-hooked",
    "checkout-done",
    "copy-file",
    "copy-done",
    "save-written",
    "save-packed",
    "save-done",
    "undo-directory",
    "undo-registration",
    "undo-branch",
    "remove-recorded",
    "remove-moved",
    "remove-unregistered",
    "remove-deleted",
    "restore-registered",
    "restore-filled",
    "restore-done",
    "candidate-made",
    "candidate-pinned",
    "land-recorded",
    "land-locked",
    "land-moved",
    "land-written",
    "land-indexed",
    "land-restored",
    "land-returned",
    "land-unlocked",
];

#[cfg(debug_assertions)]
pub(crate) fn point(name: &'static str, path: &Path) -> Result<(), Error> {
    debug_assert!(POINTS.contains(&name), "{name} is not listed");
    if std::env::var_os("DOWNBEAT_CRASH_AT").is_some_and(|at| at == name) {
        let kill = std::process::Command::new("kill")
            .arg("-KILL")
            .arg(std::process::id().to_string())
            .status();
        tracing::error!(?kill, "still alive at {name}");
        std::process::abort();
    }
    if std::env::var_os("DOWNBEAT_FAIL_AT").is_some_and(|at| at == name) {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        return Err(Error::io("write", path)(full));
    }
    if std::env::var_os("DOWNBEAT_WRITE_AT").is_some_and(|at| at == name)
        && let Some(to) = std::env::var_os("DOWNBEAT_WRITE_TO")
    {
        write_to(Path::new(&to)).map_err(Error::io("write", path))?;
    }
    if std::env::var_os("DOWNBEAT_PAUSE_AT").is_some_and(|at| at == name)
        && let Some(file) = std::env::var_os("DOWNBEAT_PAUSE_FILE")
    {
        pause(Path::new(&file)).map_err(Error::io("write", path))?;
    }
    Ok(())
}

/// Waits while the file exists; the first time only.
#[cfg(debug_assertions)]
fn pause(file: &Path) -> std::io::Result<()> {
    use std::sync::atomic::{AtomicBool, Ordering};
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    std::fs::write(file, "")?;
    while file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(debug_assertions)]
fn write_to(file: &Path) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut open = std::fs::File::options().append(true).create(true).open(file)?;
    open.write_all(b"late\n")
}

#[cfg(not(debug_assertions))]
#[expect(clippy::unnecessary_wraps, reason = "in a debug build a step can fail")]
pub(crate) fn point(_name: &'static str, _path: &Path) -> Result<(), Error> {
    Ok(())
}
