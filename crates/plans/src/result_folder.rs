//! The folder in which result files of a plan count. What they say: see `results`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The folder in which result files of a plan count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultFolder {
    /// Its whole path, without links.
    pub path: String,
    /// What does not count any more: files as they were when the folder was chosen, and those that counted. By file, its version.
    #[serde(default)]
    pub settled: BTreeMap<String, String>,
    /// The place of the share whose file is read first at the next look: there may be more files than are read at a time, and those
    /// that do not count must not keep the others from it.
    #[serde(default, skip_serializing_if = "is_first")]
    pub next: usize,
}

fn is_first(place: &usize) -> bool {
    *place == 0
}
