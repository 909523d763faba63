//! Starts the workers of plans, and sees what became of them. A worker is recorded as having its share in the transaction that
//! records its session, so that a crash repeats no start and loses none.

use crate::decide::checks;
use crate::decide::plans::{self, Follows, Found, Seen};
use crate::effects::checks::plan::Plan as Checks;
use crate::effects::session::create;
use crate::effects::worktree::committed::committed;
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::error;
use downbeat_git::{CandidateSpec, Combination, Strategy};
use downbeat_model::session::CheckedFor;
use downbeat_model::{PermissionMode, PlanId, SessionId};
use downbeat_plans::{PlanRecord, ShareState, prompt};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::tz::TimeZone;
use std::path::PathBuf;
use std::sync::Arc;

/// Brings a plan forward: records what became of its workers, then starts those that may.
///
/// # Errors
/// Fails if nothing can be recorded.
pub async fn go_on(engine: &Arc<Engine>, id: &PlanId) -> Result<(), ApiError> {
    let Some(plan) = engine.ledger.state().plans.get(id).cloned() else {
        return Ok(());
    };
    let workers: Vec<SessionId> = plan.shares.iter().filter_map(|one| one.session.clone()).collect();
    let _held = engine.recall(&workers).await?;
    for (place, one) in plan.shares.iter().enumerate() {
        if matches!(one.state, ShareState::Running | ShareState::Failed)
            && let Some(worker) = &one.session
        {
            settle(engine, &plan, place, worker).await?;
        }
    }
    let Some(plan) = engine.ledger.state().plans.get(id).cloned() else {
        return Ok(());
    };
    for place in plan.schedule().start {
        start(engine, &plan, place).await?;
    }
    Ok(())
}

/// Records what became of a worker.
async fn settle(
    engine: &Engine,
    plan: &PlanRecord,
    place: usize,
    worker: &SessionId,
) -> Result<(), ApiError> {
    // The commit that was looked at is the one that others begin at: it may have changed since.
    let (follows, tip) = match engine.ledger.session(worker) {
        None => (Follows::Failed("its worker was removed".to_owned()), None),
        Some(row) => match plans::seen(&row) {
            Seen::AtWork => return Ok(()),
            Seen::Failed(why) => (Follows::Failed(why), None),
            Seen::AtRest { said } => found(engine, &row, said).await?,
        },
    };
    let run = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let written = engine.ledger.write(|draft| {
        let is_its = |plan: &PlanRecord| {
            let one = plan.shares.get(place);
            one.is_some_and(|one| {
                let is_open = matches!(one.state, ShareState::Running | ShareState::Failed);
                is_open && one.session.as_ref() == Some(worker)
            })
        };
        if follows == Follows::Check && draft.state().plans.get(&plan.id).is_some_and(|plan| is_its(plan)) {
            checks::request(draft, worker, run, CheckedFor::Report)?;
        }
        plans::change(draft, &plan.id, |plan, now| {
            if !is_its(plan) {
                return Ok(());
            }
            match follows {
                Follows::Done => plan.done(place, tip, now),
                Follows::Failed(why) => plan.failed(place, why, now),
                Follows::Waits(why) => {
                    if let Some(one) = plan
                        .shares
                        .get_mut(place)
                        .filter(|one| one.state == ShareState::Running)
                    {
                        one.why = why;
                    }
                }
                Follows::Check => {}
            }
            Ok(())
        })
    });
    written.await
}

/// Looks at the commits of a worker at rest.
async fn found(engine: &Engine, row: &SessionRow, said: bool) -> Result<(Follows, Option<String>), ApiError> {
    let project = engine.project(&row.project_id)?;
    let (head, uncommitted) = match committed(&project, row).await {
        Ok(found) => found,
        Err(error) => return Ok((Follows::Failed(error.message), None)),
    };
    let has_checks = match Checks::of(engine, &project).await {
        Ok(plan) => !plan.checks.is_empty() && plan.approved,
        Err(error) => return Ok((Follows::Waits(Some(error.message)), None)),
    };
    let found = Found {
        head: head.commit,
        uncommitted,
        has_checks,
    };
    Ok((plans::follows(row, said, &found), Some(found.head)))
}

