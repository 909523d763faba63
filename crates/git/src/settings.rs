//! Changes a single setting in a git configuration that somebody else may have written, or
//! replaced with a link. A copy is changed outside of the repository, where its content has no
//! effect, and then replaces the original.

use crate::command::Git;
use crate::shadow::private_folder;
use crate::{Error, below};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// The size limit of a configuration that is changed.
const MOST: u64 = 1 << 20;

/// Sets `key` in the configuration at `inside` of a git directory.
///
/// # Errors
/// [`Error::Leads`] if the configuration is a link or is reached through one.
pub(crate) fn set(root: &Path, inside: &Path, key: &str, value: &OsStr) -> Result<(), Error> {
    below::check(root, inside)?;
    let file = root.join(inside);
    let text = match downbeat_files::read(&file, MOST) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        read => read.map_err(Error::io("read", &file))?,
    };
    let home = private_folder()?;
    let draft = home.path().join("config");
    std::fs::write(&draft, text).map_err(Error::io("write", &draft))?;
    let set = Git::new(home.path(), "config").env("GIT_DIR", home.path().join("none"));
    set.arg("--file").arg(&draft).arg(key).arg(value).run()?;
    let text = std::fs::read(&draft).map_err(Error::io("read", &draft))?;
    below::replace(root, inside, &text)
}
