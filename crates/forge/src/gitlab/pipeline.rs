//! The jobs of a pipeline as checks. A job that may fail is optional. One that only starts by hand counts as skipped, since
//! nothing says that anybody will start it; if GitLab insists on it, the pipeline is expected.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::{Check, CheckKind, CheckState, Checks};
use jiff::Timestamp;
use serde::Deserialize;

use super::api::{Api, Path};
use super::ids::{CheckId, CheckOf};

/// How many pages of 100 jobs are read.
const PAGES: usize = 10;

/// The name under which a pipeline as a whole is a check.
const WHOLE: &str = "pipeline";

const WHAT: &str = "read the jobs of a pipeline";

/// A pipeline, as a merge request or a list names it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Pipeline {
    pub(super) id: u64,
    pub(super) sha: String,
    #[serde(rename = "ref", default)]
    pub(super) reference: String,
    pub(super) status: String,
    /// Absent from old versions in lists.
    pub(super) project_id: Option<u64>,
    web_url: Option<String>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// A job, or one that starts another pipeline.
#[derive(Debug, Deserialize)]
pub(super) struct Job {
    id: u64,
    name: String,
    stage: Option<String>,
    status: String,
    #[serde(default)]
    allow_failure: bool,
    web_url: Option<String>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    failure_reason: Option<String>,
}

impl Pipeline {
    /// Whether it runs on this head commit: on the commit itself, or on GitLab's merge of it with the base.
    pub(super) fn is_of(&self, head: &str) -> bool {
        self.sha == head || self.merged_iid().is_some()
    }

    /// The number of the merge request whose merge with its base it runs on.
    pub(super) fn merged_iid(&self) -> Option<u64> {
        let rest = self.reference.strip_prefix("refs/merge-requests/")?;
        let (iid, kind) = rest.split_once('/')?;
        matches!(kind, "merge" | "train")
            .then(|| iid.parse().ok())
            .flatten()
    }

    /// When it last changed.
    pub(super) fn changed_at(&self) -> Option<Timestamp> {
        self.updated_at
    }

    fn check(&self, project: u64) -> Check {
        let state = state(&self.status);
        let ended = self.updated_at.filter(|_| state.is_over());
        Check {
            id: CheckId {
                of: CheckOf::Pipeline,
                project,
                id: self.id,
            }
            .node(),
            name: WHOLE.to_owned(),
            kind: CheckKind::Job {
                job: None,
                workflow: None,
            },
            state,
            word: line(&self.status),
            required: true,
            url: self.web_url.as_deref().map(line),
            started_at: self.created_at,
            completed_at: ended,
        }
    }
}

impl Job {
    fn check(self, of: CheckOf, project: u64) -> Check {
        let id = CheckId {
            of,
            project,
            id: self.id,
        };
        Check {
            id: id.node(),
            name: line(&self.name),
            kind: CheckKind::Job {
                job: (of == CheckOf::Job).then_some(self.id),
                workflow: self.stage.as_deref().map(line),
            },
            state: state(&self.status),
            word: line(self.failure_reason.as_deref().unwrap_or(&self.status)),
            required: !self.allow_failure,
            url: self.web_url.as_deref().map(line),
            started_at: self.started_at,
            completed_at: self.finished_at,
        }
    }
}

/// The state of a job or a pipeline, by GitLab's word.
pub(super) fn state(word: &str) -> CheckState {
    match word {
        "success" => CheckState::Passed,
        "failed" => CheckState::Failed,
        "canceled" | "canceling" => CheckState::Cancelled,
        "skipped" | "manual" => CheckState::Skipped,
        _ => CheckState::Pending,
    }
}

impl Api {
    /// The checks of a head: the jobs of its pipeline, which may be in the project of a fork. Without a pipeline there are
    /// none.
    pub(super) async fn checks(&self, pipeline: Option<&Pipeline>, base: u64) -> Result<Checks, ForgeError> {
        let Some(pipeline) = pipeline else {
            return Ok(Checks {
                complete: true,
                ..Checks::default()
            });
        };
        let project = pipeline.project_id.unwrap_or(base);
        let number = pipeline.id.to_string();
        let path = Path::project(project, &["pipelines", &number]);
        let jobs = self.list::<Job>(WHAT, &path.with(&["jobs"]), &[], PAGES).await?;
        let mut complete = jobs.complete;
        let jobs = jobs.items.into_iter();
        let mut runs: Vec<Check> = jobs.map(|job| job.check(CheckOf::Job, project)).collect();
        match self.list::<Job>(WHAT, &path.with(&["bridges"]), &[], PAGES).await {
            Ok(bridges) => {
                complete &= bridges.complete;
                let bridges = bridges.items.into_iter();
                runs.extend(bridges.map(|job| job.check(CheckOf::Bridge, project)));
            }
            // The token may see jobs without these, and old versions do not have them.
            Err(ForgeError::Gone { .. } | ForgeError::Forbidden { .. }) => {}
            Err(error) => return Err(error),
        }
        if let Some(whole) = unexplained(&runs, pipeline.check(project)) {
            runs.push(whole);
        }
        Ok(Checks {
            runs,
            expected: Vec::new(),
            complete,
        })
    }
}

