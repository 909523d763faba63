//! Names the programs that a repository's own git directory would run while a worktree is made. Runs
//! none of them; whether they run is said by [`crate::Programs`].

use crate::command::{HOOKS, Setting, configured, hook_of};
use crate::path::exists;
use crate::{Error, Repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The most programs that are named.
const NAMED: usize = 10;

/// The most characters of a name.
const LONGEST: usize = 80;

/// What git's configuration has of them.
const KEYS: &str = r"^(filter\..*\.(smudge|process)|core\.hookspath|hook\..*\.(event|command))$";

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
    let mut named = BTreeMap::<String, Hook>::new();
    for Setting { level, key, value } in configured(repository.root(), KEYS)? {
        let is_own = matches!(level.as_str(), "local" | "worktree");
        if let Some(name) = hook_of(&key) {
            let hook = named.entry(short(name)).or_default();
            hook.is_own |= is_own;
            let event = HOOKS.iter().find(|event| event.as_bytes() == value);
            hook.events.extend(event.filter(|_| key.ends_with(b".event")));
        } else if is_own {
            let filter = key.strip_prefix(b"filter.").and_then(|rest| {
                rest.iter()
                    .rposition(|byte| *byte == b'.')
                    .map(|end| &rest[..end])
            });
            found.insert(match filter {
                Some(driver) => format!("filter {}", short(driver)),
                None => "hooks of core.hooksPath".to_owned(),
            });
        }
    }
    for (name, hook) in named.iter().filter(|(_, hook)| hook.is_own) {
        let events = hook.events.iter();
        found.extend(events.map(|event| format!("hook {event} ({name})")));
    }
    Ok(found.into_iter().take(NAMED).collect())
}

/// A hook that the configuration names: part of it may be the person's, and part the repository's.
#[derive(Default)]
struct Hook {
    is_own: bool,
    events: BTreeSet<&'static str>,
}

fn short(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().take(LONGEST).collect()
}
