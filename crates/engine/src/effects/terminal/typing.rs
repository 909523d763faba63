//! Types one message and finds out whether the agent took it; interrupts a turn for a message that is to be
//! delivered now. Whether typing is allowed is decided before: see [`crate::decide::delivery`].

use crate::decide::delivery::Ready;
use crate::decide::entered::{
    self, AfterQuestion, End, Known, NOT_SENT, Next, Prompt, SCREEN_CHANGED, SHOWN, STANDS, SWALLOWED,
    UNANSWERED, UNSENT, Wait,
};
use crate::decide::{delivery, mailbox, message_state, pause};
use crate::effects::terminal::signals::{Signals, is_typing};
use crate::effects::terminal::{accepted, given_back};
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

/// The pause between a message's text and the check for an open question; a question that was drawn before
/// the text is visible by then.
const SETTLED: Duration = Duration::from_millis(150);

/// The pause between the keys of one interrupt: agents first draw a request for another key.
const BETWEEN_KEYS: Duration = Duration::from_millis(300);

/// How long a turn runs before it may be interrupted. Claude Code reports a prompt before it adds it to its
/// conversation; a turn that is interrupted in between leaves its message neither there nor in the prompt.
const BEGINS: Duration = Duration::from_millis(1500);

/// How long a turn may take to end after an interrupt.
const RESTS: Duration = Duration::from_secs(8);

/// The maximum number of interrupts of one turn.
const INTERRUPTS: u32 = 3;

/// The outcome of an attempt to type a message.
pub enum Outcome {
    /// The outcome is recorded.
    Over,
    /// The program certainly took nothing of the message.
    Refused(String),
}

pub(crate) struct Attempt {
    pub(crate) engine: Arc<Engine>,
    pub(crate) row: Arc<SessionRow>,
    pub(crate) agent: Arc<Manifest>,
    /// The keeper that the message was typed through. The screen of a later one says nothing about it.
    pub(crate) incarnation: String,
    pub(crate) message: i64,
    pub(crate) text: Arc<str>,
}

/// The progress of typing a message.
pub(crate) enum Typed {
    /// Nothing was typed, because something had changed, or the outcome is already recorded.
    Nothing,
    /// The program took nothing of it.
    Refused(String),
    /// The keeper stopped answering before the end.
    Unanswered(Attempt),
    /// A question opened before Enter was pressed.
    Beside(Attempt),
    /// All of it was typed; with the output position at Enter.
    Entered(Attempt, u64),
}

/// Types a message if the session is still ready for it, and waits until its outcome is known.
pub async fn deliver(
    engine: &Arc<Engine>,
    row: &Arc<SessionRow>,
    message: &MessageRow,
) -> Result<Outcome, ApiError> {
    let mut signals = Signals::of(engine, &row.id);
    // In a task of its own, which a handover waits for, so that no text is left without its Enter. The wait
    // below may be cut short: the agent's hook reports to the next engine.
    let typed = tokio::spawn(enter(Arc::clone(engine), Arc::clone(row), message.id));
    let typed = typed
        .await
        .map_err(|error| ApiError::failed("typing a message failed unexpectedly", error))?;
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
    // The screen may have changed while this waited for the lock.
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
    if accepted::screen_moved(&engine, &attempt.row, &attempt.agent, &link, before).await {
        return attempt.over(SCREEN_CHANGED).await.map(|_| Typed::Nothing);
    }
    Ok(Typed::Entered(attempt, before))
}

