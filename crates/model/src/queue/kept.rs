//! What is stored of a merge queue: the queue, and what it does not need itself: the settings that were read last, and the
//! output of failed checks, which its results name by their tree.

use super::state::{Place, Queue, Settings};
use crate::verification::Verification;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The number of failed results that are kept: more than a batch has parts that are tried before one of them is blamed.
const MOST_RED: usize = 16;

/// A merge queue as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// The queue.
    pub queue: Queue,
    /// The settings that were read last.
    pub settings: Settings,
    /// The failed results, oldest first.
    pub red: VecDeque<Verification>,
}

impl Kept {
    /// Returns an empty queue.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self {
            queue: Queue::new(place),
            settings: Settings::default(),
            red: VecDeque::new(),
        }
    }

    /// Keeps a failed result, in place of an earlier one of the same tree. The oldest ones are forgotten.
    pub fn keep_red(&mut self, result: Verification) {
        self.red.retain(|known| known.tree != result.tree);
        self.red.push_back(result);
        while self.red.len() > MOST_RED {
            self.red.pop_front();
        }
    }

    /// Returns the failed result of a tree.
    #[must_use]
    pub fn red_of(&self, tree: &str) -> Option<&Verification> {
        self.red.iter().find(|known| known.tree == tree)
    }
}
