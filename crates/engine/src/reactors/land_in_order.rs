//! Lets work of plans over several projects land once what it needs in other projects has landed.

use crate::decide::{forge_queue, landing_order};
use crate::effects::plans::landing;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{SessionId, Subject};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// How often default branches are looked at, which others than Downbeat move, too.
const SWEEP: Duration = Duration::from_secs(30);

/// Lets work land in the order of its plan.
pub struct LandInOrder;

/// Returns the sessions whose work waits for that of others.
fn held(state: &State) -> BTreeSet<SessionId> {
    let rows = state.sessions.values();
    let here = rows.filter(|row| row.merging.run.as_ref().is_some_and(|run| run.held.is_some()));
    let here = here.map(|row| row.id.clone());
    let turns = forge_queue::turns(state).into_iter();
    let at_forges = turns.filter(|turn| turn.is_held).map(|turn| turn.row.id.clone());
    here.chain(at_forges).collect()
}

/// Returns a mark of what decides whether the work of a session may land.
fn mark(state: &State, id: &SessionId) -> String {
    let mut mark = String::new();
    let Some((plan, place)) = landing_order::share_of(state, id) else {
        return mark;
    };
    for other in plan.lands_after(place) {
        let Some(one) = plan.shares.get(other) else {
            continue;
        };
        let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
        let project = state.projects.get(plan.project_of(other));
        let landed = row.zip(project);
        let landed = landed.map(|(row, project)| landing_order::landed_heads(row, project));
        let _ = write!(mark, " {other} {:?} {landed:?}", one.tip);
    }
    mark
}

#[async_trait]
impl Reactor for LandInOrder {
    fn name(&self) -> &'static str {
        "land_in_order"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for id in held(state) {
            let (number, again) = period(SWEEP, now);
            let mark = format!("{number}{}", mark(state, &id));
            next.due.push(Due::once(Subject::Session(id), mark));
            next.again_at(again);
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Session(id) => landing::go_on(engine, id).await,
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LandInOrder;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{self, at, change_plan, draft, id, planned};
    use downbeat_model::session::{HeldMerge, MergeOutcome, MergeResult, MergeRun};
    use downbeat_model::{ProjectId, Subject};

    /// Returns a state in which session 1 did its task in `api`, which that of session 2 in `shop` needs.
    fn started() -> Draft {
        let mut first = example::session(1);
        first.project_id = ProjectId::parse("p000000000002").unwrap();
        let mut draft = draft(0, [first, example::session(2)]);
        let text = "backend: a (id: 1) | frontend: b (id: 2) (depends_on: 1)";
        planned(&mut draft, text, &["1"]);
        change_plan(&mut draft, |plan| plan.done(0, Some("tip".into()), at(0)));
        draft
    }

    fn marks(draft: &Draft, second: i64) -> Vec<(Subject, Option<String>)> {
        let next = LandInOrder.look(&Context::default(), draft.state(), at(second));
        assert_eq!(
            next.again.is_some(),
            !next.due.is_empty(),
            "default branches are looked at again"
        );
        next.due.into_iter().map(|due| (due.subject, due.mark)).collect()
    }

    #[test]
    fn what_is_held_is_looked_at_after_a_merge_and_now_and_then() {
        let mut draft = started();
        assert_eq!(marks(&draft, 0), [], "nobody asked for a merge");
        draft.session(&id(2)).unwrap().merging.run = Some(MergeRun {
            id: id(12),
            at: at(0),
            strategy: None,
            unchecked: false,
            pull: None,
            started_at: None,
            is_landing: false,
            waits_for: None,
            held: Some(HeldMerge::default()),
            any_order: false,
        });
        let first = marks(&draft, 0);
        assert_eq!(first[0].0, Subject::Session(id(2)));
        assert_eq!(marks(&draft, 1), first, "once");
        assert_ne!(marks(&draft, 31), first, "somebody else may have merged it");
        draft.session(&id(1)).unwrap().merging.last = Some(MergeResult {
            outcome: MergeOutcome::Landed,
            target: "main".into(),
            head: "tip".into(),
            commit: None,
            detail: String::new(),
            files: Vec::new(),
            at: at(1),
        });
        let landed = marks(&draft, 1);
        assert_ne!(landed, first, "its work landed");
        change_plan(&mut draft, |plan| plan.landed(0, "tip"));
        assert_ne!(marks(&draft, 1), landed, "it goes into the queue now");
        draft.session(&id(2)).unwrap().merging.run = None;
        assert_eq!(marks(&draft, 1), []);
    }
}
