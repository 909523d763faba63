//! Reads files that hold a secret of the person: ordinary, short, and readable by their owner alone.

use std::path::{Path, PathBuf};

/// The longest file, in bytes.
const MOST: u64 = 64 * 1024;

/// Reads the file at `path`, which may start with `~/`. The reason for a refusal contains no content.
///
/// # Errors
/// Says why the file is not used.
pub fn read(path: &str, home: Option<&str>) -> Result<String, String> {
    let file = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        _ => PathBuf::from(path),
    };
    let wrong = |why: &dyn std::fmt::Display| format!("{path}: {why}");
    if !file.is_absolute() {
        return Err(wrong(&"name it by its whole path"));
    }
    let file = dunce::canonicalize(&file).map_err(|error| wrong(&error))?;
    if may_others_read(&file).map_err(|error| wrong(&error))? {
        return Err(wrong(&"others can read it; `chmod 600` it"));
    }
    let bytes = downbeat_files::read(&file, MOST).map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|_| wrong(&"it is not text"))
}

#[cfg(unix)]
fn may_others_read(file: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

/// On Windows, inheritance protects a person's folders from others.
#[cfg(not(unix))]
fn may_others_read(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::read;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_a_private_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_str().unwrap();
        let file = dir.path().join("hook");
        std::fs::write(&file, "s3cret\n").unwrap();
        let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o600);
        assert_eq!(read("~/hook", Some(home)).unwrap(), "s3cret\n");
        assert_eq!(read(file.to_str().unwrap(), None).unwrap(), "s3cret\n");
        mode(0o640);
        assert!(read("~/hook", Some(home)).unwrap_err().contains("chmod 600"));
        for path in ["hook", "~/hook", "~/nothing", "/"] {
            assert!(
                read(path, (path == "~/nothing").then_some(home)).is_err(),
                "{path}"
            );
        }
    }
}
