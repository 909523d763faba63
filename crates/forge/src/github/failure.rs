//! Why a check failed: steps and annotations by GraphQL, and for jobs of GitHub Actions the tail of the log by REST.

use crate::error::ForgeError;
use crate::http::log_end;
use crate::mask::Mask;
use crate::text::{Excerpt, line};
use crate::types::checks::{Check, CheckKind};
use crate::types::failure::{Annotation, CheckFailure, FailureDetail, LogTail, Step};
use crate::types::identity::RepositoryName;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::api::Api;
use super::parts::Connection;
use super::queries::FAILURE;
use super::tail::{Tail, Window};

/// The longest annotation and summary that are kept, in bytes.
const REMARK: usize = 4 * 1024;

const WHAT: &str = "read why a check failed";

#[derive(Deserialize)]
struct Answer {
    node: Option<Raw>,
}

#[derive(Deserialize, Default)]
struct Raw {
    title: Option<String>,
    summary: Option<String>,
    description: Option<String>,
    steps: Option<Connection<RawStep>>,
    annotations: Option<Connection<RawAnnotation>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawStep {
    number: u32,
    name: String,
    conclusion: Option<String>,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawAnnotation {
    path: String,
    message: String,
    annotation_level: Option<String>,
    location: Span,
}

#[derive(Deserialize)]
struct Span {
    start: Position,
}

#[derive(Deserialize)]
struct Position {
    line: u32,
}

impl Api {
    /// Why a check failed. A log that cannot be had is no error: the rest is worth having.
    pub(super) async fn failure(
        &self,
        repository: &RepositoryName,
        check: &Check,
        detail: FailureDetail,
    ) -> Result<CheckFailure, ForgeError> {
        let answer: Answer = self.query(WHAT, FAILURE, json!({ "check": check.id })).await?;
        let raw = answer.node.ok_or_else(|| ForgeError::Gone {
            host: self.endpoint.host().to_owned(),
            what: WHAT.to_owned(),
        })?;
        let mut mask = self.transport.mask();
        let failed = raw
            .steps
            .into_iter()
            .flat_map(Connection::items)
            .find(RawStep::failed);
        let window = failed.as_ref().and_then(RawStep::window);
        let (log, no_log) = match check.kind {
            _ if detail == FailureDetail::Step => (None, None),
            CheckKind::Job { job: Some(job), .. } => self.log(repository, job, window, &mut mask).await?,
            CheckKind::Job { job: None, .. } => (
                None,
                Some("GitHub does not name the job of this check".to_owned()),
            ),
            _ => (
                None,
                Some("only jobs of GitHub Actions have a log; see the page of the check".to_owned()),
            ),
        };
        let mut annotations: Vec<Annotation> = raw
            .annotations
            .into_iter()
            .flat_map(Connection::items)
            .map(|one| one.read(&mut mask))
            .collect();
        annotations.sort_by_key(|one| one.level != "failure");
        let said: Vec<String> = [raw.title, raw.summary, raw.description]
            .into_iter()
            .flatten()
            .collect();
        let said = mask.text(&said.join("\n"));
        Ok(CheckFailure {
            check: check.id.clone(),
            name: check.name.clone(),
            step: failed.map(|step| Step {
                number: step.number,
                name: line(&step.name),
            }),
            summary: (!said.trim().is_empty()).then(|| Excerpt::of(&said, REMARK)),
            annotations,
            log,
            no_log,
        })
    }

    /// The tail of a job's log, or why there is none. Only what concerns all requests is an error.
    async fn log(
        &self,
        repository: &RepositoryName,
        job: u64,
        window: Option<Window>,
        mask: &mut Mask,
    ) -> Result<(Option<LogTail>, Option<String>), ForgeError> {
        let job = job.to_string();
        let path = Self::path(repository, &["actions", "jobs", &job, "logs"]);
        let mut tail = Tail::of(window);
        let mut whole = Tail::of(None);
        let call = self.getting("read the log of a job", &path, &[], None);
        let take = |piece: &[u8]| {
            whole.take(piece);
            tail.take(piece)
        };
        let read = self.transport.stream(call, take).await;
        log_end::found("GitHub", read, || {
            tail.finish(mask).or_else(|| whole.finish(mask))
        })
    }
}

impl RawStep {
    fn failed(&self) -> bool {
        matches!(
            self.conclusion.as_deref(),
            Some("FAILURE" | "TIMED_OUT" | "STARTUP_FAILURE")
        )
    }

    fn window(&self) -> Option<Window> {
        Some((self.started_at?, self.completed_at?))
    }
}

impl RawAnnotation {
    fn read(self, mask: &mut Mask) -> Annotation {
        Annotation {
            path: line(&self.path),
            line: self.location.start.line,
            level: self.annotation_level.unwrap_or_default().to_ascii_lowercase(),
            message: Excerpt::of(&mask.text(&self.message), REMARK),
        }
    }
}
