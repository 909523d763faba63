//! What became of the workers of a plan, and what follows. Which shares may start is decided by the crate `plans`.

use crate::decide::{landing_order, mailbox, plan_news};
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::lines::first_line;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::session::{LastReport, ReportStatus};
use downbeat_model::{
    Activity, NewNotice, NoticeKind, PlanId, ProjectId, SessionId, Status, Verification, count,
};
use downbeat_plans::{About, PlanRecord, PlanState, ShareRecord, ShareState, Source, report};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// What is seen of a worker without a look at its commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It is at work, or waits for somebody.
    AtWork,
    /// It ended its turn or its process.
    AtRest {
        /// Whether it says that its task is done: by its report, or by the exit code of an agent that has no other way.
        said: bool,
    },
    /// It cannot do its task.
    Failed(String),
}

/// What was found in the worktree of a worker at rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The commit that it is at.
    pub head: String,
    /// The number of files that are not committed.
    pub uncommitted: u32,
    /// Whether the project has checks that are to run on it.
    pub has_checks: bool,
    /// Whether that commit contains the one that the worker began with, and so all work that its tasks need.
    pub has_base: bool,
    /// When it was looked at.
    pub at: Timestamp,
}

/// How long the rules have to send the failures of checks to the agent, before a share counts as failed because of them.
pub const RULES_DECIDE: SignedDuration = SignedDuration::from_secs(3);

/// What follows for a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follows {
    /// It goes on by itself, for this reason.
    Waits(Option<String>),
    /// Its agent has the failures of its checks, and its next turn is checked again.
    Repairs,
    /// Its worker does nothing more before somebody tells it to, for this reason.
    Stuck(String),
    /// The project's checks are to run on its commit.
    Check,
    /// It is done, at its commit.
    Done,
    /// It failed.
    Failed(String),
}

/// Returns what is seen of a worker, and of what is on its way to it: one that is being restarted, or that has a message waiting, has not
/// done all of its work yet.
pub fn seen_in(state: &State, row: &SessionRow) -> Seen {
    if state.goes_on(&row.id).is_some() || is_told(state, row) {
        return Seen::AtWork;
    }
    seen(row)
}

/// Reports whether a message waits for a worker at rest.
pub fn is_told(state: &State, row: &SessionRow) -> bool {
    row.status == Status::Idle && mailbox::has_open(state, &row.id)
}

/// Returns what is seen of a worker itself.
fn seen(row: &SessionRow) -> Seen {
    // A report that came before its newest turn says nothing about that.
    let report = row.result.as_ref().filter(|last| last.fresh);
    let report = report.map(|last| &last.report);
    if let Some(report) = report.filter(|report| report.status != ReportStatus::Done) {
        return Seen::Failed(format!("its worker reports: {}", first_line(&report.summary)));
    }
    let said = report.is_some();
    let turn_ended = row
        .observed
        .as_ref()
        .is_some_and(|observed| observed.activity == Activity::Idle);
    match row.status {
        Status::Killed => Seen::Failed("its worker was killed".to_owned()),
        Status::Errored | Status::SetupFailed => {
            let why = row
                .error
                .as_deref()
                .map_or("its worker could not start", first_line);
            Seen::Failed(why.to_owned())
        }
        // One whose turns are seen may be left at any time, whatever it has done.
        Status::Exited if row.exit_code == Some(0) => Seen::AtRest {
            said: said || row.one_shot || row.observed.is_none(),
        },
        Status::Exited if said => Seen::AtRest { said },
        Status::Exited => Seen::Failed(match row.exit_code {
            Some(code) => format!("its worker ended with exit code {code} before its task was done"),
            None => "its worker ended before its task was done".to_owned(),
        }),
        Status::Idle if turn_ended => Seen::AtRest { said },
        _ => Seen::AtWork,
    }
}

