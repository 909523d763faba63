//! Decides which session a pull request belongs to, and says that one is gone. It belongs by its head commit: names of branches
//! are used again. A fork can have the same commits and names, so it must also belong to the person.

use crate::state::known::State;
use downbeat_model::lifecycle::StageReason;
use downbeat_model::session::SessionPull;
use downbeat_model::{SessionId, Subject, lines};
use downbeat_store::SessionRow;

/// Returns the notice that a pull request is not found any more, with the way out.
#[must_use]
pub fn gone(number: u64, subject: &Subject) -> String {
    let host = match subject {
        Subject::Pull(id) => id.forge(),
        _ => "the forge",
    };
    format!(
        "{host} does not find pull request #{number} any more: it or its repository was deleted, or your token may not see \
         it; `downbeat pr forges` says whether {host} answers, and it is shown again once it is found"
    )
}

/// Returns the notice that a token may not see a pull request any more; `why` says the way out.
#[must_use]
pub fn denied(number: u64, why: &str) -> String {
    let why = lines::first_line(why);
    format!(
        "pull request #{number} is shown as it was: {why}; `downbeat pr forges` lists all that your token may not see"
    )
}

/// Returns whether the token may not see another pull request at the same forge: then the person knows.
#[must_use]
pub fn is_denied_elsewhere(state: &State, subject: &Subject) -> bool {
    let Subject::Pull(own) = subject else { return false };
    let mut cards = state.sessions.values().flat_map(|row| &row.pulls);
    cards.any(|card| {
        let is_other = matches!(&card.id, Subject::Pull(id) if id != own && id.forge() == own.forge());
        is_other && card.is_open() && matches!(card.reason, StageReason::Denied { .. })
    })
}

/// Says what is the matter with a pull request at a forge whose repositories these are, with the way out; `None` if nothing is.
#[must_use]
pub fn trouble(row: &SessionRow, card: &SessionPull, repositories: &[String]) -> Option<String> {
    let (number, name) = (card.number, &row.name);
    let place = card.repository()?;
    let (host, repository) = place.split_once('/')?;
    match &card.reason {
        StageReason::Gone => Some(format!(
            "#{number} of {name} is not found in {repository}: it or the repository was deleted, or your token may not see it; \
             another token, or the repository's return, shows it again, and `downbeat pr list` what was last seen of it"
        )),
        StageReason::Denied { why } => Some(format!(
            "#{number} of {name} is shown as it was: {}",
            lines::first_line(why)
        )),
        _ if repositories
            .iter()
            .any(|known| known.eq_ignore_ascii_case(repository)) =>
        {
            None
        }
        _ => Some(format!(
            "#{number} of {name} is in {repository} now, which no remote names: the repository was renamed or given to somebody \
             else; `git remote set-url origin https://{host}/{repository}.git` follows it"
        )),
    }
}

/// A session that may have opened a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The session.
    pub id: SessionId,
    /// Its branch.
    pub branch: String,
    /// The full id of its commit; `None` if it has none of its own.
    pub head: Option<String>,
    /// The full ids of the commits of its branch at the remotes.
    pub pushed: Vec<String>,
    /// The repository that its branch is pushed to, as `host/owner/name`, if the person trusted the project with it.
    pub pushes_to: Option<String>,
}

/// Where a pull request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<'a> {
    /// Whether its branch is in the repository that it is to be merged into, and the person trusted the project with that one.
    pub is_inside: bool,
    /// The repository of its branch, as `host/owner/name`; `None` if it was deleted, or may not be seen.
    pub repository: Option<&'a str>,
    /// The account that opened it.
    pub author: Option<&'a str>,
}

/// Returns whether a pull request can be a session's own: it comes from the repository itself, from the one that the session's branch is
/// pushed to, or from the account of the person's token, `viewer`. Anybody can push the commits of a session to a fork of a public
/// repository, open a pull request, and push others after them.
#[must_use]
pub fn is_own(source: Source<'_>, author: &Author, viewer: Option<&str>) -> bool {
    let same = |one: Option<&str>, other: Option<&str>| {
        let both = one.zip(other);
        both.is_some_and(|(one, other)| one.eq_ignore_ascii_case(other))
    };
    source.is_inside || same(source.repository, author.pushes_to.as_deref()) || same(source.author, viewer)
}

