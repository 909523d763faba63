//! Pushes a branch as `git push` of the person does: with their credentials, and never by force. The repository's hooks
//! read files of the worktree, which its agent writes, so they run only where the agent may run anything anyway.

use crate::command::{Git, Programs, configured, said};
use crate::{Error, Repository, admin, is_reached};
use std::path::Path;
use std::process::Output;
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
    /// The remote has a branch of this name, although it was to be a new one there.
    There,
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
    Ok(push_remote_by(&config, branch))
}

/// Like [`push_remote`], for many branches.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn push_remotes(repo: &Path, branches: &[String]) -> Result<Vec<String>, Error> {
    let repository = Repository::open(repo)?;
    let config = repository.git2().config();
    let config = config.and_then(|mut config| config.snapshot());
    let config = config.map_err(Error::read(repo))?;
    let remote = |branch: &String| push_remote_by(&config, branch);
    Ok(branches.iter().map(remote).collect())
}

fn push_remote_by(config: &git2::Config, branch: &str) -> String {
    let keys = [
        format!("branch.{branch}.pushRemote"),
        "remote.pushDefault".to_owned(),
        format!("branch.{branch}.remote"),
    ];
    let named = keys.iter().find_map(|key| config.get_string(key).ok());
    named
        .filter(|name| name != ".")
        .unwrap_or_else(|| "origin".to_owned())
}

/// Returns the commit at which a remote has a branch, as far as is known here, if a session pushed it there: one of `own`, or one
/// with commits that were made since `since`, in seconds, and none before that, apart from those that `without` has.
///
/// # Errors
/// Fails if the repository or the commits cannot be read.
pub fn pushed_commit(
    repo: &Path,
    (remote, branch): (&str, &str),
    (without, own): (&[String], &[String]),
    since: i64,
) -> Result<Option<String>, Error> {
    let repository = Repository::open(repo)?;
    let git2 = repository.git2();
    let Ok(there) = git2.find_reference(&format!("refs/remotes/{remote}/{branch}")) else {
        return Ok(None);
    };
    let look = || -> Result<Option<String>, git2::Error> {
        let there = there.peel_to_commit()?.id();
        let commit = there.to_string();
        if own.contains(&commit) {
            return Ok(Some(commit));
        }
        let mut walk = git2.revwalk()?;
        walk.push(there)?;
        for commit in without {
            walk.hide(git2::Oid::from_str(commit)?)?;
        }
        let mut is_any = false;
        for id in walk {
            if git2.find_commit(id?)?.time().seconds() < since {
                return Ok(None);
            }
            is_any = true;
        }
        Ok(is_any.then_some(commit))
    };
    look().map_err(Error::read(repo))
}

/// Pushes a branch to a remote and records it as the branch's upstream. With a `checkout`, the linked worktree that has
/// the branch, hooks run there; without one, git runs in the repository, and no hook runs. What the hook of Git LFS does
/// is done either way. The remote has to have the branch at the commit `there`, which the branch contains, or without one not at
/// all: agents can write what is recorded here of the remote, so the remote itself compares.
///
/// # Errors
/// Fails if git cannot reach the remote, or if the `.git` file of the worktree names another repository.
pub fn push(
    repo: &Path,
    checkout: Option<&Path>,
    (remote, branch): (&str, &str),
    there: Option<&str>,
) -> Result<Pushed, Error> {
    let repository = Repository::open(repo)?;
    let name = format!("refs/heads/{branch}");
    if let Some(there) = there {
        let tip = repository
            .git2()
            .refname_to_id(&name)
            .map_err(Error::read(repo))?;
        if !is_reached(repo, there, &[tip.to_string()])? {
            return Ok(Pushed::Behind);
        }
    }
    let git = match checkout {
        Some(checkout) => {
            admin::check(&repository.common(), checkout)?;
            Git::new(checkout, "push").with(Programs::Run)
        }
        None => {
            if let Some(refused) = push_large_files(&repository.common(), repo, remote, branch)? {
                return Ok(Pushed::Refused(said(&refused)));
            }
            Git::new(repo, "push").reaching_remotes()
        }
    };
    let lease = format!("--force-with-lease={name}:{}", there.unwrap_or_default());
    let push = git
        .within(LONGEST)
        .args(["--porcelain", "--set-upstream"])
        .arg(lease)
        .args(["--", remote])
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
        Some(line) if line.contains("(stale info)") => Ok(match there {
            Some(_) => Pushed::Behind,
            None => Pushed::There,
        }),
        _ => Ok(Pushed::Refused(said(&output))),
    }
}

/// Pushes the branch's files in Git LFS, if the repository has the hook that would. Returns the output of a push that
/// failed.
fn push_large_files(common: &Path, repo: &Path, remote: &str, branch: &str) -> Result<Option<Output>, Error> {
    let hook = common.join("hooks").join("pre-push");
    let calls_lfs = std::fs::read_to_string(hook).is_ok_and(|script| script.contains("git lfs pre-push"));
    // A remote that looks like an option is refused by the push itself.
    if !calls_lfs || remote.starts_with('-') || configured(repo, r"^filter\.lfs\.")?.is_empty() {
        return Ok(None);
    }
    let push = Git::new(repo, "lfs")
        .reaching_remotes()
        .within(LONGEST)
        .args(["push", remote, branch]);
    let output = push.output()?;
    Ok((!output.status.success()).then_some(output))
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
