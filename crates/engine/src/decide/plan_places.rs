//! Decides which worker of a plan is stopped so that another one can start, where a limit of sessions holds that back: one that is done
//! and only waits at its prompt. Its worktree and its branch stay, and it can be resumed.

use crate::decide::{admission, mailbox, plan_access};
use crate::state::known::State;
use downbeat_model::limit::{Cap, Limits};
use downbeat_model::{PlanId, SessionId, Status};
use downbeat_plans::{PlanRecord, PlanState, ShareRecord, ShareState};
use downbeat_store::SessionRow;

/// A worker that makes room.
#[derive(Debug, PartialEq, Eq)]
pub struct Leaves {
    /// The plan that it was done for.
    pub plan: PlanId,
    /// The worker.
    pub worker: SessionId,
    /// What that plan notes about it.
    pub note: String,
}

/// Returns the worker that makes room for a queued one of a plan, if there is any: of the same plan first, then of those that are
/// complete; the one that is done for the longest time.
pub fn leaves(state: &State, limits: &Limits, plan: &PlanRecord) -> Option<Leaves> {
    let running = plan.shares.iter().filter(|one| one.state == ShareState::Running);
    let rows = running.filter_map(|one| state.sessions.get(one.session.as_ref()?));
    let mut queued = rows.filter_map(|row| Some((row, held_by(state, limits, row)?)));
    queued.find_map(|(row, cap)| makes_room(state, plan, (row, cap)))
}

/// Returns the worker that makes room for one that a limit holds back.
fn makes_room(state: &State, plan: &PlanRecord, (row, cap): (&SessionRow, Cap)) -> Option<Leaves> {
    // One that is being stopped makes room already.
    let mut leaving = state.plans.values().flat_map(|plan| &plan.leaving);
    let makes_room = |id: &SessionId| {
        let other = state.sessions.get(id).filter(|other| other.status.is_live());
        other.is_some_and(|other| counts(cap, row, other))
    };
    if leaving.any(makes_room) {
        return None;
    }
    let over = state.plans.values();
    let over = over.filter(|other| other.state == PlanState::Complete && other.id != plan.id);
    let (own, others) = (done(state, plan), over.flat_map(|other| done(state, other)));
    let fits = |(.., other): &Done<'_>| counts(cap, row, other);
    let oldest = |(_, one, _): &Done<'_>| one.ended_at;
    let own = own.into_iter().filter(fits).min_by_key(oldest);
    let (plan, _, leaving) = own.or_else(|| others.filter(fits).min_by_key(oldest))?;
    let next = &row.name;
    Some(Leaves {
        plan: plan.id.clone(),
        worker: leaving.id.clone(),
        note: format!(
            "{} was done, and was stopped so that {next} can start ({cap}); resume it to ask about its work",
            leaving.name
        ),
    })
}

/// A share that is done, with its plan and its worker.
type Done<'a> = (&'a PlanRecord, &'a ShareRecord, &'a SessionRow);

/// Returns the limit that holds a queued session back, if that is all that does.
fn held_by(state: &State, limits: &Limits, row: &SessionRow) -> Option<Cap> {
    if row.status != Status::Queued || row.intent.is_some() || row.hold.pause.is_some() {
        return None;
    }
    if admission::held(state, row.parent.as_ref(), &row.project_id).is_some()
        || admission::stopped(state, row).is_some()
    {
        return None;
    }
    limits.cap(
        row.depth,
        admission::load(state, row.parent.as_ref(), &row.project_id),
    )
}

/// Returns the workers of a plan that are done, of which nobody expects anything.
fn done<'a>(state: &'a State, plan: &'a PlanRecord) -> Vec<Done<'a>> {
    let shares = plan.shares.iter().filter(|one| one.state == ShareState::Done);
    let rows = shares.filter_map(|one| Some((plan, one, &**state.sessions.get(one.session.as_ref()?)?)));
    rows.filter(|(.., row)| is_unneeded(state, row)).collect()
}

/// Whether a session waits at its prompt, nothing of it is under way, and what becomes of its work is not told to it.
fn is_unneeded(state: &State, row: &SessionRow) -> bool {
    let has_workers = || {
        let mut rows = state.sessions.values();
        rows.any(|other| other.parent.as_ref() == Some(&row.id) && !other.status.is_ended())
    };
    row.status == Status::Idle
        && row.intent.is_none()
        && row.checks.run.is_none()
        && !row.checks.repairs
        && row.merging.run.is_none()
        && !row.has_open_pull()
        && !has_workers()
        && !plan_access::has_open_plan(state, &row.id)
        && !mailbox::has_open(state, &row.id)
}

