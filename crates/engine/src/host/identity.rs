//! Distinguishes a data directory that was moved from a copy, which must not be opened while its original
//! exists: the sessions and worktrees in its database are those of the original. Each data directory records
//! an id and its own path. The lock against a second engine on the same directory is elsewhere.

use crate::host::files;
use crate::host::instance::new_token;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file name of the note in the data directory.
const FILE: &str = "identity.json";

/// The file by which a data directory of an earlier version, which has no note, is recognized.
const DATABASE: &str = "downbeat.db";

/// The note of a data directory about itself; a copy has the same note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// A random id, created once.
    id: String,
    /// The path at which an engine last opened the directory, without links.
    path: PathBuf,
}

impl Note {
    fn read(root: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(root.join(FILE)).ok()?).ok()
    }
}

/// A worktree that the database names, and the id of its project.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The path of the worktree.
    pub worktree: &'a Path,
    /// The name of the folder above it, if the worktree is in a data directory.
    pub project: &'a str,
}

/// Records that `root` is a data directory, and its path. If `root` is a copy of one that still exists,
/// returns the original and records nothing.
pub fn claim<'a>(root: &Path, worktrees: impl Iterator<Item = Named<'a>>) -> Option<PathBuf> {
    let noted = Note::read(root);
    // A copy may have been opened while the disk of its original was not mounted; after that, only the
    // worktrees still name the original.
    let homes: BTreeSet<PathBuf> = worktrees.filter_map(home_of).collect();
    let noted_path = noted.iter().map(|note| note.path.clone());
    let is_original = |other: &PathBuf| {
        !is_same(other, root)
            && match &noted {
                Some(note) => Note::read(other).is_some_and(|of| of.id == note.id),
                None => other.join(DATABASE).exists(),
            }
    };
    let original = noted_path.chain(homes).find(is_original);
    if original.is_none()
        && let Err(error) = note(root, noted)
    {
        // A full disk, for example. The next start records it.
        tracing::warn!("{}: {error}", root.join(FILE).display());
    }
    original
}

/// Returns the data directory that contains a worktree, by the layout of
/// [`crate::host::paths::Paths::worktree_root`].
fn home_of(named: Named<'_>) -> Option<PathBuf> {
    let project = named.worktree.parent()?;
    let worktrees = project.parent()?;
    let is_in_data = project.file_name()? == named.project && worktrees.file_name()? == "worktrees";
    is_in_data.then(|| worktrees.parent().map(Path::to_owned))?
}

fn note(root: &Path, noted: Option<Note>) -> std::io::Result<()> {
    let path = dunce::canonicalize(root)?;
    if noted.as_ref().is_some_and(|note| note.path == path) {
        return Ok(());
    }
    let id = match noted {
        Some(note) => note.id,
        None => new_token().map_err(std::io::Error::other)?,
    };
    let text = serde_json::to_vec(&Note { id, path })?;
    files::replace_here(&root.join(FILE), &text)
}

/// Whether two paths lead to the same folder, by a link or a mount.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| dunce::canonicalize(path).ok();
    match (real(one), real(other)) {
        (Some(a), Some(b)) => a == b || is_same_inode(&a, &b),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| std::fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
    inode(one).is_some_and(|inode_of| inode(other) == Some(inode_of))
}

#[cfg(not(unix))]
fn is_same_inode(_one: &Path, _other: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::{DATABASE, FILE, Named, Note, claim};
    use std::fs;
    use std::path::{Path, PathBuf};

    struct Disk(tempfile::TempDir);

    impl Disk {
        /// Creates a disk with the data directory `first`, opened once.
        fn new() -> (Self, PathBuf) {
            let disk = Self(tempfile::tempdir().unwrap());
            let first = disk.0.path().canonicalize().unwrap().join("first");
            fs::create_dir(&first).unwrap();
            fs::write(first.join(DATABASE), "rows").unwrap();
            assert_eq!(open(&first), None);
            (disk, first)
        }
    }

    fn open(root: &Path) -> Option<PathBuf> {
        claim(root, std::iter::empty())
    }

    fn copy(from: &Path, to: &Path) {
        fs::create_dir(to).unwrap();
        for name in [FILE, DATABASE] {
            let _ = fs::copy(from.join(name), to.join(name));
        }
    }

    fn copied(first: &Path) -> PathBuf {
        let copied = first.with_file_name("copied");
        copy(first, &copied);
        copied
    }

    #[test]
    fn a_copy_is_recognized_while_its_original_exists() {
        let (_disk, first) = Disk::new();
        let copied = copied(&first);
        assert_eq!(open(&copied), Some(first.clone()));
        assert_eq!(open(&copied), Some(first.clone()), "nothing was noted");
        assert_eq!(open(&first), None, "the original goes on");
        fs::rename(&first, first.with_file_name("old")).unwrap();
        assert_eq!(open(&copied), None, "it takes the place of the original");
        assert_eq!(open(&copied), None);
    }

    #[test]
    fn a_moved_directory_is_not_a_copy_whatever_took_its_old_place() {
        let (_disk, first) = Disk::new();
        let moved = first.with_file_name("moved");
        fs::rename(&first, &moved).unwrap();
        fs::create_dir(&first).unwrap();
        fs::write(first.join(DATABASE), "others").unwrap();
        assert_eq!(open(&first), None);
        let worktree = first.join("worktrees/p1/fix");
        let named = Named {
            worktree: &worktree,
            project: "p1",
        };
        assert_eq!(claim(&moved, std::iter::once(named)), None);
        assert_eq!(Note::read(&moved).unwrap().path, moved);
    }

    #[test]
    fn a_directory_put_back_in_its_place_is_not_a_copy() {
        let (_disk, first) = Disk::new();
        let aside = first.with_file_name("aside");
        fs::rename(&first, &aside).unwrap();
        copy(&aside, &first);
        assert_eq!(open(&first), None);
        assert_eq!(open(&aside), Some(first));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_new_place_is_not_an_original() {
        let (_disk, first) = Disk::new();
        let moved = first.with_file_name("moved");
        fs::rename(&first, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &first).unwrap();
        assert_eq!(open(&moved), None);
        assert_eq!(open(&first), None);
    }

    /// A directory of an earlier version has no note; its worktrees show where it was.
    #[test]
    fn a_copy_from_an_earlier_version_is_recognized_by_its_worktrees() {
        let (_disk, first) = Disk::new();
        let worktree = first.join("worktrees/p1/fix");
        let named = || {
            std::iter::once(Named {
                worktree: &worktree,
                project: "p1",
            })
        };
        for has_note in [true, false] {
            if !has_note {
                fs::remove_file(first.join(FILE)).unwrap();
            }
            let copied = first.with_file_name(format!("copied-{has_note}"));
            copy(&first, &copied);
            let _ = fs::remove_file(copied.join(FILE));
            assert_eq!(claim(&copied, named()), Some(first.clone()));
        }
        assert_eq!(claim(&first, named()), None);
    }

    #[test]
    fn a_copy_that_was_opened_alone_is_recognized_once_its_original_is_back() {
        let (_disk, first) = Disk::new();
        let copied = copied(&first);
        let away = first.with_file_name("away");
        fs::rename(&first, &away).unwrap();
        let worktree = first.join("worktrees/p1/fix");
        let named = || {
            std::iter::once(Named {
                worktree: &worktree,
                project: "p1",
            })
        };
        assert_eq!(claim(&copied, named()), None);
        fs::rename(&away, &first).unwrap();
        assert_eq!(claim(&copied, named()), Some(first));
    }
}
