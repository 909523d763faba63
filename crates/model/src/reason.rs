//! Reasons: derives the one reason why a session is not working, which every face shows unchanged. Pure.
//! Not the evidence for a status, which says how the status is known: a reason says what the session
//! waits for, and until when.

use crate::lines::first_line;
use crate::observe::Observed;
use crate::status::{Activity, Evidence, Status};
use crate::tools::ToolsState;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The longest text of a reason, in characters. An agent may print a page as its error.
const MAX_TEXT: usize = 300;

/// The kind of thing that a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// A question is open; `question` has its answers.
    Question,
    /// A usage limit has to end.
    Limit,
    /// The agent's model failed, and the agent asks it again by itself.
    Retrying,
    /// The agent cannot continue by itself: invalid key, full context, no network.
    Failed,
    /// A person or a budget holds the session back.
    Paused,
    /// A cap on sessions, or a paused session above, holds the session back.
    Queued,
    /// The session is being created, set up or started.
    Starting,
    /// The set-up failed, or the session could not be started.
    NotStarted,
    /// The agent works, and nothing new was seen for long.
    Stuck,
    /// The session's folder is missing.
    NoFolder,
}

/// The reason why a session is not working.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// The kind of the reason.
    pub kind: ReasonKind,
    /// The reason in one line: `cannot continue: Invalid API key`.
    pub text: String,
    /// The time at which the reason ends by itself, if that is known: the next try, the end of a limit.
    #[ts(type = "string | null")]
    pub until: Option<Timestamp>,
}

/// A session's place among those that wait for the same limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInLine {
    /// The limit that holds the session back: `the limit of 8 workers per conductor`.
    pub held_by: String,
    /// The place of the session, from 1; 0 if there is no order.
    pub place: u32,
}

/// The facts of a session from which its reason is derived.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    /// The session's status.
    pub status: Status,
    /// The evidence for the status.
    pub evidence: &'a Evidence,
    /// The observation of its agent.
    pub seen: Option<&'a Observed>,
    /// The error that ended the session or its start.
    pub error: Option<&'a str>,
    /// The cause of the pause, if the session is paused.
    pub pause: Option<&'a str>,
    /// The time at which the session continues after a usage limit, if that is known.
    pub limit_over: Option<Timestamp>,
    /// The session's place in the queue, if it is queued.
    pub line: Option<PlaceInLine>,
    /// The current step of its start: its name and its command.
    pub step: Option<(&'a str, &'a str)>,
    /// The name of its agent, as people read it.
    pub agent: &'a str,
    /// The session's folder, if it is missing.
    pub missing: Option<&'a str>,
}

/// Derives why a session is not working; `None` if it is working, idle or over.
#[must_use]
pub fn reason(known: &Known<'_>) -> Option<Reason> {
    let plain = |kind, text: &str| Some(Reason::new(kind, text, None));
    let is_made = !matches!(known.status, Status::Queued | Status::Spawning);
    if let Some(folder) = known.missing.filter(|_| known.status.is_live() && is_made) {
        // Without its folder a session can do nothing, whatever else it waits for.
        return plain(ReasonKind::NoFolder, &format!("its folder is missing: {folder}"));
    }
    match known.status {
        Status::Queued => plain(ReasonKind::Queued, &why_queued(known)),
        Status::Spawning => plain(ReasonKind::Starting, &why_starting(known)),
        Status::SetupFailed | Status::Errored => {
            let detail = known.error.unwrap_or(&known.evidence.detail);
            plain(ReasonKind::NotStarted, detail)
        }
        Status::Waiting => why_waiting(known),
        Status::Paused => plain(ReasonKind::Paused, &why_paused(known)),
        Status::Running => why_running(known),
        Status::Idle | Status::Unknown | Status::Exited | Status::Killed => None,
    }
}

impl Reason {
    fn new(kind: ReasonKind, text: &str, until: Option<Timestamp>) -> Self {
        let line = first_line(text);
        let text = match line.char_indices().nth(MAX_TEXT) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line.to_owned(),
        };
        Self { kind, text, until }
    }
}

