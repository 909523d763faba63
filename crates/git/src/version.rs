//! The version of the installed git, and whether it is supported.

use crate::Error;
use crate::command::Git;
use std::path::Path;
use std::sync::OnceLock;

/// The oldest supported version of git.
const NEEDED: (u32, u32) = (2, 34);

/// The first version of git with `git hook run`.
const HOOK_RUN: (u32, u32) = (2, 36);

/// Returns the version of the installed git. Fails with a remedy if git is missing or too old.
pub fn check_git() -> Result<String, Error> {
    let line = Git::new(Path::new("."), "version").line()?;
    judge(&line)
}

/// Checks the version as [`check_git`] does, but only until it succeeds once in
/// this process: for every spawn.
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

/// Whether `git hook run` exists. The answer is cached once git gave one.
pub(crate) fn has_hook_run() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    if let Some(answer) = ANSWER.get() {
        return *answer;
    }
    match check_git() {
        Ok(version) => *ANSWER.get_or_init(|| numbers(&version).is_some_and(|v| v >= HOOK_RUN)),
        // Git may fail to start, for lack of processes, say. Nearly all versions in use have
        // it; the others report an error.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn an_old_version_is_refused_by_its_number() {
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
