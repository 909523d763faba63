//! Attention: decides whether a session needs the person, why, and since when. Pure, and the only place that
//! decides it: every face shows and counts what comes from here. Not the reason why a session is not working
//! (see `reason.rs`): most such reasons end by themselves.

use crate::lines::first_line;
use crate::message::MessageState;
use crate::session::Exchanges;
use crate::status::{Question, QuestionKind, Status};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The kind of thing that the person has to see to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// A question is open.
    Question,
    /// The agent cannot continue by itself: invalid key, full context, no network.
    Blocked,
    /// A usage limit holds the session, which does not continue by itself once the limit is over.
    Limit,
    /// A budget paused the session.
    Budget,
    /// The set-up failed; the agent was not started.
    SetupFailed,
    /// The session could not be started, or was lost.
    Errored,
    /// A message was not delivered, or nothing shows whether it was.
    Message,
    /// It and its conductor exchange messages, and its code does not change.
    NoProgress,
}

impl AttentionKind {
    /// Returns the kind in words, for use if no reason is known.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Question => "asks",
            Self::Blocked => "cannot continue",
            Self::Limit => "hit a usage limit",
            Self::Budget => "is over its budget",
            Self::SetupFailed => "set-up failed",
            Self::Errored => "failed",
            Self::Message => "a message was not delivered",
            Self::NoProgress => "makes no progress with its conductor",
        }
    }
}

/// Why a session needs the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Attention {
    /// The kind of thing that the person has to see to.
    pub kind: AttentionKind,
    /// Why, in one line: `Bash: npm run migrate:dev`.
    pub why: String,
    /// The time since which it needs the person.
    #[ts(type = "string")]
    pub since: Timestamp,
}

/// The facts of a session that decide whether it needs the person.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    /// The session's status.
    pub status: Status,
    /// The time since which it has that status.
    pub since: Timestamp,
    /// Whether the session is archived: then nothing about it is urgent.
    pub is_archived: bool,
    /// Whether a budget paused it.
    pub is_over_budget: bool,
    /// The open question, if there is one.
    pub question: Option<&'a Question>,
    /// The usage limit that holds the session, if one does: how it ends.
    pub limit: Option<Ends>,
    /// The reason why the session is not working, in one line, if known.
    pub reason: Option<&'a str>,
    /// The oldest message that did not arrive, or whose arrival is unknown.
    pub message: Option<Troubled<'a>>,
    /// The exchanges with its conductor that lead nowhere, if the person was told about them.
    pub exchanges: Option<&'a Exchanges>,
}

/// The way in which a usage limit ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The session continues by itself at a known time.
    ByItself,
    /// Someone has to send a message, or to find out when the limit is over.
    BySomeone,
}

/// A message that did not arrive, or whose arrival is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Troubled<'a> {
    /// The state of the message.
    pub state: MessageState,
    /// The text of the message.
    pub text: &'a str,
    /// The time since which the message has that state.
    pub since: Timestamp,
}

/// Returns whether a message in this state needs the person. A message that an interrupt gave back does not:
/// whoever interrupted knows about it.
#[must_use]
pub fn is_troubled(state: MessageState) -> bool {
    matches!(state, MessageState::Uncertain | MessageState::Failed)
}

/// Decides whether a session needs the person: it cannot continue without someone, or a message to it may be
/// lost.
#[must_use]
pub fn attention(known: &Known<'_>) -> Option<Attention> {
    if known.is_archived {
        return None;
    }
    if let Some(kind) = kind_of(known) {
        let why = known.reason.unwrap_or(kind.describe()).to_owned();
        return Some(Attention {
            kind,
            why,
            since: known.since,
        });
    }
    if matches!(known.status, Status::Exited | Status::Killed) {
        return None;
    }
    let message = known.message.filter(|message| is_troubled(message.state));
    let lost = message.map(|message| Attention {
        kind: AttentionKind::Message,
        why: message.describe(),
        since: message.since,
    });
    lost.or_else(|| no_progress(known.exchanges?))
}

/// Returns why exchanges with a conductor need the person, if the person was told about them.
fn no_progress(exchanges: &Exchanges) -> Option<Attention> {
    Some(Attention {
        kind: AttentionKind::NoProgress,
        why: exchanges.describe(),
        since: exchanges.raised_at?,
    })
}

/// Decides by the status alone, and the question or limit behind it.
fn kind_of(known: &Known<'_>) -> Option<AttentionKind> {
    match known.status {
        Status::SetupFailed => Some(AttentionKind::SetupFailed),
        Status::Errored => Some(AttentionKind::Errored),
        Status::Paused => known.is_over_budget.then_some(AttentionKind::Budget),
        Status::Waiting => match (known.limit, known.question) {
            (Some(Ends::ByItself), _) => None,
            (Some(Ends::BySomeone), _) => Some(AttentionKind::Limit),
            (None, Some(question)) if question.kind != QuestionKind::Blocked => Some(AttentionKind::Question),
            (None, _) => Some(AttentionKind::Blocked),
        },
        Status::Queued
        | Status::Spawning
        | Status::Running
        | Status::Idle
        | Status::Unknown
        | Status::Exited
        | Status::Killed => None,
    }
}

/// The longest beginning of a message that is quoted, in characters.
const QUOTED: usize = 60;

impl Troubled<'_> {
    fn describe(&self) -> String {
        let line = first_line(self.text);
        let text = match line.char_indices().nth(QUOTED) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line.to_owned(),
        };
        match self.state {
            MessageState::Uncertain => format!("a message may not have arrived: {text}"),
            _ => format!("a message was not delivered: {text}"),
        }
    }
}

#[cfg(test)]
#[path = "attention_tests.rs"]
mod tests;
