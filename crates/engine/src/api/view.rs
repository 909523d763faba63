//! Converts stored sessions and notices to their wire types. Pure.

use crate::decide::forge_queue;
use crate::decide::landing_order;
use crate::decide::mailbox;
use crate::decide::merge_queue::words;
use crate::session::{hold, report, stage};
use crate::state::find;
use crate::state::known::State;
use downbeat_model::delivery::{DESKTOP, Routes};
use downbeat_model::lines::first_line;
use downbeat_model::session::{MergeRun, SessionIssue};
use downbeat_model::{Activity, Column, Evidence, NoticeKind, Sender, Status, ToolsState};
use downbeat_store::{NoticeRow, ProjectRow, SessionRow};
use downbeat_wire::check::Checks;
use downbeat_wire::merge::Merges;
use downbeat_wire::notice::Notice;
use downbeat_wire::restore::{EarlierAgent, ForkedFrom};
use downbeat_wire::session::{
    Session, SessionFilter, SessionReview, SessionStatus, SessionSummary, Step, StepState,
};
use downbeat_wire::usage::Usage;
use downbeat_wire::{ApiError, Caller};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// Converts a session to its wire type.
pub fn session(state: &State, row: &SessionRow) -> Session {
    whole(state, row, with_workers(state, row, state.workers(&row.id)))
}

/// Converts a session to its wire type, around its summary.
pub fn whole(state: &State, row: &SessionRow, summary: SessionSummary) -> Session {
    let (forked_from, earlier_agents) = origin(row);
    Session {
        summary: SessionSummary {
            issue: row.issue.clone(),
            ..summary
        },
        task: row.task.clone(),
        base: row.base.clone(),
        steps: row.steps.clone(),
        report: report::of(row),
        checks: checks(row),
        merges: merges(state, row),
        reactions_paused: row.reactions_paused,
        forked_from,
        earlier_agents,
        // These need prices and settings: `api::sessions` sets them.
        subtree_usage: None,
        budgets: Vec::new(),
    }
}

/// Converts a session to its summary; `workers` is how many workers it has.
fn with_workers(state: &State, row: &SessionRow, workers: usize) -> SessionSummary {
    let status = self::status(row);
    SessionSummary {
        id: row.id.clone(),
        name: row.name.clone(),
        title: row.title.clone(),
        project_id: row.project_id.clone(),
        role: row.role,
        conducts: row.conducts,
        parent: row.parent.clone(),
        depth: row.depth,
        workers: u32::try_from(workers).unwrap_or(u32::MAX),
        agent: row.agent.clone(),
        model: row.model.clone(),
        permission_mode: row.permission_mode,
        status: row.status,
        activity: status.activity,
        status_evidence: row.status_evidence.clone(),
        status_since: row.status_since,
        current_task: current_task(row),
        stuck: observed_stuck(row),
        tools: observed_tools(row),
        question: status.question,
        // These and the usage need prices and settings: `api::sessions` sets them.
        limit: None,
        reason: None,
        attention: None,
        snoozed_until: None,
        column: Column::default(),
        usage: Usage::default(),
        paused: hold::state(row),
        error: row.error.clone(),
        once: row.one_shot,
        workspace: row.workspace,
        workspace_path: row.workspace_path.clone(),
        branch: row.branch.clone(),
        port: row.port,
        created_at: row.created_at,
        last_activity_at: row.last_activity_at,
        exit_code: row.exit_code,
        can_resume: row.can_resume(),
        has_backup: row.has_backup,
        queued: u32::try_from(mailbox::open(state, &row.id).count()).unwrap_or(u32::MAX),
        archived_at: row.archived_at,
        shells: find::shown(state, &row.id),
        task_start: task_start(&row.task),
        task_key: task_key(&row.task),
        setup_skipped: setup_skipped(row),
        checks_state: row.checks.state(),
        changes: row.changed.as_ref().and_then(|changed| changed.count),
        collisions: row.collisions.all.clone(),
        done: report::done(row),
        review: review(state, row),
        issue: row.issue.as_ref().map(SessionIssue::in_lists),
        pulls: row.pulls.clone(),
        lifecycle: Some(stage::lifecycle(row)),
        merge_state: stage::merge(row),
    }
}

