//! Records what became of the workers of plans.

use crate::decide::plans::{self, Follows, Found, Seen};
use crate::decide::{checks, mailbox};
use crate::effects::checks::plan::Plan as Checks;
use crate::effects::worktree::committed::committed;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use crate::state::known::State;
use downbeat_model::lines::first_line;
use downbeat_model::session::CheckedFor;
use downbeat_model::{SessionId, Status};
use downbeat_plans::{PlanRecord, PlanState, ShareRecord, ShareState};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;

/// Records what became of a worker.
///
/// # Errors
/// Fails if nothing can be recorded.
pub(crate) async fn settle(
    engine: &Engine,
    plan: &PlanRecord,
    place: usize,
    worker: &SessionId,
) -> Result<(), ApiError> {
    time(engine, plan, place, worker).await?;
    // The commit that was looked at is the one that others begin at: it may have changed since.
    let state = engine.ledger.state();
    let looked = state.sessions.get(worker).map(standing);
    let (follows, tip) = match state.sessions.get(worker).cloned() {
        None => (Follows::Failed("its worker was removed".to_owned()), None),
        Some(row) => match plans::seen_in(&state, &row) {
            Seen::AtWork if row.checks.repairs && row.hold.pause.is_none() => (Follows::Repairs, None),
            Seen::AtWork if row.status == Status::Queued => {
                (Follows::Waits(Some(row.status_evidence.detail.clone())), None)
            }
            Seen::AtWork if plans::is_told(&state, &row) => {
                (Follows::Waits(Some(waiting_message(&state, worker))), None)
            }
            // It waits for nothing any more: one that was stuck was told to go on.
            Seen::AtWork if plan.shares.get(place).is_some_and(waited) => (Follows::Waits(None), None),
            Seen::AtWork => return Ok(()),
            Seen::Failed(why) => (Follows::Failed(why), None),
            Seen::AtRest { said } => found(engine, (plan, place), &row, said).await?,
        },
    };
    let changed_nothing = engine.ledger.session(worker).is_some_and(|row| {
        let base = row.base.as_ref().map(|base| &base.commit);
        base.is_some() && base == tip.as_ref()
    });
    let run = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let written = engine.ledger.write(|draft| {
        let is_its = |plan: &PlanRecord| {
            let one = plan.shares.get(place);
            one.is_some_and(|one| {
                let is_open = matches!(one.state, ShareState::Running | ShareState::Failed);
                is_open && one.session.as_ref() == Some(worker)
            })
        };
        // While it was looked at, it may have been told more, or restarted: then it is looked at again.
        let now = draft.state().sessions.get(worker);
        let is_at_work = now.is_some_and(|row| plans::seen_in(draft.state(), row) == Seen::AtWork);
        let was_at_rest = !matches!(follows, Follows::Waits(_) | Follows::Repairs);
        if now.map(standing) != looked || (was_at_rest && is_at_work) {
            return Ok(());
        }
        let own = draft.state().plans.get(&plan.id);
        let checks = |plan: &PlanRecord| plan.state == PlanState::Running && is_its(plan);
        if follows == Follows::Check && own.is_some_and(|plan| checks(plan)) {
            checks::request(draft, worker, run, CheckedFor::Report)?;
        }
        plans::change(draft, &plan.id, |plan, now| {
            if !is_its(plan) {
                return Ok(());
            }
            match follows {
                Follows::Done => {
                    plan.done(place, tip, now);
                    if changed_nothing {
                        plan.note_no_commit(place);
                    }
                }
                Follows::Failed(why) => plan.failed(place, why, now),
                Follows::Repairs => plan.repairs(place),
                Follows::Waits(why) => plan.waits(place, why, false),
                Follows::Stuck(why) => plan.waits(place, Some(why), true),
                Follows::Check => {}
            }
            Ok(())
        })
    });
    written.await
}

/// Says why the message that waits for a worker at rest is not delivered yet.
fn waiting_message(state: &State, worker: &SessionId) -> String {
    let next = mailbox::open(state, worker).next();
    match next.map(|row| row.detail.as_str()).filter(|why| !why.is_empty()) {
        Some(why) => format!("a message waits for its agent: {}", first_line(why)),
        None => "a message waits for its agent".to_owned(),
    }
}

/// What shows that a worker is still as it was seen.
fn standing(row: &Arc<SessionRow>) -> (Status, Timestamp) {
    (row.status, row.status_since)
}

/// Counts the time of a worker from when it leaves the queue.
async fn time(engine: &Engine, plan: &PlanRecord, place: usize, worker: &SessionId) -> Result<(), ApiError> {
    let (row, one) = (engine.ledger.session(worker), plan.shares.get(place));
    let (Some(row), Some(one)) = (row, one) else {
        return Ok(());
    };
    let is_queued = row.status == Status::Queued;
    if one.state != ShareState::Running || is_queued != one.started_at.is_some() {
        return Ok(());
    }
    let since = (!is_queued).then_some(row.status_since);
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |plan, now| {
            plan.works_since(place, worker, since, now);
            Ok(())
        })
    });
    written.await
}

/// Whether the worker of a share waited for something when it was last looked at.
fn waited(one: &ShareRecord) -> bool {
    one.state == ShareState::Running && (one.is_stuck || one.why.is_some())
}

/// Looks at the commits of a worker at rest.
async fn found(
    engine: &Engine,
    (plan, place): (&PlanRecord, usize),
    row: &SessionRow,
    said: bool,
) -> Result<(Follows, Option<String>), ApiError> {
    let project = engine.project(&row.project_id)?;
    let (head, uncommitted) = match committed(&project, row).await {
        Ok(found) => found,
        Err(error) => return Ok((Follows::Failed(error.message), None)),
    };
    let has_checks = match Checks::of(engine, &project).await {
        Ok(checks) => {
            let is_checked = plan.tasks(place).iter().any(|task| !task.unchecked);
            !checks.checks.is_empty() && checks.approved && is_checked
        }
        Err(error) => return Ok((Follows::Waits(Some(error.message)), None)),
    };
    let has_base = match has_base(&project, row, &head.commit).await {
        Ok(has_base) => has_base,
        Err(error) => return Ok((Follows::Waits(Some(error.message)), None)),
    };
    let found = Found {
        head: head.commit,
        uncommitted,
        has_checks,
        has_base,
        at: Timestamp::now(),
    };
    Ok((plans::follows(row, said, &found), Some(found.head)))
}

/// Reports whether a commit contains the one that a worker began with.
async fn has_base(project: &ProjectRow, row: &SessionRow, head: &str) -> Result<bool, ApiError> {
    let Some(base) = row.base.as_ref().map(|base| base.commit.clone()) else {
        return Ok(true);
    };
    let (repo, from) = (PathBuf::from(&project.path), vec![head.to_owned()]);
    let look = move || downbeat_git::is_reached(&repo, &base, &from);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}