/// Names the limit that holds a session back, and its place in line.
fn why_queued(known: &Known<'_>) -> String {
    match &known.line {
        Some(PlaceInLine { held_by, place: 0 }) => format!("held back by {held_by}"),
        Some(PlaceInLine { held_by, place: 1 }) => format!("held back by {held_by}, next in line"),
        Some(PlaceInLine { held_by, place }) => format!("held back by {held_by}, number {place} in line"),
        None => known.evidence.detail.clone(),
    }
}

/// Names the current step of the start, or what it waits for.
fn why_starting(known: &Known<'_>) -> String {
    let agent = known.agent;
    match known.step {
        Some(("checkout", _)) => "creating its worktree".to_owned(),
        Some(("copy", _)) => "copying files into its worktree".to_owned(),
        Some(("setup", "")) => "set-up".to_owned(),
        Some(("setup", command)) => format!("set-up: {command}"),
        Some(_) => format!("{agent} is starting"),
        None if is_at_prompt(known) => {
            let tools = known.seen.and_then(|seen| seen.tools).and_then(ToolsState::lacks);
            tools.unwrap_or("its first prompt is about to be sent").to_owned()
        }
        None => format!("{agent} is about to start"),
    }
}

/// Returns whether the agent is at its prompt.
fn is_at_prompt(known: &Known<'_>) -> bool {
    known.seen.is_some_and(|seen| seen.activity == Activity::Ready)
}

/// Names the open question, or the failure that blocks the agent.
fn why_waiting(known: &Known<'_>) -> Option<Reason> {
    let seen = known.seen?;
    if let Some(question) = seen.question() {
        return Some(Reason::new(ReasonKind::Question, &question.text, None));
    }
    why_blocked(known, seen).or_else(|| Some(Reason::new(ReasonKind::Failed, &known.evidence.detail, None)))
}

/// Derives why the agent cannot continue.
fn why_blocked(known: &Known<'_>, seen: &Observed) -> Option<Reason> {
    let retry = seen.retry.as_ref();
    if let Some(limited) = &seen.limit {
        let said = first_line(&limited.limit.text);
        let text = match said {
            "" => "usage limit".to_owned(),
            said => format!("usage limit: {said}"),
        };
        let until = known
            .limit_over
            .or(limited.limit.resets_at)
            .or(retry.and_then(|retry| retry.at));
        return Some(Reason::new(ReasonKind::Limit, &text, until));
    }
    if let Some(retry) = retry {
        return Some(Reason::new(ReasonKind::Retrying, &retry.describe(), retry.at));
    }
    let why = seen.blocked.as_deref()?;
    Some(Reason::new(
        ReasonKind::Failed,
        &format!("cannot continue: {}", first_line(why)),
        None,
    ))
}

/// Names the pause first, since that holds the session back; then what the session would wait for
/// without it.
fn why_paused(known: &Known<'_>) -> String {
    let why = known.pause.unwrap_or(&known.evidence.detail);
    let seen = known
        .seen
        .filter(|seen| matches!(seen.activity, Activity::WaitingInput | Activity::Blocked));
    let behind = seen.and_then(|seen| match seen.question() {
        Some(question) => Some(format!("asks: {}", first_line(&question.text))),
        None => why_blocked(known, seen).map(|reason| reason.text),
    });
    match behind {
        Some(behind) => format!("{why}; {behind}"),
        None => why.to_owned(),
    }
}

/// Names the retry of a working session, or says that the session seems stuck.
fn why_running(known: &Known<'_>) -> Option<Reason> {
    let seen = known.seen?;
    if let Some(retry) = &seen.retry {
        return Some(Reason::new(ReasonKind::Retrying, &retry.describe(), retry.at));
    }
    let stuck = seen.stuck.as_ref()?;
    let text = format!("seems stuck: {}", stuck.detail);
    Some(Reason::new(ReasonKind::Stuck, &text, None))
}

#[cfg(test)]
#[path = "reason_tests.rs"]
mod tests;
