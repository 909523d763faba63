//! Which pull requests are followed, and for which session. A pull request that was found once is followed by its id,
//! whatever becomes of its branch.

use crate::decide::pulls::{Owner, Source, is_own, owner};
use crate::facts::forges::ask::Look;
use crate::facts::forges::client;
use crate::facts::forges::place::Place;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::forges::{Followed, Known, Memory};
use downbeat_forge::{NodeId, PullStub, RemoteAddress, RepositoryName};
use downbeat_model::{SessionId, Subject};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Updates the repositories of a host: those of `places`, and nothing else.
pub fn repositories(memory: &mut Memory, host: &str, places: &[Place], now: Timestamp) {
    let mut named = BTreeSet::new();
    for place in places {
        let pushed: BTreeSet<String> = place
            .authors
            .iter()
            .flat_map(|author| author.pushed.iter().cloned())
            .collect();
        for remote in place.remotes.iter().filter(|remote| remote.host == host) {
            let name = &remote.repository;
            named.insert(name.clone());
            let known = memory
                .repositories
                .entry(name.clone())
                .or_insert_with(|| Known::new(name.clone()));
            known.projects.insert(place.project.clone());
            if !pushed.is_subset(&known.pushed) && known.is_listed {
                known.facts.pushed_at = Some(now);
            }
            known.pushed.extend(pushed.iter().cloned());
        }
    }
    memory.repositories.retain(|name, _| named.contains(name));
}

/// Follows the pull requests of sessions that were found before, and forgets those of sessions that are gone.
pub fn recorded(engine: &Engine, memory: &mut Memory, host: &str) {
    let state = engine.ledger.state();
    let is_there = |session: &SessionId| state.sessions.contains_key(session);
    memory.pulls.retain(|_, followed| is_there(&followed.session));
    for row in state.sessions.values() {
        for card in row.pulls.iter().filter(|card| card.is_open()) {
            let Subject::Pull(id) = &card.id else { continue };
            let node = NodeId(id.id().to_owned());
            if id.forge() == host && !memory.pulls.contains_key(&node) {
                let repository = repository_of(&card.url).or_else(|| {
                    let of_project = |known: &&Known| known.projects.contains(&row.project_id);
                    let known = memory.repositories.values().find(of_project)?;
                    Some(known.facts.name.clone())
                });
                if let Some(repository) = repository {
                    let followed = Followed::new(node.clone(), row.id.clone(), repository);
                    memory.pulls.insert(node, followed);
                }
            }
        }
    }
}

/// Returns the repository of a pull request from its address.
pub fn repository_of(url: &str) -> Option<RepositoryName> {
    if let Some((project, _)) = url.rsplit_once("/-/merge_requests/") {
        return Some(RemoteAddress::parse(project).ok()?.repository);
    }
    let (before, _) = url.rsplit_once("/pull/")?;
    let mut parts = before.rsplit('/');
    let (name, owner) = (parts.next()?, parts.next()?);
    RepositoryName::parse(&format!("{owner}/{name}"))
}

/// Follows the listed pull requests that belong to sessions.
pub async fn listed(look: &Look<'_>, memory: &mut Memory, places: &[Place]) {
    let host = look.host;
    let mut found = Vec::new();
    for (name, known) in &memory.repositories {
        let of_here = |place: &&Place| {
            let is_here = |remote: &RemoteAddress| remote.host == host && remote.repository == *name;
            place.remotes.iter().any(is_here)
        };
        for place in places.iter().filter(of_here) {
            for stub in known.stubs.values() {
                if memory.pulls.contains_key(&stub.id) || is_default(place, stub) {
                    continue;
                }
                if let Some(session) = session_of(look, (place, name), stub).await {
                    let followed = Followed::new(stub.id.clone(), session, name.clone());
                    found.push((stub.id.clone(), followed));
                }
            }
        }
    }
    memory.pulls.extend(found);
}

/// Whether a pull request comes from the default branch: a release, for example.
fn is_default(place: &Place, stub: &PullStub) -> bool {
    !stub.from_fork && stub.branch == place.default_branch
}

/// Returns the session that a pull request belongs to.
async fn session_of(
    look: &Look<'_>,
    (place, name): (&Place, &RepositoryName),
    stub: &PullStub,
) -> Option<SessionId> {
    let session = with_its_work(place, stub).await?;
    let author = place.authors.iter().find(|author| author.id == session)?;
    let repository = stub.head_repository.as_ref();
    let repository = repository.map(|name| format!("{}/{name}", look.host));
    let is_this = |remote: &RemoteAddress| remote.host == look.host && remote.repository == *name;
    let source = Source {
        is_inside: !stub.from_fork && place.trusted.iter().any(is_this),
        repository: repository.as_deref(),
        author: stub.author.as_deref(),
    };
    let is_ours = is_own(source, author, None)
        || is_own(
            source,
            author,
            client::viewer(look.connected, look.host).await.as_deref(),
        );
    is_ours.then_some(session)
}

/// Returns the session whose work a pull request has, whoever opened it.
async fn with_its_work(place: &Place, stub: &PullStub) -> Option<SessionId> {
    match owner(&stub.branch, &stub.head.0, &place.authors) {
        Owner::Of(id) => Some(id.clone()),
        Owner::IfContained(id) => {
            let author = place.authors.iter().find(|author| author.id == *id)?;
            let from: Vec<String> = author.head.iter().chain(&author.pushed).cloned().collect();
            let (repository, head) = (place.repository.clone(), stub.head.0.clone());
            let folder = repository.display().to_string();
            // A commit that is not here is not the session's.
            let look = move || downbeat_git::is_reached(&repository, &head, &from).unwrap_or(false);
            let is_contained = blocking::in_time(&folder, look).await.unwrap_or(false);
            is_contained.then(|| id.clone())
        }
        Owner::Nobody => None,
    }
}

#[cfg(test)]
mod tests {
    use super::repository_of;

    #[test]
    fn the_page_of_a_pull_request_names_its_repository() {
        for (url, expected) in [
            ("https://github.com/acme/shop/pull/12", Some("acme/shop")),
            (
                "https://gitlab.com/group/sub/shop/-/merge_requests/12",
                Some("group/sub/shop"),
            ),
            ("https://github.com/acme/shop/issues/12", None),
        ] {
            let found = repository_of(url).map(|name| name.to_string());
            assert_eq!(found.as_deref(), expected, "{url}");
        }
    }
}
