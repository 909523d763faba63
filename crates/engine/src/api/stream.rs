//! The streams that faces read: changes after a given number, and terminals.

use crate::state::context::Engine;
use crate::state::draft::UNWRITTEN;
use crate::state::find;
use crate::state::known::State;
use downbeat_model::terminal::{Frame, Input};
use downbeat_model::{EventKind, SessionId, Subject};
use downbeat_store::EventRow;
use downbeat_wire::event::{Change, StreamItem};
use downbeat_wire::{ApiError, Caller, Code, FirstFrame, TerminalLink, Topic};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};

impl Engine {
    /// Notifies waiting faces of new notices. Waiting for notices does not keep the engine running.
    pub fn notices(&self) -> watch::Receiver<()> {
        self.ledger.notices()
    }
}

/// Capacity of the buffer between the engine and one reader; a slower reader has to read everything again.
const READER: usize = 256;

/// Upper limit for past changes that are sent one by one; a reader further behind reads everything again.
const BACKLOG: u32 = 2000;

/// Returns what a reader has to read again after an event.
fn invalidates(kind: EventKind) -> Vec<Topic> {
    match kind {
        EventKind::ProjectAdded | EventKind::ProjectChanged => vec![Topic::Projects],
        EventKind::ProjectRemoved => vec![Topic::Projects, Topic::Sessions],
        // A reader that shows the subject of a fact recognizes it by the change's `subject`.
        EventKind::SessionFact | EventKind::Fact => vec![],
        EventKind::MessageChanged | EventKind::MessageSent => vec![Topic::Messages, Topic::Session],
        EventKind::QuestionAnswered => vec![],
        EventKind::SessionStatus => vec![Topic::Session, Topic::Engine],
        EventKind::Notice => vec![Topic::Notices],
        // Whether a session resumes after a usage limit, and so whether it needs the person, is a setting.
        EventKind::SettingsChanged => vec![Topic::Settings, Topic::Agents, Topic::Sessions, Topic::Notifiers],
        EventKind::AgentsChanged => vec![Topic::Agents],
        EventKind::EngineStarted => vec![Topic::Engine],
        EventKind::SessionCreated
        | EventKind::SessionArchived
        | EventKind::SessionUnarchived
        | EventKind::SessionRemoved
        | EventKind::SessionStep
        | EventKind::SessionChanged
        | EventKind::ChecksFinished
        | EventKind::MergeFinished
        | EventKind::Reviewed
        | EventKind::Reacted
        | EventKind::SessionExited
        | EventKind::SessionStopped
        | EventKind::SessionKilled
        | EventKind::SessionResumed
        | EventKind::SessionHandedOver
        | EventKind::SessionPaused
        | EventKind::SessionWentOn
        | EventKind::BudgetWarned
        | EventKind::WorkspaceRemoved
        | EventKind::WorkRestored
        | EventKind::WorkerReported
        | EventKind::WorkerAsked
        | EventKind::WorkersCollided => vec![Topic::Session],
    }
}

/// Converts an event to the change that readers get. An event of a side shell is a change of the session beside it.
fn change(state: &State, event: &EventRow) -> StreamItem {
    let mut invalidates = invalidates(event.kind);
    if event.kind == EventKind::Fact && matches!(event.subject, Subject::Notifier(_)) {
        invalidates.push(Topic::Notifiers);
    }
    if event.subject.session().is_none() {
        // Any session may have changed.
        for topic in invalidates.iter_mut().filter(|topic| **topic == Topic::Session) {
            *topic = Topic::Sessions;
        }
    }
    let around = |id: &SessionId| find::around(state, id);
    let left = || event.payload.get("beside")?.as_str().and_then(SessionId::parse);
    let beside = event.subject.session().and_then(around).or_else(left);
    StreamItem::Change(Change {
        seq: event.seq,
        at: event.at,
        kind: event.kind,
        project_id: event.project_id.clone(),
        session_id: beside.or_else(|| event.subject.session().cloned()),
        subject: event.subject.clone(),
        invalidates,
    })
}

async fn visible(engine: &Engine, caller: &Caller, event: &EventRow) -> bool {
    let (Caller::Session(root), Some(id)) = (caller, event.subject.session()) else {
        return *caller == Caller::Owner;
    };
    let Ok(_held) = engine.recall(std::slice::from_ref(id)).await else {
        return false;
    };
    let state = engine.ledger.state();
    let row = state.sessions.get(id);
    row.is_some_and(|row| find::is_within(&state, row, root))
}

