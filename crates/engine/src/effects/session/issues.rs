//! Starts a session for each of several issues. One that a session works on is skipped, which is decided in the transaction that
//! would record the new session: two requests at a time start one.

use crate::decide::issue_batch::{self, working_on};
use crate::effects::session::create;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::find;
use downbeat_model::SessionId;
use downbeat_store::SessionRow;
use downbeat_wire::spawn::{IssueOutcome, NewSession, StartIssues, StartedIssue};
use downbeat_wire::{ApiError, Caller, Code};

/// The largest number of issues in one request.
const MOST: usize = 100;

/// Starts a session for each issue that none works on.
///
/// # Errors
/// Fails if no issue is named, or too many are. What prevents one session is part of the answer.
pub async fn start(
    engine: &Engine,
    caller: &Caller,
    request: &StartIssues,
) -> Result<Vec<StartedIssue>, ApiError> {
    if request.issues.is_empty() {
        return Err(ApiError::invalid("name at least one issue"));
    }
    if request.issues.len() > MOST {
        let what = format!(
            "{} issues are too many: at most {MOST} at a time",
            request.issues.len()
        );
        return Err(ApiError::invalid(what));
    }
    let mut done: Vec<StartedIssue> = Vec::new();
    for issue in &request.issues {
        let before = done.iter().find(|one| issue_batch::is_same(&one.issue, issue));
        let one = match before {
            Some(before) => dropped(issue, before),
            None => one(engine, caller, request, (issue, &done)).await,
        };
        done.push(one);
    }
    Ok(done)
}

/// Starts a session for one issue.
async fn one(
    engine: &Engine,
    caller: &Caller,
    request: &StartIssues,
    (issue, done): (&str, &[StartedIssue]),
) -> StartedIssue {
    let mut at_work = None;
    let also = |draft: &mut Draft, new: &mut SessionRow| {
        let of = new.issue.as_ref();
        let Some(other) = of.and_then(|of| working_on(draft.state(), &new.project_id, of, &[])) else {
            return Ok(());
        };
        at_work = Some(other.id.clone());
        Err(ApiError::new(Code::Conflict, "a session works on it"))
    };
    let new = NewSession {
        project_id: request.project_id.clone(),
        issue: Some(issue.to_owned()),
        agent: request.agent.clone(),
        model: request.model.clone(),
        parent: request.parent.clone(),
        prompt: request.prompt.clone(),
        ..NewSession::default()
    };
    let made = create::create(engine, (caller, caller), new, also).await;
    let answer = |outcome, session, why| StartedIssue {
        issue: issue.to_owned(),
        outcome,
        session,
        why,
    };
    match (made, at_work) {
        (Ok(id), _) => answer(IssueOutcome::Started, Some(id), None),
        (Err(_), Some(other)) => {
            let is_of_this = |one: &&StartedIssue| {
                one.outcome == IssueOutcome::Started && one.session.as_ref() == Some(&other)
            };
            if let Some(before) = done.iter().find(is_of_this) {
                return dropped(issue, before);
            }
            let (session, why) = named(engine, caller, other);
            answer(IssueOutcome::Skipped, session, Some(why))
        }
        (Err(error), None) => answer(IssueOutcome::Failed, None, Some(error.message)),
    }
}

fn dropped(issue: &str, before: &StartedIssue) -> StartedIssue {
    StartedIssue {
        issue: issue.to_owned(),
        outcome: IssueOutcome::Dropped,
        session: before.session.clone(),
        why: Some(format!("it is the same as {}", before.issue)),
    }
}

/// Says which session works on an issue. An agent is told only of the sessions below it.
fn named(engine: &Engine, caller: &Caller, id: SessionId) -> (Option<SessionId>, String) {
    let state = engine.ledger.state();
    let is_seen = match caller {
        Caller::Session(own) => *own == id || find::below(&state, own).iter().any(|row| row.id == id),
        _ => true,
    };
    match state.sessions.get(&id).filter(|_| is_seen) {
        Some(row) => (Some(id), format!("{} works on it", row.name)),
        None => (None, "another session works on it".to_owned()),
    }
}
