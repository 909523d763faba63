//! Writes a file and commits it, as an agent does that was asked to commit its work.

use std::process::{Command, Stdio};

/// Commits `FILE TEXT` in the current folder.
pub fn commit(rest: &str) {
    let (file, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let _ = std::fs::write(file, text);
    let me = ["-c", "user.name=Fake", "-c", "user.email=fake@example.com"];
    for arguments in [&["add", "-A"][..], &["commit", "--allow-empty", "-qm", rest]] {
        let git = Command::new("git")
            .args(me)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status();
        assert!(git.is_ok_and(|status| status.success()), "git {arguments:?}");
    }
}
