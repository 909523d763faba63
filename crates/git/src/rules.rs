//! What the `.gitignore` files and `info/exclude` of a repository inside a worktree say: only what they
//! ignore can be a tool's. Its config is not read, nor what the person ignores everywhere; so rather
//! too much counts as work.

use crate::{patterns, tips};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The largest list of patterns that is read.
const LARGEST: u64 = 1 << 20;

/// The patterns of one checkout.
pub(crate) struct Rules {
    checkout: PathBuf,
    exclude: Gitignore,
    /// By folder, as they are asked for.
    read: RefCell<HashMap<PathBuf, Option<Gitignore>>>,
}

impl Rules {
    /// Those of a checkout; `common` is its git directory, or the one that it shares.
    pub(crate) fn of(checkout: &Path, common: Option<&Path>) -> Self {
        let exclude = common.and_then(|common| patterns(checkout, &common.join("info/exclude")));
        Self {
            checkout: checkout.to_owned(),
            exclude: exclude.unwrap_or_else(Gitignore::empty),
            read: RefCell::default(),
        }
    }

    /// Whether git ignores a path of the checkout, or a folder on the way to it.
    pub(crate) fn ignore(&self, inside: &Path, is_dir: bool) -> bool {
        let ways = inside.ancestors().filter(|way| !way.as_os_str().is_empty());
        ways.into_iter()
            .any(|way| self.matches(way, is_dir || way != inside))
    }

    fn matches(&self, inside: &Path, is_dir: bool) -> bool {
        let at = self.checkout.join(inside);
        for folder in inside.ancestors().skip(1) {
            let mut read = self.read.borrow_mut();
            let here = read.entry(folder.to_owned()).or_insert_with(|| {
                let folder = self.checkout.join(folder);
                patterns(&folder, &folder.join(".gitignore"))
            });
            match here
                .as_ref()
                .map_or(Match::None, |rules| rules.matched(&at, is_dir))
            {
                Match::None => {}
                found => return found.is_ignore(),
            }
        }
        self.exclude.matched(&at, is_dir).is_ignore()
    }
}

fn patterns(root: &Path, file: &Path) -> Option<Gitignore> {
    let bytes = tips::contents(file, LARGEST)?;
    let mut builder = GitignoreBuilder::new(root);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // One that cannot be read ignores nothing.
        let _ = patterns::add_as_git(&mut builder, line);
    }
    builder.build().ok()
}
