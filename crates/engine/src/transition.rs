//! Changes of a session's status, each with its evidence, its event and the notice it deserves.
//! Pure over a [`Draft`]: no I/O, and time is the draft's.

use crate::asked_first;
use crate::ledger::{Draft, State};
use crate::lineage::Lineage;
use crate::{begun, limits, messages, once, pause, reason, report};
use downbeat_model::lines::first_line;
use downbeat_model::{
    Activity, EventKind, Evidence, EvidenceSource, Fact, FactKind, Observed, SessionId, Status,
};
use downbeat_store::{NewNotice, SessionRow};
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use jiff::Timestamp;
use serde_json::json;

/// What is told of the end of a turn.
pub const TURN_OVER: &str = "finished its turn";

/// Evidence for something that Downbeat itself did.
pub fn by_engine(detail: impl Into<String>, at: Timestamp) -> Evidence {
    Evidence {
        source: EvidenceSource::Engine,
        detail: detail.into(),
        at,
    }
}

/// Puts a session into a status, with evidence. Writes an event and, where it deserves one, a
/// notice; does nothing where status and evidence are the same as before.
pub fn set(draft: &mut Draft, id: &SessionId, status: Status, evidence: Evidence) -> Result<(), ApiError> {
    set_telling(draft, id, status, evidence, None)
}

/// The same, with words of the session's own for whoever is told of the change.
pub fn set_telling(
    draft: &mut Draft,
    id: &SessionId,
    status: Status,
    evidence: Evidence,
    words: Option<&str>,
) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let before = row.status;
    if before == status && row.status_evidence == evidence {
        return Ok(());
    }
    if before != status {
        row.status = status;
        row.status_since = evidence.at;
    }
    row.status_evidence = evidence;
    row.last_activity_at = row.last_activity_at.max(row.status_evidence.at);
    if before == status {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        return Ok(());
    }
    if let Some(limited) = row.observed.as_ref().and_then(|seen| seen.limit.clone())
        && status.is_ended()
    {
        limits::over(draft, id, &limited);
    }
    let detail = match words {
        Some(words) => words.to_owned(),
        None => detail(draft, id)?,
    };
    let mut payload = report::marks(draft.session(id)?);
    payload["from"] = json!(before);
    payload["to"] = json!(status);
    payload["detail"] = json!(detail);
    let row = draft.session(id)?;
    payload["reason"] = json!(reason::of_row(row));
    if status == Status::Idle {
        payload["answer"] = json!(row.observed.as_ref().and_then(|seen| seen.answer.as_ref()));
    }
    draft.session_event(id, EventKind::SessionStatus, payload);
    let by_process = draft.session(id)?.status_evidence.source == EvidenceSource::Process;
    match deserves(before, status, by_process) {
        Some(NoticeKind::NeedsInput) => ask(draft, id, detail),
        // It only waits for its workers, and wakes for each of them: their end is the news.
        Some(NoticeKind::Finished) if has_busy_worker(draft.state(), id) => Ok(()),
        Some(kind) => tell(draft, id, kind, detail),
        None => Ok(()),
    }
}

/// One that was ended to go on does not: that it ended is news now.
pub fn stays(draft: &mut Draft, id: &SessionId, detail: &str) -> Result<(), ApiError> {
    let evidence = by_engine(detail, draft.now());
    let row = draft.session(id)?;
    row.status_evidence = evidence;
    let mut payload = report::marks(row);
    payload["from"] = json!(row.status);
    payload["to"] = json!(row.status);
    payload["detail"] = json!(detail);
    draft.session_event(id, EventKind::SessionStatus, payload);
    Ok(())
}

/// Puts a session into an ended or failed status, with what went wrong.
pub fn fail(draft: &mut Draft, id: &SessionId, status: Status, error: &str) -> Result<(), ApiError> {
    draft.session(id)?.error = Some(error.to_owned());
    let evidence = by_engine(first_line(error), draft.now());
    set(draft, id, status, evidence)
}

/// Takes a fact that Downbeat saw itself into account, and writes it down where it changes what is
/// known; what hooks post is written down in any case.
pub fn note(draft: &mut Draft, id: &SessionId, fact: &Fact) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let before = row.observed.clone().unwrap_or_else(|| Observed::started(fact.at));
    if row.status.is_live() && before.clone().after(fact) != before {
        let payload = serde_json::to_value(fact).unwrap_or_default();
        draft.session_event(id, EventKind::SessionFact, payload);
    }
    observe(draft, id, fact)
}

