//! The rules in the `.gitignore` files and `info/exclude` of a nested repository: only files that they ignore
//! can be a tool's. Its configuration and the person's global ignore file are not read, so too much counts as
//! work rather than too little.

use crate::{patterns, tips};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The size limit of a list of patterns.
const LARGEST: u64 = 1 << 20;

/// The patterns of one checkout.
pub(crate) struct Rules {
    checkout: PathBuf,
    exclude: Gitignore,
    /// The patterns by folder, read on demand.
    read: RefCell<HashMap<PathBuf, Option<Gitignore>>>,
}

impl Rules {
    /// Creates the rules of a checkout; `common` is its git directory, or the one that it shares.
    pub(crate) fn of(checkout: &Path, common: Option<&Path>) -> Self {
        let exclude = common.and_then(|common| patterns(checkout, &common.join("info/exclude")));
        Self {
            checkout: checkout.to_owned(),
            exclude: exclude.unwrap_or_else(Gitignore::empty),
            read: RefCell::default(),
        }
    }

    /// Whether git ignores a path of the checkout, or a folder above it.
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
        // An invalid pattern ignores nothing.
        let _ = patterns::add_as_git(&mut builder, line);
    }
    builder.build().ok()
}
