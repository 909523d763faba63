//! Check runs and commit statuses as checks: of GraphQL and of REST, which write the same words in other cases.

use crate::text::line;
use crate::types::checks::{Check, CheckKind, CheckState};
use crate::types::identity::NodeId;
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::HashMap;

use super::parts::Named;

/// The app that reports the jobs of GitHub Actions.
const ACTIONS: &str = "github-actions";

/// An entry of the rollup.
#[derive(Debug, Deserialize)]
#[serde(tag = "__typename")]
pub(super) enum Context {
    #[serde(rename = "CheckRun")]
    Run(Run),
    #[serde(rename = "StatusContext")]
    Status(Status),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    id: NodeId,
    name: String,
    status: String,
    conclusion: Option<String>,
    details_url: Option<String>,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    check_suite: Option<Suite>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    app: Option<App>,
    workflow_run: Option<WorkflowRun>,
}

#[derive(Debug, Deserialize)]
struct App {
    slug: String,
}

#[derive(Debug, Deserialize)]
struct WorkflowRun {
    event: String,
    workflow: Named,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    id: NodeId,
    context: String,
    state: String,
    target_url: Option<String>,
    created_at: Option<Timestamp>,
}

/// A check of which several runs count as one: the newest.
type Key = (String, Option<String>, Option<String>, Option<String>);

/// Turns the entries of a rollup into checks: the newest run of each.
pub(super) fn checks(contexts: impl IntoIterator<Item = Context>) -> Vec<Check> {
    let keyed = contexts.into_iter().filter_map(|context| match context {
        Context::Run(run) => Some(of_run(run)),
        Context::Status(status) => Some(of_status(status)),
        Context::Other => None,
    });
    newest(keyed)
}

/// Keeps the newest run of each check, in the order in which the checks came first.
pub(super) fn newest(keyed: impl IntoIterator<Item = (Key, Check)>) -> Vec<Check> {
    let mut at: HashMap<Key, usize> = HashMap::new();
    let mut kept: Vec<Check> = Vec::new();
    for (key, check) in keyed {
        match at.get(&key) {
            Some(&index) if kept[index].started_at > check.started_at => {}
            Some(&index) => kept[index] = check,
            None => {
                at.insert(key, kept.len());
                kept.push(check);
            }
        }
    }
    kept
}

fn of_run(run: Run) -> (Key, Check) {
    let (app, workflow) = match run.check_suite {
        Some(suite) => (suite.app.map(|app| app.slug), suite.workflow_run),
        None => (None, None),
    };
    let event = workflow.as_ref().map(|run| run.event.clone());
    let workflow = workflow.map(|run| line(&run.workflow.name));
    let kind = kind(app.clone(), workflow.clone(), run.details_url.as_deref());
    let word = run
        .conclusion
        .as_deref()
        .unwrap_or(&run.status)
        .to_ascii_lowercase();
    let check = Check {
        id: run.id,
        name: line(&run.name),
        kind,
        state: state(&run.status, run.conclusion.as_deref()),
        word: line(&word),
        required: false,
        url: run.details_url.as_deref().map(line),
        started_at: run.started_at,
        completed_at: run.completed_at,
    };
    ((check.name.clone(), app, workflow, event), check)
}

fn of_status(status: Status) -> (Key, Check) {
    let check = Check {
        id: status.id,
        name: line(&status.context),
        kind: CheckKind::Status,
        state: status_state(&status.state),
        word: line(&status.state.to_ascii_lowercase()),
        required: false,
        url: status.target_url.as_deref().map(line),
        started_at: status.created_at,
        completed_at: None,
    };
    ((check.name.clone(), None, None, None), check)
}

/// What kind of check a run of an app is.
pub(super) fn kind(app: Option<String>, workflow: Option<String>, url: Option<&str>) -> CheckKind {
    if app.as_deref() == Some(ACTIONS) {
        CheckKind::Job {
            job: url.and_then(job),
            workflow,
        }
    } else {
        CheckKind::Run {
            app: app.as_deref().map(line),
        }
    }
}

/// The job's id, from its page: `…/actions/runs/1/job/2`. GraphQL has no field for it that holds today's numbers.
fn job(url: &str) -> Option<u64> {
    let (_, rest) = url.split_once("/job/")?;
    rest.split(['?', '#', '/']).next()?.parse().ok()
}

/// The state of a check run, in the words of GraphQL or of REST.
pub(super) fn state(status: &str, conclusion: Option<&str>) -> CheckState {
    if !status.eq_ignore_ascii_case("completed") {
        return CheckState::Pending;
    }
    match conclusion.unwrap_or_default().to_ascii_lowercase().as_str() {
        "success" => CheckState::Passed,
        "neutral" | "skipped" => CheckState::Skipped,
        "failure" | "timed_out" | "startup_failure" | "action_required" => CheckState::Failed,
        "cancelled" | "stale" => CheckState::Cancelled,
        _ => CheckState::Pending,
    }
}

/// The state of a commit status, in the words of GraphQL or of REST.
pub(super) fn status_state(word: &str) -> CheckState {
    match word.to_ascii_lowercase().as_str() {
        "success" => CheckState::Passed,
        "failure" | "error" => CheckState::Failed,
        _ => CheckState::Pending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_is_read_from_its_page() {
        for (url, id) in [
            (
                "https://github.com/a/b/actions/runs/12/job/34567890123",
                Some(34_567_890_123),
            ),
            (
                "https://github.com/a/b/actions/runs/12/job/34?pr=1#step:2:3",
                Some(34),
            ),
            ("https://ci.example/build/1", None),
            ("https://github.com/a/b/runs/12/job/x", None),
        ] {
            assert_eq!(job(url), id, "{url}");
        }
    }

    #[test]
    fn a_state_that_is_not_known_is_pending_and_never_green() {
        assert_eq!(state("COMPLETED", Some("INVENTED")), CheckState::Pending);
        assert_eq!(state("INVENTED", Some("SUCCESS")), CheckState::Pending);
        assert_eq!(status_state("EXPECTED"), CheckState::Pending);
    }
}
