//! Safe access to files that a repository brings. Only regular files of bounded length inside of the
//! repository are read, and folders are created only below real folders. Links that lead outside, pipes,
//! devices and files that are too long are refused with the reason.

use crate::Error;
use downbeat_files::{kind, read};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Reads the file `name` in the folder `root`, or returns `None` if it does not exist.
///
/// # Errors
/// Fails if the file is outside of the folder, is not a regular file, or has more than `most` bytes.
pub fn read_inside(root: &Path, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    let named = root.join(name);
    let about = match named.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let file = match about.is_symlink() {
        false => named,
        true => {
            let real = dunce::canonicalize(&named)?;
            if !real.starts_with(dunce::canonicalize(root)?) {
                let what = format!(
                    "it is a link to {}, which lies outside of the project",
                    real.display()
                );
                return Err(io::Error::other(what));
            }
            real
        }
    };
    read(&file, most).map(Some)
}

/// Checks that a file that git would read is a regular file of at most `most` bytes. A missing file passes.
///
/// # Errors
/// [`Error::NotOrdinary`] describes the file.
pub(crate) fn check_ordinary(file: &Path, most: u64) -> Result<(), Error> {
    let Ok(about) = file.symlink_metadata() else {
        return Ok(());
    };
    let reason = match kind(&about) {
        Some(kind) => format!("it is {kind}"),
        None if about.len() > most => too_long(most),
        None => return Ok(()),
    };
    Err(Error::NotOrdinary {
        path: file.to_owned(),
        reason,
    })
}

/// Refuses a pipe, a socket, a device or a file of more than `most` bytes, also at the end of a
/// link: git would block on it, or read it without limit. A missing file or a folder passes,
/// because git itself reports it.
///
/// # Errors
/// [`Error::NotOrdinary`] names the file.
pub(crate) fn check_readable(file: &Path, most: u64) -> Result<(), Error> {
    let reason = match file.metadata() {
        Ok(about) if about.is_file() && about.len() > most => too_long(most),
        Ok(about) if !about.is_dir() && !about.is_file() => {
            "it is or leads to a pipe, a socket or a device".to_owned()
        }
        _ => return Ok(()),
    };
    Err(Error::NotOrdinary {
        path: file.to_owned(),
        reason,
    })
}

fn too_long(most: u64) -> String {
    match most >> 20 {
        0 => format!("it has more than {} KB", most >> 10),
        large => format!("it has more than {large} MB"),
    }
}

/// Reads a regular file, also through a link: the person's own git files may be links.
pub(crate) fn read_linked(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    read(&dunce::canonicalize(file)?, most)
}

/// Refuses a location for worktrees in the checkout `root` if the path to it has a link. A location outside
/// of the checkout is the person's own choice and passes.
///
/// # Errors
/// [`Error::Linked`] names the link.
pub fn check_place(root: &Path, place: &Path) -> Result<(), Error> {
    for way in ways(root, place) {
        match way.symlink_metadata() {
            Ok(about) if !about.is_dir() => return Err(Error::Linked { path: way }),
            _ => {}
        }
    }
    Ok(())
}

/// Creates the folder `place`. In the checkout `root` it is created step by step below real folders, and
/// checked afterwards, so that it cannot be elsewhere.
pub(crate) fn make_place(root: &Path, place: &Path) -> Result<(), Error> {
    for way in ways(root, place) {
        match std::fs::create_dir(&way) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::io("create", &way)(error));
            }
            _ => {}
        }
        if !way.symlink_metadata().is_ok_and(|about| about.is_dir()) {
            return Err(Error::Linked { path: way });
        }
    }
    std::fs::create_dir_all(place).map_err(Error::io("create", place))?;
    check_real(root, place)
}

/// Checks that a folder in the checkout `root` resolves to a path inside of it.
pub(crate) fn check_real(root: &Path, place: &Path) -> Result<(), Error> {
    let Some(inside) = inside(root, place) else {
        return Ok(());
    };
    let real = dunce::canonicalize(place).map_err(Error::io("read", place))?;
    let wanted = dunce::canonicalize(root)
        .map_err(Error::io("read", root))?
        .join(inside);
    match real == wanted {
        true => Ok(()),
        false => Err(Error::Linked {
            path: place.to_owned(),
        }),
    }
}

/// Returns each folder on the path from the checkout to `place`, or nothing if `place` is elsewhere.
fn ways(root: &Path, place: &Path) -> Vec<PathBuf> {
    let Some(inside) = inside(root, place) else {
        return Vec::new();
    };
    let mut way = root.to_owned();
    inside
        .components()
        .map(|part| {
            way.push(part);
            way.clone()
        })
        .collect()
}

fn inside<'a>(root: &Path, place: &'a Path) -> Option<&'a Path> {
    let inside = place.strip_prefix(root).ok()?;
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    inside.components().all(plain).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_regular_files_inside_the_root_are_read() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("folder")).unwrap();
        std::fs::write(root.join("file"), "text").unwrap();
        std::fs::write(dir.path().join("secret"), "secret").unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(root.join("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        for (name, target) in [
            ("inner", "file"),
            ("outer", "../secret"),
            ("zero", "/dev/zero"),
            ("itself", "itself"),
            ("nowhere", "gone"),
            ("to-pipe", "pipe"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        let read = |name: &str| read_inside(&root, name, 4).map_err(|error| error.to_string());
        assert_eq!(read("file"), Ok(Some(b"text".to_vec())));
        assert_eq!(read("inner"), Ok(Some(b"text".to_vec())));
        assert_eq!(read("missing"), Ok(None));
        for (name, why) in [
            ("outer", "outside of the project"),
            ("zero", "outside of the project"),
            ("pipe", "a pipe"),
            ("to-pipe", "a pipe"),
            ("folder", "a directory"),
            ("itself", ""),
            ("nowhere", ""),
        ] {
            let error = read(name).unwrap_err();
            assert!(error.contains(why), "{name}: {error}");
        }
        std::fs::write(root.join("file"), "texts").unwrap();
        assert!(read("file").unwrap_err().contains("longer"));
    }

    #[test]
    #[cfg(unix)]
    fn a_place_in_a_checkout_is_created_below_real_folders_only() {
        let dir = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(dir.path()).unwrap().join("root");
        let other = root.with_file_name("other");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        make_place(&root, &root.join(".worktrees")).unwrap();
        make_place(&root, &root.join(".worktrees")).unwrap();
        make_place(&root, &other.join("a/b")).unwrap();
        std::fs::remove_dir(root.join(".worktrees")).unwrap();
        std::os::unix::fs::symlink(&other, root.join(".worktrees")).unwrap();
        for place in [".worktrees", ".worktrees/one", ".worktrees/a/b"] {
            let place = root.join(place);
            for refused in [check_place(&root, &place), make_place(&root, &place)] {
                let error = refused.unwrap_err();
                assert!(matches!(error, Error::Linked { .. }), "{error}");
            }
            assert!(check_real(&root, &root.join(".worktrees/a/b")).is_err());
        }
        assert!(!other.join("one").exists());
    }
}