/// Returns the last review of a session's work.
fn review(state: &State, row: &SessionRow) -> Option<SessionReview> {
    let review = row.review.as_ref()?;
    let by = match &review.by {
        Sender::Person => "you",
        Sender::Session(id) => state.row(id).map_or("its conductor", |row| row.name.as_str()),
        Sender::Downbeat => "Downbeat",
    };
    Some(review.shown(row.checks.head.as_deref(), by))
}

/// Returns the checks of a session's work.
fn checks(row: &SessionRow) -> Option<Checks> {
    let of = &row.checks;
    Some(Checks {
        state: of.state()?,
        running_since: of.run.as_ref().and_then(|run| run.started_at),
        now: of.run.as_ref().and_then(|run| run.now.clone()),
        last: of.last.clone(),
        sent: of.sent,
    })
}

/// Returns the merges of a session's work.
fn merges(state: &State, row: &SessionRow) -> Option<Merges> {
    let of = &row.merging;
    let is_at_forge = of.run.as_ref().is_some_and(|run| run.pull.is_some());
    let waiting = match is_at_forge {
        true => forge_queue::of_session(state, &row.id),
        false => words::of_session(state, &row.id),
    };
    let held = of.run.as_ref().filter(|run| run.held.is_some());
    let held = held.map(|run| {
        let why = landing_order::held(state, &row.id);
        let why = why.unwrap_or_else(|| "is about to be put into the queue".to_owned());
        (format!("held by its plan: {why}"), run.at)
    });
    // At a forge, it has its place meanwhile.
    let is_held_back = |run: &&MergeRun| is_at_forge && !run.any_order && run.started_at.is_none();
    let held_there = of.run.as_ref().filter(is_held_back);
    let held_there = held_there.and_then(|_| landing_order::held(state, &row.id));
    let held_by_plan = held.is_some() || held_there.is_some();
    let waits = waiting
        .as_ref()
        .map(|waiting| (waiting.sentence.clone(), waiting.since));
    let (waits, waits_since) = waits.or(held).unzip();
    (of.run.is_some() || of.last.is_some()).then(|| Merges {
        under_way: of.run.is_some(),
        place: waiting.as_ref().map(|waiting| waiting.place),
        waits,
        held_by_plan,
        waits_since,
        running_since: of.run.as_ref().and_then(|run| run.started_at),
        last: of.last.clone(),
    })
}

/// Returns the start of a task.
fn task_start(task: &str) -> Option<String> {
    let task = task.trim();
    let start = match task.char_indices().nth(TASK) {
        Some((end, _)) => format!("{}…", task[..end].trim_end()),
        None => task.to_owned(),
    };
    (!start.is_empty()).then_some(start)
}

/// Returns a key that is equal for equal tasks while an engine runs.
fn task_key(task: &str) -> Option<String> {
    let mut hasher = DefaultHasher::new();
    let task = task.trim();
    task.hash(&mut hasher);
    (!task.is_empty()).then(|| format!("{:016x}", hasher.finish()))
}

/// Returns why the set-up of a session was skipped, if there was something to set up.
fn setup_skipped(row: &SessionRow) -> Option<String> {
    let skipped = |step: &&Step| step.name == "setup" && step.state == StepState::Skipped;
    let why = &row.steps.iter().find(skipped)?.detail;
    let is_news = !matches!(why.as_str(), "" | "resumed" | "nothing to set up");
    is_news.then(|| first_line(why).chars().take(SKIPPED).collect())
}

/// The number of characters of a task in a summary.
const TASK: usize = 160;

/// The number of characters of the reason for a skipped set-up.
const SKIPPED: usize = 300;

/// Converts a session to its short wire type.
pub fn status(row: &SessionRow) -> SessionStatus {
    let observed = row.observed.as_ref().filter(|_| row.status.is_live());
    SessionStatus {
        id: row.id.clone(),
        name: row.name.clone(),
        status: row.status,
        activity: match row.status {
            status if status.is_ended() => Activity::Exited,
            _ => observed.map_or(Activity::Unknown, |seen| seen.activity),
        },
        status_evidence: row.status_evidence.clone(),
        status_since: row.status_since,
        question: observed
            .and_then(|seen| seen.question().cloned())
            .filter(|_| row.status == Status::Waiting),
        reason: None,
        done: report::done(row),
        exit_code: row.exit_code,
    }
}

