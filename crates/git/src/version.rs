//! Which git is installed, and whether it will do.

use crate::Error;
use crate::command::Git;
use std::path::Path;
use std::sync::OnceLock;

/// The oldest git that works.
const NEEDED: (u32, u32) = (2, 34);

/// The first git with `git hook run`.
const HOOK_RUN: (u32, u32) = (2, 36);

/// The version of the installed git; an error that names it and the way out where it is too old
/// or missing.
pub fn check_git() -> Result<String, Error> {
    let line = Git::new(Path::new("."), "version").line()?;
    judge(&line)
}

/// As [`check_git`], asked until it will do and then never again in this process: for every spawn.
pub fn require_git() -> Result<(), Error> {
    static GOOD: OnceLock<()> = OnceLock::new();
    if GOOD.get().is_none() {
        check_git()?;
        let _ = GOOD.set(());
    }
    Ok(())
}

fn judge(line: &str) -> Result<String, Error> {
    let found = line.strip_prefix("git version ").unwrap_or(line).trim();
    match numbers(found) {
        Some(version) if version >= NEEDED => Ok(found.to_owned()),
        _ => Err(Error::OldGit {
            found: found.to_owned(),
            needed: "2.34",
        }),
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Whether `git hook run` exists; asked until git answers, and then never again in this process.
pub(crate) fn has_hook_run() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    if let Some(answer) = ANSWER.get() {
        return *answer;
    }
    match check_git() {
        Ok(version) => *ANSWER.get_or_init(|| numbers(&version).is_some_and(|v| v >= HOOK_RUN)),
        // Out of processes, say. Of gits that are in use, nearly all have it; another says so.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn old_versions_are_named() {
        assert_eq!(judge("git version 2.47.3").unwrap(), "2.47.3");
        assert_eq!(
            judge("git version 2.39.5 (Apple Git-154)").unwrap(),
            "2.39.5 (Apple Git-154)"
        );
        assert!(judge("git version 3.0").is_ok());
        let error = judge("git version 2.30.2").unwrap_err().to_string();
        assert!(
            error.contains("2.30.2") && error.contains("2.34") && error.contains("update"),
            "{error}"
        );
        assert!(judge("nonsense").is_err());
    }
}
