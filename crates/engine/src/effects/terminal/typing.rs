//! Types one message and finds out what became of it; interrupts a turn for one that is to be
//! delivered now. Whether it may be typed was looked at before: see [`crate::decide::delivery`].

use crate::decide::delivery::Ready;
use crate::decide::{delivery, mailbox, message_state, pause};
use crate::effects::terminal::signals::{Signals, is_typing};
use crate::effects::terminal::{at_once, given_back};
use crate::host::failpoint::point;
use crate::keepers::screen;
use crate::state::context::Engine;
use downbeat_agents::{ENTER, Manifest};
use downbeat_keeper::{Link, Text};
use downbeat_model::{EvidenceSource, MessageState, SessionId, Status};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
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

/// How long a turn is left alone that has just begun. Claude Code tells of a prompt before it takes it
/// into its conversation; one that is interrupted in between is in neither, nor in its prompt.
const BEGINS: Duration = Duration::from_millis(1500);

/// How long a turn has to end once it was interrupted.
const RESTS: Duration = Duration::from_secs(8);

/// How often a turn is interrupted, at most.
const INTERRUPTS: u32 = 3;

/// What became of an attempt.
pub enum Outcome {
    /// It is written down.
    Over,
    /// Nothing of it was taken, for certain.
    Refused(String),
}

