//! Text of ours that stands in an agent's prompt although no turn is on it: a prompt that the agent gave
//! back when its turn was interrupted, and one that an engine left there when it died. What was given
//! back is in no conversation: it comes back before the message that interrupted, or is told as
//! interrupted. Typing is [`super::typing`]'s.

use super::{link, queue, ready, typing};
use crate::engine::Engine;
use downbeat_agents::Manifest;
use downbeat_keeper::{Link, Text};
use downbeat_model::{MessageState, Sender, SessionId, Status, When};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::time::Duration;

/// How long an agent has to draw what it gives back of an interrupted turn, or that its prompt is empty.
pub const DRAWN: Duration = Duration::from_secs(1);

/// What an agent gave back.
enum Back {
    /// A message of the queue.
    Message(i64, String),
    /// The prompt that it was started with.
    Task(String),
}

/// What of ours stands in the prompt, where that was the agent's last: its turn was interrupted.
fn given_back(engine: &Engine, row: &SessionRow, agent: &Manifest, shown: &Text) -> Option<Back> {
    let stands = downbeat_agents::prompt_text(agent, &shown.text).filter(|text| !text.is_empty())?;
    // A mark may stand for anything, but never for one line of ours.
    let may_be = |text: &str| text.contains('\n') || !downbeat_agents::stands_for_paste(agent, &stands);
    let holds = |text: &str| may_be(text) && downbeat_agents::prompt_holds(agent, &stands, text);
    let state = engine.ledger.state();
    let taken = |state| matches!(state, MessageState::Delivered | MessageState::Interrupted);
    let queue = state
        .queues
        .get(&row.id)
        .into_iter()
        .flat_map(|queue| queue.iter());
    let last = queue
        .filter(|message| taken(message.state))
        .max_by_key(|message| message.changed_at);
    match last.filter(|message| holds(&message.text)) {
        Some(message) => Some(Back::Message(message.id, message.text.clone())),
        None => holds(&row.task).then(|| Back::Task(row.task.clone())),
    }
}

/// Looks whether the agent gave back the prompt of a turn that Downbeat interrupted, for the message
/// `next` or for a pause. What it gave back is taken out, and comes again: before `next`, or once the
/// session goes on. Anything else may be what a person typed meanwhile: it stays.
pub async fn take(
    engine: &Engine,
    row: &SessionRow,
    agent: &Manifest,
    link: &Link,
    next: Option<i64>,
) -> Result<(), ApiError> {
    let Some(clear) = agent.clear else {
        return Ok(());
    };
    tokio::time::sleep(DRAWN).await;
    let live = engine.runtimes.of(&row.id);
    let _one_at_a_time = live.typing.lock().await;
    let shown = ready::look(engine, &row.id, link).await;
    let shown = shown.map_err(crate::error::keeper)?;
    let Some(back) = given_back(engine, row, agent, &shown) else {
        return Ok(());
    };
    let is_theirs = shown.typed.is_some_and(|typed| typed.stands);
    let stays = is_theirs || ready::asks(engine, row, link).await?;
    // First what becomes of it: a crash in between leaves it in the prompt, where it is found.
    let noted = engine.ledger.write(|draft| {
        let comes_before = match (&back, next) {
            (_, None) => false,
            _ if stays => false,
            (Back::Message(_, text) | Back::Task(text), Some(next)) => {
                queue::put_before(draft, &row.id, next, text)
            }
        };
        match &back {
            Back::Message(id, _) => {
                let (detail, again) = (taken_back(agent), !comes_before && next.is_none() && !stays);
                queue::interrupted(draft, &row.id, *id, &detail, again)
            }
            Back::Task(_) if comes_before || stays => Ok(()),
            Back::Task(text) => {
                let new = queue::New {
                    text: text.clone(),
                    sender: row.parent.clone().map_or(Sender::Person, Sender::Session),
                    when: When::WhenReady,
                    is_task: false,
                };
                queue::enqueue(draft, &row.id, new).map(drop)
            }
        }
    });
    noted.await?;
    if !stays {
        let pressed = link.input(clear.bytes().into()).await;
        pressed.map_err(crate::error::keeper)?;
    }
    Ok(())
}

fn taken_back(agent: &Manifest) -> String {
    format!(
        "{} put it back into its prompt: its turn was interrupted",
        agent.name
    )
}

/// A person interrupted a turn: where the agent gave the message of that turn back, it is told. The text
/// stays where the agent put it.
pub async fn look(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let (agent, link) = (engine.agent(&row.agent)?, link(engine, &row)?);
    if agent.prompt_box.is_none() {
        return Ok(());
    }
    tokio::time::sleep(DRAWN).await;
    let live = engine.runtimes.of(id);
    let _one_at_a_time = live.typing.lock().await;
    let shown = ready::look(engine, id, &link).await;
    let shown = shown.map_err(crate::error::keeper)?;
    let rests = engine.row(id)?.status != Status::Running;
    match given_back(engine, &row, &agent, &shown) {
        Some(Back::Message(message, _)) if rests => {
            let detail = taken_back(&agent);
            let noted = |draft: &mut _| queue::interrupted(draft, id, message, &detail, false);
            engine.ledger.write(noted).await
        }
        _ => Ok(()),
    }
}

/// Whether what stands in the prompt is this text or its beginning, and nothing that somebody added. By
/// what stands there alone: text without its Enter counts as keys, whoever typed it.
pub fn is_left(agent: &Manifest, shown: &Text, text: &str) -> bool {
    let stands = downbeat_agents::prompt_text(agent, &shown.text);
    stands.is_some_and(|stands| downbeat_agents::prompt_is(agent, &stands, text))
}

/// Takes text of ours out of the prompt, so that it can be typed again. False where it stays.
pub async fn take_out(
    engine: &Engine,
    row: &SessionRow,
    is_ours: impl Fn(&Manifest, &Text) -> bool,
) -> Result<bool, ApiError> {
    let (agent, link) = (engine.agent(&row.agent)?, link(engine, row)?);
    let Some(clear) = agent.clear else {
        return Ok(false);
    };
    let live = engine.runtimes.of(&row.id);
    let _one_at_a_time = live.typing.lock().await;
    let look = async || {
        ready::look(engine, &row.id, &link)
            .await
            .map_err(crate::error::keeper)
    };
    let stands = is_ours(&agent, &look().await?);
    // The key would end a turn, or deny a question.
    let works = engine.row(&row.id)?.status == Status::Running;
    if !stands || works || ready::asks(engine, row, &link).await? {
        return Ok(false);
    }
    let pressed = link.input(clear.bytes().into()).await;
    pressed.map_err(crate::error::keeper)?;
    tokio::time::sleep(DRAWN).await;
    let shown = look().await?;
    Ok(typing::is_empty(&agent, &shown))
}
