//! Lets merge queues try again what could not be carried out, at the time that they named.

use crate::decide::merge_queue;
use crate::effects::checks::enqueue;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Tries steps of merge queues again.
pub struct MergeAgain;

#[async_trait]
impl Reactor for MergeAgain {
    fn name(&self) -> &'static str {
        "merge_again"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for (place, kept) in state.merge_queues.iter() {
            match kept.queue.due() {
                Some(due) if due <= now => next.due.push(Due::once(merge_queue::subject(place), due)),
                Some(due) => next.again_at(due),
                None => {}
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let state = engine.ledger.state();
        let mut places = state.merge_queues.iter();
        let Some((place, kept)) = places.find(|(place, _)| merge_queue::subject(place) == *subject) else {
            return Ok(());
        };
        let _held = engine.recall(&merge_queue::sessions(kept)).await?;
        let project = engine.project(&place.project)?;
        let settings = enqueue::settings(engine, &project).await.ok();
        let written = engine.ledger.write(|draft| {
            if let Some(settings) = settings {
                merge_queue::set_settings(draft, place, settings);
            }
            merge_queue::tick(draft, place)
        });
        written.await
    }
}
