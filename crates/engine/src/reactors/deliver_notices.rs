//! Sends notices through notifiers: each has its own queue, so that one that does not answer delays no other.

use crate::decide::notifying::{self, When};
use crate::effects::notify;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::effect::Work;
use downbeat_model::{NotifierName, Subject};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Sends the notices that are due.
pub struct DeliverNotices;

#[async_trait]
impl Reactor for DeliverNotices {
    fn name(&self) -> &'static str {
        "deliver_notices"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        let names = state.effects.iter().filter_map(|effect| match &effect.work {
            Work::Notify(delivery) => Some(delivery.notifier.as_str()),
            _ => None,
        });
        for name in names.collect::<BTreeSet<_>>() {
            match (notifying::next(state, name, now), NotifierName::new(name)) {
                (When::Now(one), Some(subject)) => {
                    let mark = format!("{} {} {}", one.key, one.attempts, one.due);
                    next.due.push(Due::once(Subject::Notifier(subject), mark));
                }
                (When::At(at), _) => next.again_at(at),
                (When::Now(_) | When::Never, _) => {}
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Notifier(name) => notify::send_next(engine, name.as_str()).await,
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DeliverNotices;
    use crate::decide::notices::notify;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{asking, at, id, state};
    use downbeat_model::delivery::Routes;
    use downbeat_model::{NoticeKind, QuestionKind};
    use std::collections::BTreeMap;

    #[test]
    fn a_question_is_due_for_each_notifier_after_its_dwell() {
        let rows = [asking(1, QuestionKind::Choice, 10)];
        let mut draft = Draft::made_at(state(rows), at(50));
        notify(&mut draft, &id(1), NoticeKind::NeedsInput, "Which?".into()).unwrap();
        let names = ["slack", "phone"].map(str::to_owned);
        draft.address(&Routes::of(&names, &BTreeMap::new())).unwrap();
        let look = |second| DeliverNotices.look(&Context::default(), draft.state(), at(second));
        let before = look(54);
        assert_eq!((before.due.len(), before.again), (0, Some(at(55))));
        let due: Vec<_> = look(55).due.iter().map(|due| due.subject.word()).collect();
        assert_eq!(due, ["notifier:phone", "notifier:slack"]);
        assert_eq!(look(55).again, None);
    }
}
