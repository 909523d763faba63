//! Lets sessions continue once their usage limit is over.

use crate::decide::limits;
use crate::host::failpoint::point;
use crate::reactors::reactor::{Context, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Lets sessions continue after their usage limits.
pub struct ResumeAfterLimits;

#[async_trait]
impl Reactor for ResumeAfterLimits {
    fn name(&self) -> &'static str {
        "resume_after_limits"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        let (due, again) = limits::due(state, &context.config.usage_limits, now);
        Next::of_sessions(due, again)
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Session(id) = subject else {
            return Ok(());
        };
        let config = engine.config().usage_limits;
        let written = engine
            .ledger
            .write(|draft| limits::go_on_if_due(draft, &config, id));
        written.await?;
        point("limit-over");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ResumeAfterLimits;
    use crate::reactors::reactor::{Context, Due, Next, Reactor as _};
    use crate::state::example::{at, id, observed, session, state};
    use downbeat_model::{Activity, Limited, Status, Subject, UsageLimit};
    use downbeat_store::SessionRow;

    /// Returns a session that waits for a limit that was reported at second 0 and ends at second `ends`.
    fn limited(number: u32, ends: i64) -> SessionRow {
        let mut row = session(number);
        row.status = Status::Waiting;
        let mut seen = observed(Activity::Idle);
        seen.limit = Some(Limited {
            limit: UsageLimit {
                text: String::new(),
                resets_at: Some(at(ends)),
            },
            at: at(0),
            refusals: 1,
            message: None,
        });
        row.observed = Some(seen);
        row
    }

    fn look(rows: impl IntoIterator<Item = SessionRow>, go_on: bool, second: i64) -> Next {
        let mut context = Context::default();
        context.config.usage_limits.go_on = go_on;
        ResumeAfterLimits.look(&context, &state(rows), at(second))
    }

    #[test]
    fn each_session_continues_a_margin_after_its_limit_ends() {
        let rows = || [limited(1, 100), limited(2, 500)];
        let goes_on = |number| Due::after_each(Subject::Session(id(number)));
        for (second, due, again) in [
            (0, vec![], Some(at(160))),
            (159, vec![], Some(at(160))),
            (160, vec![goes_on(1)], Some(at(560))),
            (560, vec![goes_on(1), goes_on(2)], None),
        ] {
            assert_eq!(look(rows(), true, second), Next { due, again }, "{second}");
        }
    }

    #[test]
    fn a_session_continues_only_if_configured_and_waiting() {
        assert_eq!(look([limited(1, 0)], false, 9000), Next::default());
        let mut not_this = limited(1, 0);
        not_this.hold.go_on = Some(false);
        let mut sent = limited(2, 0);
        let seen = sent.observed.as_mut().unwrap();
        seen.limit.as_mut().unwrap().message = Some(3);
        let mut works = limited(3, 0);
        works.status = Status::Running;
        assert_eq!(look([not_this, sent, works], true, 9000), Next::default());
        let mut this = limited(4, 0);
        this.hold.go_on = Some(true);
        assert_eq!(look([this], false, 9000).due.len(), 1);
    }
}
