//! Why a check failed: GitLab's reason, and of a job the tail of its log.

use crate::error::ForgeError;
use crate::http::log_end;
use crate::mask::Mask;
use crate::text::Excerpt;
use crate::types::checks::Check;
use crate::types::failure::{CheckFailure, FailureDetail, LogTail};
use serde::Deserialize;

use super::api::{Api, Path};
use super::ids::{CheckId, CheckOf};
use super::trace::Trace;

/// The longest reason that is kept, in bytes.
const REMARK: usize = 4 * 1024;

const WHAT: &str = "read why a check failed";

/// GitLab's reason for a job whose script ended with an error.
const SCRIPT: &str = "script_failure";

#[derive(Debug, Default, Deserialize)]
struct Raw {
    failure_reason: Option<String>,
    yaml_errors: Option<String>,
    description: Option<String>,
}

impl Raw {
    /// What GitLab says of it; nothing where only the log does.
    fn said(&self) -> Option<String> {
        let reason = self.failure_reason.as_deref().filter(|reason| *reason != SCRIPT);
        let reason = reason.map(|reason| reason.replace('_', " "));
        let mistakes = self
            .yaml_errors
            .as_ref()
            .map(|all| format!("mistakes in its file: {all}"));
        let parts: Vec<String> = [reason, mistakes, self.description.clone()]
            .into_iter()
            .flatten()
            .filter(|part| !part.trim().is_empty())
            .collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }
}

impl Api {
    /// Why a check failed. A log that cannot be had is no error: the rest is worth having.
    pub(super) async fn failure(
        &self,
        check: &Check,
        detail: FailureDetail,
    ) -> Result<CheckFailure, ForgeError> {
        let id = CheckId::parse(&check.id).ok_or_else(|| self.gone(WHAT))?;
        let number = id.id.to_string();
        let (part, why_no_log) = match id.of {
            CheckOf::Job => ("jobs", None),
            CheckOf::Pipeline => ("pipelines", Some("a pipeline has no log of its own")),
            CheckOf::Bridge => ("", Some("the pipeline that it starts has the logs")),
            CheckOf::Status => ("", Some("another program reported it; see the page of the check")),
        };
        let raw = match part {
            "" => Raw::default(),
            part => {
                let path = Path::project(id.project, &[part, &number]);
                self.get::<Raw>(WHAT, &path.with(&[]), &[]).await?
            }
        };
        let mut mask = self.transport.mask();
        let (log, no_log) = match why_no_log {
            _ if detail == FailureDetail::Step => (None, None),
            Some(why) => (None, Some(why.to_owned())),
            None => {
                let script_failed = raw
                    .failure_reason
                    .as_deref()
                    .is_none_or(|reason| reason == SCRIPT);
                self.trace(id, script_failed, &mut mask).await?
            }
        };
        let summary = raw.said().map(|said| Excerpt::of(&mask.text(&said), REMARK));
        Ok(CheckFailure {
            check: check.id.clone(),
            name: check.name.clone(),
            step: None,
            summary,
            annotations: Vec::new(),
            log,
            no_log,
        })
    }

    /// The tail of a job's log, or why there is none. Only what concerns all requests is an error.
    async fn trace(
        &self,
        id: CheckId,
        script_failed: bool,
        mask: &mut Mask,
    ) -> Result<(Option<LogTail>, Option<String>), ForgeError> {
        let number = id.id.to_string();
        let path = Path::project(id.project, &["jobs", &number, "trace"]);
        let call = self.getting("read the log of a job", &path.with(&[]), &[]);
        let mut trace = Trace::default();
        let take = |piece: &[u8]| {
            trace.take(piece);
            true
        };
        let read = self.transport.stream(call, take).await;
        log_end::found("GitLab", read, || trace.finish(script_failed, mask))
    }
}
