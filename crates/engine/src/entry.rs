//! What an entry of a keeper's journal means: a hook's facts, a step that began or ended, the end.
//! Written once each, however often it is handed over. Following the keeper is [`crate::watch`].

use crate::engine::Engine;
use crate::ledger::JournalKey;
use crate::{begun, ending, error, launch, limits, messages, once, spawn, transcripts, transition, unheard};
use downbeat_git::CopyRecord;
use downbeat_keeper::{Entry, EntryKind};
use downbeat_model::{About, Evidence, EvidenceSource, Fact, FactKind, SessionId, Status, Workspace, name};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::session::StepState;
use jiff::Timestamp;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Writes down what an entry means, once. `last` is the text of the screen when the session ended.
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
            let answer = match once::is(&row) && *code == Some(0) {
                true => once::answer(engine, id).await,
                false => None,
            };
            let last = answer.as_deref().unwrap_or(last);
            ending::ended(engine, id, key, *code, *signal, last).await
        }
        EntryKind::Key { .. } => Ok(()),
    }
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
            .map(|fact| limits::told(&agent, fact))
            .collect::<Vec<_>>(),
        Err(error) => {
            tracing::warn!(session = %id, "a hook post was ignored: {error}");
            Vec::new()
        }
    };
    elsewhere(engine, id, &mut facts, post.conversation);
    let told = post.prompt;
    if let Some(told) = &told {
        engine.runtimes.of(id).took(told);
    }
    let started = facts.iter().any(|fact| fact.kind == FactKind::TurnStarted);
    if started {
        unheard::count(engine, id);
    }
    let ready = facts.iter().any(|fact| matches!(fact.kind, FactKind::Ready(_)));
    engine
        .ledger
        .record(key, |draft| {
            for fact in &facts {
                let payload = serde_json::to_value(fact).unwrap_or_default();
                draft.session_event(id, downbeat_model::EventKind::SessionFact, payload);
                transition::observe(draft, id, fact)?;
                begun::note(draft, id, fact)?;
            }
            if started {
                messages::taken(draft, id, told.as_deref())?;
            }
            if ready || started {
                shown(draft, id)?;
            }
            Ok(())
        })
        .await?;
    transcripts::heard(engine, id, post.transcripts, &facts).await;
    Ok(())
}

/// A turn that starts in another conversation than the one that is known: the post that told of that one
/// was lost. Resume would go on with the wrong one.
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

/// The title shows that the agent is up, before any hook of it was heard.
pub async fn up(engine: &Arc<Engine>, id: &SessionId, title: &str) {
    let fact = Fact {
        at: Timestamp::now(),
        source: EvidenceSource::Title,
        detail: format!("the title: {}", name::title(title)),
        kind: FactKind::Ready(None),
        about: About::default(),
    };
    let written = engine.ledger.write(|draft| {
        transition::note(draft, id, &fact)?;
        begun::note(draft, id, &fact)?;
        shown(draft, id)
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "that it is up was not written: {error}");
    }
    engine.after_change().await;
}

/// The agent showed itself: its start is done.
fn shown(draft: &mut crate::ledger::Draft, id: &SessionId) -> Result<(), ApiError> {
    spawn::note_step(draft, id, "start", StepState::Done, "")?;
    let row = draft.session(id)?;
    if row.intent.as_deref() == Some(crate::resume::INTENT) {
        row.intent = None;
    }
    Ok(())
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
    let made = if name == launch::AGENT {
        made(&row, at).await
    } else {
        None
    };
    engine
        .ledger
        .record(key, |draft| {
            if !draft.session(id)?.status.is_live() {
                // Told late: someone ended it meanwhile.
                return Ok(());
            }
            if name != launch::AGENT {
                let detail = name.strip_prefix("setup: ").unwrap_or(name);
                spawn::note_step(draft, id, "setup", StepState::Running, detail)?;
                let now = draft.now();
                return transition::set(draft, id, Status::Spawning, transition::by_engine(detail, now));
            }
            let row = draft.session(id)?;
            row.error = None;
            if let Some(made) = &made {
                begun::note_made(row, made);
            }
            if row.status == Status::SetupFailed {
                spawn::note_step(draft, id, "setup", StepState::Failed, "")?;
            } else if commands(draft.session(id)?) > 0 {
                spawn::note_step(draft, id, "setup", StepState::Done, "")?;
            }
            let detail = launch::without_port(draft.session(id)?);
            spawn::note_step(draft, id, "start", StepState::Running, detail)?;
            let at = draft.now();
            if once::is(draft.session(id)?) {
                shown(draft, id)?;
                begun::mark(draft, id, !has_hooks)?;
                return once::begun(draft, id);
            }
            if has_hooks {
                return transition::set(
                    draft,
                    id,
                    Status::Spawning,
                    transition::by_engine("the agent starts", at),
                );
            }
            shown(draft, id)?;
            begun::mark(draft, id, true)?;
            let evidence = Evidence {
                source: EvidenceSource::Process,
                detail: "process started".into(),
                at,
            };
            transition::set(draft, id, Status::Unknown, evidence)
        })
        .await?;
    Ok(())
}

/// What set-up commands made until `at`, where they ran and no agent was there before.
async fn made(row: &SessionRow, at: Timestamp) -> Option<CopyRecord> {
    if commands(row) == 0 || begun::was_up(row) || row.workspace == Workspace::InPlace {
        return None;
    }
    let place = PathBuf::from(row.workspace_path.as_ref()?);
    let copies = serde_json::from_value(row.copies.clone()).unwrap_or_default();
    let made = error::blocking(move || downbeat_git::made_copies(&place, &copies, at.into())).await;
    match made {
        Ok(Ok(made)) => Some(made),
        Ok(Err(error)) => {
            tracing::warn!(session = %row.id, "what set-up made was not noted: {error}");
            None
        }
        Err(error) => {
            tracing::warn!(session = %row.id, "what set-up made was not noted: {error}");
            None
        }
    }
}

fn commands(row: &SessionRow) -> u64 {
    row.setup
        .get("commands")
        .and_then(serde_json::Value::as_u64)
        .unwrap_or(0)
}

/// A step ended; `failed` says how, where it did. `unstarted` where it could not even start.
async fn step_ended(
    engine: &Engine,
    id: &SessionId,
    key: JournalKey<'_>,
    (index, name): (usize, &str),
    failed: Option<String>,
    unstarted: bool,
) -> Result<(), ApiError> {
    let command = name.strip_prefix("setup: ");
    engine
        .ledger
        .record(key, |draft| match (command, &failed) {
            (Some(command), Some(how)) => {
                spawn::note_step(
                    draft,
                    id,
                    "setup",
                    StepState::Failed,
                    &format!("{command}: {how}"),
                )?;
                let row = draft.session(id)?;
                row.setup["failed"] = json!(index);
                if row.intent.is_some() {
                    return Ok(());
                }
                transition::fail(
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
