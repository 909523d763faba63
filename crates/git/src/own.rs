//! Lists the programs that a repository's own configuration and hooks would run while a worktree is created.
//! Runs none of them; [`crate::Programs`] decides whether they run.

use crate::command::{HOOKS, Setting, configured, hook_of};
use crate::path::exists;
use crate::{Error, Repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The maximum number of programs that are listed.
const NAMED: usize = 10;

/// The maximum length of a name, in characters.
const LONGEST: usize = 80;

/// The configuration keys that name programs.
const KEYS: &str = r"^(filter\..*\.(smudge|process)|core\.hookspath|hook\..*\.(event|command))$";

/// Returns the repository's own hooks and filters that creating a worktree would run, without those that the
/// person configured for all repositories.
///
/// # Errors
/// Fails if the repository cannot be read.
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

/// A configured hook; part of it may be set by the person, and part by the repository.
#[derive(Default)]
struct Hook {
    is_own: bool,
    events: BTreeSet<&'static str>,
}

fn short(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().take(LONGEST).collect()
}
