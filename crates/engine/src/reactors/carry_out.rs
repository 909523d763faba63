//! Carries out recorded effects, each once with respect to the ledger: the result and the end of an effect
//! are written together. After a crash in between, only steps are repeated that have no effect once they were
//! done.

use crate::effects::session::end_then;
use crate::effects::{reactions, tracking};
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_model::effect::{Effect, Work};
use downbeat_model::reactions::Act;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Carries out the effects that are due.
pub struct CarryOut;

/// Whether an effect is carried out here. Checks, commands and orders of pull requests take long, and notifiers have queues, so
/// they have reactors of their own ([`crate::reactors::run_checks`], [`crate::reactors::run_commands`],
/// [`crate::reactors::finish_pull_orders`], [`crate::reactors::deliver_notices`]).
fn is_ours(effect: &Effect) -> bool {
    match &effect.work {
        Work::GoOn(_) | Work::Track(_) => true,
        Work::React(reaction) => !matches!(reaction.act, Act::Run { .. }),
        Work::Check(_) | Work::Merge(_) | Work::Queue(_) | Work::Notify(_) | Work::Fix(_) | Work::Pull(_) => {
            false
        }
    }
}

/// Records that an effect could not be carried out. It is tried again later.
///
/// # Errors
/// Fails if that cannot be recorded.
pub(super) async fn put_off(engine: &Engine, effect: &Effect, error: &ApiError) -> Result<(), ApiError> {
    tracing::warn!(effect = effect.key, "not carried out yet: {error}");
    let noted = engine.ledger.write(|draft| {
        let now = draft.now();
        draft.change_effect(&effect.key, |effect| effect.failed(now));
        Ok(())
    });
    noted.await
}

#[async_trait]
impl Reactor for CarryOut {
    fn name(&self) -> &'static str {
        "carry_out"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for effect in state.effects.iter().filter(|effect| is_ours(effect)) {
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
        let now = Timestamp::now();
        let state = engine.ledger.state();
        let due = |effect: &&Arc<Effect>| is_ours(effect) && effect.subject == *subject && effect.is_due(now);
        let Some(effect) = state.effects.iter().find(due) else {
            return Ok(());
        };
        let done = match (&effect.subject, &effect.work) {
            (Subject::Session(id), Work::GoOn(_)) => end_then::take_up(engine, id).await,
            (_, Work::React(reaction)) => reactions::carry_out(engine, effect, reaction).await,
            (_, Work::Track(track)) => tracking::carry_out(engine, effect, track).await,
            // Only sessions can be continued.
            (
                _,
                Work::GoOn(_)
                | Work::Check(_)
                | Work::Merge(_)
                | Work::Queue(_)
                | Work::Notify(_)
                | Work::Fix(_)
                | Work::Pull(_),
            ) => Ok(()),
        };
        let Err(error) = done else {
            return Ok(());
        };
        put_off(engine, effect, &error).await
    }
}

#[cfg(test)]
mod tests {
    use super::CarryOut;
    use crate::decide::go_on;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{at, id, session, state};
    use downbeat_model::Subject;
    use downbeat_model::effect::EffectState;
    use downbeat_model::session::Then;

    #[test]
    fn a_failed_effect_waits_for_its_time_and_a_closed_one_is_not_due() {
        let mut draft = Draft::of(state([session(1), session(2)]));
        for number in [1, 2] {
            let then = Then::Resume {
                model: None,
                permission: None,
            };
            go_on::request(&mut draft, &id(number), then);
        }
        let now = draft.now();
        let look = |draft: &Draft, now| CarryOut.look(&Context::default(), draft.state(), now);
        let first = look(&draft, now);
        let subjects: Vec<_> = first.due.iter().map(|due| due.subject.clone()).collect();
        assert_eq!(subjects, [1, 2].map(|number| Subject::Session(id(number))));
        assert_eq!(first.again, None);

        let key = draft.state().goes_on(&id(1)).unwrap().key.clone();
        draft.change_effect(&key, |effect| effect.failed(at(1000)));
        let later = look(&draft, at(1029));
        assert_eq!(later.again, Some(at(1030)));
        let again = look(&draft, now);
        assert_eq!(again.due.len(), 2);
        assert_ne!(again.due[0].mark, first.due[0].mark, "it is tried once more");
        go_on::close(&mut draft, &id(1), EffectState::Done);
        assert_eq!(look(&draft, now).due, first.due[1..]);
    }
}
