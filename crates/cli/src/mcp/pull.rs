//! The tool for pull requests, which conductors and workers have.

use super::answer::Answer;
use super::bridge::Bridge;
use super::tool::{Outcome, act, read, tool};
use downbeat_wire::Client as _;
use downbeat_wire::pull_request::CreatePull;
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The arguments of `create_pull_request`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Create {
    /// The worker whose branch is proposed; default your own.
    worker: Option<String>,
    /// Its title.
    title: String,
    /// What it changes and why, in Markdown, and how it was checked.
    body: String,
    /// The branch that it goes to; default the project's default branch.
    base: Option<String>,
    /// Whether it is a draft.
    draft: Option<bool>,
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<Create>(
            "create_pull_request",
            "Pushes a branch and opens a pull request for it. Commit first: only commits are in it. Call it when the task \
             asks for a pull request. Failed checks and review comments come to you as messages.",
        )
        .with_annotations(act()),
    ]
}

pub(super) async fn create(bridge: &Bridge, arguments: Value) -> Outcome {
    let wanted: Create = read(arguments)?;
    let request = CreatePull {
        id: wanted.worker.unwrap_or_else(|| bridge.session.clone()),
        title: Some(wanted.title),
        body: Some(wanted.body),
        base: wanted.base,
        draft: wanted.draft,
    };
    let opened = bridge.create_pull(request).await?;
    let how = if opened.was_open {
        "was open already"
    } else {
        "is open"
    };
    let left = match opened.uncommitted {
        0 => String::new(),
        many => format!(" {many} uncommitted files are not in it."),
    };
    Ok(Answer::new(format!(
        "#{} {how}: {}.{left}",
        opened.number, opened.url
    )))
}