/// Whether a worker that was to make room is needed again before it was stopped: somebody gave it work.
pub fn is_needed_again(state: &State, plan: &PlanId, worker: &SessionId) -> bool {
    let shares = state.plans.get(plan).map(|plan| plan.shares.as_slice());
    let mut shares = shares.unwrap_or_default().iter();
    let is_done = shares
        .any(|one| one.state == ShareState::Done && !one.by_hand && one.session.as_ref() == Some(worker));
    let row = state.sessions.get(worker);
    is_done && row.is_some_and(|row| row.status.is_live() && !is_unneeded(state, row))
}

/// Whether a session counts for the limit that holds another one back.
fn counts(cap: Cap, queued: &SessionRow, row: &SessionRow) -> bool {
    match cap {
        Cap::Sessions(_) => true,
        Cap::Project(_) => row.project_id == queued.project_id,
        Cap::Workers(_) => row.parent == queued.parent,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_needed_again, leaves};
    use crate::state::example::{at, change_plan, draft, id, planned, with, worker};
    use downbeat_model::Status;
    use downbeat_model::limit::Limits;
    use downbeat_plans::{PlanState, ShareState};
    use downbeat_store::SessionRow;

    fn limits(total: u32) -> Limits {
        Limits {
            total_sessions: total,
            ..Limits::default()
        }
    }

    /// Returns a state with a plan whose first two shares are done, by these workers, while the third waits in the queue.
    fn of(first: SessionRow, second: SessionRow) -> crate::state::draft::Draft {
        let mut draft = draft(0, [first, second, with(3, Status::Queued)]);
        planned(&mut draft, "a, b, c", &[]);
        change_plan(&mut draft, |plan| {
            plan.state = PlanState::Running;
            for (place, number) in [(0, 1), (1, 2), (2, 3)] {
                plan.shares[place].session = Some(id(number));
                plan.shares[place].state = ShareState::Done;
                plan.shares[place].ended_at = Some(at(i64::from(10 - number)));
            }
            plan.shares[2].state = ShareState::Running;
        });
        draft
    }

    fn found(draft: &crate::state::draft::Draft, limits: &Limits) -> Option<u32> {
        let plan = draft.state().plans.values().next().unwrap();
        let found = leaves(draft.state(), limits, plan)?;
        assert!(
            found.note.contains("so that session-3 can start"),
            "{}",
            found.note
        );
        (1..4).find(|number| found.worker == id(*number))
    }

    #[test]
    fn the_one_that_is_done_for_the_longest_time_makes_room() {
        let idle = |number| with(number, Status::Idle);
        let both = of(idle(1), idle(2));
        assert_eq!(found(&both, &limits(2)), Some(2));
        assert_eq!(found(&both, &limits(3)), None, "there is room");
        assert_eq!(found(&of(idle(1), with(2, Status::Running)), &limits(2)), Some(1));
        let mut checked = idle(2);
        checked.checks.repairs = true;
        assert_eq!(found(&of(idle(1), checked), &limits(2)), Some(1));
        let asks = of(with(1, Status::Waiting), with(2, Status::Waiting));
        assert_eq!(found(&asks, &limits(2)), None, "both have a question");
        let mut below = worker(1, &idle(2));
        below.status = Status::Idle;
        let own = of(below, idle(2));
        assert_eq!(
            found(&own, &limits(2)),
            Some(1),
            "one whose worker is live is needed"
        );
        let mut leaving = of(idle(1), idle(2));
        change_plan(&mut leaving, |plan| plan.leaving.push(id(9)));
        assert_eq!(found(&leaving, &limits(2)), Some(2), "that one ended");
        change_plan(&mut leaving, |plan| plan.leaving.push(id(1)));
        assert_eq!(found(&leaving, &limits(2)), None, "one makes room already");
        let plan = leaving.state().plans.keys().next().unwrap();
        assert!(!is_needed_again(leaving.state(), plan, &id(2)));
        let busy = of(idle(1), with(2, Status::Running));
        assert!(
            is_needed_again(busy.state(), plan, &id(2)),
            "somebody gave it work"
        );
        assert!(!is_needed_again(busy.state(), plan, &id(3)), "it is not done");
    }

    #[test]
    fn only_what_counts_for_the_limit_makes_room() {
        let idle = |number| with(number, Status::Idle);
        let mut elsewhere = idle(2);
        elsewhere.project_id = downbeat_model::ProjectId::parse("p000000000002").unwrap();
        let limits = Limits {
            sessions_per_project: Some(1),
            ..Limits::default()
        };
        assert_eq!(found(&of(idle(1), elsewhere), &limits), Some(1));
    }
}
