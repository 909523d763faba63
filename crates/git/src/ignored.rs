//! Files that git ignores and somebody made: found, told from what a tool can make again, and
//! measured, so that a removal can name and save them. Changed copies are found in
//! [`crate::copied`]; nothing is saved here.
//!
//! What is left out: dependencies, build output and caches (by their well-known names, by a
//! `CACHEDIR.TAG`, by the ending of a file), unchanged copies, and repositories inside that hold
//! nothing of their own.

use crate::copied::Copied;
use crate::copying::is_unfinished;
use crate::inside::Inside;
use crate::made;
use crate::path::{exists, to_bytes, to_text};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How much is saved in all. More than this is data or output rather than work, and a repository
/// is no place for it: it is named, and the person decides.
const SAVED_BYTES: u64 = 32 * 1024 * 1024;

/// How many files are saved in all.
const SAVED_FILES: usize = 2_000;

/// After how many files one place counts as too large to save and is not looked into further.
const LOOKED: usize = 20_000;

/// A file or directory that git ignores and that somebody filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredWork {
    /// Where, relative to the worktree.
    pub path: String,
    /// How many files; not all are counted where it is too large to save.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Whether a backup takes it along. What is too large stays out and is lost with the worktree.
    pub is_saved: bool,
}

/// What [`find`] found.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    /// Files that were added inside a copied directory; saved always.
    pub(crate) added: Vec<String>,
    /// Everything else, what is not saved first.
    pub(crate) work: Vec<IgnoredWork>,
    /// The files of `work` that are saved.
    pub(crate) files: Vec<String>,
    /// Repositories with work of their own.
    pub(crate) nested: Vec<String>,
    /// Folders that cannot be looked into.
    pub(crate) unreadable: Vec<PathBuf>,
}

/// Looks at what git says it ignores; directories come as one entry. `named` are files that are
/// saved for another reason.
pub(crate) fn find(
    worktree: &Path,
    inside: &Inside,
    tracked: &HashSet<&[u8]>,
    entries: &[PathBuf],
    copies: &Copied,
    named: &[String],
) -> Ignored {
    let look = Look {
        worktree,
        inside,
        copies,
        tracked,
        named: named.iter().map(String::as_str).collect(),
    };
    let mut found = Ignored::default();
    let mut places = Vec::new();
    for entry in entries {
        let mut place = Place::default();
        look.walk(entry, &mut place, &mut found);
        if place.bytes > 0 || !place.files.is_empty() || place.is_cut {
            places.push((to_text(entry), place));
        }
    }
    choose(places, &mut found);
    found.added.sort();
    found
}

/// The smallest places are saved first, as far as the limits go.
fn choose(mut places: Vec<(String, Place)>, found: &mut Ignored) {
    places.sort_by(|(one, a), (other, b)| (a.bytes, one).cmp(&(b.bytes, other)));
    let mut bytes = 0_u64;
    for (path, place) in places {
        let fits = !place.is_cut
            && bytes.saturating_add(place.bytes) <= SAVED_BYTES
            && found.files.len() + place.files.len() <= SAVED_FILES;
        found.work.push(IgnoredWork {
            path,
            files: place.files.len(),
            bytes: place.bytes,
            is_saved: fits,
        });
        if fits {
            bytes += place.bytes;
            found.files.extend(place.files);
        }
    }
    found
        .work
        .sort_by(|a, b| (a.is_saved, &a.path).cmp(&(b.is_saved, &b.path)));
}

/// What one entry of git's holds.
#[derive(Debug, Default)]
struct Place {
    files: Vec<String>,
    bytes: u64,
    /// Too many files.
    is_cut: bool,
}

struct Look<'a> {
    worktree: &'a Path,
    inside: &'a Inside,
    copies: &'a Copied<'a>,
    tracked: &'a HashSet<&'a [u8]>,
    named: HashSet<&'a str>,
}

impl Look<'_> {
    fn walk(&self, inside: &Path, place: &mut Place, found: &mut Ignored) {
        let mut folders = Vec::new();
        match self.is_made_again(inside) {
            true => self.made(inside, place, found, &mut folders),
            false => self.look_at(inside, place, found, &mut folders),
        }
        while let Some(folder) = folders.pop() {
            let Ok(entries) = self.worktree.join(&folder).read_dir() else {
                found.unreadable.push(folder);
                continue;
            };
            for entry in entries.flatten() {
                if place.files.len() >= LOOKED {
                    place.is_cut = true;
                    return;
                }
                let below = folder.join(entry.file_name());
                match self.is_made(&below) {
                    true => self.made(&below, place, found, &mut folders),
                    false => self.look_at(&below, place, found, &mut folders),
                }
            }
        }
    }

    /// Takes a file; puts a folder on the list of those that are to be looked into.
    fn look_at(&self, inside: &Path, place: &mut Place, found: &mut Ignored, folders: &mut Vec<PathBuf>) {
        let at = self.worktree.join(inside);
        let meta = match at.symlink_metadata() {
            Ok(meta) => meta,
            // It went since it was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            // The folder can be listed but not entered, or the path is too long.
            Err(_) => {
                let folder = inside.parent().unwrap_or(inside);
                return found.unreadable.push(folder.to_owned());
            }
        };
        if meta.is_file() || meta.is_symlink() {
            self.file(inside, meta.len(), place, found);
        }
        if !meta.is_dir() {
            return;
        }
        if !exists(&at.join(".git")) {
            folders.push(inside.to_owned());
        } else if self.inside.has_work(inside, None) {
            found.nested.push(to_text(inside));
        }
    }

    /// Repositories in what a tool makes are somebody's all the same, unless they came with a copy; so are
    /// directories that were copied there on purpose.
    fn made(&self, inside: &Path, place: &mut Place, found: &mut Ignored, folders: &mut Vec<PathBuf>) {
        let meta = self.worktree.join(inside).symlink_metadata();
        if !meta.is_ok_and(|meta| meta.is_dir()) {
            return;
        }
        match made::repositories(self.worktree, inside) {
            Err(folder) => found.unreadable.push(folder),
            Ok(all) => {
                let with_work = all.iter().filter(|inner| {
                    !self.copies.is_copied_repository(inner) && self.inside.has_work(inner, None)
                });
                found.nested.extend(with_work.map(|inner| to_text(inner)));
            }
        }
        for below in self.copies.places_below(inside) {
            self.look_at(&below, place, found, folders);
        }
    }

    fn file(&self, inside: &Path, bytes: u64, place: &mut Place, found: &mut Ignored) {
        let text = to_text(inside);
        let is_known =
            is_unfinished(inside) || self.named.contains(text.as_str()) || self.copies.answers_for(inside);
        if is_known || self.tracked.contains(&*to_bytes(inside)) {
            return;
        }
        if self.copies.is_in_place(inside) {
            found.added.push(text);
        } else {
            place.bytes += bytes;
            place.files.push(text);
        }
    }

    /// Whether a path, or a directory on the way to it, is what a tool makes.
    fn is_made_again(&self, inside: &Path) -> bool {
        let ways = inside.ancestors().filter(|way| !way.as_os_str().is_empty());
        let mut ways = ways.take_while(|way| !self.copies.is_place(way));
        ways.any(|way| self.is_made(way))
    }

    fn is_made(&self, inside: &Path) -> bool {
        let at = self.worktree.join(inside);
        if !at.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return made::is_file(&at);
        }
        // What was copied on purpose is looked into, whatever it is called.
        !self.copies.is_place(inside) && made::is_directory(&at)
    }
}
