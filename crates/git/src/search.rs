//! The search path for git, for programs of hooks and for installers. A desktop application starts with a
//! bare `PATH`; sessions have the `PATH` of the login shell, and their set-up must find the same programs.
//! Empty and relative entries are ignored: they mean the folder in which a program runs, and git runs in
//! repositories, which anybody may have filled.
//!
//! The path is process-wide, because every git command needs it and one process serves one person: a
//! parameter would pass the same value through every function of this crate.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The search path of the system without a `PATH`. An empty `PATH` would mean the
/// folder in which a program runs.
#[cfg(unix)]
const USUAL: &str = "/usr/bin:/bin";
#[cfg(not(unix))]
const USUAL: &str = r"C:\Windows\System32";

static CHOSEN: OnceLock<OsString> = OnceLock::new();

/// Sets the `PATH` for this process. Without a call, the process's own `PATH` is used.
/// Only the first call has an effect.
pub fn use_search_path(path: &OsStr) {
    // A second engine in the same process (in tests) keeps the path of the first one.
    let _ = CHOSEN.set(absolute(path));
}

/// Returns the effective `PATH`.
pub(crate) fn path() -> &'static OsStr {
    static OWN: OnceLock<OsString> = OnceLock::new();
    let own = || absolute(&std::env::var_os("PATH").unwrap_or_default());
    CHOSEN.get().unwrap_or_else(|| OWN.get_or_init(own))
}

/// Returns the absolute folders of a `PATH`.
fn absolute(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let kept = std::env::join_paths(folders).unwrap_or_default();
    match kept.is_empty() {
        true => USUAL.into(),
        false => kept,
    }
}

/// Returns the path of a program.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    which::which_in(program, Some(path()), std::env::temp_dir()).ok()
}

/// Whether a program can be found.
pub(crate) fn has(program: &str) -> bool {
    find(program).is_some()
}

/// Returns the path of git. It is cached once a `PATH` was set, and looked up again if the file is gone.
pub(crate) fn git() -> Option<PathBuf> {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let known = FOUND.get().filter(|git| git.is_file());
    let git = known.cloned().or_else(|| find("git"))?;
    if CHOSEN.get().is_some() {
        // A path that was found earlier stays cached: its file may return.
        let _ = FOUND.set(git.clone());
    }
    Some(git)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_path_keeps_only_absolute_folders() {
        let of = |folders: &[&str]| std::env::join_paths(folders).unwrap();
        let (one, two) = match cfg!(windows) {
            true => (r"C:\one", r"C:\two"),
            false => ("/one", "/two"),
        };
        assert_eq!(absolute(&of(&["", one, ".", "bin", two, ""])), of(&[one, two]));
        for none in [of(&[]), of(&[".", ""]), of(&["node_modules/.bin"])] {
            assert_eq!(absolute(&none), USUAL);
        }
    }
}
