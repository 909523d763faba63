//! Quotes a path for the only place in which an agent requires a shell string: Claude Code's hook commands.
//! Only Downbeat's own paths are quoted here, never text from outside.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// The file name of the small program that handles an agent's hooks; it is next to `downbeat`.
pub const HOOK_PROGRAM: &str = if cfg!(windows) {
    "downbeat-hook.exe"
} else {
    "downbeat-hook"
};

/// Returns the program that handles hooks, if it exists next to `cli`. `downbeat hook` does the same, and
/// takes longer to start.
pub(crate) fn hook_program(cli: &Path) -> Option<PathBuf> {
    Some(cli.with_file_name(HOOK_PROGRAM)).filter(|path| path.is_file())
}

/// Returns the command that handles hooks, quoted for the shell that runs Claude Code's hooks.
pub(crate) fn hook_command(cli: &Path) -> Result<String, Error> {
    match hook_program(cli) {
        Some(small) => word(&small),
        None => Ok(format!("{} hook", word(cli)?)),
    }
}

fn word(path: &Path) -> Result<String, Error> {
    let bad = |reason| Error::Path {
        path: path.to_owned(),
        reason,
    };
    let text = path.to_str().ok_or_else(|| bad("it is not UTF-8"))?;
    let word = if cfg!(windows) { windows(text) } else { posix(text) };
    word.map_err(bad)
}

/// Quotes for `sh`.
fn posix(text: &str) -> Result<String, &'static str> {
    let quoted = shlex::try_quote(text).map_err(|_| "it contains a NUL byte")?;
    Ok(quoted.into_owned())
}

/// Quotes for Git Bash, PowerShell and `cmd` alike: in double quotes, with forward slashes, which none of
/// them treats as an escape. Refuses characters that one of them would expand inside double quotes.
fn windows(text: &str) -> Result<String, &'static str> {
    if text.contains(['"', '$', '`', '%', '!', '\0', '\n', '\r']) {
        return Err("a shell of Windows would read one of its characters as code");
    }
    Ok(format!("\"{}\"", text.replace('\\', "/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_program_handles_hooks_if_it_exists() {
        let dir = tempfile::tempdir().unwrap();
        let cli = dir.path().join("downbeat");
        assert!(hook_command(&cli).unwrap().ends_with("downbeat hook"));
        std::fs::write(dir.path().join(HOOK_PROGRAM), "").unwrap();
        assert!(hook_command(&cli).unwrap().ends_with("downbeat-hook"));
    }

    #[test]
    fn a_quoted_path_is_one_word_and_runs_no_code() {
        assert_eq!(posix("/opt/downbeat").unwrap(), "/opt/downbeat");
        let nasty = "/o p/$(x) `y` \"z\" 'q'/downbeat";
        assert_eq!(shlex::split(&posix(nasty).unwrap()).unwrap(), [nasty]);
        assert_eq!(
            windows(r"C:\Users\A B\downbeat.exe").unwrap(),
            "\"C:/Users/A B/downbeat.exe\""
        );
        assert!(windows("C:/%PATH%/downbeat.exe").is_err());
    }
}
