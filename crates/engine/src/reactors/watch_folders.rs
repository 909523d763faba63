//! Checks periodically whether the folders of live sessions exist: nothing reports their removal.

use crate::facts::places;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Checks that the folders of live sessions exist.
pub struct WatchFolders;

#[async_trait]
impl Reactor for WatchFolders {
    fn name(&self) -> &'static str {
        "watch_folders"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        if !state.sessions.values().any(|row| places::has_folder(row)) {
            return Next::default();
        }
        let (number, again) = period(context.config.watchdog.folders_every(), now);
        Next {
            due: vec![Due::once(Subject::Engine, number)],
            again: Some(again),
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        places::look(engine).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::WatchFolders;
    use crate::reactors::reactor::{Context, Due, Next, Reactor as _};
    use crate::state::example::{at, session, state};
    use downbeat_model::{Status, Subject};

    #[test]
    fn folders_are_checked_periodically_while_a_session_lives() {
        let look = |status, second| {
            let mut row = session(1);
            row.status = status;
            WatchFolders.look(&Context::default(), &state([row]), at(second))
        };
        for (second, number, again) in [(20, 2, 30), (29, 2, 30), (30, 3, 40)] {
            let due = vec![Due::once(Subject::Engine, number)];
            let wanted = Next {
                due,
                again: Some(at(again)),
            };
            assert_eq!(look(Status::Idle, second), wanted);
        }
        for status in [
            Status::Exited,
            Status::Queued,
            Status::Spawning,
            Status::SetupFailed,
        ] {
            let is_live = status.is_live() && !matches!(status, Status::Queued | Status::Spawning);
            assert_eq!(look(status, 20).again.is_some(), is_live, "{status:?}");
        }
    }
}
