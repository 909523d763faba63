//! How a tool's result reads: text for the agent, and the same as data.

use downbeat_model::limit::TOO_DEEP;
use downbeat_wire::session::{Session, SessionStatus};
use downbeat_wire::{ApiError, Code};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// A tool's result.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) data: Value,
    pub(super) is_error: bool,
}

impl Answer {
    pub(super) fn new(text: impl Into<String>, data: Value) -> Self {
        Self {
            text: text.into(),
            data,
            is_error: false,
        }
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result = match self.is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        result.structured_content = Some(self.data);
        result
    }
}

impl From<ApiError> for Answer {
    fn from(error: ApiError) -> Self {
        // Agents are told to look for exactly these words, and for the mode.
        let too_deep = error.code == Code::LimitReached && error.message.contains(TOO_DEEP);
        let mut text = error.message.clone();
        if let Some(hint) = &error.hint {
            text.push_str("\nHint: ");
            text.push_str(hint);
        } else if too_deep {
            text.push_str("\nHint: do the work yourself, one piece after the other");
        }
        let mut data = json!({ "code": error.code, "message": error.message, "hint": error.hint });
        if too_deep {
            data["mode"] = json!("sequential");
        }
        Self {
            text,
            data,
            is_error: true,
        }
    }
}

/// One worker in a line.
pub(super) fn line(session: &Session) -> String {
    let question = session
        .question
        .as_ref()
        .map(|question| format!(": {}", question.text));
    let error = session.error.as_ref().map(|error| format!(": {error}"));
    let branch = session
        .branch
        .as_ref()
        .map(|branch| format!(", branch {branch}"))
        .unwrap_or_default();
    let why = question.or(error).unwrap_or_default();
    format!(
        "- {} ({}): {}{why}{branch}",
        session.name,
        session.id,
        session.status.as_str()
    )
}

/// One worker's status in a line.
pub(super) fn status_line(status: &SessionStatus) -> String {
    let question = status
        .question
        .as_ref()
        .map(|question| format!(": {}", question.text))
        .unwrap_or_default();
    format!("- {}: {}{question}", status.name, status.status.as_str())
}

/// What an agent needs to know of a worker; the rest would only fill its memory.
pub(super) fn brief(session: &Session) -> Value {
    json!({
        "id": session.id,
        "name": session.name,
        "status": session.status,
        "activity": session.activity,
        "statusEvidence": session.status_evidence,
        "statusSince": session.status_since,
        "question": session.question,
        "error": session.error,
        "task": session.task,
        "agent": session.agent,
        "branch": session.branch,
        "base": session.base,
        "workspacePath": session.workspace_path,
        "port": session.port,
        "lastActivityAt": session.last_activity_at,
        "exitCode": session.exit_code,
        "workers": session.workers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_limit_names_its_mode_and_others_do_not() {
        let deep = Answer::from(ApiError::new(Code::LimitReached, TOO_DEEP));
        assert_eq!((deep.is_error, &deep.data["mode"]), (true, &json!("sequential")));
        assert!(deep.text.starts_with(TOO_DEEP));
        let other = Answer::from(ApiError::new(Code::NotFound, "no").hint("look"));
        assert_eq!(other.text, "no\nHint: look");
        assert!(other.data.get("mode").is_none());
    }
}
