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

#[cfg(test)]
mod tests {
    use super::MergeAgain;
    use crate::decide::merge_queue;
    use crate::reactors::reactor::{Context, Due, Next, Reactor as _};
    use crate::state::example::{at, draft, project};
    use downbeat_model::Oid;
    use downbeat_model::queue::{Fact, Kept, Place, Priority, Settings, StepResult, Told};

    #[test]
    fn a_step_that_failed_is_due_again_at_its_time_unless_the_queue_is_paused() {
        let place = Place {
            project: project().id,
            target: "main".into(),
        };
        let mut kept = Kept::new(place.clone());
        let apply = |kept: &mut Kept, fact| {
            let _ = kept.queue.apply(&fact, &Settings::default(), at(100));
        };
        let subject = merge_queue::subject(&place);
        let told = Told::Enqueued {
            subject: downbeat_model::Subject::Engine,
            session: None,
            head: Oid::parse(&"1".repeat(40)).unwrap(),
            unchecked: false,
            priority: Priority::Normal,
        };
        apply(&mut kept, Fact::Told { number: 1, told });
        let look = |kept: &Kept, second| {
            let mut draft = draft(0, []);
            draft.put_merge_queue(kept.clone());
            MergeAgain.look(&Context::default(), draft.state(), at(second))
        };
        assert_eq!(look(&kept, 100), Next::default(), "its step is under way");
        let result = StepResult::Failed { why: "full".into() };
        apply(&mut kept, Fact::Result { step: 1, result });
        let later = Next {
            due: Vec::new(),
            again: Some(at(130)),
        };
        assert_eq!(look(&kept, 129), later);
        let now = Next {
            due: vec![Due::once(subject, at(130))],
            again: None,
        };
        assert_eq!(look(&kept, 130), now);
        let told = Told::Paused;
        apply(&mut kept, Fact::Told { number: 2, told });
        assert_eq!(look(&kept, 130), Next::default());
    }
}
