//! A finding of doctor.

use serde::Serialize;

/// The verdict of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Verdict {
    Ok,
    Warn,
    Fail,
}

/// The result of one check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    pub(super) what: &'static str,
    pub(super) verdict: Verdict,
    pub(super) detail: String,
    /// What to do, if there is something to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

impl Finding {
    pub(super) fn ok(what: &'static str, detail: impl Into<String>) -> Self {
        Self {
            what,
            verdict: Verdict::Ok,
            detail: detail.into(),
            fix: None,
        }
    }

    pub(super) fn warn(what: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            what,
            verdict: Verdict::Warn,
            detail: detail.into(),
            fix: Some(fix.into()),
        }
    }

    pub(super) fn fail(what: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Fail,
            ..Self::warn(what, detail, fix)
        }
    }
}