/// The detail of a message whose Enter was held back because a question opened.
const BESIDE: &str = "typed but not sent: a question opened; it waits for the answer";

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

    /// Returns the current handle of the same keeper; a broken connection is renewed.
    pub(crate) fn link(&self) -> Option<Link> {
        let link = self.engine.runtimes.of(self.id()).link();
        link.filter(|link| link.hello().incarnation == self.incarnation)
    }

    pub(crate) async fn shown(&self) -> Option<Text> {
        let link = self.link()?;
        screen::look(&self.engine, self.id(), &link).await.ok()
    }

    /// Whether a question is open; `None` if that cannot be determined.
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

    /// Whether the run that the message was typed into is over.
    fn is_over(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        let link = self.engine.runtimes.of(self.id()).link();
        row.is_none_or(|row| row.status.is_ended())
            || link.is_some_and(|link| link.hello().incarnation != self.incarnation)
    }

    /// Whether a program without hooks exited by itself with code 0, as a shell does after `exit`.
    fn ended_well(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        !self.agent.has_hooks()
            && row.is_some_and(|row| {
                row.status_evidence.source == EvidenceSource::Process && row.exit_code == Some(0)
            })
    }

    pub(crate) fn works(&self) -> bool {
        let row = self.engine.ledger.session(self.id());
        row.is_some_and(|row| row.status == Status::Running)
    }

    fn prompt(&self, before: u64, shown: &Text) -> Prompt {
        Prompt::read(&self.agent, &self.text, before, shown)
    }

    fn known(&self) -> Known {
        Known {
            is_typing: is_typing(&self.engine, self.id(), self.message),
            is_over: self.is_over(),
            ended_well: self.ended_well(),
            has_hooks: self.agent.has_hooks(),
            works: self.works(),
        }
    }

    /// Whether the prompt contains only our text: our Enter was lost, and nobody pressed a key since.
    fn is_ours(&self, shown: &Text) -> bool {
        self.prompt(0, shown) == Prompt::Holds
    }

    /// Handles a question that opened between the text and its Enter, which would answer the question. After
    /// the answer, the prompt shows whether the text is still there.
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
            let waited = Instant::now() >= until;
            match entered::after_question(&self.agent, &self.text, &shown, waited) {
                AfterQuestion::Wait => continue,
                AfterQuestion::Press => {}
                AfterQuestion::Again => {
                    return Ok(Outcome::Refused("a question received what was typed".into()));
                }
                AfterQuestion::Swallowed => return self.over(SWALLOWED).await,
            }
            if !self.press(ENTER).await {
                return self.over(UNANSWERED).await;
            }
            drop(one_at_a_time);
            let end = self.taken(signals, shown.seq).await;
            return self.over(end).await;
        }
    }

    /// Waits until the outcome of a message whose Enter was pressed is known. `before` is the output position
    /// at Enter.
    pub(crate) async fn taken(&self, signals: &mut Signals, before: u64) -> End {
        let (entered, mut wait) = (Instant::now(), Wait::new());
        loop {
            signals.next(Some(wait.rest(entered.elapsed()))).await;
            let known = self.known();
            let mut next = wait.before_look(&known, entered.elapsed());
            if next == Next::Look {
                let shown = self.shown().await;
                let prompt = shown.map_or(Prompt::Unseen, |shown| self.prompt(before, &shown));
                next = wait.after_look(&known, prompt, entered.elapsed());
            }
            match next {
                Next::Wait | Next::Look => {}
                Next::Press => {
                    let pressed = self.press_enter().await;
                    wait.tried(pressed, entered.elapsed());
                }
                Next::TakeOut => return self.take_out().await,
                Next::End(end) => return end,
            }
        }
    }

    /// Presses Enter once more, unless it would answer a question or send what somebody typed meanwhile.
    /// Returns whether the key was pressed.
    async fn press_enter(&self) -> bool {
        let live = self.engine.runtimes.of(self.id());
        let _one_at_a_time = live.typing.lock().await;
        self.asks().await == Some(false)
            && self.shown().await.is_some_and(|shown| self.is_ours(&shown))
            && self.press(ENTER).await
    }

    /// Takes a text that Enter does not send out of the prompt, so that it is not sent together with another.
    pub(crate) async fn take_out(&self) -> End {
        let live = self.engine.runtimes.of(self.id());
        let _one_at_a_time = live.typing.lock().await;
        let is_ours = self.known().is_typing && self.shown().await.is_some_and(|shown| self.is_ours(&shown));
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

/// Interrupts the running turn with the agent's own keys, for the message `next` or for a pause. Returns
/// false if the turn does not stop.
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
            // Without writes the end of the turn is not recorded, and the key must not be pressed while the
            // agent is idle.
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

/// Returns how long the running turn is still to be left alone: see [`BEGINS`].
fn begins_for(engine: &Engine, id: &SessionId) -> Duration {
    let row = engine.ledger.session(id);
    let began = row.and_then(|row| row.observed.as_ref().map(|seen| seen.since));
    let state = engine.ledger.state();
    let queue = state.queues.get(id).into_iter().flat_map(|queue| queue.iter());
    let taken = queue.filter(|row| row.state == MessageState::Delivered);
    let at = began.max(taken.map(|row| row.changed_at).max());
    at.map_or(Duration::ZERO, |at| begins(at, Timestamp::now()))
}

/// Returns the rest of [`BEGINS`] for a turn that began at `at`. Pure.
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
