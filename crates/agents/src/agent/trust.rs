//! Passes the person's trust in a folder on to every agent that needs it in its own settings.

use crate::adapters::adapter;
use crate::error::Error;
use crate::files::AgentFiles;
use crate::manifest::AdapterKind;
use std::path::Path;

/// Lets agents start in `root`, and in every worktree of the repository there, without asking.
pub fn grant_trust(files: &AgentFiles, root: &Path) -> Result<(), Error> {
    let mut kinds = AdapterKind::ALL.into_iter();
    kinds.try_for_each(|kind| adapter(kind).trust_folder(files, root))
}

/// Reverts [`grant_trust`]. Trust that the person gave to an agent directly stays.
pub fn revoke_trust(files: &AgentFiles, root: &Path) -> Result<(), Error> {
    let mut kinds = AdapterKind::ALL.into_iter();
    kinds.try_for_each(|kind| adapter(kind).distrust_folder(files, root))
}
