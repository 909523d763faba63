//! Types one message and finds out what became of it; interrupts a turn for one that is to be
//! delivered now. Whether it may be typed was looked at before: see `ready`.

use super::task::{Signals, is_typing};
use super::{queue, ready};
use crate::engine::Engine;
use crate::point::point;
use downbeat_agents::{ENTER, Manifest};
use downbeat_keeper::{Link, SCREEN_ALONE, Text};
use downbeat_model::{MessageState, SessionId, Status};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long after the text of a message a question that was already drawn is known to be there.
const SETTLED: Duration = Duration::from_millis(150);

/// How long the agent has to show that it took a message, before its prompt is looked at.
const SHOWN: Duration = Duration::from_secs(6);

/// How long it has in all, where its prompt is empty again: hooks are slow on a busy machine.
const LATE: Duration = Duration::from_secs(30);

/// How often Enter is pressed, at most, while the text still stands in the prompt.
const PRESSES: u32 = 3;

/// Between two keys that interrupt together: agents draw that one more is needed.
const BETWEEN_KEYS: Duration = Duration::from_millis(300);

/// How long a turn has to end once it was interrupted.
const RESTS: Duration = Duration::from_secs(8);

/// How often a turn is interrupted, at most.
const INTERRUPTS: u32 = 3;

/// How long an agent has to draw what it gives back of an interrupted turn.
const DRAWN: Duration = Duration::from_secs(1);

/// What became of an attempt.
pub enum Outcome {
    /// It is written down.
    Over,
    /// Nothing of it was taken, for certain.
    Refused(String),
}

/// How an attempt ended, to be written down.
type End = (MessageState, &'static str);

struct Attempt<'a> {
    engine: &'a Engine,
    row: &'a SessionRow,
    agent: &'a Manifest,
    link: Link,
    message: i64,
    text: Arc<str>,
}

/// Types a message, if all is as it was, and waits until it is known what became of it.
pub async fn deliver(engine: &Engine, row: &SessionRow, message: &MessageRow) -> Result<Outcome, ApiError> {
    let (id, agent) = (&row.id, engine.agent(&row.agent)?);
    let link = link(engine, row)?;
    let mut signals = Signals::of(engine, id);
    let live = engine.runtimes.of(id);
    let one_at_a_time = live.typing.lock().await;
    let begun = engine.ledger.write(|draft| queue::begin(draft, row, message.id));
    let Some(text) = begun.await? else {
        return Ok(Outcome::Over);
    };
    point("message-noted");
    let attempt = Attempt {
        engine,
        row,
        agent: &agent,
        link,
        message: message.id,
        text: text.into(),
    };
    let typed = downbeat_agents::message_bytes(&agent, &attempt.text);
    let body = typed.strip_suffix(ENTER.as_bytes()).unwrap_or(&typed).to_vec();
    match attempt.link.input(body).await {
        Ok(()) => {}
        Err(downbeat_keeper::Error::Refused(why)) => return Ok(Outcome::Refused(why)),
        Err(_) => return attempt.over(UNANSWERED).await,
    }
    point("message-typed");
    tokio::time::sleep(SETTLED).await;
    let before = match ready::asks(engine, row, &attempt.link).await {
        Ok(false) => attempt.seen().await,
        Ok(true) => {
            drop(one_at_a_time);
            return attempt.beside_question(&mut signals).await;
        }
        Err(_) => return attempt.over(UNANSWERED).await,
    };
    if attempt.link.input(ENTER.into()).await.is_err() {
        return attempt.over(UNANSWERED).await;
    }
    point("message-entered");
    drop(one_at_a_time);
    let end = attempt.taken(&mut signals, before).await;
    attempt.over(end).await
}

const UNANSWERED: End = (
    MessageState::Uncertain,
    "its terminal did not answer while it was typed",
);
const ENDED: End = (
    MessageState::Uncertain,
    "the session ended before the agent showed that it took it",
);
const UNTOLD: End = (
    MessageState::Uncertain,
    "typed; nothing shows that the agent took it",
);
const STANDS: End = (
    MessageState::Failed,
    "it stands in its prompt, and Enter does not send it",
);
const WENT_ON: End = (
    MessageState::Delivered,
    "typed, and its screen went on after Enter: all that this agent tells",
);
const LEFT_PROMPT: End = (
    MessageState::Delivered,
    "typed, and it left the prompt on the screen: all that this agent tells",
);
const SWALLOWED: End = (
    MessageState::Uncertain,
    "a question opened while it was typed; it was not sent, and is not in the prompt that can be seen",
);
const UNSENT: End = (
    MessageState::Queued,
    "waits: the session ended before it was sent",
);

