//! Tells a session's story: puts events, the conversation, messages and commits in the order in which they happened,
//! each in a line for people. Pure; reads nothing.

use crate::decide::status;
use crate::session::row::short;
use downbeat_model::lines::first_line;
use downbeat_model::session::{MergeOutcome, ReviewVerdict, WorkerReport};
use downbeat_model::{EventKind, Sender, Status, TextKind};
use downbeat_store::chronicle::Utterance;
use downbeat_store::{EventRow, MessageRow};
use downbeat_wire::change::ChangeCommit;
use downbeat_wire::reaction::ReactionOutcome;
use downbeat_wire::story::{StoryEntry, StoryKind, StoryTone};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// The kinds of events that a story is told from.
pub const KINDS: [EventKind; 22] = [
    EventKind::SessionCreated,
    EventKind::SessionStatus,
    EventKind::MessageSent,
    EventKind::QuestionAnswered,
    EventKind::WorkerReported,
    EventKind::WorkerAsked,
    EventKind::WorkersCollided,
    EventKind::ChecksFinished,
    EventKind::MergeFinished,
    EventKind::Reviewed,
    EventKind::Reacted,
    EventKind::SessionStopped,
    EventKind::SessionKilled,
    EventKind::SessionResumed,
    EventKind::SessionHandedOver,
    EventKind::SessionPaused,
    EventKind::SessionWentOn,
    EventKind::BudgetWarned,
    EventKind::SessionArchived,
    EventKind::SessionUnarchived,
    EventKind::WorkspaceRemoved,
    EventKind::WorkRestored,
];

/// The maximum number of tools whose calls are named in one entry.
const TOOLS: usize = 20;

/// How far the time of a message and that of its text in the transcript may differ.
const SAME: SignedDuration = SignedDuration::from_mins(2);

/// What a story is told from, each in the order of time.
pub struct Sources<'a> {
    /// The session's events of [`KINDS`].
    pub events: &'a [EventRow],
    /// Its conversation.
    pub conversation: &'a [Utterance],
    /// Its messages.
    pub messages: &'a [Arc<MessageRow>],
    /// Its commits.
    pub commits: &'a [ChangeCommit],
}

/// Returns the entries, oldest first.
pub fn tell(sources: &Sources<'_>, name: impl Fn(&Sender) -> String) -> Vec<StoryEntry> {
    let mut entries = spoken(sources.conversation);
    let said: Vec<(Timestamp, String)> = entries
        .iter()
        .filter(|entry| entry.kind == StoryKind::Prompt)
        .map(|entry| (entry.at, squeezed(&entry.detail)))
        .collect();
    let has_transcript = !sources.conversation.is_empty();
    for event in sources.events {
        let told = match event.kind {
            EventKind::MessageSent => message(event, sources.messages, &name)
                .filter(|entry| !said.iter().any(|(at, text)| is_same((*at, text), entry))),
            _ => happened(event, has_transcript),
        };
        entries.extend(told);
    }
    // Who sent a prompt is known from its message.
    for entry in entries.iter_mut().filter(|entry| entry.kind == StoryKind::Prompt) {
        let (at, text) = (entry.at, squeezed(&entry.detail));
        let sent = sources.messages.iter().find(|row| is_text((at, &text), row));
        if let Some(row) = sent.filter(|row| row.sender != Sender::Person) {
            entry.text = format!("Message from {}", name(&row.sender));
        }
    }
    entries.extend(sources.commits.iter().map(commit));
    // Stable: what has the same time stays in the order of its source.
    entries.sort_by_key(by_time);
    entries
}

/// Returns the time by which an entry is sorted. Git knows the second of a commit only: it comes after what else happened
/// in that second, such as the prompt.
fn by_time(entry: &StoryEntry) -> Timestamp {
    let within = match entry.commit {
        Some(_) => SignedDuration::from_millis(999),
        None => SignedDuration::ZERO,
    };
    entry.at.saturating_add(within).unwrap_or(entry.at)
}

fn entry(at: Timestamp, kind: StoryKind, tone: StoryTone, text: impl Into<String>) -> StoryEntry {
    StoryEntry {
        at,
        until: None,
        kind,
        tone,
        text: text.into(),
        detail: String::new(),
        commit: None,
    }
}

fn with(mut entry: StoryEntry, detail: impl Into<String>) -> StoryEntry {
    entry.detail = detail.into();
    entry
}