/// Decides what follows for a share whose worker is at rest.
pub fn follows(row: &SessionRow, said: bool, found: &Found) -> Follows {
    let base = row.base.as_ref().map(|base| base.commit.as_str());
    let is_own = base != Some(found.head.as_str());
    if found.uncommitted > 0 {
        let files = count(found.uncommitted, "file", "files");
        return match row.status.is_ended() {
            true => Follows::Failed(format!(
                "its worker ended with {files} not committed: resume it and ask it to commit them, or retry"
            )),
            false => Follows::Stuck(format!(
                "its worker ended its turn with {files} not committed: ask it to commit them"
            )),
        };
    }
    if !found.has_base {
        return Follows::Failed(format!(
            "its branch does not contain the commit that it began with any more: have it rebased on {}",
            base.unwrap_or_default()
        ));
    }
    let gave_up = |last: &&LastReport| !last.fresh && last.report.status != ReportStatus::Done;
    if row.result.as_ref().filter(gave_up).is_some() {
        let why = "its worker reported that it could not do its task, and has not reported since: ask it to, or count the task as done";
        return Follows::Stuck(why.to_owned());
    }
    if !is_own {
        return match said {
            true => Follows::Done,
            false if row.status.is_ended() => Follows::Failed("its worker ended without a commit".to_owned()),
            false => Follows::Stuck("its worker ended its turn without a commit".to_owned()),
        };
    }
    if !found.has_checks {
        return Follows::Done;
    }
    if row.checks.run.is_some() {
        return Follows::Waits(Some("its checks run".to_owned()));
    }
    match row.checks.last.as_ref().filter(|last| last.commit == found.head) {
        Some(last) if last.is_green() && last.checks.iter().any(|check| check.passed()) => Follows::Done,
        // One that ended repairs nothing any more.
        Some(last) if last.error.is_none() && row.checks.repairs && row.status.is_live() => Follows::Repairs,
        Some(last) if last.error.is_none() && found.at < decided_at(last) => {
            Follows::Waits(Some("its checks failed".to_owned()))
        }
        Some(last) if last.error.is_none() => {
            let red = last.checks.iter().find(|check| !check.passed());
            let red = red.map_or_else(String::new, |check| format!(": {}", first_line(&check.name)));
            Follows::Failed(format!("its checks failed{red}"))
        }
        Some(_) => Follows::Failed("its checks could not run".to_owned()),
        // They run again after its next turn.
        _ if row.checks.cancelled_at.is_some_and(|at| row.status_since <= at) => Follows::Stuck(format!(
            "its checks were cancelled: `downbeat check {}` runs them",
            row.name
        )),
        _ => Follows::Check,
    }
}

/// Returns when rules have decided what follows from a result.
pub fn decided_at(last: &Verification) -> Timestamp {
    last.finished_at
        .saturating_add(RULES_DECIDE)
        .unwrap_or(last.finished_at)
}

/// Whether what prevented the start of a worker may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// It does, when other workers end.
    ByItself,
    /// It may, so it is tried a few times.
    Perhaps,
    /// It does not.
    No,
}

/// Decides whether what prevented the start of a worker may pass.
pub fn passes(error: &ApiError) -> Passes {
    match error.code {
        Code::LimitReached => Passes::ByItself,
        Code::Failed | Code::Unavailable => Passes::Perhaps,
        _ => Passes::No,
    }
}

/// Changes a plan, and records what follows from its new state.
///
/// # Errors
/// Fails if there is no such plan, or if the change does.
pub fn change<R>(
    draft: &mut Draft,
    id: &PlanId,
    change: impl FnOnce(&mut PlanRecord, Timestamp) -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    let old = draft.state().plans.get(id).cloned();
    let old = old.ok_or_else(|| ApiError::not_found("plan", id))?;
    let mut plan = PlanRecord::clone(&old);
    let now = draft.now();
    let result = change(&mut plan, now)?;
    let conductor = plan
        .conductor
        .as_ref()
        .and_then(|id| draft.state().sessions.get(id));
    let is_led = conductor.is_some_and(|row| row.status.is_live());
    let notice = conclude(&mut plan, is_led, now);
    if plan == *old {
        return Ok(result);
    }
    if notice.is_some() && plan.told && plan.state != PlanState::Complete {
        plan_news::tell_conductor(draft, &mut plan);
    }
    draft.put_plan(plan);
    if let Some(notice) = notice {
        draft.notice(notice);
    }
    Ok(result)
}

/// Returns the plans of a file.
pub fn of_file<'a>(state: &'a State, project: &ProjectId, source: &Source) -> Vec<&'a Arc<PlanRecord>> {
    let is_of_it = |plan: &&Arc<PlanRecord>| {
        let of = plan.source.as_ref().map(|of| (&of.path, &of.tag));
        plan.project == *project && of == Some((&source.path, &source.tag))
    };
    state.plans.values().filter(is_of_it).collect()
}

/// Records in its plan where a commit of a session landed.
///
/// # Errors
/// Fails if its plan cannot be changed.
pub fn landed(draft: &mut Draft, session: &SessionId, head: &str, place: &str) -> Result<(), ApiError> {
    change_of(draft, session, |plan, share| plan.lands(share, head, place))
}

