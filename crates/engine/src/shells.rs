//! Extra shells beside an agent's terminal, in the same workspace and with the same environment. Each is
//! stored and kept as a session of the agent `shell` is, with a keeper of its own; but it stands apart from
//! the sessions (see [`crate::ledger::State::shells`]), so that nothing that goes through those counts, lists or
//! tells of it. Not resumable: a shell that ended is gone. It is the person's: no session's token reaches one.

use crate::ending::{self, SEEN, Wish};
use crate::engine::Engine;
use crate::idempotency::Effect;
use crate::ledger::{Draft, State};
use crate::point::point;
use crate::{forget, launch, lookup, plan, prompt, resume, transition};
use downbeat_agents::SHELL;
use downbeat_model::{EventKind, Role, SessionId, Status, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::shell::{CloseShell, Shell};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Open shells beside one session: more tabs than anybody keeps apart; each has a keeper and its memory.
const MOST: usize = 16;

/// Between a session's name and the number of its shell.
const INFIX: &str = "/shell-";

/// Tries to remove the folder of a keeper that still puts its things away.
const TRIES: u32 = 20;

/// Between two of them.
const PAUSE: Duration = Duration::from_millis(50);

/// The open shells beside a session.
fn open_beside<'a>(state: &'a State, session: &'a SessionId) -> impl Iterator<Item = &'a Arc<SessionRow>> {
    let own = |row: &&Arc<SessionRow>| row.beside.as_ref() == Some(session) && !row.status.is_ended();
    state.shells.values().filter(own)
}

/// The session that a shell is beside.
pub fn around(state: &State, shell: &SessionId) -> Option<SessionId> {
    state.shells.get(shell)?.beside.clone()
}

/// A shell's number among those of its session.
fn number(row: &SessionRow) -> u32 {
    let digits = row.name.rsplit(INFIX).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// The open shell called `name`: its id, its name, or its session's id with its number.
///
/// # Errors
/// `ambiguous` where several projects have such a session.
pub fn named(state: &State, name: &str) -> Result<Option<Arc<SessionRow>>, ApiError> {
    if let Some(row) = SessionId::parse(name).and_then(|id| state.shells.get(&id)) {
        return Ok((!row.status.is_ended()).then(|| Arc::clone(row)));
    }
    let Some((session, number)) = name.rsplit_once(INFIX) else {
        return Ok(None);
    };
    let session = lookup::session(state, &Caller::Owner, session)?;
    let own = |row: &&Arc<SessionRow>| number.parse() == Ok(self::number(row));
    match open_beside(state, &session.id).find(own) {
        Some(row) => Ok(Some(Arc::clone(row))),
        None => Err(ApiError::not_found("shell", name).hint(those(state, &session))),
    }
}

/// The shell of `session` that a request means by its number, id or name.
fn of_session(state: &State, session: &SessionRow, shell: &str) -> Result<Arc<SessionRow>, ApiError> {
    let meant = |row: &&Arc<SessionRow>| {
        row.id.as_str() == shell || row.name == shell || shell.parse() == Ok(number(row))
    };
    let found = open_beside(state, &session.id).find(meant).cloned();
    found.ok_or_else(|| ApiError::not_found("shell", shell).hint(those(state, session)))
}

/// Which shells a session has, as the way out of a wrong name.
fn those(state: &State, session: &SessionRow) -> String {
    let names: Vec<String> = shown(state, &session.id)
        .into_iter()
        .map(|shell| shell.name)
        .collect();
    match names.is_empty() {
        true => format!(
            "no shell is open beside {name}; `downbeat shell {name}` opens one",
            name = session.name
        ),
        false => format!("there are: {}", names.join(", ")),
    }
}

/// The shells beside a session as they travel, by number.
pub fn shown(state: &State, session: &SessionId) -> Vec<Shell> {
    let mut shells: Vec<Shell> = open_beside(state, session).map(|row| view(row)).collect();
    shells.sort_by_key(|shell| shell.number);
    shells
}

/// A shell as it travels.
pub fn view(row: &SessionRow) -> Shell {
    Shell {
        id: row.id.clone(),
        name: row.name.clone(),
        number: number(row),
        status: row.status,
        status_since: row.status_since,
        runs: prompt::program(row).map(str::to_owned),
    }
}

/// How many shells a program runs in.
pub fn busy(state: &State) -> u32 {
    let busy = state.shells.values().filter(|row| prompt::program(row).is_some());
    u32::try_from(busy.count()).unwrap_or(u32::MAX)
}

/// What of a session's shells a removal of its worktree needs a yes for: programs that run in them. A
/// session's token cannot end the person's shells at all.
pub fn held(state: &State, caller: &Caller, session: &SessionId) -> String {
    let open = shown(state, session);
    let busy: Vec<&str> = open.iter().filter_map(|shell| shell.runs.as_deref()).collect();
    match (caller, busy.as_slice()) {
        (Caller::Session(_), _) if open.len() == 1 => "an open shell of the person's".to_owned(),
        (Caller::Session(_), _) if !open.is_empty() => format!("{} open shells of the person's", open.len()),
        (_, []) => String::new(),
        (_, [one]) => format!("a shell that runs {one}"),
        (_, some) => format!("{} shells that run {}", some.len(), some.join(", ")),
    }
}

/// Refuses to take a session off the list where that ends programs that run in shells beside it.
pub fn refuse_held(state: &State, row: &SessionRow) -> Result<(), ApiError> {
    let held = held(state, &Caller::Owner, &row.id);
    match held.is_empty() {
        true => Ok(()),
        false => Err(
            ApiError::new(Code::UnsavedWork, format!("{} has {held}", row.name))
                .hint("end that first; or say yes (force), which ends it too"),
        ),
    }
}

/// Opens another shell beside a session's agent, and waits until its terminal can be attached to.
pub async fn open(engine: &Arc<Engine>, session: &SessionId) -> Result<Shell, ApiError> {
    let definition = engine.agent(SHELL)?;
    engine.look_for_program(&definition).await?;
    let around = engine.runtimes.of(session);
    // Its workspace is neither made nor removed meanwhile.
    let Ok(_turn) = tokio::time::timeout(SEEN, around.turn.lock()).await else {
        let name = &engine.row(session)?.name;
        return Err(ApiError::new(
            Code::Conflict,
            format!("the workspace of {name} is being worked on"),
        )
        .hint("try again in a moment"));
    };
    has_place(&*engine.row(session)?)?;
    point("shell-asked");
    let id = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let planned = engine.ledger.write(|draft| {
        if draft.session(session)?.status.is_ended() {
            resume::own_port(engine, draft, session)?;
        }
        let beside = draft.session(session)?.clone();
        // An archiving takes no turn, and may have come in between.
        is_listed(&beside)?;
        let row = planned(draft.state(), &beside, id.clone(), draft.now())?;
        draft.put_session(row);
        draft.session_event(&id, EventKind::SessionCreated, Value::Null);
        draft.effect(Effect::Shell(id.clone()));
        Ok(())
    });
    planned.await?;
    point("shell-planned");
    let live = engine.runtimes.of(&id);
    let turn = live.turn.lock().await;
    let started = launch::start(engine, &id, &live, Vec::new()).await;
    drop(turn);
    if let Err(error) = started {
        let why = error.message.clone();
        let fail = |draft: &mut Draft| transition::fail(draft, &id, Status::Errored, &why);
        engine.ledger.write(fail).await?;
        clear(engine, &id).await;
        return Err(error);
    }
    point("shell-started");
    match engine.row(&id) {
        Ok(row) if !row.status.is_ended() => Ok(view(&row)),
        row => Err(at_once(row.ok().or_else(|| live.last()).as_deref())),
    }
}

/// A shell that ended as soon as it was open: by `exit` in the file that it reads first, say.
fn at_once(row: Option<&SessionRow>) -> ApiError {
    let how = row
        .and_then(|row| row.exit_code)
        .map(|code| format!(": exit code {code}"));
    let said = row.and_then(|row| row.error.as_deref()?.split_once('\n'));
    let said = said.map(|(_, lines)| format!("\n{lines}")).unwrap_or_default();
    let what = format!("the shell ended at once{}{said}", how.unwrap_or_default());
    ApiError::new(Code::Failed, what).hint("look into the file that it reads as it starts")
}

/// Refuses for a session that is put away.
fn is_listed(row: &SessionRow) -> Result<(), ApiError> {
    let name = &row.name;
    match row.archived_at {
        None => Ok(()),
        Some(_) => Err(ApiError::new(Code::Conflict, format!("{name} is archived"))
            .hint(format!("`downbeat unarchive {name}` puts it on the list again"))),
    }
}

/// Refuses where there is no directory to open a shell in.
fn has_place(row: &SessionRow) -> Result<(), ApiError> {
    is_listed(row)?;
    let refused = |what: String| ApiError::new(Code::Conflict, what);
    let name = &row.name;
    let made = |path: &str| match row.workspace {
        Workspace::Worktree => Path::new(path).join(".git").exists(),
        Workspace::InPlace => Path::new(path).is_dir(),
    };
    match &row.workspace_path {
        Some(path) if made(path) => Ok(()),
        Some(_) if row.status == Status::Queued => Err(refused(format!(
            "{name} waits for its start: there is no worktree yet"
        ))),
        Some(path) => Err(refused(format!("the directory of {name} is not there: {path}"))),
        None => Err(refused(format!("the worktree of {name} was removed"))
            .hint(format!("`downbeat restore-work {name}` makes it again"))),
    }
}

/// The row of a new shell, with the smallest number that is free.
fn planned(
    state: &State,
    beside: &SessionRow,
    id: SessionId,
    now: Timestamp,
) -> Result<SessionRow, ApiError> {
    // Those that ended and are not cleared away yet still have their names.
    let all = state
        .shells
        .values()
        .filter(|row| row.beside.as_ref() == Some(&beside.id));
    let taken: Vec<u32> = all.map(|row| number(row)).collect();
    if taken.len() >= MOST {
        let what = format!("{} has {MOST} shells open, which is the most", beside.name);
        return Err(ApiError::new(Code::LimitReached, what).hint("close one first"));
    }
    let number = (1..).find(|number| !taken.contains(number)).unwrap_or(1);
    Ok(SessionRow {
        id,
        name: format!("{}{INFIX}{number}", beside.name),
        title: format!("Shell {number}"),
        role: Role::Session,
        parent: None,
        agent: SHELL.to_owned(),
        model: None,
        task: String::new(),
        status: Status::Spawning,
        observed: None,
        status_evidence: transition::by_engine("opened by you", now),
        status_since: now,
        error: None,
        steps: plan::steps(),
        created_at: now,
        last_activity_at: now,
        exit_code: None,
        conversation: None,
        // Its environment holds that of the session.
        token: String::new(),
        keeper: None,
        copies: Value::Null,
        setup: Value::Null,
        has_backup: false,
        told: 0,
        request: Value::Null,
        intent: None,
        removed: Value::Null,
        result: Value::Null,
        lineage: Value::Null,
        hold: Value::Null,
        archived_at: None,
        last_prompt: None,
        beside: Some(beside.id.clone()),
        ..beside.clone()
    })
}

/// Ends one shell of a session; where a program runs in it, only by force.
pub async fn close(engine: &Arc<Engine>, session: &SessionRow, request: &CloseShell) -> Result<(), ApiError> {
    let row = of_session(&engine.ledger.state(), session, &request.shell)?;
    if !request.force.unwrap_or(false) {
        if let Some(link) = engine.runtimes.of(&row.id).link() {
            prompt::look(engine, &row.id, &link).await;
        }
        let row = engine.row(&row.id)?;
        if let Some(program) = prompt::program(&row) {
            return Err(
                ApiError::new(Code::Conflict, format!("{} runs {program}", row.name))
                    .hint("end that first, or close the shell with `force`, which ends it too"),
            );
        }
    }
    ending::end(engine, &row.id, Wish::Kill, &Caller::Owner).await
}

/// A shell as it was when it was killed.
pub fn killed(row: &SessionRow) -> SessionRow {
    SessionRow {
        status: Status::Killed,
        status_evidence: transition::by_engine("killed by you", Timestamp::now()),
        ..row.clone()
    }
}

/// Writes down that the shells beside a session are to end. Those are then for [`carry_out`].
pub fn wish(draft: &mut Draft, session: &SessionId, who: &str) -> Result<Vec<SessionId>, ApiError> {
    let open: Vec<SessionId> = open_beside(draft.state(), session)
        .map(|row| row.id.clone())
        .collect();
    for id in &open {
        ending::note(draft, id, Wish::Kill, who)?;
    }
    Ok(open)
}

/// Ends the shells for which that is written down, side by side.
pub async fn carry_out(engine: &Engine, shells: Vec<SessionId>, who: &'static str) -> Result<(), ApiError> {
    let Some(engine) = engine.shared().filter(|_| !shells.is_empty()) else {
        return Ok(());
    };
    let mut tasks = JoinSet::new();
    for id in shells {
        let engine = Arc::clone(&engine);
        tasks.spawn(async move { ending::carry_out(&engine, &id, Wish::Kill, who).await });
    }
    let mut ended = Ok(());
    while let Some(result) = tasks.join_next().await {
        ended =
            ended.and(result.unwrap_or_else(|error| Err(ApiError::failed("ending a shell broke", error))));
    }
    ended
}

/// Ends the shells beside a session, whose workspace or place on the list goes; tells how many.
pub async fn end_beside(engine: &Engine, session: &SessionId) -> Result<u32, ApiError> {
    const WHY: &str = "by the removal of its worktree";
    if open_beside(&engine.ledger.state(), session).next().is_none() {
        return Ok(0);
    }
    let wished = engine.ledger.write(|draft| wish(draft, session, WHY)).await?;
    let count = u32::try_from(wished.len()).unwrap_or(u32::MAX);
    carry_out(engine, wished, WHY).await?;
    Ok(count)
}

/// Clears a shell away that ended: its files, then its row. Does nothing for anything else.
pub async fn clear(engine: &Engine, id: &SessionId) {
    let over = |row: &Arc<SessionRow>| row.beside.is_some() && row.status.is_ended();
    let Some(row) = engine.ledger.session(id).filter(over) else {
        return;
    };
    // Who opens it right now is told how it ended.
    engine.runtimes.of(id).set_last(row);
    let dir = engine.paths.keeper(id);
    let mut tries = 0;
    while let Err(error) = forget::clear_folder(dir.clone()).await {
        tries += 1;
        if tries == TRIES {
            tracing::warn!("{error}");
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    let _ = tokio::fs::remove_file(engine.paths.transcript(id)).await;
    point("shell-cleared");
    let dropped = engine.ledger.write(|draft| {
        if draft.state().shells.contains_key(id) {
            draft.session_event(id, EventKind::SessionRemoved, Value::Null);
            draft.drop_session(id);
        }
        Ok(())
    });
    if let Err(error) = dropped.await {
        // The next engine does.
        tracing::warn!(session = %id, "a shell that ended stays written down: {error}");
    }
    engine.runtimes.forget(id);
}
