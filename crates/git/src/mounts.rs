//! File systems that are mounted inside a folder: deleting the folder would delete their content.

use crate::Error;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

/// Fails if something is mounted at or below a place. Links are not followed.
///
/// # Errors
/// [`Error::Mounted`] names the mount point.
pub(crate) fn check(place: &Path) -> Result<(), Error> {
    match first(place) {
        Some(path) => Err(Error::Mounted { path }),
        None => Ok(()),
    }
}

/// Reads the system's list, because only the list shows a folder that is mounted from the same file system.
#[cfg(target_os = "linux")]
fn first(place: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    match std::fs::read("/proc/self/mountinfo") {
        Ok(list) => listed(&list, &real),
        Err(_) => other_device(place),
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn first(place: &Path) -> Option<PathBuf> {
    other_device(place)
}

/// Returns nothing: if a drive is mounted as a folder, deleting the folder
/// removes only the link to the drive.
#[cfg(not(unix))]
fn first(_place: &Path) -> Option<std::path::PathBuf> {
    None
}

/// Returns the first mount point at or below a place from Linux's `mountinfo`: the fifth word of each line.
#[cfg(target_os = "linux")]
fn listed(list: &[u8], place: &Path) -> Option<PathBuf> {
    let lines = list.split(|byte| *byte == b'\n');
    let points = lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(4));
    let mut points = points.map(|word| crate::path::from_bytes(&unescaped(word)));
    points.find(|point| point.starts_with(place))
}

/// Decodes octal escapes such as `\040` for a space.
#[cfg(target_os = "linux")]
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match text.and_then(|text| u8::from_str_radix(text, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

/// Returns the first entry below `place` that is on another device than `place`.
#[cfg(unix)]
fn other_device(place: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let device = place.symlink_metadata().ok()?.dev();
    let mut folders = vec![place.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.dev() != device {
                return Some(entry.path());
            }
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_found_at_and_below_a_place() {
        let list = b"22 1 0:20 / / rw - ext4 /dev/a rw\n\
            36 22 0:20 /out /w/one\\040tree/node_modules rw,relatime shared:1 - ext4 /dev/a rw\n\
            37 22 0:33 / /w/two rw - tmpfs tmpfs rw\n";
        let found = |place: &str| listed(list, Path::new(place));
        assert_eq!(found("/w/one tree"), Some("/w/one tree/node_modules".into()));
        assert_eq!(found("/w/two"), Some("/w/two".into()));
        assert_eq!(found("/w/tw"), None);
        assert_eq!(found("/w/one"), None);
    }
}
