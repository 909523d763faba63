//! Hands text to an agent through its terminal, and says how sure it is that it was taken. A
//! message is never typed into an open question, and never sent twice by itself.

use crate::engine::Engine;
use crate::point::point;
use downbeat_agents::Manifest;
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EventKind, Question, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::{Delivery, MessageReceipt};
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Longest message, in bytes.
pub const MAX_MESSAGE: usize = 256 * 1024;

/// How long a message waits for a session that is still being made.
const PATIENCE: Duration = Duration::from_secs(40);

/// How long the agent has to show that it took a message.
const SHOWN: Duration = Duration::from_secs(6);

/// How long an agent that says that it is up may take until its prompt takes keys.
const UP: Duration = Duration::from_secs(10);

/// How long after the text of a message a question that was already drawn is known to be there.
const SETTLED: Duration = Duration::from_millis(150);

/// Between two looks at its title meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// Sends a message and waits for a sign that it was taken.
pub async fn send(engine: &Arc<Engine>, id: &SessionId, content: &str) -> Result<MessageReceipt, ApiError> {
    if content.trim().is_empty() {
        return Err(ApiError::invalid("the message is empty"));
    }
    if content.len() > MAX_MESSAGE {
        return Err(ApiError::invalid(format!(
            "the message is {} bytes long; at most {MAX_MESSAGE} are taken",
            content.len()
        ))
        .hint("write it to a file in the workspace and send the path"));
    }
    let row = ready(engine, id).await?;
    let before = row.status;
    let (link, mut changes) = (link(engine, &row)?, engine.ledger.changes());
    let agent = engine.agent(&row.agent)?;
    up(&agent, &row, &link).await;
    let live = engine.runtimes.of(id);
    let one_at_a_time = live.typing.lock().await;
    let has_hooks = agent.has_hooks();
    let typed = downbeat_agents::message_bytes(&agent, content);
    match has_hooks {
        true => type_beside_questions(engine, &row, &link, typed).await?,
        false => link.input(typed).await.map_err(crate::error::keeper)?,
    }
    drop(one_at_a_time);
    point("message-typed");
    engine
        .ledger
        .write(|draft| {
            draft.session_event(id, EventKind::MessageSent, json!({ "bytes": content.len() }));
            Ok(())
        })
        .await?;
    let taken = async {
        loop {
            match changes.recv().await {
                Ok(event) => {
                    let kind = event.payload.get("kind").and_then(|kind| kind.get("type"));
                    let started = kind.and_then(serde_json::Value::as_str) == Some("turn_started");
                    if started && event.session_id.as_ref() == Some(id) {
                        return;
                    }
                }
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    };
    if has_hooks && tokio::time::timeout(SHOWN, taken).await.is_ok() {
        let detail = "the agent's prompt hook fired".to_owned();
        return Ok(MessageReceipt {
            delivery: Delivery::Taken,
            detail,
        });
    }
    let detail = match (has_hooks, before) {
        (false, _) => "typed; this agent does not tell what it takes",
        (true, Status::Running) => "typed while the agent works; it takes it when its turn allows",
        (true, _) => "typed; the agent has not shown yet that it took it",
    };
    Ok(MessageReceipt {
        delivery: Delivery::Uncertain,
        detail: detail.into(),
    })
}

/// Types a message, and its Enter only after another look: an agent draws a question a moment
/// before its hook tells of it, and Enter would give the answer that the question proposes.
async fn type_beside_questions(
    engine: &Engine,
    row: &SessionRow,
    link: &Link,
    typed: Vec<u8>,
) -> Result<(), ApiError> {
    let enter = downbeat_agents::ENTER.as_bytes();
    let text = typed.strip_suffix(enter).unwrap_or(&typed).to_vec();
    let refuse = |what: &str| {
        let message = format!("{} asks something since a moment ago: {what}", row.name);
        let hint = "answer it first, and see what stands in its prompt";
        Err(ApiError::new(Code::Conflict, message).hint(hint))
    };
    if asks(engine, &row.id, link).await? {
        return refuse("the message was not typed");
    }
    link.input(text).await.map_err(crate::error::keeper)?;
    tokio::time::sleep(SETTLED).await;
    if asks(engine, &row.id, link).await? {
        return refuse("the message was typed, but not sent");
    }
    link.input(enter.to_vec()).await.map_err(crate::error::keeper)
}

/// Whether a session asks something, by its status or by a screen that is ahead of it. Text on
/// the screen of an agent whose title says that it works is no question.
async fn asks(engine: &Engine, id: &SessionId, link: &Link) -> Result<bool, ApiError> {
    let row = engine.row(id)?;
    if open(&row).is_some() {
        return Ok(true);
    }
    let agent = engine.agent(&row.agent)?;
    let shown = link.text(SCREEN_ALONE).await.map_err(crate::error::keeper)?;
    let works = downbeat_agents::title_works(&agent, &shown.title) == Some(true);
    let question = downbeat_agents::screen_question(&agent, &shown.text);
    Ok(!works && question.is_some_and(|shown| !shown.question.options.is_empty()))
}

/// The question that the session waits with, and that a message would be typed into. One in prose
/// is none: a message is its answer.
fn open(row: &SessionRow) -> Option<&Question> {
    let question = row
        .observed
        .as_ref()
        .filter(|known| !known.is_prose())?
        .question()?;
    (row.status == Status::Waiting).then_some(question)
}

/// Waits until the session can be typed to; refuses where it cannot.
async fn ready(engine: &Engine, id: &SessionId) -> Result<Arc<SessionRow>, ApiError> {
    let mut changes = engine.ledger.changes();
    let until = tokio::time::Instant::now() + PATIENCE;
    loop {
        let row = engine.row(id)?;
        let name = &row.name;
        let refuse = |why: String| ApiError::new(Code::Conflict, why);
        match row.status {
            Status::Running | Status::Idle | Status::Unknown => return Ok(row),
            Status::Waiting => match open(&row) {
                // It could not go on when it last tried, or asked in prose: a message is how it goes on.
                None => return Ok(row),
                Some(question) => {
                    return Err(refuse(format!("{name} waits for an answer: {}", question.text)).hint(
                        "answer it first (`downbeat answer`, or its terminal); a message would be typed into the question",
                    ));
                }
            },
            Status::SetupFailed => {
                return Err(refuse(format!("the set-up of {name} failed"))
                    .hint("retry it, or start the agent anyway"));
            }
            Status::Exited | Status::Killed | Status::Errored => {
                return Err(
                    refuse(format!("{name} is over: {}", row.status.as_str())).hint("resume it first")
                );
            }
            Status::Queued | Status::Spawning | Status::Paused => {}
        }
        match tokio::time::timeout_at(until, changes.recv()).await {
            Ok(_) => {}
            Err(_) => {
                return Err(refuse(format!("{name} is still {}", row.status.as_str()))
                    .hint("try again when it is idle, or put the message into its task"));
            }
        }
    }
}

/// Waits for the prompt of an agent that has just started: its hook fires a moment before, and an
/// Enter in between is lost. The title shows when it rests.
async fn up(agent: &Manifest, row: &SessionRow, link: &Link) {
    let fresh = row
        .observed
        .as_ref()
        .is_some_and(|seen| seen.activity == Activity::Ready);
    let until = tokio::time::Instant::now() + UP;
    while fresh && tokio::time::Instant::now() < until {
        match link.text(1).await {
            Ok(text) if !downbeat_agents::title_is_up(agent, &text.title) => {
                tokio::time::sleep(LOOK).await;
            }
            // There, or gone: the typing tells.
            _ => return,
        }
    }
}

pub fn link(engine: &Engine, row: &SessionRow) -> Result<Link, ApiError> {
    engine.runtimes.of(&row.id).link().ok_or_else(|| {
        ApiError::new(
            Code::Conflict,
            format!("the terminal of {} is not connected", row.name),
        )
        .hint("try again in a moment")
    })
}