/// What is written under a message that a question came in between of.
const BESIDE: &str = "typed, not sent: a question opened; waits for its answer";

impl Attempt<'_> {
    fn id(&self) -> &SessionId {
        &self.row.id
    }

    async fn over(&self, (state, detail): End) -> Result<Outcome, ApiError> {
        let written = self
            .engine
            .ledger
            .write(|draft| queue::set(draft, self.id(), self.message, state, detail));
        written.await?;
        point("message-delivered");
        Ok(Outcome::Over)
    }

    async fn shown(&self) -> Option<Text> {
        self.link.text(SCREEN_ALONE).await.ok()
    }

    /// Bytes of output so far.
    async fn seen(&self) -> u64 {
        self.link.text(1).await.map_or(u64::MAX, |text| text.seq)
    }

    fn is_over(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        row.is_none_or(|row| row.status.is_ended())
    }

    fn works(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        row.is_some_and(|row| row.status == Status::Running)
    }

    /// Whether the text stands in the prompt; `None` where that cannot be seen.
    fn stands(&self, shown: &Text) -> Option<bool> {
        let prompt = downbeat_agents::prompt_text(self.agent, &shown.text)?;
        Some(downbeat_agents::prompt_holds(self.agent, &prompt, &self.text))
    }

    /// A question opened between the text and its Enter: Enter would answer it. Once it is
    /// answered the prompt shows whether the text is still there.
    async fn beside_question(&self, signals: &mut Signals) -> Result<Outcome, ApiError> {
        let noted = |draft: &mut _| queue::set(draft, self.id(), self.message, MessageState::Typing, BESIDE);
        self.engine.ledger.write(noted).await?;
        let (mut within, mut until) = (None, None);
        loop {
            signals.next(within).await;
            if self.is_over() {
                return self.over(UNSENT).await;
            }
            (within, until) = match ready::asks(self.engine, self.row, &self.link).await {
                Ok(false) if !self.works() => (Some(SETTLED), until.or(Some(Instant::now() + SHOWN))),
                Ok(false) => (None, until),
                _ => (None, None),
            };
            let Some(until) = until else { continue };
            let live = self.engine.runtimes.of(self.id());
            let one_at_a_time = live.typing.lock().await;
            let Some(shown) = self.shown().await else {
                continue;
            };
            match self.stands(&shown) {
                // Whoever answered may still press keys, and the prompt may not be drawn yet.
                _ if ready::hands_on(&shown).is_some() => continue,
                None if Instant::now() < until => continue,
                Some(true) => {}
                Some(false) if !ready::drafts(self.agent, &shown) => {
                    return Ok(Outcome::Refused("a question took what was typed".into()));
                }
                _ => return self.over(SWALLOWED).await,
            }
            if self.link.input(ENTER.into()).await.is_err() {
                return self.over(UNANSWERED).await;
            }
            drop(one_at_a_time);
            let end = self.taken(signals, shown.seq).await;
            return self.over(end).await;
        }
    }

    /// Waits until it is known what became of a message whose Enter was pressed. `before` is the
    /// output until then.
    async fn taken(&self, signals: &mut Signals, before: u64) -> End {
        let (mut presses, mut until) = (1, Instant::now() + SHOWN);
        let mut late = Instant::now() + LATE;
        loop {
            signals
                .next(Some(until.saturating_duration_since(Instant::now())))
                .await;
            if !is_typing(self.engine, self.id(), self.message) {
                // Already written down, with what the hook told.
                return UNTOLD;
            }
            if self.is_over() {
                return ENDED;
            }
            let is_due = Instant::now() >= until;
            if self.agent.has_hooks() && !is_due {
                continue;
            }
            let Some(shown) = self.shown().await else {
                continue;
            };
            match (self.stands(&shown), self.agent.has_hooks()) {
                (Some(true), _) if !is_due => {}
                (Some(true), _) if presses >= PRESSES => return STANDS,
                (Some(true), _) => {
                    presses += 1;
                    self.press_enter().await;
                    until = Instant::now() + SHOWN;
                }
                (Some(false), false) => return LEFT_PROMPT,
                (None, false) if shown.seq > before => return WENT_ON,
                (None, false) if is_due => return UNTOLD,
                (None, false) => {}
                // It takes it when its turn allows, and its hook tells then.
                _ if self.works() => {
                    late = Instant::now() + LATE;
                    until = late;
                }
                _ if Instant::now() >= late => return UNTOLD,
                _ => until = late,
            }
        }
    }

    /// Presses Enter once more, unless that would answer a question.
    async fn press_enter(&self) {
        let live = self.engine.runtimes.of(self.id());
        let _one_at_a_time = live.typing.lock().await;
        if matches!(ready::asks(self.engine, self.row, &self.link).await, Ok(false))
            && let Err(error) = self.link.input(ENTER.into()).await
        {
            tracing::debug!(session = %self.id(), "Enter was not pressed again: {error}");
        }
    }
}

