//! The tools of a worker: a report or a question to its conductor.

use super::answer::Answer;
use super::bridge::Bridge;
use super::tool::{Outcome, act, read, tool};
use downbeat_wire::Client as _;
use downbeat_wire::report::{ReportResult, ReportStatus};
use downbeat_wire::worker::AskConductor;
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The arguments of `report_result`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Report {
    /// `done`, `partial`, `blocked` or `failed`.
    status: ReportStatus,
    /// What you did, what you ran and saw, and what is left.
    summary: String,
    /// The files that matter, relative to your workspace.
    files: Option<Vec<String>>,
}

/// The arguments of `ask_conductor`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// One clear question, with the choices that you see and which one you would take.
    question: String,
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<Report>(
            "report_result",
            "Reports the result of your task to your conductor. Call it once, when the task is done or cannot be done; a \
             later call replaces the report. Your session stays open: the conductor may send more work.",
        )
        .with_annotations(act()),
        tool::<Ask>(
            "ask_conductor",
            "Asks your conductor something that you cannot decide. Then end your turn: the answer arrives as your next \
             message.",
        )
        .with_annotations(act()),
    ]
}

pub(super) async fn report(bridge: &Bridge, arguments: Value) -> Outcome {
    let wanted: Report = read(arguments)?;
    let request = ReportResult {
        id: bridge.session.clone(),
        status: wanted.status,
        summary: wanted.summary,
        files: wanted.files,
    };
    bridge.report_result(request).await?;
    Ok(Answer::new(
        "Your report was sent to your conductor. End your turn.",
    ))
}

pub(super) async fn ask(bridge: &Bridge, arguments: Value) -> Outcome {
    let Ask { question } = read(arguments)?;
    let request = AskConductor {
        id: bridge.session.clone(),
        question,
    };
    bridge.ask_conductor(request).await?;
    Ok(Answer::new(
        "Your question was sent to your conductor. End your turn now: the answer arrives as your next message.",
    ))
}