/// Streams the changes after `since`, then new ones as they happen.
pub async fn subscribe(
    engine: &Arc<Engine>,
    caller: &Caller,
    since: Option<i64>,
) -> Result<mpsc::Receiver<StreamItem>, ApiError> {
    let mut live = engine.ledger.changes();
    let store = engine.ledger.store();
    let newest = store.last_seq().await.map_err(crate::state::error::store)?;
    let since = since.unwrap_or(newest);
    // Older events are thinned out, so the reader reads everything again.
    let is_resync = since > newest || newest - since >= i64::from(BACKLOG);
    let past = match is_resync {
        true => Vec::new(),
        false => store
            .events_since(since, BACKLOG)
            .await
            .map_err(crate::state::error::store)?,
    };
    let (sender, receiver) = mpsc::channel(READER);
    let (engine, caller) = (Arc::clone(engine), caller.clone());
    tokio::spawn(async move {
        let mut last = since;
        if is_resync {
            last = newest;
            if sender.send(StreamItem::Resync { seq: newest }).await.is_err() {
                return;
            }
        } else {
            for event in &past {
                last = event.seq;
                if visible(&engine, &caller, event).await
                    && sender.send(change(&engine.ledger.state(), event)).await.is_err()
                {
                    return;
                }
            }
        }
        loop {
            let item = tokio::select! {
                () = sender.closed() => return,
                () = engine.closing.cancelled() => return,
                event = live.recv() => event,
            };
            let item = match item {
                // A change that is shown before it is stored has no number yet.
                Ok(event) if event.seq == UNWRITTEN => {
                    if !visible(&engine, &caller, &event).await {
                        continue;
                    }
                    StreamItem::Resync { seq: last }
                }
                Ok(event) if event.seq <= last => continue,
                Ok(event) => {
                    last = event.seq;
                    if !visible(&engine, &caller, &event).await {
                        continue;
                    }
                    change(&engine.ledger.state(), &event)
                }
                Err(RecvError::Lagged(_)) => StreamItem::Resync { seq: last },
                Err(RecvError::Closed) => return,
            };
            if sender.send(item).await.is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

/// Time limit for a keeper to send its screen.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the frames of an ended terminal: its last checkpoint.
const ENDED: usize = 4;

/// Fails if the caller may not attach. An agent may view the terminals of its subtree but not type there:
/// it could answer a question that is meant for the person.
fn looking_only(input: mpsc::Sender<Input>) -> mpsc::Sender<Input> {
    let (sender, mut typed) = mpsc::channel(READER);
    tokio::spawn(async move {
        while let Some(typed) = typed.recv().await {
            if matches!(typed, Input::Ack { .. }) && input.send(typed).await.is_err() {
                return;
            }
        }
    });
    sender
}

/// Attaches a viewer to a session's terminal.
pub async fn attach(
    engine: &Engine,
    caller: &Caller,
    session: &str,
    first: FirstFrame,
) -> Result<TerminalLink, ApiError> {
    let row = engine.terminal(caller, session).await?;
    let dir = engine.paths.keeper(&row.id);
    let screen_first = first == FirstFrame::Screen;
    match downbeat_keeper::attach_within(&dir, screen_first, PATIENCE).await {
        Ok((input, frames)) if *caller == Caller::Owner => Ok(TerminalLink { frames, input }),
        Ok((input, frames)) => Ok(TerminalLink {
            frames,
            input: looking_only(input),
        }),
        Err(error @ downbeat_keeper::Error::Slow(..)) if row.status.is_live() => Err(ApiError::new(
            Code::Conflict,
            format!("the terminal of {} does not answer: {error}", row.name),
        )
        .hint("its keeper is stopped or the machine is very busy; the terminal reappears once the keeper responds")),
        Err(error) if row.status.is_live() => Err(ApiError::new(
            Code::Conflict,
            format!("the terminal of {} does not exist yet: {error}", row.name),
        )
        .hint("it opens once the session has started")),
        Err(_) => {
            let last = move || downbeat_keeper::checkpoint_frames(&dir, screen_first);
            let last = crate::host::blocking::blocking(last).await?;
            let (sender, frames) = mpsc::channel(ENDED);
            let (input, mut ignored) = mpsc::channel::<Input>(READER);
            tokio::spawn(async move {
                for frame in last.unwrap_or_default() {
                    if sender.send(frame).await.is_err() {
                        return;
                    }
                }
                let reason = "the session is over".to_owned();
                let _ = sender.send(Frame::Closed { reason }).await;
                // Input to an ended terminal is dropped.
                while ignored.recv().await.is_some() {}
            });
            Ok(TerminalLink { frames, input })
        }
    }
}
