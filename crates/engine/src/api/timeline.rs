//! Answers which session worked, waited or was held back when. Gathers the changes of statuses;
//! [`crate::decide::timeline`] puts them together.

use crate::decide::reason;
use crate::decide::timeline::{Now, spans, sums};
use crate::state::context::Engine;
use crate::state::{error, find};
use downbeat_model::SessionId;
use downbeat_store::{SessionRow, StatusChange};
use downbeat_wire::ApiError;
use downbeat_wire::timeline::{GetTimeline, Timeline, TimelineSession, TimelineSums};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The default number of hours.
const HOURS: u32 = 24;

/// The maximum number of hours: a week.
const MOST_HOURS: u32 = 168;

/// Returns the timeline of the last hours.
///
/// # Errors
/// Fails if the project is unknown, or the time is too long.
pub async fn timeline(engine: &Engine, request: &GetTimeline) -> Result<Timeline, ApiError> {
    let hours = request.hours.unwrap_or(HOURS);
    if !(1..=MOST_HOURS).contains(&hours) {
        let what = format!("hours: {hours} is not between 1 and {MOST_HOURS}");
        return Err(ApiError::invalid(what));
    }
    let state = engine.ledger.state();
    let project = request.project.as_deref();
    let project = project.map(|name| find::project(&state, name)).transpose()?;
    let until = Timestamp::now();
    let from = until - SignedDuration::from_hours(i64::from(hours));
    let store = engine.ledger.store();
    let changes = store.status_changes_since(from).await.map_err(error::store)?;
    let mut by_session: BTreeMap<SessionId, Vec<StatusChange>> = BTreeMap::new();
    for change in changes {
        by_session.entry(change.session.clone()).or_default().push(change);
    }
    let ids: Vec<SessionId> = by_session.keys().cloned().collect();
    // Archived sessions are not in memory.
    let mut rows: BTreeMap<SessionId, Arc<SessionRow>> = BTreeMap::new();
    for row in store.sessions_of(&ids).await.map_err(error::store)? {
        rows.insert(row.id.clone(), Arc::new(row));
    }
    rows.extend(
        state
            .sessions
            .iter()
            .map(|(id, row)| (id.clone(), Arc::clone(row))),
    );
    let is_wanted = |row: &SessionRow| project.as_ref().is_none_or(|one| one.id == row.project_id);
    let mut sessions: Vec<TimelineSession> = rows
        .values()
        .filter(|row| is_wanted(row) && row.side_shell_of.is_none())
        .filter_map(|row| {
            let changes = by_session.get(&row.id).map(Vec::as_slice).unwrap_or_default();
            part((from, until), row, changes)
        })
        .collect();
    sessions.sort_by_key(|one| (one.spans.first().map(|span| span.from), one.id.clone()));
    let total = sessions
        .iter()
        .fold(TimelineSums::default(), |sum, one| TimelineSums {
            working: sum.working + one.sums.working,
            waiting: sum.waiting + one.sums.waiting,
            held: sum.held + one.sums.held,
            idle: sum.idle + one.sums.idle,
        });
    Ok(Timeline {
        from,
        until,
        sessions,
        sums: total,
    })
}

/// Returns the part of one session; `None` if it was not live.
fn part(time: (Timestamp, Timestamp), row: &SessionRow, changes: &[StatusChange]) -> Option<TimelineSession> {
    let reason = reason::of_row(row);
    let now = Now {
        status: row.status,
        detail: reason.as_ref().map_or_else(
            || row.status_evidence.detail.clone(),
            |reason| reason.text.clone(),
        ),
        reason: reason.map(|reason| reason.kind),
        created: row.created_at,
    };
    let spans = spans(time, changes, &now);
    (!spans.is_empty()).then(|| TimelineSession {
        id: row.id.clone(),
        name: row.name.clone(),
        title: row.title.clone(),
        agent: row.agent.clone(),
        project_id: row.project_id.clone(),
        is_archived: row.archived_at.is_some(),
        sums: sums(&spans),
        spans,
    })
}