/// Starts the worker of a share. What prevents that is a failure of the share.
async fn start(engine: &Arc<Engine>, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    point("plan-due");
    let started = try_start(engine, plan, place).await;
    point("plan-started");
    let Err(error) = started else {
        return Ok(());
    };
    if matches!(error.code, Code::Failed | Code::Unavailable | Code::LimitReached) {
        return Err(error);
    }
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |plan, now| {
            if plan.schedule().start.contains(&place) {
                plan.failed(place, error.message.clone(), now);
            }
            Ok(())
        })
    });
    written.await
}

async fn try_start(engine: &Arc<Engine>, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    let project = engine.project(&plan.project)?;
    let Some(one) = plan.shares.get(place) else {
        return Ok(());
    };
    let tasks = plan.tasks(place);
    let title = match tasks.as_slice() {
        [task] => task.title.clone(),
        tasks => format!("{}: {} tasks", one.share.name, tasks.len()),
    };
    let agent = tasks.first().and_then(|task| task.agent.clone());
    let request = NewSession {
        project_id: Some(project.id.to_string()),
        title: Some(title),
        prompt: Some(prompt(plan, place)),
        agent: agent.or_else(|| plan.agent.clone()),
        base: base(&project, plan, place).await?,
        ..NewSession::default()
    };
    let chooser = chooser(engine, plan, place);
    let also = |draft: &mut Draft, new: &mut SessionRow| {
        let session = new.id.clone();
        plans::change(draft, &plan.id, |plan, now| {
            match plan.claim(place, session, now) {
                true => Ok(()),
                false => Err(ApiError::new(
                    Code::Conflict,
                    "it was started already, or may not start any more",
                )),
            }
        })
    };
    create::create(engine, (&Caller::Owner, &chooser), request, also).await?;
    Ok(())
}

/// Returns who is answerable for the commit that a share begins at. The person ran the plan; what its workers committed is
/// the agents'. Of several, the one that may do least is: if it may not run anything unasked, neither may the merged work.
fn chooser(engine: &Engine, plan: &PlanRecord, place: usize) -> Caller {
    let tips = plan.tips(place);
    let needed = |name: &str| tips.iter().any(|(tip, _)| *tip == name);
    let before = plan.shares.iter().filter(|other| needed(&other.share.name));
    let sessions: Vec<_> = before.filter_map(|other| other.session.clone()).collect();
    let state = engine.ledger.state();
    let may_all = |id: &SessionId| {
        let row = state.sessions.get(id);
        row.is_some_and(|row| row.permission_mode == PermissionMode::Bypass)
    };
    let least = sessions.iter().find(|id| !may_all(id)).or(sessions.first());
    least.cloned().map_or(Caller::Owner, Caller::Session)
}

/// Makes the commit that a share begins at: it has the work of all that the share needs. Nobody's checkout is touched.
async fn base(project: &ProjectRow, plan: &PlanRecord, place: usize) -> Result<Option<String>, ApiError> {
    let mut tips = plan.tips(place).into_iter();
    let Some((first, tip)) = tips.next() else {
        return Ok(None);
    };
    let (mut base, mut names) = (tip.to_owned(), vec![first.to_owned()]);
    let time = plan.started_at.unwrap_or(plan.created_at).to_zoned(TimeZone::UTC);
    for (name, head) in tips {
        let (repo, target, head) = (PathBuf::from(&project.path), base.clone(), head.to_owned());
        let (id, message) = (
            format!("{}-{place}", plan.id),
            format!("Merge {name} into the plan\n"),
        );
        let time = time.clone();
        let made = blocking::blocking(move || {
            downbeat_git::candidate(&CandidateSpec {
                repo: &repo,
                id: &id,
                target: &target,
                head: &head,
                strategy: Strategy::Merge,
                message: &message,
                time: &time,
            })
        });
        match made.await?.map_err(error::git)? {
            Combination::Candidate(made) => base = made.commit,
            Combination::AlreadyMerged => {}
            Combination::Conflict(_) => {
                let what = format!("the work of {name} conflicts with that of {}", names.join(", "));
                let hint = "merge one into the other in its worktree, commit, then retry";
                return Err(ApiError::new(Code::Conflict, format!("{what}: {hint}")));
            }
        }
        names.push(name.to_owned());
    }
    Ok(Some(base))
}
