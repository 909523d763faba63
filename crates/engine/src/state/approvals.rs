//! The lists of commands from a repository that the person approved, by their hashes. Not which commands a list has.

use downbeat_store::ProjectRow;

/// The number of command lists per project that stay approved, since branches and reverts go back and forth.
const APPROVED: usize = 32;

/// Whether the person approved the commands with this hash.
pub fn is_approved(project: &ProjectRow, hash: &str) -> bool {
    approved(project).any(|approved| approved == hash)
}

/// Returns the hashes of all lists of commands that the person approved, the newest first.
pub fn approved(project: &ProjectRow) -> impl Iterator<Item = &str> {
    let all = project.approved_setup.as_deref().unwrap_or_default();
    all.split_ascii_whitespace()
}

/// Adds a hash to the approved ones, the newest first.
pub fn approve(project: &mut ProjectRow, hash: &str) {
    let earlier = approved(project).filter(|earlier| *earlier != hash);
    let all: Vec<&str> = std::iter::once(hash).chain(earlier).take(APPROVED).collect();
    project.approved_setup = Some(all.join(" "));
}

/// Ends the approval of some lists.
pub fn forget(project: &mut ProjectRow, is_ended: impl Fn(&str) -> bool) {
    let kept: Vec<&str> = approved(project).filter(|hash| !is_ended(hash)).collect();
    project.approved_setup = Some(kept.join(" ")).filter(|kept| !kept.is_empty());
}
