//! Collects a conductor's worker events, and records which of them it was notified of.

use crate::decide::news;
use crate::decide::news::News;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use downbeat_model::SessionId;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::worker::{WaitReport, WorkerEvent};
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of events that are read and reported in one go; the others follow. Bounds memory use,
/// and the length of one message to a conductor.
const PAGE: u32 = 50;

/// How long a screen may lag behind its agent's report: some agents report first and draw then.
const DRAWN: Duration = Duration::from_secs(2);

/// Waits until the screen of a worker has settled after its report at `told`, for at most [`DRAWN`] from then
/// on.
pub(crate) async fn drawn(engine: &Engine, id: &SessionId, told: Timestamp) {
    let live = engine.runtimes.of(id);
    if live.link().is_none() {
        return;
    }
    let mut settled = live.settled();
    let age = Duration::try_from(Timestamp::now().duration_since(told)).unwrap_or_default();
    let rests = settled.wait_for(|at| at.is_some_and(|at| at > told));
    // A worker that is still drawing, or drew everything before its report, is shown as it is.
    let _ = tokio::time::timeout(DRAWN.saturating_sub(age), rests).await;
}

/// Returns the first page of the events of these workers that their conductor was not notified of.
pub(crate) async fn fresh(
    engine: &Engine,
    conductor: &SessionId,
    workers: &[Arc<SessionRow>],
) -> Result<News, ApiError> {
    let mut news = News {
        events: Vec::new(),
        workers: workers.iter().map(|row| row.id.clone()).collect(),
        until: workers
            .iter()
            .map(|row| row.notified_through)
            .min()
            .unwrap_or(i64::MAX),
        is_cut: !workers.is_empty(),
    };
    while news.is_cut && news.events.is_empty() {
        let store = engine.ledger.store();
        let events = store.worker_events(conductor, news.until, PAGE).await;
        let events = events.map_err(crate::state::error::store)?;
        let fresh = events.iter().filter_map(|event| {
            let row = workers
                .iter()
                .find(|row| event.subject.session() == Some(&row.id))?;
            (event.seq > row.notified_through)
                .then(|| news::translate(event, row))
                .flatten()
                .map(|said| (event.seq, said))
        });
        news.events = fresh.collect();
        news.is_cut = events.len() == PAGE as usize;
        news.until = events.last().map_or(news.until, |event| event.seq);
        if news.is_cut && news.events.is_empty() {
            // Records the position, so that these events are not read again.
            pass(engine, &news).await?;
        }
    }
    Ok(news)
}

/// Marks the news as handed out and returns the `report` of those events that nobody else handed out
/// meanwhile.
pub(crate) async fn hand_out(
    engine: &Engine,
    news: News,
    report: impl FnOnce(Vec<WorkerEvent>) -> WaitReport,
) -> Result<WaitReport, ApiError> {
    if news.events.is_empty() {
        return Ok(report(Vec::new()));
    }
    let write = engine.ledger.write(|draft| {
        let report = report(news::still(draft, &news).cloned().collect());
        news::mark(draft, &news.workers, news.until);
        if !report.events.is_empty() {
            draft.effect(Effect::Answer(json!(report)));
        }
        Ok(report)
    });
    write.await
}

/// Marks events as passed that contain no news.
pub async fn pass(engine: &Engine, news: &News) -> Result<(), ApiError> {
    let write = engine.ledger.write(|draft| {
        news::mark(draft, &news.workers, news.until);
        Ok(())
    });
    write.await
}

/// Returns the events of a conductor's direct workers that it was not notified of yet.
pub async fn untold(engine: &Engine, conductor: &SessionId) -> Result<News, ApiError> {
    // Archived workers with undelivered events are loaded too, until those are marked as delivered.
    let _at_rest = match engine.ledger.state().workers_at_rest(conductor) {
        0 => None,
        _ => {
            let untold = engine.ledger.store().untold_at_rest(conductor).await;
            Some(
                engine
                    .recall(&untold.map_err(crate::state::error::store)?)
                    .await?,
            )
        }
    };
    let state = engine.ledger.state();
    let workers = state.sessions.values();
    let workers: Vec<_> = workers
        .filter(|row| row.parent.as_ref() == Some(conductor))
        .cloned()
        .collect();
    fresh(engine, conductor, &workers).await
}