/// Returns the entries of a conversation: tools that ran one after the other are one entry.
fn spoken(conversation: &[Utterance]) -> Vec<StoryEntry> {
    let mut entries: Vec<StoryEntry> = Vec::new();
    let mut tools = 0;
    for part in conversation {
        if part.kind == TextKind::Called {
            match entries.last_mut().filter(|last| last.kind == StoryKind::Tools) {
                Some(last) => {
                    tools += 1;
                    last.until = Some(part.at);
                    last.text = format!("Ran {tools} tools");
                    if tools <= TOOLS {
                        last.detail = format!("{}\n{}", last.detail, first_line(&part.text));
                    }
                }
                None => {
                    tools = 1;
                    let ran = entry(part.at, StoryKind::Tools, StoryTone::Plain, "Ran a tool");
                    entries.push(with(ran, first_line(&part.text)));
                }
            }
        } else if !part.sub_agent {
            let (kind, text) = match part.kind {
                TextKind::Said => (StoryKind::Prompt, "Prompt"),
                _ => (StoryKind::Answer, "Answer"),
            };
            entries.push(with(
                entry(part.at, kind, StoryTone::Plain, text),
                part.text.trim(),
            ));
        }
    }
    entries
}

/// Returns a text without differences that an agent makes in what it takes: blanks, and a cut end.
fn squeezed(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(200).collect()
}

fn is_same((at, text): (Timestamp, &str), entry: &StoryEntry) -> bool {
    (entry.at.duration_since(at)).abs() <= SAME && text == squeezed(&entry.detail)
}

fn is_text((at, text): (Timestamp, &str), row: &MessageRow) -> bool {
    (row.changed_at.duration_since(at)).abs() <= SAME && text == squeezed(&row.text)
}

fn message(
    event: &EventRow,
    messages: &[Arc<MessageRow>],
    name: impl Fn(&Sender) -> String,
) -> Option<StoryEntry> {
    let id = event.payload.get("message")?.as_i64()?;
    let row = messages.iter().find(|row| row.id == id)?;
    let text = match &row.sender {
        Sender::Person => "Prompt".to_owned(),
        sender => format!("Message from {}", name(sender)),
    };
    let sent = entry(event.at, StoryKind::Prompt, StoryTone::Plain, text);
    Some(with(sent, row.text.trim()))
}

fn commit(commit: &ChangeCommit) -> StoryEntry {
    let mut made = entry(commit.at, StoryKind::Commit, StoryTone::Good, &commit.subject);
    made.commit = Some(commit.id.clone());
    made
}

/// Returns what an event says; `None` if it is told otherwise.
fn happened(event: &EventRow, has_transcript: bool) -> Option<StoryEntry> {
    use StoryKind::{Budget, Checks, Question, Reaction, Report, Session};
    use StoryTone::{Bad, Good, Needs, Plain};
    let said = |field: &str| event.payload.get(field).and_then(Value::as_str).unwrap_or("");
    let is = |field: &str| event.payload.get(field) == Some(&Value::Bool(true));
    let told = |kind, tone, text: &str| entry(event.at, kind, tone, text);
    Some(match event.kind {
        EventKind::SessionStatus => return changed(event, has_transcript),
        EventKind::QuestionAnswered => {
            let by = event.payload.get("by").is_some_and(Value::is_string);
            let who = if by { "Its conductor" } else { "You" };
            with(
                told(Question, Plain, &format!("{who} answered its question")),
                said("answer"),
            )
        }
        EventKind::WorkerReported => {
            let report = WorkerReport::deserialize(&event.payload).ok()?;
            let text = format!("Reported its task as {}", report.status.as_str());
            with(told(Report, Plain, &text), report.summary)
        }
        EventKind::WorkerAsked => with(told(Question, Needs, "Asked its conductor"), said("question")),
        EventKind::WorkersCollided => with(
            told(Session, Needs, "Changed the same lines as another worker"),
            said("detail"),
        ),
        EventKind::ChecksFinished => {
            let (tone, text) = match (is("green"), is("verified")) {
                (true, true) => (Good, "Its work is verified"),
                (true, false) => (Good, "Its checks passed"),
                (false, _) => (Bad, "Its checks failed"),
            };
            with(told(Checks, tone, text), said("detail"))
        }
        EventKind::MergeFinished => return merge(event),
        EventKind::Reviewed => return review(event),
        EventKind::Reacted => {
            let (tone, what) = match ReactionOutcome::deserialize(event.payload.get("outcome")?).ok()? {
                ReactionOutcome::Done => (Plain, "ran"),
                ReactionOutcome::Failed => (Bad, "failed"),
                ReactionOutcome::Over => (Plain, "was no longer needed"),
            };
            let text = format!("The reaction {} {what}", said("rule"));
            with(told(Reaction, tone, &text), said("detail"))
        }
        EventKind::BudgetWarned => with(told(Budget, Needs, "A budget is nearly used up"), said("used")),
        _ => return life(event),
    })
}

