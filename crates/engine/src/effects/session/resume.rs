//! Resumes an ended session in the same directory, with the agent's own conversation. Only at a person's
//! request, never automatically after a reboot.

use crate::decide::{go_on, start, status};
use crate::effects::session::start::Setup;
use crate::effects::session::{conversation, end_all};
use crate::effects::worktree::{allowed_commits, remove, restore};
use crate::host::failpoint::point;
use crate::session::{copies, end_mode, row};
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::requests::Effect;
use crate::state::take_back;
use downbeat_model::effect::EffectState;
use downbeat_model::session::Intent;
use downbeat_model::{EventKind, SessionId, Status, session};
use downbeat_store::SessionRow;
use downbeat_wire::restore::{ConversationState, PlaceState};
use downbeat_wire::session::{ContinueSetup, ResumeSession, StepState};
use downbeat_wire::workspace::RemoveWorkspace;
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Resumes an ended session.
pub async fn resume(engine: &Arc<Engine>, id: &SessionId, request: &ResumeSession) -> Result<(), ApiError> {
    begin(engine, id, request, false).await
}

/// Resumes a session that was ended for a restart, unless the restart was called off.
pub async fn go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    begin(engine, id, &plain(id), true).await
}

/// Asks for a session to be resumed as it is.
fn plain(id: &SessionId) -> ResumeSession {
    ResumeSession {
        id: id.to_string(),
        fresh: None,
        remake: None,
    }
}

async fn begin(
    engine: &Arc<Engine>,
    id: &SessionId,
    request: &ResumeSession,
    goes_on: bool,
) -> Result<(), ApiError> {
    let fresh = request.fresh.unwrap_or(false);
    take_back::settle(engine, id).await?;
    let row = engine.row(id)?;
    // If the run ended before its agent appeared or took its task, the session starts over.
    let was_up = row.was_up();
    let anew = !was_up || ((fresh || row.one_shot) && !row.had_turn());
    let definition = engine.agent(&row.agent)?;
    engine.look_for_program(&definition).await?;
    let conversation = conversation::conversation(engine, &row).await?;
    // A fork without a message of its own is copied again.
    let lost = conversation == ConversationState::Gone && row.lineage.to_copy().is_none();
    if lost && !fresh && !anew {
        return Err(no_record(&definition.name, &row.name));
    }
    if request.remake.unwrap_or(false) && conversation::place(&row) == PlaceState::Deleted {
        clear_away(engine, &row).await?;
    }
    restore::for_resume(engine, &*engine.row(id)?).await?;
    whole(&*engine.row(id)?, was_up)?;
    // The folder may have been missing when the session ended.
    engine.runtimes.of(id).set_away(false);
    let way = Way {
        goes_on,
        anew,
        fresh,
        has_said_nothing: conversation == ConversationState::Empty,
    };
    engine
        .ledger
        .write(|draft| {
            let now = draft.now();
            begin_again(draft, id, way)?;
            let over = match goes_on {
                true => EffectState::Done,
                false => EffectState::Dropped,
            };
            go_on::close(draft, id, over);
            start::own_port(draft, id, |state| engine.free_port(state))?;
            draft.session_event(id, EventKind::SessionResumed, json!({ "fresh": fresh }));
            draft.effect(Effect::Session(id.clone()));
            status::set(
                draft,
                id,
                Status::Spawning,
                crate::session::status::by_engine("resumed by you", now),
            )
        })
        .await?;
    crate::effects::session::start::start(engine, id, if was_up { Setup::Skip } else { Setup::Run });
    Ok(())
}

fn no_record(agent: &str, name: &str) -> ApiError {
    let what = format!("{agent} has no record of the conversation of {name}");
    ApiError::new(Code::NotFound, what).hint(
        "resume with `fresh` (--fresh) to begin a new conversation in the same directory, or `downbeat archive` it",
    )
}

/// How a session is resumed.
#[derive(Clone, Copy)]
struct Way {
    /// Whether it was ended for a restart.
    goes_on: bool,
    /// Whether it starts over, since its agent never took its task.
    anew: bool,
    /// Whether the person asked for a new conversation.
    fresh: bool,
    /// Whether nothing was said in its conversation.
    has_said_nothing: bool,
}

