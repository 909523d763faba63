//! Pushes a branch as `git push` of the person does: with their credentials and the repository's hooks, and never by
//! force.

use crate::command::{Git, Programs, said};
use crate::{Error, Repository};
use std::path::Path;
use std::time::Duration;

/// The time limit of a push: hooks may run tests.
const LONGEST: Duration = Duration::from_secs(900);

/// The maximum number of commits that are described.
const COMMITS: usize = 50;

/// How a push ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The remote's branch is at the commit of the branch.
    Done,
    /// The remote's branch has commits that the branch does not contain.
    Behind,
    /// A hook or the remote refused the push, in these words.
    Refused(String),
}

/// The message of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its first line.
    pub subject: String,
    /// The rest.
    pub body: String,
}

/// Returns the name of the remote that `git push` would push a branch to.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn push_remote(repo: &Path, branch: &str) -> Result<String, Error> {
    let repository = Repository::open(repo)?;
    let config = repository.git2().config().map_err(Error::read(repo))?;
    let keys = [
        format!("branch.{branch}.pushRemote"),
        "remote.pushDefault".to_owned(),
        format!("branch.{branch}.remote"),
    ];
    let named = keys.iter().find_map(|key| config.get_string(key).ok());
    Ok(named
        .filter(|name| name != ".")
        .unwrap_or_else(|| "origin".to_owned()))
}

/// Pushes a branch to a remote and records it as the branch's upstream. Hooks run in `checkout`, the worktree that has it.
///
/// # Errors
/// Fails if git cannot reach the remote.
pub fn push(checkout: &Path, remote: &str, branch: &str) -> Result<Pushed, Error> {
    Repository::open(checkout)?;
    let name = format!("refs/heads/{branch}");
    let push = Git::new(checkout, "push")
        .with(Programs::Run)
        .within(LONGEST)
        .args(["--porcelain", "--set-upstream", "--", remote])
        .arg(format!("{name}:{name}"));
    let output = push.output()?;
    if output.status.success() {
        return Ok(Pushed::Done);
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    match lines.lines().find_map(|line| line.strip_prefix("!\t")) {
        Some(line) if line.contains("(non-fast-forward)") || line.contains("(fetch first)") => {
            Ok(Pushed::Behind)
        }
        _ => Ok(Pushed::Refused(said(&output))),
    }
}

/// Returns the messages of the commits that `head` has and none of `without`, oldest first, at most 50 of them.
///
/// # Errors
/// Fails if the repository or the commits cannot be read.
pub fn messages(repo: &Path, head: &str, without: &[String]) -> Result<Vec<Message>, Error> {
    let repository = Repository::open(repo)?;
    let git2 = repository.git2();
    let fault = Error::read(repo);
    let mut found = Vec::new();
    let mut list = || -> Result<(), git2::Error> {
        let mut walk = git2.revwalk()?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE)?;
        walk.push(git2::Oid::from_str(head)?)?;
        for commit in without {
            walk.hide(git2::Oid::from_str(commit)?)?;
        }
        for id in walk.take(COMMITS) {
            let commit = git2.find_commit(id?)?;
            let text = String::from_utf8_lossy(commit.message_bytes());
            let (subject, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
            found.push(Message {
                subject: subject.trim().to_owned(),
                body: body.trim().to_owned(),
            });
        }
        Ok(())
    };
    list().map_err(fault)?;
    Ok(found)
}
