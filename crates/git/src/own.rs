//! Names the programs that a repository's own git directory would run while a worktree is made. Runs
//! none of them; whether they run is said by [`crate::Programs`].

use crate::path::exists;
use crate::{Error, Repository};
use std::collections::BTreeSet;
use std::path::Path;

/// Hooks that git runs while a worktree is made.
const HOOKS: &[&str] = &["post-checkout", "post-index-change", "reference-transaction"];

/// The most programs that are named.
const NAMED: usize = 10;

/// The hooks and filters of the repository's own that making a worktree would run; not those that
/// the person set up for all repositories.
///
/// # Errors
/// Where the repository cannot be read.
pub fn own_programs(repo: &Path) -> Result<Vec<String>, Error> {
    let repository = Repository::open(repo)?;
    let hooks = repository.common().join("hooks");
    let mut found: BTreeSet<String> = HOOKS
        .iter()
        .filter(|hook| exists(&hooks.join(hook)))
        .map(|hook| format!("hook {hook}"))
        .collect();
    let config = repository.git2().config().map_err(Error::read(repo))?;
    let own = [git2::ConfigLevel::Local, git2::ConfigLevel::Worktree];
    let mut entries = config
        .entries(Some("^(filter\\..*\\.(smudge|process)|core\\.hookspath)$"))
        .map_err(Error::read(repo))?;
    while let Some(entry) = entries.next() {
        let Ok(entry) = entry else { continue };
        let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
        if !own.contains(&entry.level()) {
            continue;
        }
        let filter = name
            .strip_prefix("filter.")
            .and_then(|rest| rest.rsplit_once('.'))
            .map(|(driver, _)| format!("filter {driver}"));
        found.insert(filter.unwrap_or_else(|| "hooks of core.hooksPath".to_owned()));
    }
    Ok(found.into_iter().take(NAMED).collect())
}
