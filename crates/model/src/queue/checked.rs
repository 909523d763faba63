//! Results of checks that a merge queue keeps, by tree. Not what was printed: that belongs to whoever ran them.

use crate::oid::Oid;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The number of results that are kept.
const MOST_RESULTS: usize = 500;

/// The number of flaky trees that are kept.
const MOST_FLAKY: usize = 100;

/// The result of checks on a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// The tree that was checked.
    pub tree: Oid,
    /// The hash of the checks: their commands, and what else decides the result.
    pub hash: String,
    /// Whether all of them passed.
    pub green: bool,
}

/// A tree whose checks failed and then passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flaky {
    /// The tree.
    pub tree: Oid,
    /// The hash of the checks.
    pub hash: String,
    /// The time of the second result.
    pub at: Timestamp,
}

/// The results that a queue knows, oldest first.
///
/// A green result counts for as long as it is kept. A red one counts while the batch that it was found in is divided:
/// who enqueues a branch again later wants to see its checks run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checked {
    results: VecDeque<CheckResult>,
    flaky: VecDeque<Flaky>,
}

impl Checked {
    /// Returns the known result of these checks on this tree.
    #[must_use]
    pub fn green(&self, tree: &Oid, hash: &str) -> Option<bool> {
        let mut known = self.results.iter().rev();
        known
            .find(|known| known.tree == *tree && known.hash == hash)
            .map(|known| known.green)
    }

    /// Returns the trees whose checks failed and then passed, oldest first.
    pub fn flaky(&self) -> impl Iterator<Item = &Flaky> {
        self.flaky.iter()
    }

    /// Keeps a result. The oldest ones are forgotten.
    pub(super) fn keep(&mut self, result: CheckResult) {
        self.results
            .retain(|known| known.tree != result.tree || known.hash != result.hash);
        self.results.push_back(result);
        while self.results.len() > MOST_RESULTS {
            self.results.pop_front();
        }
    }

    /// Keeps a tree as flaky. The oldest ones are forgotten.
    pub(super) fn keep_flaky(&mut self, flaky: Flaky) {
        self.flaky.push_back(flaky);
        while self.flaky.len() > MOST_FLAKY {
            self.flaky.pop_front();
        }
    }

    /// Forgets the red results.
    pub(super) fn forget_red(&mut self) {
        self.results.retain(|known| known.green);
    }
}
