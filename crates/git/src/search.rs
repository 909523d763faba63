//! Where git, its hooks' programs and installers are looked for. A desktop application starts with
//! a bare `PATH`; sessions have the one of the login shell, and their set-up must find the same.
//!
//! Process-wide, because every git command needs it and one process serves one person: a parameter
//! would go through every function here to say the same thing each time.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

static CHOSEN: OnceLock<OsString> = OnceLock::new();

/// Says which `PATH` to use from now on; the process's own where this is never called. The first
/// call counts.
pub fn use_search_path(path: &OsStr) {
    // A second engine of one process (in tests) keeps the first one's.
    let _ = CHOSEN.set(path.to_owned());
}

/// The `PATH` that was chosen.
pub(crate) fn chosen() -> Option<&'static OsStr> {
    CHOSEN.get().map(OsString::as_os_str)
}

/// Whether a program is to be had.
pub(crate) fn has(program: &str) -> bool {
    match chosen() {
        Some(path) => which::which_in(program, Some(path), std::env::temp_dir()).is_ok(),
        None => which::which(program).is_ok(),
    }
}