/// Returns what an event in the life of a session says: that it began, rested, continued, was put away.
fn life(event: &EventRow) -> Option<StoryEntry> {
    use StoryTone::{Needs, Plain};
    let said = |field: &str| event.payload.get(field).and_then(Value::as_str).unwrap_or("");
    let is = |field: &str| event.payload.get(field) == Some(&Value::Bool(true));
    let told = |tone, text: &str| entry(event.at, StoryKind::Session, tone, text);
    Some(match event.kind {
        EventKind::SessionCreated => told(Plain, "Created"),
        EventKind::SessionStopped => told(Plain, "Stopped on request"),
        EventKind::SessionKilled => told(Plain, "Killed on request"),
        EventKind::SessionResumed => told(
            Plain,
            if is("fresh") {
                "Started again, with a new conversation"
            } else {
                "Resumed"
            },
        ),
        EventKind::SessionHandedOver => {
            let text = format!("Handed over from {} to {}", said("from"), said("to"));
            told(Plain, &text)
        }
        EventKind::SessionPaused => with(told(Needs, "Paused"), said("why")),
        EventKind::SessionWentOn => told(Plain, "Continued"),
        EventKind::SessionArchived => told(Plain, "Archived"),
        EventKind::SessionUnarchived => told(Plain, "Taken out of the archive"),
        EventKind::WorkspaceRemoved => with(
            told(Plain, "Its worktree was removed, and its work saved"),
            said("backup"),
        ),
        EventKind::WorkRestored => told(Plain, "Its saved work was restored"),
        _ => return None,
    })
}

fn review(event: &EventRow) -> Option<StoryEntry> {
    use StoryTone::{Good, Needs};
    let said = |field: &str| event.payload.get(field).and_then(Value::as_str).unwrap_or("");
    let who = match event.payload.get("byPerson") {
        Some(Value::Bool(true)) => "You",
        _ => "Its conductor",
    };
    let (tone, what) = match ReviewVerdict::deserialize(event.payload.get("verdict")?).ok()? {
        ReviewVerdict::Approved => (Good, "approved its work"),
        ReviewVerdict::ChangesRequested => (Needs, "requested changes"),
    };
    let text = format!("{who} {what} at {}", short(said("commit")));
    let told = entry(event.at, StoryKind::Review, tone, text);
    Some(with(told, said("summary")))
}

fn merge(event: &EventRow) -> Option<StoryEntry> {
    use StoryTone::{Bad, Good, Needs, Plain};
    let outcome = MergeOutcome::deserialize(event.payload.get("outcome")?).ok()?;
    let detail = event.payload.get("detail").and_then(Value::as_str);
    let (tone, text) = match outcome {
        MergeOutcome::Landed => (Good, "Merged"),
        MergeOutcome::Contained => (Good, "Its work is in the branch already"),
        MergeOutcome::Conflict => (Bad, "Its merge has conflicts"),
        MergeOutcome::ChecksFailed => (Bad, "The checks of its merge failed"),
        MergeOutcome::Refused => (Needs, "It was not merged"),
        MergeOutcome::Queued => (Plain, "The forge merges it later"),
    };
    let told = entry(event.at, StoryKind::Merge, tone, text);
    Some(with(told, detail.unwrap_or_default()))
}

/// Returns what a change of status says; most only repeat what the conversation says.
fn changed(event: &EventRow, has_transcript: bool) -> Option<StoryEntry> {
    use StoryTone::{Bad, Needs, Plain};
    let word = |field: &str| event.payload.get(field).and_then(Value::as_str).unwrap_or("");
    let is = |field: &str| event.payload.get(field) == Some(&Value::Bool(true));
    let detail = word("detail");
    let told = |kind, tone, text: &str| with(entry(event.at, kind, tone, text), detail);
    Some(match status::change(event)? {
        (Status::Running, Status::Idle) => {
            let answer = if has_transcript { "" } else { word("answer") };
            let ended = entry(event.at, StoryKind::Turn, Plain, "Finished its turn");
            with(ended, answer)
        }
        (_, Status::Waiting) if !is("asked") => told(StoryKind::Question, Needs, "Waits for you"),
        (from, Status::Exited) if from != Status::Exited && !is("goesOn") => {
            told(StoryKind::Session, Plain, "Ended")
        }
        (_, Status::Errored) => told(StoryKind::Session, Bad, "Failed"),
        (_, Status::SetupFailed) => told(StoryKind::Session, Bad, "Its set-up failed"),
        _ => return None,
    })
}

#[cfg(test)]
#[path = "story_tests.rs"]
mod tests;
