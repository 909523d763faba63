//! Looks now and then whether a session that reported its task as done has a newer commit than its checks ran on, and whether one
//! that was reviewed has a newer commit than that.

use crate::facts::commits;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Looks for newer commits.
pub struct SeeCommits;

#[async_trait]
impl Reactor for SeeCommits {
    fn name(&self) -> &'static str {
        "see_commits"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        let (number, again) = period(context.config.watchdog.folders_every(), now);
        let mut next = Next::default();
        for row in state.sessions.values().filter(|row| commits::matters(row)) {
            let checked = row.checks.last.as_ref().map(|last| last.finished_at);
            // An ended session is looked at once: its agent commits nothing more.
            let number = match row.status.is_live() {
                true => {
                    next.again_at(again);
                    number
                }
                false => 0,
            };
            let reviewed = row.review.as_ref().map(|review| review.number);
            let mark = format!("{number} {} {checked:?} {reviewed:?}", row.status_since);
            next.due.push(Due::once(Subject::Session(row.id.clone()), mark));
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Session(id) => commits::look(engine, id).await,
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SeeCommits;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{at, session, state};
    use downbeat_model::Status;
    use serde_json::json;

    #[test]
    fn only_what_was_reported_as_done_and_checked_is_looked_at() {
        let look = |report: &str, status, second| {
            let mut row = session(1);
            row.status = status;
            row.workspace_path = Some("/shop/w".into());
            let result = json!({ "status": report, "summary": "", "files": [], "at": at(0) });
            row.result = serde_json::from_value(result).unwrap();
            let last = json!({ "commit": "c", "tree": "t", "hash": "h", "uncommitted": 0, "startedAt": at(1),
                "finishedAt": at(2), "checks": [], "error": null });
            row.checks.last = serde_json::from_value(last).unwrap();
            SeeCommits.look(&Context::default(), &state([row]), at(second))
        };
        let first = look("done", Status::Idle, 20);
        assert_eq!((first.due.len(), first.again), (1, Some(at(30))));
        assert_eq!(look("done", Status::Idle, 29).due, first.due);
        assert_ne!(look("done", Status::Idle, 30).due, first.due);
        let ended = look("done", Status::Exited, 20);
        assert_eq!((ended.due.len(), ended.again), (1, None));
        assert_eq!(look("done", Status::Exited, 60).due, ended.due);
        assert!(look("partial", Status::Idle, 20).due.is_empty());
    }
}