/// Records in its plan why a merge of a session's work failed.
///
/// # Errors
/// Fails if its plan cannot be changed.
pub fn not_merged(draft: &mut Draft, session: &SessionId, why: &str) -> Result<(), ApiError> {
    change_of(draft, session, |plan, share| plan.not_merged(share, why))
}

/// Changes the plan of a session, if it is the worker of one.
fn change_of(
    draft: &mut Draft,
    session: &SessionId,
    with: impl FnOnce(&mut PlanRecord, usize),
) -> Result<(), ApiError> {
    let of = landing_order::share_of(draft.state(), session).map(|(plan, share)| (plan.id.clone(), share));
    let Some((id, share)) = of else {
        return Ok(());
    };
    change(draft, &id, |plan, _| {
        with(plan, share);
        Ok(())
    })
}

/// Pauses a plan that may not go on by itself. The person is told why.
pub fn hold(plan: &mut PlanRecord, why: &str) {
    if plan.state == PlanState::Running {
        plan.state = PlanState::Paused;
        plan.why = Some(why.to_owned());
        plan.told = false;
    }
}

/// Lets a plan run. It may be held again at once by what held it before.
pub fn let_go(plan: &mut PlanRecord, now: Timestamp) {
    plan.state = PlanState::Running;
    plan.started_at.get_or_insert(now);
    (plan.why, plan.told, plan.paused_by_person) = (None, false, false);
    // From now on, each worker that cannot start says so.
    plan.forget_notes_about(&About::Absent);
}

/// Ends a plan of which nothing is left, and returns what the person has to know. `is_led` says whether its conductor is live.
fn conclude(plan: &mut PlanRecord, is_led: bool, now: Timestamp) -> Option<NewNotice> {
    let made = plan.schedule();
    // What was paused while its last worker finished needs nothing more.
    let is_paused = plan.state == PlanState::Paused && plan.started_at.is_some();
    if let (PlanState::Paused, Some(why), false) = (plan.state, &plan.why, plan.told || made.is_over) {
        let title = format!("plan needs you: {}", plan.plan.title);
        let text = format!(
            "It is paused: {why}. Nothing further starts.\n{}",
            report(plan, now)
        );
        plan.told = true;
        return Some(notice(plan, (title, NoticePriority::Action), text, now));
    }
    if plan.state != PlanState::Running && !(is_paused && made.is_over) {
        return None;
    }
    let title = &plan.plan.title;
    let (title, priority) = if made.is_over {
        plan.state = PlanState::Complete;
        (plan.ended_at, plan.why) = (Some(now), None);
        (format!("plan complete: {title}"), NoticePriority::Info)
    } else {
        // A conductor that is live is told of the turns of its workers, and can ask them itself.
        let is_stuck = |one: &ShareRecord| one.is_stuck && !is_led;
        let mut running = plan.shares.iter().filter(|one| one.state == ShareState::Running);
        let goes_on = !made.start.is_empty() || running.any(|one| !is_stuck(one));
        if goes_on {
            plan.told = false;
        }
        if goes_on || plan.told {
            return None;
        }
        plan.told = true;
        (format!("plan needs you: {title}"), NoticePriority::Action)
    };
    let mut text = report(plan, now);
    for note in plan.noted() {
        text.push_str(&format!("Note: {note}\n"));
    }
    Some(notice(plan, (title, priority), text, now))
}

/// Returns what the person is told of a plan that a session made of a goal.
pub fn handed_in(plan: &PlanRecord, maker: &str, now: Timestamp) -> NewNotice {
    let (tasks, workers) = (plan.plan.tasks.len(), plan.shares.len());
    let title = format!("plan to look at: {}", plan.plan.title);
    let text = format!(
        "{maker} made a plan with {tasks} tasks for {workers} workers. Nothing runs yet.\nRun it: downbeat plan run {}\n",
        plan.id
    );
    notice(plan, (title, NoticePriority::Action), text, now)
}

fn notice(
    plan: &PlanRecord,
    (title, priority): (String, NoticePriority),
    text: String,
    at: Timestamp,
) -> NewNotice {
    NewNotice {
        kind: NoticeKind::Raised,
        priority,
        session_id: None,
        plan_id: Some(plan.id.clone()),
        project_id: Some(plan.project.clone()),
        title,
        text,
        at,
    }
}

#[cfg(test)]
#[path = "plans_tests.rs"]
mod tests;
