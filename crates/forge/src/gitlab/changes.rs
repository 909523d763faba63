//! Lists of merge requests and pipelines, and what changed. GitLab's lists can be asked for what changed since a time; they
//! are asked from a little before the newest change that was seen, because changes are not shown in the order of their times.

use crate::error::{ForgeError, visible};
use crate::text::line;
use crate::types::changes::{Changes, PullStub, RunStub, Seen, Validator};
use crate::types::identity::{Oid, RepositoryName};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::api::Api;
use super::ids::{Kind, Numbered};
use super::pipeline::{Pipeline, state};
use super::state::pull_state;

/// How many pages of 100 open merge requests, or of changes, are read.
const PAGES: usize = 10;

/// How far back changes are asked for again.
const OVERLAP: SignedDuration = SignedDuration::from_secs(30);

/// How many entries the first look sees.
const FIRST: &str = "30";

const WHAT: &str = "look for changes";

#[derive(Debug, Deserialize)]
struct Entry {
    id: u64,
    iid: u64,
    project_id: u64,
    state: String,
    updated_at: Timestamp,
    sha: Option<String>,
    source_branch: String,
    source_project_id: Option<u64>,
    author: Option<Author>,
}

#[derive(Debug, Deserialize)]
struct Author {
    username: String,
}