/// Makes the row of an ended session that of one that starts. Fails if it has not ended, or if something is done with it.
fn begin_again(draft: &mut Draft, id: &SessionId, way: Way) -> Result<(), ApiError> {
    let was_to = draft.state().goes_on(id).is_some();
    let row = draft.session(id)?;
    if !row.status.is_ended() {
        return Err(ApiError::new(
            Code::Conflict,
            format!("{} has not ended: it is {}", row.name, row.status.as_str()),
        ));
    }
    if row.intent.is_some() || row.workspace_path.is_none() {
        let why = format!("the worktree of {} is being removed or recreated", row.name);
        return Err(ApiError::new(Code::Conflict, why).hint("try again afterwards"));
    }
    if way.goes_on && !was_to {
        return Err(go_on::called_off(row));
    }
    row.intent = (!way.anew).then_some(Intent::Resume);
    if !way.anew {
        row.one_shot = false;
    }
    row.error = None;
    row.observed = None;
    (row.run.was_shown, row.run.had_turn) = (row.was_up(), Some(row.had_turn()));
    row.steps = session::steps();
    row.archived_at = None;
    let copy = row.lineage.forked.is_some();
    if way.fresh || (way.anew && !copy) || way.has_said_nothing {
        row.conversation = None;
    }
    if way.fresh {
        row.lineage.copied();
    }
    if way.anew {
        row.keeper = None;
        return Ok(());
    }
    for name in ["checkout", "copy", "setup"] {
        start::note_step(draft, id, name, StepState::Skipped, "resumed")?;
    }
    Ok(())
}

/// Fails if the directory of a session that had begun was deleted by hand, or is being removed.
fn whole(row: &SessionRow, was_up: bool) -> Result<(), ApiError> {
    if let Some(busy) = restore::under_way(row) {
        return Err(busy);
    }
    match &row.workspace_path {
        Some(path) if was_up && !Path::new(path).is_dir() => Err(ApiError::new(
            Code::Conflict,
            format!("the directory of {} is gone: {path}", row.name),
        )
        .hint(format!(
            "resume with `remake` (`downbeat resume {} --remake`) to recreate it from its branch; uncommitted work in it is lost",
            row.name
        ))),
        _ => Ok(()),
    }
}

/// Removes git's remaining records of a worktree that was deleted by hand.
async fn clear_away(engine: &Engine, row: &SessionRow) -> Result<(), ApiError> {
    let request = RemoveWorkspace {
        id: row.id.to_string(),
        force: Some(true),
        delete_branch: None,
        forget: None,
    };
    remove::remove(engine, &Caller::Owner, row, &request)
        .await
        .map(drop)
}

/// Whether the set-up commands differ from those that failed.
async fn changed(engine: &Engine, row: &SessionRow) -> Result<bool, ApiError> {
    let Some(before) = &row.run.commands else {
        return Ok(false);
    };
    let project = engine.project(&row.project_id)?;
    let copied = copies::copied(row)?;
    let setup = engine
        .setup_commands(&project, row::path_of(row)?, copied.plan())
        .await?;
    let now = setup.commands.iter().map(|command| &command.argv);
    Ok(!before.iter().eq(now))
}

/// Fails if set-up did not fail, or if it is to be left out and there is nothing to start in.
fn can_continue(row: &SessionRow, anyway: bool) -> Result<(), ApiError> {
    if row.status != Status::SetupFailed {
        return Err(ApiError::new(
            Code::Conflict,
            format!(
                "set-up of {} did not fail: it is {}",
                row.name,
                row.status.as_str()
            ),
        ));
    }
    let made = row
        .workspace_path
        .as_deref()
        .is_some_and(|path| Path::new(path).join(".git").exists());
    if anyway && !made {
        return Err(ApiError::new(
            Code::Conflict,
            format!("{} has no workspace to start in", row.name),
        )
        .hint("retry instead: an agent never starts outside its own workspace"));
    }
    Ok(())
}

/// Continues after a failed set-up: repeats the failed command, or starts the agent anyway.
pub async fn continue_setup(
    engine: &Arc<Engine>,
    id: &SessionId,
    request: &ContinueSetup,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let anyway = request.start_anyway.unwrap_or(false);
    can_continue(&row, anyway)?;
    let live = engine.runtimes.of(id);
    let held = live.link();
    if !anyway && held.is_some() && changed(engine, &row).await? {
        // The keeper has the old commands, and the agent has nothing there yet, so the session starts over.
        end_all::end_agent(engine, id, end_mode::EndMode::Kill, &Caller::Owner).await?;
        return resume(engine, id, &plain(id)).await;
    }
    engine
        .ledger
        .write(|draft| {
            let now = draft.now();
            let row = draft.session(id)?;
            if row.status != Status::SetupFailed {
                return Err(ApiError::new(
                    Code::Conflict,
                    format!("set-up of {} is already running", row.name),
                ));
            }
            row.error = None;
            if !anyway {
                allowed_commits::approved(draft, id)?;
            }
            draft.effect(Effect::Session(id.clone()));
            let detail = if anyway {
                "started although set-up failed"
            } else {
                "set-up retried"
            };
            status::set(
                draft,
                id,
                Status::Spawning,
                crate::session::status::by_engine(detail, now),
            )
        })
        .await?;
    point("retry-noted");
    if let Some(link) = held {
        let first = match anyway {
            true => start::commands(&row),
            false => row.run.failed.unwrap_or(0),
        };
        return link.run(first, None).await.map_err(crate::state::error::keeper);
    }
    crate::effects::session::start::start(engine, id, if anyway { Setup::Skip } else { Setup::Run });
    Ok(())
}