/// The pipeline as a whole, unless its jobs say the same: one with a mistake in its file has no jobs, and one with a failed
/// child pipeline or a status of another program may have none that failed.
fn unexplained(runs: &[Check], whole: Check) -> Option<Check> {
    let mut required = runs.iter().filter(|run| run.required).peekable();
    if required.peek().is_none() {
        return Some(whole);
    }
    let mut required = required.map(|run| run.state);
    let is_explained = match whole.state {
        CheckState::Failed => required.any(|state| state == CheckState::Failed),
        CheckState::Cancelled => required.any(CheckState::is_bad),
        CheckState::Pending => required.any(|state| state.is_bad() || !state.is_over()),
        CheckState::Passed | CheckState::Skipped => true,
    };
    (!is_explained).then_some(whole)
}

/// Marks that the pipeline is expected, where GitLab says that it has to succeed and no check shows why it has not.
pub(super) fn expect(checks: &mut Checks) {
    let explains = |run: &Check| run.required && (run.state.is_bad() || !run.state.is_over());
    if !checks.runs.iter().any(explains) {
        checks.runs.retain(|run| run.name != WHOLE);
        checks.expected.push(WHOLE.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(status: &str, allow_failure: bool) -> Check {
        let job: Job = serde_json::from_value(serde_json::json!({
            "id": 1, "name": "test", "status": status, "allow_failure": allow_failure,
        }))
        .expect("a job");
        job.check(CheckOf::Job, 7)
    }

    fn pipeline(status: &str, reference: &str) -> Pipeline {
        serde_json::from_value(
            serde_json::json!({ "id": 9, "sha": "aaa", "ref": reference, "status": status }),
        )
        .expect("a pipeline")
    }

    #[test]
    fn the_pipeline_is_a_check_only_where_its_jobs_do_not_explain_it() {
        for (status, jobs, expected) in [
            ("failed", vec![], true),
            ("failed", vec![job("failed", false)], false),
            ("failed", vec![job("success", false)], true),
            ("success", vec![job("failed", true)], true),
            ("success", vec![job("success", false), job("failed", true)], false),
            ("running", vec![job("success", false)], true),
            ("running", vec![job("running", false)], false),
            ("manual", vec![job("manual", false), job("success", false)], false),
        ] {
            let whole = pipeline(status, "main").check(7);
            assert_eq!(unexplained(&jobs, whole).is_some(), expected, "{status} {jobs:?}");
        }
    }

    #[test]
    fn a_pipeline_that_has_to_succeed_is_expected_unless_a_check_tells_why_it_did_not() {
        for (jobs, expected) in [
            (vec![], true),
            (vec![job("manual", false), job("success", false)], true),
            (vec![job("failed", true)], true),
            (vec![job("failed", false)], false),
            (vec![job("running", false)], false),
        ] {
            let mut checks = Checks {
                runs: jobs,
                expected: Vec::new(),
                complete: true,
            };
            expect(&mut checks);
            assert_eq!(!checks.expected.is_empty(), expected, "{checks:?}");
        }
    }

    #[test]
    fn a_pipeline_is_of_a_head_or_of_its_merge_with_the_base() {
        for (reference, sha, iid, expected) in [
            ("cart", "aaa", None, true),
            ("cart", "bbb", None, false),
            ("refs/merge-requests/12/head", "aaa", None, true),
            ("refs/merge-requests/12/head", "bbb", None, false),
            ("refs/merge-requests/12/merge", "bbb", Some(12), true),
            ("refs/merge-requests/12/train", "bbb", Some(12), true),
        ] {
            let pipeline = pipeline("running", reference);
            assert_eq!(
                (pipeline.merged_iid(), pipeline.is_of(sha)),
                (iid, expected),
                "{reference}"
            );
        }
    }

    #[test]
    fn a_manual_job_is_not_pending_for_ever_and_an_unknown_state_is_not_green() {
        for (word, expected) in [
            ("manual", CheckState::Skipped),
            ("scheduled", CheckState::Pending),
            ("waiting_for_resource", CheckState::Pending),
            ("canceling", CheckState::Cancelled),
            ("invented", CheckState::Pending),
        ] {
            assert_eq!(state(word), expected, "{word}");
        }
    }
}