impl Api {
    fn path<'a>(name: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
        [&["projects", name], rest].concat()
    }

    /// Asks whether anything changed since `seen`.
    pub(super) async fn changes(
        &self,
        repository: &RepositoryName,
        seen: &Seen,
    ) -> Result<Changes, ForgeError> {
        let name = repository.to_string();
        let path = Self::path(&name, &["merge_requests"]);
        let pulls = self
            .since::<Entry>(&path, &[("state", "all")], seen.pulls.as_ref())
            .await?;
        let path = Self::path(&name, &["pipelines"]);
        let runs = self.since::<Pipeline>(&path, &[], seen.runs.as_ref()).await;
        let runs = visible(runs)?;
        let mut changes = Changes::since(seen);
        if let Some((list, validator)) = runs {
            changes.runs = Some(self.stubs(&name, list).await?);
            changes.seen.runs = Some(validator);
        }
        if let Some((list, validator)) = pulls {
            changes.pulls = Some(self.entries(repository, list).await?);
            changes.seen.pulls = Some(validator);
        }
        Ok(changes)
    }

    /// What changed in a list since it was last seen, the newest first, with what to pass next time. Nothing if it is as it
    /// was.
    async fn since<T: DeserializeOwned + Stamped>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
        seen: Option<&Validator>,
    ) -> Result<Option<(Vec<T>, Validator)>, ForgeError> {
        let sorted = [query, &[("order_by", "updated_at"), ("sort", "desc")]].concat();
        let list: Vec<T> = if let Some(Validator::Since { from, digest }) = seen {
            let time = from.to_string();
            let query = [&sorted[..], &[("updated_after", time.as_str())]].concat();
            let list = self.list(WHAT, path, &query, PAGES).await?.items;
            if digest_of(&list, *from) == *digest {
                return Ok(None);
            }
            list
        } else {
            let query = [&sorted[..], &[("per_page", FIRST)]].concat();
            self.get(WHAT, path, &query).await?
        };
        let newest = list.iter().filter_map(|one| one.stamp().1).max();
        // An empty list is asked for whatever comes.
        let from = newest.map_or(Timestamp::UNIX_EPOCH, |newest| {
            newest.checked_sub(OVERLAP).unwrap_or(newest)
        });
        let digest = digest_of(&list, from);
        Ok(Some((list, Validator::Since { from, digest })))
    }

    /// Pipelines by the head that they are of. One of a merge with the base runs on a commit that nobody pushed.
    async fn stubs(&self, name: &str, runs: Vec<Pipeline>) -> Result<Vec<RunStub>, ForgeError> {
        let iids: BTreeSet<u64> = runs.iter().filter_map(Pipeline::merged_iid).collect();
        let mut heads: Vec<Entry> = Vec::new();
        if !iids.is_empty() {
            let numbers: Vec<String> = iids.iter().map(ToString::to_string).collect();
            let mut query: Vec<(&str, &str)> = vec![("state", "all")];
            query.extend(numbers.iter().map(|iid| ("iids[]", iid.as_str())));
            let path = Self::path(name, &["merge_requests"]);
            heads = self.list(WHAT, &path, &query, PAGES).await?.items;
        }
        let head = |run: &Pipeline| {
            let iid = run.merged_iid()?;
            heads.iter().find(|one| one.iid == iid)?.sha.clone()
        };
        let stub = |run: Pipeline| RunStub {
            id: run.id,
            head: Oid(head(&run).unwrap_or_else(|| run.sha.clone())),
            state: state(&run.status),
        };
        Ok(runs.into_iter().map(stub).collect())
    }

    /// Lists the open merge requests.
    pub(super) async fn open_pulls(&self, repository: &RepositoryName) -> Result<Vec<PullStub>, ForgeError> {
        let (what, name) = ("list the open pull requests", repository.to_string());
        let query = [("state", "opened"), ("order_by", "updated_at"), ("sort", "desc")];
        let list: Vec<Entry> = self
            .list(what, &Self::path(&name, &["merge_requests"]), &query, PAGES)
            .await?
            .items;
        self.entries(repository, list).await
    }

    /// Finds the merge requests that have a commit as their head.
    pub(super) async fn pulls_with(
        &self,
        repository: &RepositoryName,
        commit: &Oid,
    ) -> Result<Vec<PullStub>, ForgeError> {
        let name = repository.to_string();
        let path = Self::path(&name, &["repository", "commits", &commit.0, "merge_requests"]);
        let list = self.list::<Entry>("find the pull requests of a commit", &path, &[], PAGES);
        let list = match list.await {
            Ok(list) => list.items,
            // A commit that was not pushed yet. A project that is gone says so at the next look.
            Err(ForgeError::Gone { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let with = list
            .into_iter()
            .filter(|one| one.sha.as_ref() == Some(&commit.0))
            .collect();
        self.entries(repository, with).await
    }

    async fn entries(
        &self,
        repository: &RepositoryName,
        list: Vec<Entry>,
    ) -> Result<Vec<PullStub>, ForgeError> {
        let mut found: Vec<PullStub> = Vec::with_capacity(list.len());
        for one in list {
            let head_repository = match one.source_project_id {
                Some(id) if id == one.project_id => Some(repository.to_string()),
                Some(id) => self.place(id).await?.map(|place| place.name.to_string()),
                None => None,
            };
            let id = Numbered {
                kind: Kind::Merge,
                id: one.id,
                project: one.project_id,
                iid: one.iid,
            };
            let stub = PullStub {
                id: id.node(),
                number: one.iid,
                state: pull_state(&one.state),
                head: Oid(one.sha.unwrap_or_default()),
                branch: line(&one.source_branch),
                head_repository,
                from_fork: one.source_project_id != Some(one.project_id),
                author: one.author.map(|author| line(&author.username)),
                updated_at: one.updated_at,
            };
            // One that changed while the pages were read is on two of them.
            if !found.iter().any(|known| known.id == stub.id) {
                found.push(stub);
            }
        }
        Ok(found)
    }
}

/// What is in a list, and when it changed.
trait Stamped {
    /// Its id, when it last changed, and what else may change without that time.
    fn stamp(&self) -> (u64, Option<Timestamp>, (&str, &str));
}

impl Stamped for Entry {
    fn stamp(&self) -> (u64, Option<Timestamp>, (&str, &str)) {
        let head = self.sha.as_deref().unwrap_or_default();
        (self.id, Some(self.updated_at), (&self.state, head))
    }
}

impl Stamped for Pipeline {
    fn stamp(&self) -> (u64, Option<Timestamp>, (&str, &str)) {
        (self.id, self.changed_at(), (&self.status, &self.sha))
    }
}

/// A digest of what changed in a list after a time.
fn digest_of<T: Stamped>(list: &[T], from: Timestamp) -> u64 {
    let mut stamps: Vec<_> = list.iter().map(Stamped::stamp).collect();
    stamps.retain(|(_, at, _)| at.is_none_or(|at| at > from));
    stamps.sort_unstable();
    let mut hasher = DefaultHasher::new();
    stamps.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u64, second: i64, state: &str) -> Entry {
        let at = Timestamp::from_second(second).expect("a time");
        serde_json::from_value(
            serde_json::json!({ "id": id, "iid": id, "project_id": 7, "state": state,
            "updated_at": at.to_string(), "source_branch": "b" }),
        )
        .expect("an entry")
    }

    #[test]
    fn a_list_is_as_it_was_whatever_its_order_and_whatever_lies_before_the_time() {
        let from = Timestamp::from_second(100).expect("a time");
        let known = digest_of(
            &[
                entry(1, 110, "opened"),
                entry(2, 120, "opened"),
                entry(3, 90, "opened"),
            ],
            from,
        );
        let of = |list: &[Entry]| digest_of(list, from);
        assert_eq!(of(&[entry(2, 120, "opened"), entry(1, 110, "opened")]), known);
        assert_ne!(of(&[entry(2, 121, "opened"), entry(1, 110, "opened")]), known);
        assert_ne!(of(&[entry(2, 120, "merged"), entry(1, 110, "opened")]), known);
        assert_ne!(of(&[entry(2, 120, "opened")]), known);
    }
}