/// Takes a fact into account. Facts about an ended session change nothing.
pub fn observe(draft: &mut Draft, id: &SessionId, fact: &Fact) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if !row.status.is_live() {
        return Ok(());
    }
    if let FactKind::Ready(Some(conversation)) | FactKind::Conversation(conversation) = &fact.kind
        && row.conversation.as_ref() != Some(conversation)
    {
        row.conversation = Some(conversation.clone());
        begun::unspoken(row);
    }
    if once::is(row) && !once::counts(fact) {
        return Ok(());
    }
    let before = row.observed.clone().unwrap_or_else(|| Observed::started(fact.at));
    // Agents without hooks only tell that they work again.
    let works_again =
        matches!(fact.kind, FactKind::Working | FactKind::Runs(_)) && before.activity == Activity::Idle;
    if fact.kind == FactKind::TurnStarted || works_again {
        report::turn_started(row);
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
        limits::over(draft, id, limited);
    }
    let is_typed = messages::has_task(draft.state(), id);
    let row = draft.session(id)?;
    // Its tools, or its title, before it says what it does: it still starts.
    let says_nothing = after.activity == Activity::Unknown && after.evidence == before.evidence;
    if row.status == Status::Spawning && says_nothing {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        return Ok(());
    }
    let shown = pause::shown(row, &after);
    // What is up is not idle while its first prompt is on its way.
    let brings = !before.has_hooks && !is_typed && brings_prompt(row);
    let awaits = after.activity == Activity::Ready && (brings || (is_typed && shown.0 == Status::Idle));
    let status = if awaits { Status::Spawning } else { shown.0 };
    let evidence = if status == Status::Paused {
        shown.1
    } else {
        after.evidence.clone()
    };
    let asked = |seen: &Observed| seen.question().map(|question| question.text.clone());
    // One question closed and the next one shows: the person has to look again.
    let next =
        asked(&after).filter(|text| row.status == Status::Waiting && asked(&before).as_ref() != Some(text));
    // Its answers came to be known, or its task: no other status, no other evidence, and still news.
    if (row.status, &row.status_evidence) == (status, &evidence)
        && (before.question() != after.question()
            || before.tasks != after.tasks
            || before.stuck != after.stuck
            || before.limit != after.limit
            || before.tools != after.tools)
    {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    }
    let stuck = after.stuck.filter(|_| before.stuck.is_none());
    set(draft, id, status, evidence)?;
    if let Some(why) = stuck {
        tell(
            draft,
            id,
            NoticeKind::NeedsLook,
            format!("seems stuck: {}", why.detail),
        )?;
    }
    next.map_or(Ok(()), |text| ask(draft, id, text))
}

/// Tells the person that a session needs an answer, unless its conductor is asked first.
fn ask(draft: &mut Draft, id: &SessionId, text: String) -> Result<(), ApiError> {
    let row = draft.session(id)?.clone();
    match asked_first::is_conductors(draft.state(), &row) {
        true => Ok(()),
        false => tell(draft, id, NoticeKind::NeedsInput, text),
    }
}

/// A first prompt that was to be typed is not on its way any more: its session is as it was seen.
pub fn awaits_no_prompt(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    if messages::has_task(draft.state(), id) {
        return Ok(());
    }
    let row = draft.session(id)?;
    match row.observed.clone() {
        Some(seen) if begun::is_up_at_start(row) => {
            let (status, evidence) = pause::shown(row, &seen);
            set(draft, id, status, evidence)
        }
        _ => Ok(()),
    }
}

/// Whether the agent was started with its first prompt: what is up is about to take it.
fn brings_prompt(row: &SessionRow) -> bool {
    let first = Lineage::of(row).first;
    let resumes = row.intent.as_deref() == Some(crate::resume::INTENT) && first.is_none();
    let prompt = first.as_deref().unwrap_or(&row.task);
    let says = prompt.chars().any(|c| !c.is_whitespace() && !c.is_control());
    says && !resumes
}

/// Which changes of status the person is told of. A shell that is back at its prompt, which its
/// process tells, finished nothing that anybody was waiting for.
fn deserves(before: Status, after: Status, by_process: bool) -> Option<NoticeKind> {
    match (before, after) {
        (_, Status::Idle) if by_process => None,
        (_, Status::Waiting) => Some(NoticeKind::NeedsInput),
        (Status::Running, Status::Idle) => Some(NoticeKind::Finished),
        (_, Status::SetupFailed | Status::Errored) => Some(NoticeKind::Failed),
        _ => None,
    }
}

/// Whether a worker of this session is still to come to its end.
fn has_busy_worker(state: &State, id: &SessionId) -> bool {
    let busy = [Status::Queued, Status::Spawning, Status::Running, Status::Waiting];
    let mut sessions = state.sessions.values();
    sessions.any(|row| row.parent.as_ref() == Some(id) && busy.contains(&row.status))
}

/// Writes a notice about a session.
pub fn tell(draft: &mut Draft, id: &SessionId, kind: NoticeKind, text: String) -> Result<(), ApiError> {
    let at = draft.now();
    let row = draft.session(id)?;
    let word = serde_json::to_value(kind)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned));
    let notice = NewNotice {
        kind: word.unwrap_or_default(),
        session_id: row.id.clone(),
        project_id: row.project_id.clone(),
        title: row.title.clone(),
        text,
        at,
    };
    draft.notice(notice);
    Ok(())
}

/// One line on why a session is as it is: the question, the error, the exit code, the evidence.
fn detail(draft: &mut Draft, id: &SessionId) -> Result<String, ApiError> {
    let row = draft.session(id)?;
    let question = row.observed.as_ref().and_then(|seen| seen.question());
    let reason = reason::of_row(row);
    Ok(match (row.status, question, reason, row.exit_code) {
        (Status::Waiting, Some(question), ..) => question.text.clone(),
        (Status::Waiting | Status::Errored | Status::SetupFailed, _, Some(reason), _) => reason.text,
        (Status::Idle, ..) if row.status_evidence.source != EvidenceSource::Process => TURN_OVER.to_owned(),
        (Status::Exited, _, _, Some(code)) => format!("exit code {code}"),
        _ => row.status_evidence.detail.clone(),
    })
}
