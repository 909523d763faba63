//! Finds out what conflicts in a pull request, in the project's repository. Fetches nothing: what is not here is named, with the
//! command that brings it.

use crate::decide::conflict;
use crate::decide::reactions::text::Cause;
use crate::facts::forges::follow;
use crate::host::blocking;
use crate::session::row;
use crate::state::context::Engine;
use downbeat_forge::RemoteAddress;
use downbeat_git::Error;
use downbeat_model::pull::SeenPull;
use downbeat_model::{PullId, SessionId};
use std::path::{Path, PathBuf};

/// Returns what conflicts between a pull request and its base; `None` if nobody can tell.
pub async fn of_pull(engine: &Engine, session: &SessionId, id: &PullId, seen: &SeenPull) -> Option<Cause> {
    let row = engine.ledger.session(session)?;
    let project = engine.project(&row.project_id).ok()?;
    let (head, base) = (
        seen.head.as_str().to_owned(),
        seen.base.as_ref()?.as_str().to_owned(),
    );
    let key = key(&project.path, &base, &head);
    let (seen, host) = (seen.clone(), id.forge().to_owned());
    let (repo, of) = (PathBuf::from(&project.path), head.clone());
    let look = move || match downbeat_git::conflict_between(&repo, &base, &head) {
        Ok(found) => found.map(|found| conflict::described(&seen.base_branch, &found)),
        Err(Error::UnknownRef { name, .. }) => {
            let branch = match name == base {
                true => &seen.base_branch,
                false => &seen.head_branch,
            };
            Some(missing(&remote(&repo, &host, &seen.url), branch, &name))
        }
        Err(error) => {
            tracing::warn!("what conflicts cannot be found out: {error}");
            None
        }
    };
    let output = blocking::in_time(&key, look).await.ok()??;
    Some(Cause {
        of,
        step: None,
        output,
    })
}

/// Returns what a description that takes too long is waited for by: other looks at the project's folder, and at another base of
/// the same pull request, do not wait for it.
fn key(folder: &str, base: &str, head: &str) -> String {
    format!("{folder}: the conflict of {head} with {base}")
}

/// Says that a commit is not here, and how to get it. The name of a branch is part of a command only if no shell reads more
/// into it.
fn missing(remote: &str, branch: &str, commit: &str) -> String {
    let is_plain = |name: &str| {
        let mut all = name.chars();
        let starts = all.next().is_some_and(|one| one.is_ascii_alphanumeric());
        starts && all.all(|one| one.is_ascii_alphanumeric() || "-_./".contains(one))
    };
    let commit = row::short(commit);
    match is_plain(remote) && is_plain(branch) {
        true => format!(
            "The conflicting files are not known here, because commit {commit} of {branch} was not fetched yet: run `git \
             fetch {remote} {branch}`.\n"
        ),
        false => format!(
            "The conflicting files are not known here, because commit {commit} was not fetched yet: fetch its branch.\n"
        ),
    }
}

/// Returns the name of the remote with the repository of a pull request.
fn remote(repo: &Path, host: &str, url: &str) -> String {
    let wanted = follow::repository_of(url);
    let remotes = downbeat_git::remotes(repo).unwrap_or_default();
    let found = remotes.into_iter().find(|remote| {
        RemoteAddress::parse(&remote.url)
            .is_ok_and(|address| address.host == host && Some(&address.repository) == wanted.as_ref())
    });
    found.map_or_else(|| "origin".to_owned(), |remote| remote.name)
}

#[cfg(test)]
mod tests {
    use super::{key, missing};

    #[test]
    fn each_conflict_is_waited_for_alone() {
        let keys = [
            "/shop".to_owned(),
            key("/shop", "b1", "h"),
            key("/shop", "b2", "h"),
            key("/shop", "b1", "g"),
        ];
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }

    #[test]
    fn a_command_contains_only_plain_names() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        for (branch, is_named) in [
            ("main", true),
            ("release/1.2", true),
            ("$(touch x)", false),
            ("main;x", false),
            ("-x", false),
            ("", false),
        ] {
            let text = missing("origin", branch, commit);
            assert_eq!(text.contains("`git fetch origin "), is_named, "{branch}: {text}");
            assert!(text.contains("01234567"), "{text}");
        }
    }
}
