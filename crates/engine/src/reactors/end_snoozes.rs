//! Ends snoozes once their time has come, so that the sessions need the person again.

use crate::decide::snooze;
use crate::reactors::reactor::{Context, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Ends snoozes.
pub struct EndSnoozes;

#[async_trait]
impl Reactor for EndSnoozes {
    fn name(&self) -> &'static str {
        "end_snoozes"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let (due, again) = snooze::due(state, now);
        Next::of_sessions(due, again)
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Session(id) = subject else {
            return Ok(());
        };
        engine.ledger.write(|draft| snooze::end_if_over(draft, id)).await
    }
}

#[cfg(test)]
mod tests {
    use super::EndSnoozes;
    use crate::reactors::reactor::{Context, Due, Next, Reactor as _};
    use crate::state::example::{at, id, state, with};
    use downbeat_model::session::Snooze;
    use downbeat_model::{Status, Subject};

    #[test]
    fn each_session_is_due_at_its_time() {
        let until = |number, second| {
            let mut row = with(number, Status::Errored);
            row.hold.snooze = Some(Snooze {
                since: at(0),
                until: at(second),
            });
            row
        };
        let rows = [until(1, 100), until(2, 500), with(3, Status::Errored)];
        let ends = |number| Due::after_each(Subject::Session(id(number)));
        for (second, due, again) in [
            (99, vec![], Some(at(100))),
            (100, vec![ends(1)], Some(at(500))),
            (500, vec![ends(1), ends(2)], None),
        ] {
            let found = EndSnoozes.look(&Context::default(), &state(rows.clone()), at(second));
            assert_eq!(found, Next { due, again }, "{second}");
        }
    }
}
