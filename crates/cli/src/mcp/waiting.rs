//! `wait_for_workers`: the tool that takes long. It is a single request to the engine, so that an event is
//! delivered exactly once; while it waits, the agent's client gets the status of the workers, which also
//! keeps that client's own time-out from expiring.

use super::answer::Answer;
use super::bridge::Bridge;
use super::tool::{self, Outcome};
use downbeat_wire::ApiError;
use downbeat_wire::Client as _;
use downbeat_wire::session::Session;
use downbeat_wire::worker::{WaitForWorkers, WaitReport, WaitUntil};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// The default length of a wait, in seconds: less than clients wait by themselves.
const DEFAULT_SECONDS: u32 = 45;

/// The delay before the first report of progress.
const FIRST_WORD: Duration = Duration::from_secs(1);

/// The interval between two reports of progress.
const NEXT_WORD: Duration = Duration::from_secs(5);

/// The arguments of `wait_for_workers`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    /// Which workers, by readable name or id; default all of yours.
    workers: Option<Vec<String>>,
    /// `any` (default): the first thing that happens. `all`: until none of them runs any more.
    until: Option<Until>,
    /// How long at most, in seconds; default 45, at most 3600.
    timeout_seconds: Option<u32>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Until {
    Any,
    All,
}

pub(super) async fn wait(bridge: &Bridge, arguments: Value, context: &RequestContext<RoleServer>) -> Outcome {
    let wanted: Wait = tool::read(arguments)?;
    let request = WaitForWorkers {
        id: bridge.session.clone(),
        workers: wanted.workers,
        until: wanted.until.map(|until| match until {
            Until::Any => WaitUntil::Any,
            Until::All => WaitUntil::All,
        }),
        timeout_seconds: Some(wanted.timeout_seconds.unwrap_or(DEFAULT_SECONDS)),
    };
    let report = tokio::select! {
        report = bridge.wait_for_workers(request) => report?,
        () = report_progress(bridge, context) => return Err(ApiError::invalid("could not report the progress of this wait")),
        () = context.ct.cancelled() => return Err(ApiError::invalid("the wait was cancelled")),
    };
    Ok(formatted(&report))
}

/// Reports the progress for as long as it is polled; reports nothing if the client did not ask for it.
async fn report_progress(bridge: &Bridge, context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let started = Instant::now();
    let mut words = interval_at(started + FIRST_WORD, NEXT_WORD);
    words.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        words.tick().await;
        let message = match bridge.workers().await {
            Ok(workers) => counts(&workers),
            Err(_) => "the engine is being replaced".to_owned(),
        };
        say(context, token.clone(), started.elapsed(), message).await;
    }
}

async fn say(context: &RequestContext<RoleServer>, token: ProgressToken, passed: Duration, message: String) {
    let word = ProgressNotificationParam::new(token, passed.as_secs_f64()).with_message(message);
    // A client that is gone also ends this call.
    let _ = context.peer.notify_progress(word).await;
}

/// Formats the counts: `2 running, 1 waiting`.
fn counts(workers: &[Session]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for worker in workers {
        *counts.entry(worker.status.as_str()).or_default() += 1;
    }
    let words: Vec<String> = counts
        .iter()
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    if words.is_empty() {
        "no workers".to_owned()
    } else {
        words.join(", ")
    }
}

/// Formats a report as JSON: the text of a worker's terminal stays inside its own string.
fn formatted(report: &WaitReport) -> Answer {
    let events = report.events.iter().map(|event| {
        json!({
            "type": event.kind,
            "stop": event.stop,
            "worker_name": event.worker_name,
            "session_id": event.session_id,
            "timestamp": event.timestamp,
            "detail": event.detail,
            "answer": event.answer,
            "reason": event.reason,
            "warning": event.warning,
            "terminal_content": event.terminal_content,
        })
    });
    let workers = report.workers.iter().map(|worker| {
        json!({
            "worker_name": worker.name,
            "status": worker.status,
            "done": worker.done.as_ref().map(|done| &done.text),
            "reason": worker.reason.as_ref().map(|reason| &reason.text),
            "question": worker.question.as_ref().map(|question| &question.text),
            "answers": worker.question.as_ref().map(|question| &question.options),
        })
    });
    let told = json!({
        "events": events.collect::<Vec<_>>(),
        "timeout": report.timed_out,
        "workers": workers.collect::<Vec<_>>(),
    });
    Answer::new(serde_json::to_string_pretty(&told).unwrap_or_default())
}
