//! Where git, its hooks' programs and installers are looked for. A desktop application starts with
//! a bare `PATH`; sessions have the one of the login shell, and their set-up must find the same.
//! An empty or relative entry of it means the folder that a program runs in. Git runs in repositories,
//! which anybody may have filled, so such an entry does not count.
//!
//! Process-wide, because every git command needs it and one process serves one person: a parameter
//! would go through every function here to say the same thing each time.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Where a system looks without a `PATH`. An empty one would mean the folder that a program runs in.
#[cfg(unix)]
const USUAL: &str = "/usr/bin:/bin";
#[cfg(not(unix))]
const USUAL: &str = r"C:\Windows\System32";

static CHOSEN: OnceLock<OsString> = OnceLock::new();

/// Says which `PATH` to use from now on; the process's own where this is never called. The first
/// call counts.
pub fn use_search_path(path: &OsStr) {
    // A second engine of one process (in tests) keeps the first one's.
    let _ = CHOSEN.set(absolute(path));
}

/// The `PATH` that counts.
pub(crate) fn path() -> &'static OsStr {
    static OWN: OnceLock<OsString> = OnceLock::new();
    let own = || absolute(&std::env::var_os("PATH").unwrap_or_default());
    CHOSEN.get().unwrap_or_else(|| OWN.get_or_init(own))
}

/// The folders of a `PATH` that are the same wherever one stands.
fn absolute(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let kept = std::env::join_paths(folders).unwrap_or_default();
    match kept.is_empty() {
        true => USUAL.into(),
        false => kept,
    }
}

/// Where a program is.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    which::which_in(program, Some(path()), std::env::temp_dir()).ok()
}

/// Whether a program is to be had.
pub(crate) fn has(program: &str) -> bool {
    find(program).is_some()
}

/// Where git is: looked for once where the `PATH` was chosen, and again where it went.
pub(crate) fn git() -> Option<PathBuf> {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let known = FOUND.get().filter(|git| git.is_file());
    let git = known.cloned().or_else(|| find("git"))?;
    if CHOSEN.get().is_some() {
        // One that was found before stays known: it may come back.
        let _ = FOUND.set(git.clone());
    }
    Some(git)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_are_the_same_everywhere_are_looked_in() {
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
