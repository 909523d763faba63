//! Writes conductors' result files as their workers report.

use crate::decide::news;
use crate::effects::fleet::results;
use crate::effects::fleet::results::{LOG, TOGETHER};
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{EventKind, SessionId, Subject};
use downbeat_store::EventRow;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Writes workers' reports to their conductors' results folders.
#[derive(Default)]
pub struct KeepResults {
    /// The newest event in each log. A cache that spares reading the ends of the logs, which are the record.
    logs: Mutex<HashMap<SessionId, i64>>,
}

#[async_trait]
impl Reactor for KeepResults {
    fn name(&self) -> &'static str {
        "keep_results"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        let has_workers =
            !state.at_rest.is_empty() || state.sessions.values().any(|row| row.parent.is_some());
        Next {
            due: (has_workers.then(|| Due::after_each(Subject::Engine)).into_iter()).collect(),
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        let mut logs = self.logs.lock().await;
        keep_all(engine, &mut logs).await;
        Ok(())
    }

    fn collects(&self) -> Duration {
        TOGETHER
    }
}

/// Whether an event changes the file of a worker's report: a report, or the evidence for it.
fn is_in_file(kind: EventKind) -> bool {
    matches!(kind, EventKind::WorkerReported | EventKind::ChecksFinished)
}

async fn keep_all(engine: &Engine, logs: &mut HashMap<SessionId, i64>) {
    let state = engine.ledger.state();
    let parents = state.sessions.values().filter_map(|row| row.parent.as_ref());
    let parents: BTreeSet<SessionId> = parents.chain(state.at_rest.keys()).cloned().collect();
    for parent in parents {
        keep(engine, logs, &parent).await;
    }
}

/// The number of events that are written at a time; bounds the memory for them.
const PAGE: u32 = 100;

/// Adds the missing events to one conductor's folder. `logs` holds the newest event in each log.
async fn keep(engine: &Engine, logs: &mut HashMap<SessionId, i64>, conductor: &SessionId) {
    while keep_page(engine, logs, conductor).await {}
}

/// Returns the lines of the log for events, and the files of the reports among them.
fn lines_and_files(state: &State, events: &[EventRow]) -> (Vec<Value>, Vec<(String, Value)>) {
    let (mut lines, mut files) = (Vec::new(), Vec::new());
    for event in events {
        let row = event.subject.session().and_then(|id| state.sessions.get(id));
        let Some(said) = row.and_then(|row| news::translate(event, row)) else {
            continue;
        };
        lines.push(results::line(event.seq, &said));
        files.extend(
            row.filter(|_| is_in_file(event.kind))
                .and_then(|row| results::file(row)),
        );
    }
    (lines, files)
}

/// Adds the next events. Returns whether there may be more.
async fn keep_page(engine: &Engine, logs: &mut HashMap<SessionId, i64>, conductor: &SessionId) -> bool {
    let folder = engine.paths.results(conductor);
    let last = match logs.get(conductor) {
        Some(last) => *last,
        None => {
            let log = folder.join(LOG);
            crate::host::blocking::blocking(move || results::newest(&log))
                .await
                .unwrap_or(0)
        }
    };
    let mut is_cut = false;
    let written = match engine.ledger.store().worker_events(conductor, last, PAGE).await {
        Ok(events) if events.is_empty() => Ok(last),
        Ok(events) => {
            is_cut = events.len() == PAGE as usize;
            let of: BTreeSet<_> = events
                .iter()
                .filter_map(|event| event.subject.session().cloned())
                .collect();
            let of: Vec<SessionId> = of.into_iter().collect();
            let _held = match engine.recall(&of).await {
                Ok(held) => held,
                Err(error) => {
                    tracing::warn!(session = %conductor, "could not write its results folder: {error}");
                    return false;
                }
            };
            let newest = events.last().map_or(last, |event| event.seq);
            let (lines, files) = lines_and_files(&engine.ledger.state(), &events);
            let written = crate::host::blocking::blocking(move || {
                results::write(&folder, &lines, &files).map_err(results::failed)
            })
            .await;
            written.and_then(|written| written).map(|()| newest)
        }
        Err(error) => Err(crate::state::error::store(error)),
    };
    match written {
        Ok(newest) => {
            logs.insert(conductor.clone(), newest);
            is_cut
        }
        // The next event of a worker causes another try.
        Err(error) => {
            tracing::warn!(session = %conductor, "could not write its results folder: {error}");
            false
        }
    }
}