fn observed_stuck(row: &SessionRow) -> Option<Evidence> {
    let seen = row.observed.as_ref().filter(|_| row.status == Status::Running);
    seen?.stuck.clone()
}

/// Returns whether the agent of a live session has listed its tools; `None` before it has started.
fn observed_tools(row: &SessionRow) -> Option<ToolsState> {
    let starts = matches!(row.status, Status::Queued | Status::Spawning) && !row.is_up_at_start();
    let is_up = row.status.is_live() && !starts;
    row.observed.as_ref().filter(|_| is_up)?.tools
}

/// Returns the agent's own description of its task while the session works or waits.
pub fn current_task(row: &SessionRow) -> Option<String> {
    let open = matches!(row.status, Status::Running | Status::Waiting);
    let seen = row.observed.as_ref().filter(|_| open)?;
    seen.tasks.current().map(str::to_owned)
}

/// Returns sessions in the order of the sidebar: by age.
pub fn rows(state: &State, keep: impl Fn(&SessionRow) -> bool) -> Vec<&SessionRow> {
    let rows = state.sessions.values().map(|row| &**row);
    let mut rows: Vec<_> = rows.filter(|row| keep(row)).collect();
    rows.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    rows
}

/// Converts sessions to summaries.
pub fn summaries(state: &State, rows: &[&SessionRow]) -> Vec<SessionSummary> {
    let children = find::Children::of(state);
    let shown = |row: &&SessionRow| with_workers(state, row, children.count(&row.id));
    rows.iter().map(shown).collect()
}

/// Returns the sessions that `caller` may see and that match the filter.
pub fn listed(
    state: &State,
    caller: &Caller,
    filter: &SessionFilter,
) -> Result<Vec<SessionSummary>, ApiError> {
    let project = filter.project.as_deref();
    let project = project.map(|name| find::project(state, name)).transpose()?;
    let parent = filter.parent.as_deref();
    let parent = parent
        .map(|name| find::session(state, caller, name))
        .transpose()?;
    let rows = rows(state, |row| {
        let own = match caller {
            Caller::Owner => true,
            Caller::Session(root) => find::is_within(state, row, root),
        };
        let listed = row.archived_at.is_some() == filter.archived.unwrap_or(false);
        let of_project = |project: &Arc<ProjectRow>| row.project_id == project.id;
        let below = |parent: &Arc<SessionRow>| row.parent.as_ref() == Some(&parent.id);
        let asked = filter.ids.as_ref().is_none_or(|ids| ids.contains(&row.id));
        asked && own && listed && project.as_ref().is_none_or(of_project) && parent.as_ref().is_none_or(below)
    });
    Ok(summaries(state, &rows))
}

/// Converts a notice to its wire type.
pub fn notice(row: NoticeRow, routes: &Routes) -> Option<Notice> {
    let kind = serde_json::from_value(serde_json::Value::String(row.kind)).ok()?;
    let is_routed = routes.to(row.priority).iter().any(|name| name == DESKTOP);
    Some(Notice {
        id: row.id,
        kind,
        priority: row.priority,
        on_desktop: is_routed || kind == NoticeKind::Test,
        session_id: row.session_id,
        plan_id: row.plan_id,
        project_id: row.project_id,
        title: row.title,
        text: row.text,
        at: row.at,
        read: row.read,
    })
}
/// Returns the session that this one was forked from, and the agents that worked in it before.
fn origin(row: &SessionRow) -> (Option<ForkedFrom>, Vec<EarlierAgent>) {
    let forked = row.lineage.forked.as_ref().map(|forked| ForkedFrom {
        id: forked.id.clone(),
        name: forked.name.clone(),
    });
    let earlier = row.lineage.earlier.iter().map(|earlier| EarlierAgent {
        agent: earlier.agent.clone(),
        until: earlier.until,
    });
    (forked, earlier.collect())
}
