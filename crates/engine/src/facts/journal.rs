//! Interprets the entries of a keeper's journal: a hook's facts, the start or end of a step, the session's
//! end. Each entry is stored once, however often it is delivered, and then acknowledged. The keeper is
//! followed in [`crate::reactors::follow`].

use crate::decide::{ending, message_turns, observe, one_shot, start, status};
use crate::facts::ended::End;
use crate::facts::reports::Reports;
use crate::facts::{ended, limits, transcripts, unheard};
use crate::host::blocking;
use crate::keepers::sweep;
use crate::session::copies;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::ledger::JournalKey;
use downbeat_git::CopyRecord;
use downbeat_keeper::{Entry, EntryKind, Link};
use downbeat_model::{Evidence, EvidenceSource, Fact, FactKind, SessionId, Status, Subject, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::session::StepState;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The delay before another attempt to write an entry that the database returned an error.
pub const UNWRITTEN: Duration = Duration::from_secs(1);

/// Stores the meaning of a journal entry once, and acknowledges the entry. Returns false if this engine may
/// no longer write because it handed over; the next engine takes the entry.
pub async fn take(
    engine: &Arc<Engine>,
    id: &SessionId,
    link: &Link,
    entry: Entry,
    reports: &mut Reports,
) -> bool {
    let keeper = link.hello().incarnation.clone();
    let last = match entry.what {
        EntryKind::Ended { .. } => last_lines(link).await,
        _ => String::new(),
    };
    let write = async |is_shown: bool| match is_shown {
        // The session may have been resumed since, so its end is not applied twice.
        true => pass(engine, id, &keeper, entry.seq).await,
        false => write_down(engine, id, &keeper, &entry, &last).await,
    };
    let mut written = write(reports.is_shown(entry.seq)).await;
    // A full disk, for example. Later entries wait, because acknowledging one releases all before it.
    while let Err(error) = &written
        && error.code == Code::Failed
        && !engine.closing.is_cancelled()
    {
        tracing::error!(session = %id, "entry {} is not written yet: {error}", entry.seq);
        if matches!(entry.what, EntryKind::Ended { .. }) && !reports.is_shown(entry.seq) {
            show_end(engine, id, link, &entry, reports).await;
        }
        tokio::select! {
            end = reports.end() => show_end(engine, id, link, &end, reports).await,
            () = tokio::time::sleep(UNWRITTEN) => {}
        }
        written = write(reports.is_shown(entry.seq)).await;
    }
    match written {
        Ok(()) => {
            if let Err(error) = link.ack(entry.seq).await {
                tracing::debug!(session = %id, "could not acknowledge entry {}: {error}", entry.seq);
            }
            true
        }
        Err(error) => {
            tracing::error!(session = %id, "entry {} was not written: {error}", entry.seq);
            error.code != Code::Unavailable && !engine.closing.is_cancelled()
        }
    }
}

/// Stores the meaning of an entry once. `last` is the text of the screen when the session ended.
pub async fn write_down(
    engine: &Arc<Engine>,
    id: &SessionId,
    keeper: &str,
    entry: &Entry,
    last: &str,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let key = JournalKey {
        session: id,
        keeper,
        seq: entry.seq,
    };
    match &entry.what {
        EntryKind::Hook { body } => hook(engine, id, key, &row.agent, body, entry.at).await,
        EntryKind::StepStarted { name, .. } => started(engine, id, key, name, entry.at).await,
        EntryKind::StepEnded {
            index,
            name,
            code,
            signal,
            error,
        } => {
            let how = error.clone().unwrap_or_else(|| ending::how(*code, *signal));
            let failed = (error.is_some() || *code != Some(0)).then_some(how);
            step_ended(engine, id, key, (*index, name), failed, error.is_some()).await
        }
        EntryKind::Ended { code, signal } => {
            transcripts::read_soon(engine, id);
            let last = &said(engine, &row, *code, last).await;
            let (code, signal) = (*code, *signal);
            ended::ended(engine, id, key, End { code, signal, last }).await
        }
        EntryKind::Key { .. } => Ok(()),
    }
}

/// Returns the last output of a session: the answer of a one-shot run, otherwise the text of its screen.
async fn said(engine: &Arc<Engine>, row: &SessionRow, code: Option<i32>, screen: &str) -> String {
    let answer = match row.one_shot && code == Some(0) {
        true => transcripts::answer(engine, &row.id).await,
        false => None,
    };
    answer.unwrap_or_else(|| screen.to_owned())
}

/// Shows the end of a session whose entry cannot be written yet.
async fn show_end(engine: &Arc<Engine>, id: &SessionId, link: &Link, entry: &Entry, reports: &mut Reports) {
    let (EntryKind::Ended { code, signal }, Ok(row)) = (&entry.what, engine.row(id)) else {
        return;
    };
    let (code, signal) = (*code, *signal);
    let last = &said(engine, &row, code, &last_lines(link).await).await;
    if ended::show(engine, id, End { code, signal, last }).await.is_ok() {
        reports.show(entry.seq);
    }
}

/// Returns the last lines of the screen.
async fn last_lines(link: &Link) -> String {
    let text = link.text(sweep::LAST_LINES).await;
    text.map(|text| text.text).unwrap_or_default()
}

/// Records an entry as processed, without any effect.
async fn pass(engine: &Engine, id: &SessionId, keeper: &str, seq: u64) -> Result<(), ApiError> {
    let key = JournalKey {
        session: id,
        keeper,
        seq,
    };
    engine.ledger.record(key, |_| Ok(())).await.map(drop)
}

async fn hook(
    engine: &Arc<Engine>,
    id: &SessionId,
    key: JournalKey<'_>,
    agent: &str,
    body: &str,
    at: Timestamp,
) -> Result<(), ApiError> {
    let agent = engine.agent(agent)?;
    let post = downbeat_agents::read_post(&agent, body, at);
    let mut facts = match post.facts {
        Ok(facts) => facts
            .into_iter()
            .map(|fact| limits::with_limit(&agent, fact))
            .collect::<Vec<_>>(),
        Err(error) => {
            tracing::warn!(session = %id, "a hook post was ignored: {error}");
            Vec::new()
        }
    };
    elsewhere(engine, id, &mut facts, post.conversation);
    let told = post.prompt;
    let started = facts.iter().any(|fact| fact.kind == FactKind::TurnStarted);
    if started {
        unheard::count(engine, id);
    }
    let ready = facts.iter().any(|fact| matches!(fact.kind, FactKind::Ready(_)));
    engine
        .ledger
        .record(key, |draft| {
            let project = draft.state().row(id).map(|row| row.project_id.clone());
            for fact in &facts {
                draft.fact(&Subject::Session(id.clone()), project.as_ref(), fact);
                observe::observe(draft, id, fact)?;
                start::note(draft, id, fact)?;
            }
            if let Some(told) = &told {
                draft.session(id)?.last_prompt = Some(downbeat_agents::prompt_beginning(told));
            }
            if started {
                message_turns::taken(draft, id, told.as_deref(), at)?;
            }
            if ready || started {
                start::shown(draft, id)?;
            }
            Ok(())
        })
        .await?;
    transcripts::heard(engine, id, post.transcripts, &facts).await;
    Ok(())
}

/// Adds the new conversation to a turn that starts in another one than is known. The post that reported the
/// change was lost, and a resume would use the wrong conversation.
fn elsewhere(engine: &Engine, id: &SessionId, facts: &mut Vec<Fact>, told: Option<String>) {
    let Some(turn) = facts.iter().find(|fact| fact.kind == FactKind::TurnStarted) else {
        return;
    };
    let known = engine.ledger.session(id).and_then(|row| row.conversation.clone());
    if let Some(told) = told.filter(|told| known.as_ref() != Some(told)) {
        let fact = Fact {
            kind: FactKind::Conversation(told),
            ..turn.clone()
        };
        facts.insert(0, fact);
    }
}

async fn started(
    engine: &Arc<Engine>,
    id: &SessionId,
    key: JournalKey<'_>,
    name: &str,
    at: Timestamp,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let has_hooks = engine.agent(&row.agent).is_ok_and(|agent| agent.has_hooks());
    let made = if name == start::AGENT {
        made(&row, at).await
    } else {
        None
    };
    engine
        .ledger
        .record(key, |draft| {
            if !draft.session(id)?.status.is_live() {
                // A late report: the session was ended meanwhile.
                return Ok(());
            }
            if name != start::AGENT {
                let detail = start::setup_command(name).unwrap_or(name);
                start::note_step(draft, id, "setup", StepState::Running, detail)?;
                let now = draft.now();
                return status::set(
                    draft,
                    id,
                    Status::Spawning,
                    crate::session::status::by_engine(detail, now),
                );
            }
            agent_started(draft, id, made.as_ref(), has_hooks)
        })
        .await?;
    Ok(())
}

/// Applies the start of the agent, after set-up commands that made `made`.
fn agent_started(
    draft: &mut Draft,
    id: &SessionId,
    made: Option<&CopyRecord>,
    has_hooks: bool,
) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    row.error = None;
    if let Some(made) = made {
        row.run.made = Some(copies::recorded(made)?);
    }
    if row.status == Status::SetupFailed {
        start::note_step(draft, id, "setup", StepState::Failed, "")?;
    } else if start::commands(draft.session(id)?) > 0 {
        start::note_step(draft, id, "setup", StepState::Done, "")?;
    }
    let detail = start::without_port(draft.session(id)?);
    start::note_step(draft, id, "start", StepState::Running, detail)?;
    let at = draft.now();
    if draft.session(id)?.one_shot {
        start::shown(draft, id)?;
        start::mark(draft, id, !has_hooks)?;
        return one_shot::begun(draft, id);
    }
    if has_hooks {
        return status::set(
            draft,
            id,
            Status::Spawning,
            crate::session::status::by_engine("the agent starts", at),
        );
    }
    start::shown(draft, id)?;
    start::mark(draft, id, true)?;
    let evidence = Evidence {
        source: EvidenceSource::Process,
        detail: "process started".into(),
        at,
    };
    status::set(draft, id, Status::Unknown, evidence)
}

