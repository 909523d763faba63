//! Decides what became of a message whose text was typed: whether Enter is pressed, once more or not at all,
//! whether the text is taken out of the prompt, and what is recorded in the end. Times are counted from the
//! first Enter. Types nothing: see `effects/terminal/typing.rs`. Whether a message may be typed is decided in
//! `delivery.rs`.

use crate::decide::delivery;
use downbeat_agents::Manifest;
use downbeat_keeper::Text;
use downbeat_model::MessageState;
use std::time::Duration;

/// How long the agent has to show that it took a message, before its prompt is checked.
pub const SHOWN: Duration = Duration::from_secs(6);

/// How long it has in total if its prompt is empty again, since hooks are slow on a busy machine.
pub const LATE: Duration = Duration::from_secs(30);

/// The maximum number of times that Enter is pressed while the text is still in the prompt.
pub const PRESSES: u32 = 3;

/// The state and detail to record for a message at the end of an attempt.
pub type End = (MessageState, &'static str);

/// The terminal did not answer while it was typed.
pub const UNANSWERED: End = (
    MessageState::Uncertain,
    "its terminal did not respond while it was typed",
);

/// The session ended, and nothing says whether the agent took the message.
pub const ENDED: End = (
    MessageState::Uncertain,
    "the session ended before the agent accepted it",
);

/// A program without hooks took it and exited.
pub const EXITED: End = (
    MessageState::Delivered,
    "typed, and the program exited with code 0 after Enter; this agent reports nothing more",
);

/// Nothing shows whether the agent took it.
pub const UNREPORTED: End = (
    MessageState::Uncertain,
    "typed; nothing shows that the agent accepted it",
);

/// It was typed, not sent, and taken out of the prompt again.
pub const NOT_SENT: End = (
    MessageState::Failed,
    "Enter did not send it; it was removed from the prompt",
);

/// It was typed, not sent, and could not be taken out of the prompt.
pub const STANDS: End = (
    MessageState::Uncertain,
    "it is in the prompt, and Enter does not send it",
);

/// An agent without hooks drew something after Enter.
pub const SCREEN_CHANGED: End = (
    MessageState::Delivered,
    "typed, and the screen changed after Enter; this agent reports nothing more",
);

/// An agent without hooks has it no longer in its prompt.
pub const LEFT_PROMPT: End = (
    MessageState::Delivered,
    "typed, and it left the prompt; this agent reports nothing more",
);

/// A question took what was typed.
pub const SWALLOWED: End = (
    MessageState::Uncertain,
    "a question opened while it was typed; it was not sent, and the visible prompt does not contain it",
);

/// The session ended before anything was typed that an agent could take.
pub const UNSENT: End = (MessageState::Queued, "the session ended before it was sent");

/// What is known of the session and its message without reading the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// Whether the message is still being typed. If not, a hook has recorded its outcome already.
    pub is_typing: bool,
    /// Whether the run that the message was typed into is over.
    pub is_over: bool,
    /// Whether the program has no hooks and exited by itself with code 0, as a shell does after `exit`.
    pub ended_well: bool,
    /// Whether the agent reports the messages that it takes.
    pub has_hooks: bool,
    /// Whether a turn is under way.
    pub works: bool,
}

/// What the prompt of an agent shows of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// The keeper is not connected or does not answer.
    Unseen,
    /// The message's text alone, and nobody pressed a key since: Enter was lost.
    Holds,
    /// The message's text, and somebody pressed keys since.
    HoldsAmongKeys,
    /// Not the message's text.
    Empty,
    /// No prompt is visible. `moved` says whether the screen changed since Enter.
    Hidden { moved: bool },
}

impl Prompt {
    /// Reads the prompt of `agent`. `before` is the output position at Enter.
    pub fn read(agent: &Manifest, message: &str, before: u64, shown: &Text) -> Self {
        let moved = shown.seq > before;
        let prompt = downbeat_agents::prompt_text(agent, &shown.text);
        match prompt.map(|prompt| downbeat_agents::prompt_holds(agent, &prompt, message)) {
            Some(true) if shown.typed.is_none() => Self::Holds,
            Some(true) => Self::HoldsAmongKeys,
            Some(false) => Self::Empty,
            None => Self::Hidden { moved },
        }
    }
}

