//! The checks of a commit as GitLab lists its statuses, asked once before a merge: the list has those of other programs,
//! too, which are no jobs.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::{Check, CheckKind, Checks, Confirmation, Protection};
use crate::types::pull::PullRequest;
use jiff::Timestamp;
use serde::Deserialize;

use super::api::{Api, Path};
use super::ids::{CheckId, CheckOf};
use super::pipeline::state;

/// How many pages of 100 are read.
const PAGES: usize = 10;

const WHAT: &str = "confirm the checks of a commit";

#[derive(Debug, Deserialize)]
struct Status {
    id: u64,
    name: String,
    status: String,
    #[serde(default)]
    allow_failure: bool,
    target_url: Option<String>,
    pipeline_id: Option<u64>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
}

impl Status {
    fn check(self, project: u64) -> Check {
        let id = CheckId {
            of: CheckOf::Status,
            project,
            id: self.id,
        };
        Check {
            id: id.node(),
            name: line(&self.name),
            kind: CheckKind::Status,
            state: state(&self.status),
            word: line(&self.status),
            required: !self.allow_failure,
            url: self.target_url.as_deref().map(line),
            started_at: self.started_at,
            completed_at: self.finished_at,
        }
    }
}

impl Api {
    /// Asks for the checks of a pull request's head.
    pub(super) async fn confirm(
        &self,
        pull: &PullRequest,
        protection: &Protection,
    ) -> Result<Confirmation, ForgeError> {
        let raw = self.merge_request(WHAT, &pull.id).await?;
        let raw = raw.ok_or_else(|| self.gone(WHAT))?;
        let mut checks = Checks {
            complete: true,
            ..Checks::default()
        };
        if let Some(pipeline) = raw.pipeline() {
            let project = pipeline.project_id.unwrap_or(raw.project_id);
            let path = Path::project(project, &["repository", "commits", &pipeline.sha, "statuses"]);
            let number = pipeline.id.to_string();
            let query = [("pipeline_id", number.as_str())];
            let list = self.list::<Status>(WHAT, &path.with(&[]), &query, PAGES).await?;
            checks.complete = list.complete;
            // Old versions do not know the parameter, and list those of all pipelines of the commit.
            let is_here = |one: &Status| one.pipeline_id.is_none_or(|id| id == pipeline.id);
            let here = list.items.into_iter().filter(is_here);
            checks.runs = here.map(|one| one.check(project)).collect();
        }
        // Whatever else is in the way, GitLab itself refuses the merge for.
        checks
            .expected
            .extend(protection.names().into_iter().map(str::to_owned));
        Ok(Confirmation {
            head: pull.head.oid.clone(),
            overlooked: overlooked(&pull.checks, &checks),
            checks,
        })
    }
}

/// The required checks that are not fine here and not there in the first list.
fn overlooked(first: &Checks, second: &Checks) -> Vec<String> {
    let is_known =
        |check: &Check| (first.runs.iter()).any(|one| one.name == check.name && one.state == check.state);
    let not_fine = |check: &Check| check.state.is_bad() || !check.state.is_over();
    let found = second.required().filter(|one| not_fine(one) && !is_known(one));
    found.map(|check| check.name.clone()).collect()
}