/// Interrupts the turn that goes on, by the agent's own keys. False where it does not stop.
pub async fn interrupt(engine: &Engine, row: &SessionRow, signals: &mut Signals) -> Result<bool, ApiError> {
    let (agent, link) = (engine.agent(&row.agent)?, link(engine, row)?);
    let works = || {
        let row = engine.ledger.session(&row.id);
        row.is_some_and(|row| row.status == Status::Running)
    };
    for _ in 0..INTERRUPTS {
        let live = engine.runtimes.of(&row.id);
        let one_at_a_time = live.typing.lock().await;
        for (at, key) in agent.interrupt.iter().enumerate() {
            if at > 0 {
                tokio::time::sleep(BETWEEN_KEYS).await;
            }
            // The key would deny a question.
            if !works() || ready::asks(engine, row, &link).await? {
                break;
            }
            link.input(key.bytes().into())
                .await
                .map_err(crate::error::keeper)?;
            point("message-interrupted");
        }
        drop(one_at_a_time);
        let until = Instant::now() + RESTS;
        while works() && Instant::now() < until {
            let rest = until.saturating_duration_since(Instant::now());
            signals.next(Some(rest)).await;
        }
        if !works() {
            give_back(engine, row, &agent, &link).await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Empties the prompt where the agent gave the text of the interrupted turn back, and that was ours.
/// Anything else may be what a person typed and entered meanwhile: it stays, and the message waits.
async fn give_back(engine: &Engine, row: &SessionRow, agent: &Manifest, link: &Link) -> Result<(), ApiError> {
    let Some(clear) = agent.clear else {
        return Ok(());
    };
    tokio::time::sleep(DRAWN).await;
    let live = engine.runtimes.of(&row.id);
    let _one_at_a_time = live.typing.lock().await;
    let shown = link.text(SCREEN_ALONE).await.map_err(crate::error::keeper)?;
    let state = engine.ledger.state();
    let queue = state
        .queues
        .get(&row.id)
        .into_iter()
        .flat_map(|queue| queue.iter());
    let delivered = queue.filter(|message| message.state == MessageState::Delivered);
    let last = delivered.max_by_key(|message| message.changed_at);
    let ours = [last.map(|message| message.text.as_str()), Some(row.task.as_str())];
    let is_back = downbeat_agents::prompt_text(agent, &shown.text).is_some_and(|stands| {
        let holds = |text: &&str| downbeat_agents::prompt_holds(agent, &stands, text);
        !stands.is_empty() && ours.iter().flatten().any(holds)
    });
    let typed = shown.typed.is_some_and(|typed| typed.stands);
    if is_back && !typed && !ready::asks(engine, row, link).await? {
        link.input(clear.bytes().into())
            .await
            .map_err(crate::error::keeper)?;
    }
    Ok(())
}

/// The handle of a session's keeper.
pub fn link(engine: &Engine, row: &SessionRow) -> Result<Link, ApiError> {
    engine.runtimes.of(&row.id).link().ok_or_else(|| {
        ApiError::new(
            Code::Conflict,
            format!("the terminal of {} is not connected", row.name),
        )
        .hint("try again in a moment")
    })
}
