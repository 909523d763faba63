//! Addresses notices: for each notifier that gets one, an effect is recorded in the transaction of the notice.

use crate::state::known::State;
use downbeat_model::delivery::{DESKTOP, Delivery, MOST_WAITING, Routes, due};
use downbeat_model::effect::{Effect, EffectState, Work};
use downbeat_model::{DeliveryId, NewNotice, NoticeKind, NotifierName, Status, Subject};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the deliveries that wait for a notifier, in the order in which they were recorded.
pub fn waiting<'a>(state: &'a State, name: &str) -> impl Iterator<Item = (&'a Arc<Effect>, &'a Delivery)> {
    state.effects.iter().filter_map(move |effect| match &effect.work {
        Work::Notify(delivery) if delivery.notifier == name => Some((effect, &**delivery)),
        _ => None,
    })
}

/// Returns the effects that send a notice through its notifiers. A test is for the desktop alone.
///
/// # Errors
/// Fails if the system has no randomness for identifiers.
pub fn effects(
    state: &State,
    notice: &NewNotice,
    routes: &Routes,
    now: Timestamp,
) -> Result<Vec<Effect>, getrandom::Error> {
    let question = question(state, notice);
    let names: BTreeSet<&String> = match notice.kind {
        NoticeKind::Test => BTreeSet::new(),
        _ => routes
            .to(notice.priority)
            .iter()
            .filter(|name| *name != DESKTOP)
            .collect(),
    };
    let mut all = Vec::new();
    for name in names {
        let Some(subject) = NotifierName::new(name).map(Subject::Notifier) else {
            continue;
        };
        let id = DeliveryId::random()?.to_string();
        let delivery = Delivery {
            notifier: name.clone(),
            id: id.clone(),
            notice: notice.clone(),
            question,
            unanswered: 0,
            holds: false,
        };
        let mut effect = Effect::new(id, subject, Work::Notify(Box::new(delivery)), now);
        effect.not_before = due(notice, question.is_some());
        all.push(effect);
    }
    Ok(all)
}

/// Returns since when the question is open that a notice is about, if it is about one.
fn question(state: &State, notice: &NewNotice) -> Option<Timestamp> {
    let of_question = notice.kind == NoticeKind::NeedsInput;
    let row = state.row(notice.session_id.as_ref().filter(|_| of_question)?)?;
    let asked = row.observed.as_ref()?.open.first()?;
    (row.status == Status::Waiting).then_some(asked.evidence.at)
}

/// Returns the key of the oldest delivery that gives way to a new one: so many wait already.
pub fn gives_way(state: &State, name: &str) -> Option<String> {
    let mut waiting = waiting(state, name);
    let first = waiting.next()?.0;
    (waiting.count() + 1 >= MOST_WAITING).then(|| first.key.clone())
}

/// Closes an effect as given up.
pub fn give_up(effect: &mut Effect) {
    effect.state = EffectState::Dropped;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::draft::Draft;
    use crate::state::example::{asking, at, id, project, session, state};
    use downbeat_model::QuestionKind;
    use downbeat_model::reactions::NoticePriority;
    use std::collections::BTreeMap;

    fn notice(kind: NoticeKind, session: u32) -> NewNotice {
        NewNotice {
            kind,
            priority: kind.priority(),
            session_id: Some(id(session)),
            plan_id: None,
            project_id: Some(project().id),
            title: "Cart".into(),
            text: "Which?".into(),
            at: at(50),
        }
    }

    fn routes() -> Routes {
        let names = ["desktop", "slack", "phone"].map(str::to_owned);
        let twice = vec!["slack".to_owned(), "slack".to_owned()];
        Routes::of(&names, &BTreeMap::from([(NoticePriority::Warning, twice)]))
    }

    /// Returns the notifiers of a notice that a draft writes, each with the second from which it is sent.
    fn addressed(kind: NoticeKind) -> Vec<(String, i64)> {
        let rows = [asking(1, QuestionKind::Choice, 10)];
        let mut draft = Draft::made_at(state(rows), at(50));
        draft.notice(notice(kind, 1));
        draft.address(&routes()).unwrap();
        let effects = draft.state().effects.iter();
        effects
            .map(|effect| match &effect.work {
                Work::Notify(one) => (one.notifier.clone(), effect.not_before.as_second()),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn each_notifier_gets_one_delivery_and_a_question_waits() {
        let to = |names: &[&str], second| -> Vec<(String, i64)> {
            names.iter().map(|name| ((*name).to_owned(), second)).collect()
        };
        assert_eq!(addressed(NoticeKind::NeedsInput), to(&["phone", "slack"], 55));
        assert_eq!(addressed(NoticeKind::Failed), to(&["phone", "slack"], 50));
        assert_eq!(addressed(NoticeKind::NeedsLook), to(&["slack"], 50));
        assert_eq!(addressed(NoticeKind::Finished), []);
        assert_eq!(addressed(NoticeKind::Test), []);
    }

    #[test]
    fn a_notice_that_asks_nothing_does_not_wait_for_an_answer() {
        let mut draft = Draft::made_at(state([session(1)]), at(50));
        draft.notice(notice(NoticeKind::NeedsInput, 1));
        draft.address(&routes()).unwrap();
        assert!(
            draft
                .state()
                .effects
                .iter()
                .all(|effect| effect.not_before == at(50))
        );
    }

    #[test]
    fn a_queue_is_bounded_and_the_oldest_gives_way() {
        let mut draft = Draft::made_at(state([session(1)]), at(50));
        for _ in 0..MOST_WAITING + 3 {
            draft.notice(notice(NoticeKind::Failed, 1));
        }
        draft.address(&routes()).unwrap();
        for name in ["slack", "phone"] {
            assert_eq!(waiting(draft.state(), name).count(), MOST_WAITING);
        }
        // What goes with its session is not sent.
        draft.drop_session(&id(1));
        assert_eq!(waiting(draft.state(), "slack").count(), 0);
    }
}