/// How an attempt ended, to be written down.
type End = (MessageState, &'static str);

pub(crate) struct Attempt {
    pub(crate) engine: Arc<Engine>,
    pub(crate) row: Arc<SessionRow>,
    pub(crate) agent: Arc<Manifest>,
    /// The keeper that it was typed through: another one's screen says nothing of it.
    pub(crate) incarnation: String,
    pub(crate) message: i64,
    pub(crate) text: Arc<str>,
}

/// How far the typing of a message came.
pub(crate) enum Typed {
    /// Not begun: something changed meanwhile.
    Nothing,
    /// The program took nothing of it.
    Refused(String),
    /// Somewhere in it the keeper stopped answering.
    Unanswered(Attempt),
    /// A question opened before its Enter.
    Beside(Attempt),
    /// To its end; with the bytes of output until then.
    Entered(Attempt, u64),
}

/// Types a message, if all is as it was, and waits until it is known what became of it.
pub async fn deliver(
    engine: &Arc<Engine>,
    row: &Arc<SessionRow>,
    message: &MessageRow,
) -> Result<Outcome, ApiError> {
    let mut signals = Signals::of(engine, &row.id);
    // A task of its own: an engine that hands over waits for it, so that no text is left without its
    // Enter. What comes behind may be cut: the agent's hook tells the next engine.
    let typed = tokio::spawn(enter(Arc::clone(engine), Arc::clone(row), message.id));
    let typed = typed
        .await
        .map_err(|error| ApiError::failed("typing a message broke", error))?;
    match typed? {
        Typed::Nothing => Ok(Outcome::Over),
        Typed::Refused(why) => Ok(Outcome::Refused(why)),
        Typed::Unanswered(attempt) => attempt.over(UNANSWERED).await,
        Typed::Beside(attempt) => attempt.beside_question(&mut signals).await,
        Typed::Entered(attempt, before) => {
            let end = attempt.taken(&mut signals, before).await;
            attempt.over(end).await
        }
    }
}

/// Types a message up to and including its Enter.
async fn enter(engine: Arc<Engine>, row: Arc<SessionRow>, message: i64) -> Result<Typed, ApiError> {
    let agent = engine.agent(&row.agent)?;
    let link = screen::link(&engine, &row)?;
    let live = engine.runtimes.of(&row.id);
    let _one_at_a_time = live.typing.lock().await;
    // Waiting for the turn may have taken a while.
    let left = mailbox::left(&engine.ledger.state(), &row.id);
    let shown = screen::look(&engine, &row.id, &link).await;
    let shown = shown.map_err(crate::state::error::keeper)?;
    let last = mailbox::last_prompt(&engine.ledger.state(), &row.id);
    let to_draw = delivery::to_draw(&row, Timestamp::now());
    if delivery::by_screen(&agent, to_draw, &shown, &left, last.as_deref()) != Ready::Yes {
        return Ok(Typed::Nothing);
    }
    let begun = engine
        .ledger
        .write(|draft| message_state::begin(draft, &row, message));
    let Some(text) = begun.await? else {
        return Ok(Typed::Nothing);
    };
    point("message-noted");
    let typed = downbeat_agents::message_bytes(&agent, &text);
    let body = typed.strip_suffix(ENTER.as_bytes()).unwrap_or(&typed).to_vec();
    let attempt = Attempt {
        agent,
        incarnation: link.hello().incarnation.clone(),
        message,
        text: text.into(),
        engine: Arc::clone(&engine),
        row,
    };
    match link.input(body).await {
        Ok(()) => {}
        Err(downbeat_keeper::Error::Refused(why)) => return Ok(Typed::Refused(why)),
        Err(_) => return Ok(Typed::Unanswered(attempt)),
    }
    point("message-typed");
    tokio::time::sleep(SETTLED).await;
    let before = match screen::asks(&engine, &attempt.row, &link).await {
        Ok(false) => link.text(1).await.map_or(u64::MAX, |text| text.seq),
        Ok(true) => return Ok(Typed::Beside(attempt)),
        Err(_) => return Ok(Typed::Unanswered(attempt)),
    };
    if link.input(ENTER.into()).await.is_err() {
        return Ok(Typed::Unanswered(attempt));
    }
    point("message-entered");
    if at_once::went_on(&engine, &attempt.row, &attempt.agent, &link, before).await {
        return attempt.over(WENT_ON).await.map(|_| Typed::Nothing);
    }
    Ok(Typed::Entered(attempt, before))
}

const UNANSWERED: End = (
    MessageState::Uncertain,
    "its terminal did not answer while it was typed",
);

const ENDED: End = (
    MessageState::Uncertain,
    "the session ended before the agent showed that it took it",
);

const DONE_WITH: End = (
    MessageState::Delivered,
    "typed, and its program ended well after Enter: all that this agent tells",
);

const UNTOLD: End = (
    MessageState::Uncertain,
    "typed; nothing shows that the agent took it",
);

const NOT_SENT: End = (
    MessageState::Failed,
    "Enter did not send it; it was taken out of its prompt again",
);

const STANDS: End = (
    MessageState::Uncertain,
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

impl Attempt {
    pub(crate) fn id(&self) -> &SessionId {
        &self.row.id
    }

    pub(crate) async fn over(&self, (state, detail): End) -> Result<Outcome, ApiError> {
        let written = self
            .engine
            .ledger
            .write(|draft| message_state::set(draft, self.id(), self.message, state, detail));
        written.await?;
        point("message-delivered");
        Ok(Outcome::Over)
    }

    /// The keeper's handle as it is now: a connection that broke is made anew.
    pub(crate) fn link(&self) -> Option<Link> {
        let link = self.engine.runtimes.of(self.id()).link();
        link.filter(|link| link.hello().incarnation == self.incarnation)
    }

    pub(crate) async fn shown(&self) -> Option<Text> {
        let link = self.link()?;
        screen::look(&self.engine, self.id(), &link).await.ok()
    }

    /// Whether a question is open; `None` where nobody can say.
    pub(crate) async fn asks(&self) -> Option<bool> {
        let link = self.link()?;
        screen::asks(&self.engine, &self.row, &link).await.ok()
    }

    pub(crate) async fn press(&self, key: &str) -> bool {
        let Some(link) = self.link() else {
            return false;
        };
        let pressed = link.input(key.into()).await;
        if let Err(error) = &pressed {
            tracing::debug!(session = %self.id(), "a key was not pressed: {error}");
        }
        pressed.is_ok()
    }

    /// Whether the run that it was typed into is over.
    fn is_over(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        let link = self.engine.runtimes.of(self.id()).link();
        row.is_none_or(|row| row.status.is_ended())
            || link.is_some_and(|link| link.hello().incarnation != self.incarnation)
    }

    /// Whether the program, which tells nothing by hooks, came to its end by itself: `exit` in a shell.
    fn ended_well(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        !self.agent.has_hooks()
            && row.is_some_and(|row| {
                row.status_evidence.source == EvidenceSource::Process && row.exit_code == Some(0)
            })
    }

    fn is_typing(&self) -> bool {
        is_typing(&self.engine, self.id(), self.message)
    }

    pub(crate) fn works(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        row.is_some_and(|row| row.status == Status::Running)
    }

    /// Whether the text stands in the prompt; `None` where that cannot be seen.
    pub(crate) fn stands(&self, shown: &Text) -> Option<bool> {
        let prompt = downbeat_agents::prompt_text(&self.agent, &shown.text)?;
        Some(downbeat_agents::prompt_holds(&self.agent, &prompt, &self.text))
    }

    /// Whether what stands in the prompt is ours alone: our Enter was lost, and nobody pressed a key
    /// since.
    fn is_ours(&self, shown: &Text) -> bool {
        shown.typed.is_none() && self.stands(shown) == Some(true)
    }

    /// A question opened between the text and its Enter: Enter would answer it. Once it is
    /// answered the prompt shows whether the text is still there.
    async fn beside_question(&self, signals: &mut Signals) -> Result<Outcome, ApiError> {
        let noted =
            |draft: &mut _| message_state::set(draft, self.id(), self.message, MessageState::Typing, BESIDE);
        self.engine.ledger.write(noted).await?;
        let (mut within, mut until) = (None, None);
        loop {
            signals.next(within).await;
            if self.is_over() {
                return self.over(UNSENT).await;
            }
            (within, until) = match self.asks().await {
                Some(false) if !self.works() => (Some(SETTLED), until.or(Some(Instant::now() + SHOWN))),
                Some(false) => (None, until),
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
                _ if delivery::hands_on(&shown).is_some() => continue,
                None if Instant::now() < until => continue,
                Some(true) => {}
                Some(false) if !delivery::drafts(&self.agent, &shown) => {
                    return Ok(Outcome::Refused("a question took what was typed".into()));
                }
                _ => return self.over(SWALLOWED).await,
            }
            if !self.press(ENTER).await {
                return self.over(UNANSWERED).await;
            }
            drop(one_at_a_time);
            let end = self.taken(signals, shown.seq).await;
            return self.over(end).await;
        }
    }

    /// Waits until it is known what became of a message whose Enter was pressed. `before` is the
    /// output until then.
    pub(crate) async fn taken(&self, signals: &mut Signals, before: u64) -> End {
        let (mut presses, mut until) = (1, Instant::now() + SHOWN);
        let mut late = Instant::now() + LATE;
        loop {
            signals
                .next(Some(until.saturating_duration_since(Instant::now())))
                .await;
            if !self.is_typing() {
                // Already written down, with what the hook told.
                return UNTOLD;
            }
            if self.is_over() {
                return if self.ended_well() { DONE_WITH } else { ENDED };
            }
            let is_due = Instant::now() >= until;
            if self.agent.has_hooks() && !is_due {
                continue;
            }
            let Some(shown) = self.shown().await else {
                // Its keeper is not connected now, or does not answer: nothing was seen.
                if Instant::now() >= late {
                    return UNTOLD;
                }
                if is_due {
                    until = Instant::now() + SHOWN;
                }
                continue;
            };
            match (self.stands(&shown), self.agent.has_hooks()) {
                _ if self.is_ours(&shown) && !is_due => {}
                _ if self.is_ours(&shown) && presses >= PRESSES => return self.take_out().await,
                _ if self.is_ours(&shown) => {
                    presses += u32::from(self.press_enter().await);
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

    /// Presses Enter once more; not where that would answer a question, nor where somebody typed
    /// meanwhile: it would send what is theirs. False where it was not pressed.
    async fn press_enter(&self) -> bool {
        let live = self.engine.runtimes.of(self.id());
        let _one_at_a_time = live.typing.lock().await;
        self.asks().await == Some(false)
            && self.shown().await.is_some_and(|shown| self.is_ours(&shown))
            && self.press(ENTER).await
    }

    /// Enter does not send it: takes it out of the prompt, so that nothing is sent together with it.
    pub(crate) async fn take_out(&self) -> End {
        let live = self.engine.runtimes.of(self.id());
        let _one_at_a_time = live.typing.lock().await;
        let is_ours = self.is_typing() && self.shown().await.is_some_and(|shown| self.is_ours(&shown));
        let Some(link) = self.link() else {
            return STANDS;
        };
        if !is_ours || self.asks().await != Some(false) {
            return STANDS;
        }
        let ours = |shown: &Text| self.is_ours(shown);
        match given_back::empty(&self.engine, self.id(), &self.agent, &link, ours).await {
            Ok(true) => NOT_SENT,
            _ => STANDS,
        }
    }
}

/// Interrupts the turn that goes on, by the agent's own keys, for the message `next` or for a pause.
/// False where it does not stop.
pub async fn interrupt(
    engine: &Engine,
    row: &SessionRow,
    signals: &mut Signals,
    next: Option<i64>,
) -> Result<bool, ApiError> {
    let (agent, link) = (engine.agent(&row.agent)?, screen::link(engine, row)?);
    let works = || {
        let row = engine.ledger.session(&row.id);
        row.is_some_and(|row| pause::goes_on(&row, Timestamp::now()))
    };
    // An engine that died may have pressed the key already.
    given_back::look_behind(engine, &row.id).await?;
    tokio::time::sleep(begins_for(engine, &row.id)).await;
    for _ in 0..INTERRUPTS {
        if !works() {
            return Ok(true);
        }
        let live = engine.runtimes.of(&row.id);
        let one_at_a_time = live.typing.lock().await;
        for (at, key) in agent.interrupt.iter().enumerate() {
            if at > 0 {
                tokio::time::sleep(BETWEEN_KEYS).await;
            }
            // The key would deny a question.
            if !works() || screen::asks(engine, row, &link).await? {
                break;
            }
            link.input(key.bytes().into())
                .await
                .map_err(crate::state::error::keeper)?;
            point("message-interrupted");
        }
        drop(one_at_a_time);
        if engine.ledger.owes().await {
            // Its end is not heard while nothing can be written, and the key is not pressed at rest.
            return Ok(true);
        }
        let until = Instant::now() + RESTS;
        while works() && Instant::now() < until {
            let rest = until.saturating_duration_since(Instant::now());
            signals.next(Some(rest)).await;
        }
        if !works() {
            given_back::take(engine, row, &agent, &link, next).await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// How long the turn that goes on is still to be left alone: see [`BEGINS`].
fn begins_for(engine: &Engine, id: &SessionId) -> Duration {
    let row = engine.ledger.session(id);
    let began = row.and_then(|row| row.observed.as_ref().map(|seen| seen.since));
    let state = engine.ledger.state();
    let queue = state.queues.get(id).into_iter().flat_map(|queue| queue.iter());
    let taken = queue.filter(|row| row.state == MessageState::Delivered);
    let at = began.max(taken.map(|row| row.changed_at).max());
    at.map_or(Duration::ZERO, |at| begins(at, Timestamp::now()))
}

/// The same of a turn that began then. Pure.
fn begins(at: Timestamp, now: Timestamp) -> Duration {
    let age = Duration::try_from(now.duration_since(at)).unwrap_or_default();
    BEGINS.saturating_sub(age)
}

#[cfg(test)]
mod tests {
    use super::begins;
    use jiff::Timestamp;
    use std::time::Duration;

    #[test]
    fn a_turn_that_has_just_begun_is_left_alone() {
        let at = |milliseconds| Timestamp::from_millisecond(milliseconds).unwrap();
        for (now, rest) in [(0, 1500), (400, 1100), (1500, 0), (90_000, 0), (-5, 1500)] {
            assert_eq!(begins(at(0), at(now)), Duration::from_millis(rest), "{now}");
        }
    }
}
