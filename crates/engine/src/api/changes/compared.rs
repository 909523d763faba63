//! Finds the commits and the folder that a request for changes is about. Blocks on git.

use downbeat_git::{Compared, Error, backups, branch_tip, compared_base, find_commit, first_parent, head};
use downbeat_model::SessionId;
use downbeat_model::session::Base;
use downbeat_wire::change::{ChangeScope, TurnEnd};
use std::path::{Path, PathBuf};

/// What of a session decides where its changes are read.
pub(super) struct Source {
    pub(super) session: SessionId,
    pub(super) repo: PathBuf,
    /// The worktree, if it is there.
    pub(super) worktree: Option<PathBuf>,
    pub(super) base: Option<Base>,
    pub(super) branch: Option<String>,
}

/// What is wanted, with the end of the turn found already.
pub(super) struct Wanted {
    pub(super) scope: ChangeScope,
    pub(super) commit: Option<String>,
    pub(super) turn: Option<TurnEnd>,
    pub(super) ignores_space: bool,
}

/// The states that are compared.
pub(super) struct Found {
    repo: PathBuf,
    checkout: PathBuf,
    /// The commit since which everything is the session's own work.
    pub(super) base: String,
    /// The newest commit of the session.
    pub(super) head: String,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) since: String,
    pub(super) note: Option<String>,
    ignores_space: bool,
}

impl Found {
    /// Returns the two states for git.
    pub(super) fn compared(&self) -> Compared<'_> {
        Compared {
            repo: &self.repo,
            checkout: &self.checkout,
            from: self.from.as_deref(),
            to: self.to.as_deref(),
            ignores_space: self.ignores_space,
        }
    }
}

/// Where the newest state of a session is.
struct Newest {
    checkout: PathBuf,
    head: String,
    /// The commit that holds it; `None` for the files of a worktree.
    state: Option<String>,
    note: Option<String>,
}

/// Finds what a request is about; `None` if nothing of the session is left.
pub(super) fn find(source: &Source, wanted: &Wanted) -> Result<Option<Found>, Error> {
    let repo: &Path = &source.repo;
    let Some(newest) = newest(source)? else {
        return Ok(None);
    };
    let Newest {
        checkout,
        head,
        state,
        note,
    } = newest;
    let base = match &source.base {
        Some(base) => compared_base(repo, &base.commit, &base.name, &head)?,
        // A session in the project's own folder has no base of its own.
        None => head.clone(),
    };
    let name = || {
        let base = source.base.as_ref().map(|base| base.name.clone());
        base.unwrap_or_else(|| "HEAD".to_owned())
    };
    let (from, to, since) = match wanted.scope {
        ChangeScope::All => (Some(base.clone()), state, name()),
        ChangeScope::Committed => (Some(base.clone()), Some(head.clone()), name()),
        ChangeScope::Uncommitted => (Some(head.clone()), state, "HEAD".to_owned()),
        ChangeScope::Turn => match &wanted.turn {
            Some(turn) => (Some(turn.commit.clone()), state, format!("turn {}", turn.number)),
            None => (Some(base.clone()), state, name()),
        },
        ChangeScope::Commit => {
            let commit = find_commit(repo, wanted.commit.as_deref().unwrap_or_default())?;
            let parent = first_parent(repo, &commit)?;
            let since = parent
                .as_deref()
                .map_or("nothing", |id| id.get(..8).unwrap_or(id));
            let since = since.to_owned();
            (parent, Some(commit), since)
        }
    };
    Ok(Some(Found {
        repo: source.repo.clone(),
        checkout,
        base,
        head,
        from,
        to,
        since,
        note,
        ignores_space: wanted.ignores_space,
    }))
}

/// Returns the newest state: the worktree; else the newest backup; else the branch.
fn newest(source: &Source) -> Result<Option<Newest>, Error> {
    if let Some(worktree) = &source.worktree {
        let commit = head(worktree).map(|head| head.commit);
        return match commit {
            Some(head) => Ok(Some(Newest {
                checkout: worktree.clone(),
                head,
                state: None,
                note: None,
            })),
            // Not a repository any more, say: what git says about it is the answer.
            None => downbeat_git::changes(&source.repo, worktree, "HEAD").map(|_| None),
        };
    }
    let checkout = source.repo.clone();
    let mut saved = backups(&source.repo, &source.session)?.into_iter();
    if let Some(backup) = saved.find(|backup| !backup.is_damaged) {
        let head = backup.base.clone().unwrap_or_else(|| backup.commit.clone());
        return Ok(Some(Newest {
            checkout,
            head,
            state: Some(backup.commit),
            note: Some("the worktree was removed; these are the files of its backup".to_owned()),
        }));
    }
    let tip = source
        .branch
        .as_ref()
        .map(|branch| branch_tip(&source.repo, branch));
    Ok(tip.and_then(Result::ok).map(|head| Newest {
        checkout,
        state: Some(head.clone()),
        head,
        note: Some("the worktree was removed; these are the commits of its branch".to_owned()),
    }))
}
