//! Creates files and folders that only the person may read, and writes files atomically.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns a file name next to `path` that no other process uses.
pub(crate) fn draft_of(path: &Path) -> PathBuf {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}-{count}.new", std::process::id()));
    path.with_file_name(name)
}

/// Replaces a file atomically: a reader, or a crash, sees the old content or the new. New files are readable
/// by the person alone; an existing file keeps its mode, and a link to it stays a link.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_here(
        &dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        content,
    )
}

/// Replaces a file atomically, or a link itself rather than its target.
pub(crate) fn replace_here(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = draft_of(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private::mode(&mut options);
    let written = options.open(&draft).and_then(|mut file| {
        file.write_all(content)?;
        if let Ok(old) = fs::symlink_metadata(path)
            && old.is_file()
        {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&draft, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Returns an error that names the file it is about.
pub(crate) fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Creates a folder for the person alone.
pub(crate) fn own_folder(path: &Path) -> io::Result<()> {
    private::folder(path)
}

/// File modes that keep others out.
#[cfg(unix)]
pub(crate) mod private {
    use std::fs::{DirBuilder, OpenOptions, Permissions, set_permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    pub(crate) fn folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        set_permissions(path, Permissions::from_mode(0o700))
    }

    pub(crate) fn mode(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    pub(crate) fn executable(path: &Path) -> io::Result<()> {
        set_permissions(path, Permissions::from_mode(0o700))
    }
}

/// Folders that keep others out, together with everything in them.
#[cfg(windows)]
pub(crate) mod private {
    use std::fs::OpenOptions;
    use std::io;
    use std::path::Path;

    pub(crate) fn folder(path: &Path) -> io::Result<()> {
        downbeat_keeper::private_dir(path).map_err(io::Error::other)
    }

    pub(crate) fn mode(_: &mut OpenOptions) {}

    pub(crate) fn executable(_: &Path) -> io::Result<()> {
        Ok(())
    }
}
