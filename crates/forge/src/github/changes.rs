//! Lists of pull requests and runs, and whether they changed. An unchanged list costs nothing
//! (<https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api>, "conditional requests").

use crate::error::{ForgeError, visible};
use crate::text::line;
use crate::types::changes::{Changes, PullStub, RunStub, Seen, Validator};
use crate::types::identity::{NodeId, Oid, RepositoryName};
use crate::types::pull::PullState;
use jiff::Timestamp;
use serde::Deserialize;

use super::api::Api;
use super::checks::state;

/// How many pages of 100 open pull requests are read.
const PAGES: usize = 10;

/// How many changed pull requests a look sees. New ones beyond them are found by listing the open ones again, changes of
/// known ones by the full observation.
const PULLS: usize = 30;

/// How many runs a look sees. More than one, because an older run ends after a newer one began.
const RUNS: &str = "30";

const WHAT: &str = "look for changes";

#[derive(Deserialize)]
struct Pull {
    node_id: NodeId,
    number: u64,
    state: String,
    merged_at: Option<Timestamp>,
    updated_at: Timestamp,
    user: Option<User>,
    head: Head,
    base: Base,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Base {
    repo: Repo,
}

#[derive(Deserialize)]
struct Head {
    sha: String,
    #[serde(rename = "ref")]
    branch: String,
    repo: Option<Repo>,
}

#[derive(Deserialize)]
struct Repo {
    node_id: NodeId,
    full_name: String,
}

#[derive(Deserialize)]
struct Runs {
    workflow_runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    id: u64,
    head_sha: String,
    status: Option<String>,
    conclusion: Option<String>,
}

impl Api {
    /// Asks whether anything changed since `seen`.
    pub(super) async fn changes(
        &self,
        repository: &RepositoryName,
        seen: &Seen,
    ) -> Result<Changes, ForgeError> {
        let pulls = self.changed_pulls(repository, seen.pulls.as_ref()).await?;
        let runs = visible(self.changed_runs(repository, seen.runs.as_ref()).await)?;
        let mut changes = Changes::since(seen);
        if let Some((list, validator)) = pulls {
            changes.is_cut = list.len() >= PULLS;
            changes.pulls = Some(list.into_iter().map(stub).collect());
            changes.seen.pulls = validator;
        }
        if let Some((list, validator)) = runs {
            changes.runs = Some(list.workflow_runs.into_iter().map(run).collect());
            changes.seen.runs = validator;
        }
        Ok(changes)
    }

    async fn changed_pulls(
        &self,
        repository: &RepositoryName,
        seen: Option<&Validator>,
    ) -> Result<super::rest::Changed<Vec<Pull>>, ForgeError> {
        let count = PULLS.to_string();
        let query = [
            ("state", "all"),
            ("sort", "updated"),
            ("direction", "desc"),
            ("per_page", &count),
        ];
        self.get_changed(WHAT, &Self::path(repository, &["pulls"]), &query, seen)
            .await
    }

    async fn changed_runs(
        &self,
        repository: &RepositoryName,
        seen: Option<&Validator>,
    ) -> Result<super::rest::Changed<Runs>, ForgeError> {
        self.get_changed(
            WHAT,
            &Self::path(repository, &["actions", "runs"]),
            &[("per_page", RUNS)],
            seen,
        )
        .await
    }

    /// Lists the open pull requests.
    pub(super) async fn open_pulls(&self, repository: &RepositoryName) -> Result<Vec<PullStub>, ForgeError> {
        let mut found: Vec<PullStub> = Vec::new();
        for page in 1..=PAGES {
            let page = page.to_string();
            let query = [
                ("state", "open"),
                ("sort", "updated"),
                ("direction", "desc"),
                ("per_page", "100"),
                ("page", &page),
            ];
            let list: Vec<Pull> = self
                .get(
                    "list the open pull requests",
                    &Self::path(repository, &["pulls"]),
                    &query,
                )
                .await?;
            let last = list.len() < 100;
            for one in list.into_iter().map(stub) {
                // One that changed while the pages were read is on two of them.
                if !found.iter().any(|known| known.id == one.id) {
                    found.push(one);
                }
            }
            if last {
                break;
            }
        }
        Ok(found)
    }

    /// Finds the pull requests that have a commit as their head.
    pub(super) async fn pulls_with(
        &self,
        repository: &RepositoryName,
        commit: &Oid,
    ) -> Result<Vec<PullStub>, ForgeError> {
        let path = Self::path(repository, &["commits", &commit.0, "pulls"]);
        let list: Result<Vec<Pull>, _> = self
            .get(
                "find the pull requests of a commit",
                &path,
                &[("per_page", "100")],
            )
            .await;
        match list {
            Ok(list) => Ok(list
                .into_iter()
                .map(stub)
                .filter(|one| one.head == *commit)
                .collect()),
            // A commit that was not pushed yet: "No commit found for SHA".
            Err(ForgeError::Refused { why, .. }) if why.starts_with("No commit found") => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

fn stub(pull: Pull) -> PullStub {
    let own = pull.base.repo.node_id;
    PullStub {
        id: pull.node_id,
        number: pull.number,
        state: match (pull.state.as_str(), pull.merged_at) {
            ("closed", Some(_)) => PullState::Merged,
            ("closed", None) => PullState::Closed,
            _ => PullState::Open,
        },
        head: Oid(pull.head.sha),
        branch: line(&pull.head.branch),
        from_fork: pull.head.repo.as_ref().is_none_or(|repo| repo.node_id != own),
        author: pull.user.map(|user| line(&user.login)),
        head_repository: pull.head.repo.map(|repo| line(&repo.full_name)),
        updated_at: pull.updated_at,
    }
}

fn run(run: Run) -> RunStub {
    let status = run.status.unwrap_or_default();
    RunStub {
        id: run.id,
        head: Oid(run.head_sha),
        state: state(&status, run.conclusion.as_deref()),
    }
}
