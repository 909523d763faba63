//! Applies a fact to a session: its observation, and the status that follows.

use crate::decide::{mailbox, notices, status};
use crate::session::{hold, report, row};
use crate::state::draft::Draft;
use downbeat_model::session::Intent;
use downbeat_model::{
    Activity, EventKind, Evidence, Fact, FactKind, Fold, Observed, ProjectId, SessionId, Status, Subject,
};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;

/// Applies a fact that Downbeat observed itself, and records it if it changes the observation; facts from
/// hooks are recorded in any case.
pub fn note(draft: &mut Draft, id: &SessionId, fact: &Fact) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let before = row.observed.clone().unwrap_or_else(|| Observed::started(fact.at));
    if row.status.is_live() {
        let project = row.project_id.clone();
        write_news(
            draft,
            &Subject::Session(id.clone()),
            Some(&project),
            &before,
            fact,
        );
    }
    observe(draft, id, fact)
}

/// Records a fact about any subject if it changes what was known `before`.
pub fn write_news<K: Fold>(
    draft: &mut Draft,
    subject: &Subject,
    project: Option<&ProjectId>,
    before: &K,
    fact: &K::Fact,
) {
    if before.is_changed_by(fact) {
        draft.fact(subject, project, fact);
    }
}

/// Applies a fact. Facts about an ended session change nothing.
pub fn observe(draft: &mut Draft, id: &SessionId, fact: &Fact) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if !row.status.is_live() {
        return Ok(());
    }
    if let FactKind::Ready(Some(conversation)) | FactKind::Conversation(conversation) = &fact.kind
        && row.conversation.as_ref() != Some(conversation)
    {
        row.conversation = Some(conversation.clone());
        row.run.said = Some(false);
    }
    if row.one_shot && !row::counts(fact) {
        return Ok(());
    }
    let before = row.observed.clone().unwrap_or_else(|| Observed::started(fact.at));
    // Agents without hooks only report that they work again.
    let works_again =
        matches!(fact.kind, FactKind::Working | FactKind::Runs(_)) && before.activity == Activity::Idle;
    if fact.kind == FactKind::TurnStarted || works_again {
        report::turn_started(row, fact.at);
        // An agent with hooks also works, without a turn, on what a task in the background reports.
        let is_turn = fact.kind == FactKind::TurnStarted || !before.has_hooks;
        if before.activity == Activity::Idle && is_turn {
            hold::turn_started(row);
        }
    }
    let after = before.clone().after(fact);
    if after == before && row.observed.is_some() {
        return Ok(());
    }
    row.observed = Some(after.clone());
    if row.status == Status::SetupFailed {
        return Ok(());
    }
    if let (Some(limited), None) = (&before.limit, &after.limit) {
        mailbox::over(draft, id, limited);
    }
    let is_typed = mailbox::has_task(draft.state(), id);
    let row = draft.session(id)?;
    // The fact is about tools or the title, before the agent does anything: the session is still starting.
    let says_nothing = after.activity == Activity::Unknown && after.evidence == before.evidence;
    if row.status == Status::Spawning && says_nothing {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        return Ok(());
    }
    let (status, evidence) = seen_status(row, &before, &after, is_typed);
    let asked = |seen: &Observed| seen.question().map(|question| question.text.clone());
    // One question closed and the next one shows: the person has to look again.
    let next =
        asked(&after).filter(|text| row.status == Status::Waiting && asked(&before).as_ref() != Some(text));
    if (row.status, &row.status_evidence) == (status, &evidence) && says_more(&before, &after) {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    }
    let stuck = after.stuck.filter(|_| before.stuck.is_none());
    status::set(draft, id, status, evidence)?;
    if let Some(why) = stuck {
        notices::notify(
            draft,
            id,
            NoticeKind::NeedsLook,
            format!("seems stuck: {}", why.detail),
        )?;
    }
    next.map_or(Ok(()), |text| notices::ask(draft, id, text))
}

/// Returns the status that follows from the observation `after`, and its evidence. `is_typed` says that the first prompt
/// waits in the queue.
fn seen_status(row: &SessionRow, before: &Observed, after: &Observed, is_typed: bool) -> (Status, Evidence) {
    let (status, evidence) = hold::shown(row, after);
    // An agent that is up is not idle while its first prompt is on its way.
    let brings = !before.has_hooks && !is_typed && brings_prompt(row);
    let awaits = after.activity == Activity::Ready && (brings || (is_typed && status == Status::Idle));
    match status {
        _ if awaits => (Status::Spawning, after.evidence.clone()),
        Status::Paused => (status, evidence),
        _ => (status, after.evidence.clone()),
    }
}

/// Whether a question, its answers or a task came to be known: even with the same status and evidence, that is a change.
fn says_more(before: &Observed, after: &Observed) -> bool {
    before.question() != after.question()
        || before.tasks != after.tasks
        || before.stuck != after.stuck
        || before.limit != after.limit
        || before.tools != after.tools
}

/// Reports whether the agent was started with its first prompt, which it is about to take.
fn brings_prompt(row: &SessionRow) -> bool {
    let first = &row.lineage.first;
    let resumes = row.intent == Some(Intent::Resume) && first.is_none();
    let prompt = first.as_deref().unwrap_or(&row.task);
    let says = prompt.chars().any(|c| !c.is_whitespace() && !c.is_control());
    says && !resumes
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
