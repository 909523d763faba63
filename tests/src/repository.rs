//! Repositories for tests, each created by a named script.

use std::path::Path;
use std::process::Command;

/// Returns variables that isolate git from the person's own configuration.
pub fn isolation(dir: &Path) -> Vec<(String, String)> {
    let none = dir.join("no-gitconfig").to_string_lossy().into_owned();
    [
        ("GIT_CONFIG_GLOBAL", none.clone()),
        ("GIT_CONFIG_SYSTEM", none),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_AUTHOR_NAME", "Tester".into()),
        ("GIT_AUTHOR_EMAIL", "tester@example.com".into()),
        ("GIT_COMMITTER_NAME", "Tester".into()),
        ("GIT_COMMITTER_EMAIL", "tester@example.com".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

/// Creates a repository with two files, an ignored `.env`, and one commit on `main`.
pub fn small(path: &Path, env: &[(String, String)]) {
    std::fs::create_dir_all(path.join("src")).expect("a folder");
    std::fs::write(path.join("README.md"), "# A small project\n").expect("a file");
    std::fs::write(path.join("src/main.txt"), "one\ntwo\nthree\n").expect("a file");
    std::fs::write(path.join(".gitignore"), ".env\nnode_modules\n").expect("a file");
    std::fs::write(path.join(".env"), "SECRET=of-the-project\n").expect("a file");
    git(path, env, &["init", "--quiet", "--initial-branch=main"]);
    git(path, env, &["add", "."]);
    git(path, env, &["commit", "--quiet", "--message=begin"]);
}

/// Runs git in `path` and returns its output.
pub fn git(path: &Path, env: &[(String, String)], arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(path)
        .args(arguments)
        .env_clear()
        .envs(env.iter().cloned());
    let output = command.output().expect("git runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?} failed: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
