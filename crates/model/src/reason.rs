//! Why a session is not at work: one reason, derived from what is known of it, that every face shows
//! as it is. Pure. Not the evidence for a status (see [`crate::status::Evidence`]), which says how we
//! know; a reason says what the session waits for, and until when.

use crate::lines::first_line;
use crate::observe::Observed;
use crate::status::{Activity, Evidence, Status};
use crate::tools::ToolsState;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Longest text of a reason, in characters. An agent may print a page as its error.
const MAX_TEXT: usize = 300;

/// What kind of thing a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// A question is open; `question` has its answers.
    Question,
    /// A usage limit has to end.
    Limit,
    /// The agent failed and tries again by itself.
    Retrying,
    /// The agent failed and does not go on by itself: invalid key, full context, no network.
    Failed,
    /// It is held back, by the person or by a budget.
    Paused,
    /// A cap on sessions holds it back, or a session above it does.
    Queued,
    /// It is being made, set up or started.
    Starting,
    /// Its set-up failed, or it could not be started.
    NotStarted,
    /// It works, and nothing new was seen for long.
    Stuck,
    /// Its folder is not there.
    NoFolder,
}

/// Why a session is not at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// What kind of reason it is.
    pub kind: ReasonKind,
    /// The reason in one line: `cannot go on: Invalid API key`.
    pub text: String,
    /// When it ends by itself, where that is known: the next try, the end of a limit.
    #[ts(type = "string | null")]
    pub until: Option<Timestamp>,
}

/// A session's place among those that wait for the same limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InLine {
    /// What holds it back: `the limit of 8 workers per conductor`.
    pub held_by: String,
    /// Its place, from 1; 0 where there is no order.
    pub place: u32,
}

/// What a reason is derived from.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    /// The one word.
    pub status: Status,
    /// What that rests on.
    pub evidence: &'a Evidence,
    /// What was observed of its agent.
    pub seen: Option<&'a Observed>,
    /// What went wrong, where something did.
    pub error: Option<&'a str>,
    /// Why it is held back, where it is.
    pub pause: Option<&'a str>,
    /// When it goes on after a usage limit, where that is known.
    pub limit_over: Option<Timestamp>,
    /// What it waits for to be started.
    pub line: Option<InLine>,
    /// The step of its start that runs: its name, and what it does.
    pub step: Option<(&'a str, &'a str)>,
    /// The name of its agent, as people read it.
    pub agent: &'a str,
    /// Its folder, where that is not there.
    pub missing: Option<&'a str>,
}

/// Why a session is not at work; `None` where it is, where it is idle, and where it is over.
#[must_use]
pub fn reason(known: &Known<'_>) -> Option<Reason> {
    let plain = |kind, text: &str| Some(Reason::new(kind, text, None));
    let is_up = !matches!(known.status, Status::Queued | Status::Spawning);
    if let Some(folder) = known.missing.filter(|_| known.status.is_live() && is_up) {
        // Whatever else it waits for: it can do nothing without.
        return plain(
            ReasonKind::NoFolder,
            &format!("its folder is not there: {folder}"),
        );
    }
    match known.status {
        Status::Queued => plain(ReasonKind::Queued, &queued(known)),
        Status::Spawning => plain(ReasonKind::Starting, &starting(known)),
        Status::SetupFailed | Status::Errored => {
            let detail = known.error.unwrap_or(&known.evidence.detail);
            plain(ReasonKind::NotStarted, detail)
        }
        Status::Waiting => waiting(known),
        Status::Paused => plain(ReasonKind::Paused, &paused(known)),
        Status::Running => running(known),
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

fn queued(known: &Known<'_>) -> String {
    match &known.line {
        Some(InLine { held_by, place: 0 }) => format!("waits for {held_by}"),
        Some(InLine { held_by, place: 1 }) => format!("waits for {held_by}, next in line"),
        Some(InLine { held_by, place }) => format!("waits for {held_by}, number {place} in line"),
        None => known.evidence.detail.clone(),
    }
}

fn starting(known: &Known<'_>) -> String {
    let agent = known.agent;
    match known.step {
        Some(("checkout", _)) => "making its worktree".to_owned(),
        Some(("copy", _)) => "copying files into its worktree".to_owned(),
        Some(("setup", "")) => "set-up".to_owned(),
        Some(("setup", command)) => format!("set-up: {command}"),
        Some(_) => format!("{agent} is starting"),
        None if is_up(known) => {
            let tools = known.seen.and_then(|seen| seen.tools).and_then(ToolsState::lacks);
            tools.unwrap_or("its first prompt is about to be sent").to_owned()
        }
        None => format!("{agent} is about to start"),
    }
}

/// Whether its agent is at its prompt.
fn is_up(known: &Known<'_>) -> bool {
    known.seen.is_some_and(|seen| seen.activity == Activity::Ready)
}

fn waiting(known: &Known<'_>) -> Option<Reason> {
    let seen = known.seen?;
    if let Some(question) = seen.question() {
        return Some(Reason::new(ReasonKind::Question, &question.text, None));
    }
    blocked(known, seen).or_else(|| Some(Reason::new(ReasonKind::Failed, &known.evidence.detail, None)))
}

/// Why its agent cannot go on.
fn blocked(known: &Known<'_>, seen: &Observed) -> Option<Reason> {
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
        return Some(Reason::new(ReasonKind::Retrying, &retry.says(), retry.at));
    }
    let why = seen.blocked.as_deref()?;
    Some(Reason::new(
        ReasonKind::Failed,
        &format!("cannot go on: {}", first_line(why)),
        None,
    ))
}

/// The pause first, since that is what holds it back; then what it would wait for without.
fn paused(known: &Known<'_>) -> String {
    let why = known.pause.unwrap_or(&known.evidence.detail);
    let seen = known
        .seen
        .filter(|seen| matches!(seen.activity, Activity::WaitingInput | Activity::Blocked));
    let behind = seen.and_then(|seen| match seen.question() {
        Some(question) => Some(format!("asks: {}", first_line(&question.text))),
        None => blocked(known, seen).map(|reason| reason.text),
    });
    match behind {
        Some(behind) => format!("{why}; {behind}"),
        None => why.to_owned(),
    }
}

fn running(known: &Known<'_>) -> Option<Reason> {
    let seen = known.seen?;
    if let Some(retry) = &seen.retry {
        return Some(Reason::new(ReasonKind::Retrying, &retry.says(), retry.at));
    }
    let stuck = seen.stuck.as_ref()?;
    let text = format!("seems stuck: {}", stuck.detail);
    Some(Reason::new(ReasonKind::Stuck, &text, None))
}

#[cfg(test)]
#[path = "reason_tests.rs"]
mod tests;
