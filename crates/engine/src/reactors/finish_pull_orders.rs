//! Finishes orders of pull requests whose request ended before they did, because an engine died or a client went away. A request
//! that still runs holds the lock of its session meanwhile.

use crate::effects::pulls::order;
use crate::reactors::carry_out::put_off;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_model::effect::{Effect, Work};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Finishes orders of pull requests.
pub struct FinishPullOrders;

/// Returns the orders that wait, the oldest first.
fn orders(state: &State) -> impl Iterator<Item = &Arc<Effect>> {
    (state.effects.iter()).filter(|effect| matches!(effect.work, Work::Pull(_)))
}

#[async_trait]
impl Reactor for FinishPullOrders {
    fn name(&self) -> &'static str {
        "finish_pull_orders"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for effect in orders(state) {
            if !effect.is_due(now) {
                next.again_at(effect.not_before);
            } else {
                let mark = format!("{} {}", effect.key, effect.attempts);
                next.due.push(Due::once(effect.subject.clone(), mark));
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let (state, now) = (engine.ledger.state(), Timestamp::now());
        let mut own = orders(&state).filter(|effect| effect.subject == *subject);
        let Some(effect) = own.find(|effect| effect.is_due(now)) else {
            return Ok(());
        };
        match order::finish(engine, &effect.key).await {
            Ok(()) => Ok(()),
            Err(error) => put_off(engine, effect, &error).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FinishPullOrders;
    use crate::decide::pull_orders;
    use crate::reactors::carry_out::CarryOut;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{at, id, session, state};
    use downbeat_model::Subject;
    use downbeat_model::pull::{NewPull, Ordered};

    #[test]
    fn an_order_is_due_here_alone_until_it_ended_and_later_after_each_failure() {
        let mut draft = Draft::of(state([session(1)]));
        let new = NewPull {
            branch: "cart".into(),
            title: None,
            body: None,
            base: None,
            draft: false,
        };
        let key = pull_orders::record(&mut draft, &id(1), Ordered::Open(new)).unwrap();
        let now = draft.now();
        let look = |draft: &Draft, now| FinishPullOrders.look(&Context::default(), draft.state(), now);
        let first = look(&draft, now);
        assert_eq!(first.due[0].subject, Subject::Session(id(1)));
        assert!(
            CarryOut
                .look(&Context::default(), draft.state(), now)
                .due
                .is_empty()
        );
        draft.change_effect(&key, |effect| effect.failed(at(1000)));
        let later = look(&draft, at(1029));
        assert_eq!((later.due.len(), later.again), (0, Some(at(1030))));
        assert_ne!(
            look(&draft, now).due[0].mark,
            first.due[0].mark,
            "it is tried once more"
        );
        pull_orders::refuse(&mut draft, &key);
        assert!(look(&draft, now).due.is_empty());
    }
}
