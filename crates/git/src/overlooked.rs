//! Files in a worktree that `git status` does not list: below a submodule without a checkout, or in place of
//! a submodule. They count as untracked, so that no file is lost because git does not report it.

use crate::blobs::GITLINK;
use crate::copied::Copied;
use crate::held::Held;
use crate::path::{to_bytes, to_text};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Adds every collected file that nothing else in `held` covers.
pub(crate) fn take_in(held: &mut Held, worktree: &Path, copied: &Copied) {
    let files = held.index.iter().filter(|entry| entry.mode != GITLINK);
    let tracked: HashSet<&[u8]> = files.map(|entry| &*entry.path).collect();
    let beside: HashSet<&String> = held.saved_untracked().collect();
    let is_known = |file: &Path, text: &String| {
        tracked.contains(&*to_bytes(file))
            || beside.contains(text)
            || held.nested.iter().any(|nested| file.starts_with(nested))
            || copied.is_unchanged(file)
    };
    let named = held.found.files.iter().map(|file| (file, to_text(file)));
    let unknown: Vec<_> = named.filter(|(file, text)| !is_known(file, text)).collect();
    if unknown.is_empty() {
        return;
    }
    let folded = Folded::of(&tracked);
    let is_new = |(file, _): &(&PathBuf, String)| !folded.has(worktree, file);
    let new: Vec<String> = unknown.into_iter().filter(is_new).map(|(_, text)| text).collect();
    let dirty: HashSet<String> = held.files.dirty.iter().cloned().collect();
    let not_named = new.iter().filter(|text| !dirty.contains(*text)).cloned();
    held.files.dirty.extend(not_named);
    held.files.untracked.extend(new);
}

/// Tracked files by their names in lower case: if the file system ignores case, git's
/// index may have another spelling.
struct Folded<'a>(BTreeMap<String, Vec<&'a [u8]>>);

impl<'a> Folded<'a> {
    fn of(tracked: &HashSet<&'a [u8]>) -> Self {
        let mut folded: BTreeMap<String, Vec<&[u8]>> = BTreeMap::new();
        for path in tracked {
            let lower = String::from_utf8_lossy(path).to_lowercase();
            folded.entry(lower).or_default().push(path);
        }
        Self(folded)
    }

    /// Whether a file is a tracked one in another spelling, so that both names lead to the same file.
    fn has(&self, worktree: &Path, file: &Path) -> bool {
        let real = |inside: &Path| dunce::canonicalize(worktree.join(inside)).ok();
        let lower = String::from_utf8_lossy(&to_bytes(file)).to_lowercase();
        let mut spellings = self.0.get(&lower).into_iter().flatten();
        let is_link = worktree.join(file).is_symlink();
        !is_link
            && spellings.any(|path| {
                let other = crate::path::from_bytes(path);
                !worktree.join(&other).is_symlink() && real(&other).is_some_and(|at| Some(at) == real(file))
            })
    }
}