/// What is done next about a message whose Enter was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Wait until something changes or the next check is due.
    Wait,
    /// Read the screen, and decide again with what the prompt shows.
    Look,
    /// Press Enter once more, because the text is still in the prompt.
    Press,
    /// Take the text out of the prompt, because Enter does not send it.
    TakeOut,
    /// Record the outcome.
    End(End),
}

/// The wait for the outcome of a message whose Enter was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    presses: u32,
    /// When the prompt is checked next.
    due: Duration,
    /// When the wait ends for a prompt that shows nothing of the message.
    late: Duration,
}

impl Wait {
    /// Starts a wait at the first Enter.
    pub const fn new() -> Self {
        Self {
            presses: 1,
            due: SHOWN,
            late: LATE,
        }
    }

    /// Returns how long it is until the next check, at `now`.
    pub const fn rest(&self, now: Duration) -> Duration {
        self.due.saturating_sub(now)
    }

    /// Decides what can be decided without looking at the screen.
    pub fn before_look(&self, known: &Known, now: Duration) -> Next {
        match known {
            Known { is_typing: false, .. } => Next::End(UNREPORTED),
            Known {
                is_over: true,
                ended_well,
                ..
            } => Next::End(if *ended_well { EXITED } else { ENDED }),
            Known { has_hooks: true, .. } if now < self.due => Next::Wait,
            _ => Next::Look,
        }
    }

    /// Decides by what the prompt shows.
    pub fn after_look(&mut self, known: &Known, prompt: Prompt, now: Duration) -> Next {
        let is_due = now >= self.due;
        match prompt {
            Prompt::Unseen if now >= self.late => return Next::End(UNREPORTED),
            Prompt::Unseen if is_due => self.due = now + SHOWN,
            Prompt::Unseen => {}
            Prompt::Holds if !is_due => {}
            Prompt::Holds if self.presses >= PRESSES => return Next::TakeOut,
            Prompt::Holds => return Next::Press,
            Prompt::Empty if !known.has_hooks => return Next::End(LEFT_PROMPT),
            Prompt::Hidden { moved: true } if !known.has_hooks => return Next::End(SCREEN_CHANGED),
            Prompt::Hidden { .. } if !known.has_hooks && is_due => return Next::End(UNREPORTED),
            Prompt::Hidden { .. } if !known.has_hooks => {}
            // The agent takes it when its turn allows, and its hook reports that then.
            _ if known.works => {
                self.late = now + LATE;
                self.due = self.late;
            }
            _ if now >= self.late => return Next::End(UNREPORTED),
            _ => self.due = self.late,
        }
        Next::Wait
    }

    /// Notes that Enter was tried once more. A try does not count if the key could not be `pressed`.
    pub fn tried(&mut self, pressed: bool, now: Duration) {
        self.presses += u32::from(pressed);
        self.due = now + SHOWN;
    }
}

/// What is done about a message whose Enter was held back because a question opened, once the question is
/// answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterQuestion {
    /// Whoever answered may still press keys, or the prompt is not drawn yet.
    Wait,
    /// The text is still in the prompt: press Enter.
    Press,
    /// The question took the text: the message has to be typed again.
    Again,
    /// Nobody can tell where the text is.
    Swallowed,
}

/// Decides by the prompt after a question was answered. `waited` says whether the prompt had [`SHOWN`] to
/// appear.
pub fn after_question(agent: &Manifest, message: &str, shown: &Text, waited: bool) -> AfterQuestion {
    if delivery::hands_on(shown).is_some() {
        return AfterQuestion::Wait;
    }
    match Prompt::read(agent, message, 0, shown) {
        Prompt::Hidden { .. } | Prompt::Unseen if !waited => AfterQuestion::Wait,
        Prompt::Holds | Prompt::HoldsAmongKeys => AfterQuestion::Press,
        Prompt::Empty if !delivery::drafts(agent, shown) => AfterQuestion::Again,
        _ => AfterQuestion::Swallowed,
    }
}

#[cfg(test)]
#[path = "entered_tests.rs"]
mod tests;
