//! The programs of this workspace, and the copies that an engine makes of them in a new data directory. A debug build
//! has more than a hundred megabytes, so the first engine of a build makes the copies, and the sandboxes after it have
//! links to them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns a program of this workspace, built next to the caller: a test, which is one folder deeper, or
/// another program.
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("our own path");
    let mut beside = own.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    beside
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{name} is not built: run `cargo build --workspace` first"))
}

/// The engine's record of what it copied.
const RECORD: &str = "known.json";

/// The folder of the copies that all sandboxes link to: beside the programs, or with the sandboxes if these are on another disk.
fn kept() -> PathBuf {
    let beside = program("downbeat").with_file_name("installed");
    let disk = |path: &Path| fs::metadata(path).map(|data| data.dev()).ok();
    match std::env::var_os("TMPDIR").map(PathBuf::from) {
        Some(folder) if disk(&folder) != beside.parent().and_then(disk) => folder.join("installed"),
        _ => beside,
    }
}

/// Gives a new data directory the copies that an earlier engine made, unless the program was built anew.
pub(crate) fn link_into(data: &Path) {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    if modified(&kept().join(RECORD)) > modified(&program("downbeat")) {
        // Another process may replace them at this moment; then this engine makes its own.
        let _ = link(&kept(), &data.join("bin"));
    }
}

/// Keeps the copies that an engine made, unless the same are kept already.
pub(crate) fn keep(data: &Path) {
    let made = data.join("bin");
    if record(&made) == record(&kept()) {
        return;
    }
    let draft = tempfile::tempdir_in(kept().parent().expect("a folder")).expect("a folder");
    if link(&made, &draft.path().join("bin")).is_ok() {
        let _ = fs::rename(kept(), draft.path().join("old"));
        let _ = fs::rename(draft.path().join("bin"), kept());
    }
}

/// Which programs were copied.
fn record(bin: &Path) -> Option<Vec<u8>> {
    fs::read(bin.join(RECORD)).ok()
}

/// Links all files below `from` into a new folder.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            link(&entry.path(), &to)?;
        } else {
            fs::hard_link(entry.path(), to)?;
        }
    }
    Ok(())
}