/// The session of a pull request, as far as it is clear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner<'a> {
    /// This session.
    Of(&'a SessionId),
    /// This session, if its history contains the pull request's head.
    IfContained(&'a SessionId),
    /// None that is known.
    Nobody,
}

/// Returns the session whose work a pull request of the branch `branch` with the commit `head` contains. Of several
/// sessions at the same commit, the one with that branch counts; if none has it, nobody owns it.
pub fn owner<'a>(branch: &str, head: &str, sessions: &'a [Author]) -> Owner<'a> {
    let has_head = |one: &&Author| {
        let own = one.head.as_deref().filter(|own| *own == head);
        own.is_some() || (one.head.is_some() && one.pushed.iter().any(|pushed| pushed == head))
    };
    let has_branch = |one: &&Author| one.branch == branch;
    let at: Vec<&Author> = sessions.iter().filter(has_head).collect();
    let found = match at.as_slice() {
        [one] => Some(*one),
        several => several.iter().find(|one| has_branch(one)).copied(),
    };
    if let Some(one) = found {
        return Owner::Of(&one.id);
    }
    let with_work = |one: &&Author| one.head.is_some() && has_branch(one);
    match sessions.iter().find(with_work) {
        Some(one) => Owner::IfContained(&one.id),
        None => Owner::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::example::id;

    fn author(number: u32, branch: &str, head: Option<&str>, pushed: &[&str]) -> Author {
        Author {
            id: id(number),
            branch: branch.into(),
            head: head.map(Into::into),
            pushed: pushed.iter().map(|&one| one.into()).collect(),
            pushes_to: None,
        }
    }

    #[test]
    fn a_pull_request_from_elsewhere_is_the_sessions_only_if_the_fork_or_the_account_is_the_persons() {
        const ME: Option<&str> = Some("me");
        for (source, pushes_to, viewer, expected, why) in [
            ("acme/shop by ada inside", "", None, true, "the repository itself"),
            (
                "acme/shop by ada",
                "",
                ME,
                false,
                "a repository that the person did not trust",
            ),
            ("eve/shop by eve", "me/shop", ME, false, "anybody's fork"),
            (
                "eve/shop by eve",
                "",
                None,
                false,
                "nobody knows whose token it is",
            ),
            ("? by eve", "me/shop", ME, false, "a fork that was deleted"),
            ("? by ?", "", None, false, "nothing is known of it"),
            ("Me/Shop by bot", "me/shop", ME, true, "the person's fork"),
            ("eve/shop by Me", "", ME, true, "opened by the person"),
            ("? by me", "", ME, true, "the same, and its fork was deleted"),
        ] {
            let words: Vec<&str> = source.split(' ').collect();
            let known = |word: &'static str| Some(word).filter(|word| *word != "?");
            let author = Author {
                pushes_to: Some(pushes_to.to_owned()).filter(|place| !place.is_empty()),
                ..author(1, "cart", Some("aaa"), &[])
            };
            let source = Source {
                is_inside: words.len() == 4,
                repository: known(words[0]),
                author: known(words[2]),
            };
            assert_eq!(is_own(source, &author, viewer), expected, "{why}");
        }
    }

    #[test]
    fn a_pull_request_belongs_to_the_session_with_its_commit() {
        let sessions = [
            author(1, "cart", Some("aaa"), &["999"]),
            author(2, "cart-2", Some("bbb"), &[]),
            author(3, "stacked", Some("bbb"), &[]),
            author(4, "fresh", None, &["ccc"]),
        ];
        let (of, contained) = (
            |n| Owner::Of(id_of(&sessions, n)),
            |n| Owner::IfContained(id_of(&sessions, n)),
        );
        for (branch, head, expected, why) in [
            ("cart", "aaa", of(1), "its commit and its branch"),
            ("renamed", "aaa", of(1), "its commit under another name"),
            ("cart", "999", of(1), "the commit that it pushed"),
            ("cart-2", "bbb", of(2), "two have the commit, one has the branch"),
            (
                "stacked",
                "bbb",
                of(3),
                "two have the commit, the other one has the branch",
            ),
            (
                "third",
                "bbb",
                Owner::Nobody,
                "two have the commit, none has the branch",
            ),
            ("cart", "eee", contained(1), "an older commit of it, or of a fork"),
            ("fresh", "ccc", Owner::Nobody, "it has no commit of its own"),
            ("main", "fff", Owner::Nobody, "somebody else's"),
        ] {
            assert_eq!(owner(branch, head, &sessions), expected, "{why}");
        }
    }

    fn id_of(sessions: &[Author], number: u32) -> &SessionId {
        &sessions.iter().find(|one| one.id == id(number)).unwrap().id
    }
}