/// Returns what set-up commands made until `at`, if some ran and no agent had run there before.
async fn made(row: &SessionRow, at: Timestamp) -> Option<CopyRecord> {
    if start::commands(row) == 0 || row.was_up() || row.workspace == Workspace::InPlace {
        return None;
    }
    let place = PathBuf::from(row.workspace_path.as_ref()?);
    let copies = copies::copied(row)
        .inspect_err(|error| tracing::warn!("{error}"))
        .ok()?;
    let made = blocking::blocking(move || downbeat_git::made_copies(&place, &copies, at.into())).await;
    match made {
        Ok(Ok(made)) => Some(made),
        Ok(Err(error)) => {
            tracing::warn!(session = %row.id, "could not record what set-up made: {error}");
            None
        }
        Err(error) => {
            tracing::warn!(session = %row.id, "could not record what set-up made: {error}");
            None
        }
    }
}

/// Records the end of a step. `failed` is the reason of a failure; `unstarted` is set if the step could not
/// even start.
async fn step_ended(
    engine: &Engine,
    id: &SessionId,
    key: JournalKey<'_>,
    (index, name): (usize, &str),
    failed: Option<String>,
    unstarted: bool,
) -> Result<(), ApiError> {
    let command = start::setup_command(name);
    engine
        .ledger
        .record(key, |draft| match (command, &failed) {
            (Some(command), Some(how)) => {
                start::note_step(
                    draft,
                    id,
                    "setup",
                    StepState::Failed,
                    &format!("{command}: {how}"),
                )?;
                let row = draft.session(id)?;
                row.run.failed = Some(index);
                if row.intent.is_some() {
                    return Ok(());
                }
                status::fail(
                    draft,
                    id,
                    Status::SetupFailed,
                    &format!("set-up failed: {command}: {how}"),
                )
            }
            (None, Some(how)) if unstarted => {
                draft.session(id)?.error = Some(format!("the agent could not be started: {how}"));
                Ok(())
            }
            _ => Ok(()),
        })
        .await?;
    Ok(())
}
