//! The checks of a commit by REST, asked once before a merge: the rollup of GraphQL can omit a failing run
//! (cli/cli#14253).

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::{Check, CheckKind, Checks, Confirmation, Protection};
use crate::types::identity::NodeId;
use crate::types::pull::PullRequest;
use jiff::Timestamp;
use serde::Deserialize;

use super::api::Api;
use super::checks::{kind, newest, state, status_state};

/// How many pages of 100 are read.
const PAGES: usize = 10;

const WHAT: &str = "confirm the checks of a commit";

#[derive(Deserialize)]
struct Runs {
    total_count: u64,
    check_runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    node_id: NodeId,
    name: String,
    status: String,
    conclusion: Option<String>,
    details_url: Option<String>,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    app: Option<App>,
}

#[derive(Deserialize)]
struct App {
    slug: Option<String>,
}

#[derive(Deserialize)]
struct Combined {
    total_count: u64,
    statuses: Vec<Status>,
}

#[derive(Deserialize)]
struct Status {
    node_id: NodeId,
    context: String,
    state: String,
    target_url: Option<String>,
    created_at: Option<Timestamp>,
}

impl Api {
    /// Asks for the checks of a pull request's head.
    pub(super) async fn confirm(
        &self,
        pull: &PullRequest,
        protection: &Protection,
    ) -> Result<Confirmation, ForgeError> {
        // Checks of a fork's commit are reported to the repository that it goes to.
        let repository = pull.base.repository.as_ref().ok_or_else(|| ForgeError::Gone {
            host: self.endpoint.host().to_owned(),
            what: WHAT.to_owned(),
        })?;
        let head = pull.head.oid.0.as_str();
        let (mut found, mut complete) = (Vec::new(), false);
        for page in 1..=PAGES {
            let query = [
                ("filter", "latest"),
                ("per_page", "100"),
                ("page", &page.to_string()),
            ];
            let path = Self::path(&repository.name, &["commits", head, "check-runs"]);
            let runs: Runs = self.get(WHAT, &path, &query).await?;
            let last = runs.check_runs.len() < 100;
            found.extend(runs.check_runs.into_iter().map(of_run));
            complete = found.len() as u64 >= runs.total_count;
            if last || complete {
                break;
            }
        }
        let mut statuses = 0;
        for page in 1..=PAGES {
            let path = Self::path(&repository.name, &["commits", head, "status"]);
            let query = [("per_page", "100"), ("page", &page.to_string())];
            let status: Combined = self.get(WHAT, &path, &query).await?;
            let last = status.statuses.len() < 100;
            statuses += status.statuses.len() as u64;
            found.extend(status.statuses.into_iter().map(of_status));
            if last || statuses >= status.total_count {
                complete &= statuses >= status.total_count;
                break;
            }
            complete &= page < PAGES;
        }
        let runs = newest(
            found
                .into_iter()
                .map(|check| ((check.id.0.clone(), None, None, None), check)),
        );
        let mut checks = Checks {
            runs,
            expected: Vec::new(),
            complete,
        };
        checks.require(&protection.names());
        let overlooked = overlooked(&pull.checks, &checks);
        Ok(Confirmation {
            head: pull.head.oid.clone(),
            checks,
            overlooked,
        })
    }
}

/// The checks that are not fine here and not there in the rollup.
fn overlooked(rollup: &Checks, rest: &Checks) -> Vec<String> {
    let unknown = |check: &&Check| {
        !rollup
            .runs
            .iter()
            .any(|one| one.name == check.name && one.state == check.state)
    };
    let not_fine = |check: &&Check| check.state.is_bad() || !check.state.is_over();
    rest.runs
        .iter()
        .filter(not_fine)
        .filter(unknown)
        .map(|check| check.name.clone())
        .collect()
}

fn of_run(run: Run) -> Check {
    let app = run.app.and_then(|app| app.slug);
    Check {
        kind: kind(app, None, run.details_url.as_deref()),
        id: run.node_id,
        name: line(&run.name),
        state: state(&run.status, run.conclusion.as_deref()),
        word: line(run.conclusion.as_deref().unwrap_or(&run.status)),
        required: false,
        url: run.details_url.as_deref().map(line),
        started_at: run.started_at,
        completed_at: run.completed_at,
    }
}

fn of_status(status: Status) -> Check {
    Check {
        id: status.node_id,
        name: line(&status.context),
        kind: CheckKind::Status,
        state: status_state(&status.state),
        word: line(&status.state),
        required: false,
        url: status.target_url.as_deref().map(line),
        started_at: status.created_at,
        completed_at: None,
    }
}
