//! Escalates workers' questions to the person. If the conductor can answer a question, the person gets a
//! notice only when it stays open; the session itself shows as waiting immediately. Which notices are held
//! back follows from the rows and the events alone, so the next engine sends them, too.

use crate::decide::notices;
use crate::reactors::agenda::later;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The number of notices of one session that are checked.
const LAST: u32 = 8;

/// Notifies the person of questions that conductors did not answer.
pub struct EscalateQuestions;

#[async_trait]
impl Reactor for EscalateQuestions {
    fn name(&self) -> &'static str {
        "escalate_questions"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for row in state.sessions.values().filter(|row| row.parent.is_some()) {
            match held(state, row, context.config.watchdog.answer_within()) {
                Some((since, until)) if until <= now || until == since => {
                    next.due.push(Due::once(Subject::Session(row.id.clone()), since));
                }
                Some((_, until)) => next.again_at(until),
                None => {}
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Session(id) = subject else {
            return Ok(());
        };
        let state = engine.ledger.state();
        let Some(row) = state.sessions.get(id) else {
            return Ok(());
        };
        match held(&state, row, engine.config().watchdog.answer_within()) {
            Some((since, until)) if until <= Timestamp::now() || until == since => {
                tell(engine, row, since).await
            }
            _ => Ok(()),
        }
    }
}

/// Returns since when a worker's question is open, and until when its notice is held back from the person.
/// The two are equal if its conductor cannot answer.
fn held(state: &State, row: &SessionRow, within: Duration) -> Option<(Timestamp, Timestamp)> {
    let (_, since, _) = notices::open(row)?;
    match notices::is_conductors(state, row) {
        true => Some((since, later(since, within))),
        false => Some((since, since)),
    }
}

/// Notifies the person, unless this question was reported already.
async fn tell(engine: &Engine, row: &SessionRow, since: Timestamp) -> Result<(), ApiError> {
    let id = &row.id;
    let asked = notices::open(row).map(|(.., text)| text).unwrap_or_default();
    let store = engine.ledger.store();
    let about = Subject::Session(id.clone());
    let notices = store.events_about(&about, &[EventKind::Notice], LAST).await;
    let needs = serde_json::to_value(NoticeKind::NeedsInput).unwrap_or(Value::Null);
    let notices = notices.map_err(crate::state::error::store)?;
    if notices.iter().any(|told| {
        told.at >= since && told.payload["kind"] == needs && told.payload["text"] == first_line(asked)
    }) {
        return Ok(());
    }
    let write = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        match notices::open(row).filter(|(_, at, _)| *at == since) {
            Some((.., text)) => {
                let text = text.to_owned();
                notices::notify(draft, id, NoticeKind::NeedsInput, text)
            }
            None => Ok(()),
        }
    });
    write.await
}

#[cfg(test)]
mod tests {
    use super::EscalateQuestions;
    use crate::reactors::reactor::{Context, Due, Reactor as _};
    use crate::state::example::{asking, at, id, session, state};
    use downbeat_model::{QuestionKind, Status, Subject};

    /// Returns what is due for a worker whose question is open since second 10, and when to look again.
    fn look(kind: QuestionKind, conducts: Status, second: i64) -> (Vec<Due>, Option<i64>) {
        let mut lead = session(1);
        (lead.conducts, lead.status) = (true, conducts);
        let mut worker = asking(2, kind, 10);
        worker.parent = Some(lead.id.clone());
        let mut context = Context::default();
        context.config.watchdog.answer_within = 60;
        let next = EscalateQuestions.look(&context, &state([lead, worker]), at(second));
        (next.due, next.again.map(|at| at.as_second()))
    }

    #[test]
    fn the_person_is_notified_when_the_conductor_did_not_or_cannot_answer() {
        let told = || vec![Due::once(Subject::Session(id(2)), at(10))];
        for (kind, conducts, second, wanted) in [
            (QuestionKind::Asks, Status::Idle, 10, (vec![], Some(70))),
            (QuestionKind::Asks, Status::Running, 69, (vec![], Some(70))),
            (QuestionKind::Asks, Status::Idle, 70, (told(), None)),
            (QuestionKind::Asks, Status::Exited, 11, (told(), None)),
            // Its project does not let conductors answer these.
            (QuestionKind::Permission, Status::Idle, 11, (told(), None)),
            (QuestionKind::Trust, Status::Idle, 11, (told(), None)),
            // The clock was set back.
            (QuestionKind::Asks, Status::Exited, 5, (told(), None)),
        ] {
            assert_eq!(
                look(kind, conducts, second),
                wanted,
                "{kind:?} {conducts:?} {second}"
            );
        }
    }

    #[test]
    fn a_question_of_a_session_without_a_parent_is_not_escalated() {
        let next = EscalateQuestions.look(
            &Context::default(),
            &state([asking(1, QuestionKind::Asks, 0)]),
            at(9000),
        );
        assert_eq!((next.due, next.again), (vec![], None));
    }
}
