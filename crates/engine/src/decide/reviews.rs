//! Decides about reviews of a session's work: who may review what, what a review records, and the message that its agent gets.
//! How a review stands is in [`crate::session::review`], what rules do about it in [`crate::decide::reactions`].

use crate::decide::mailbox::{self, New};
use crate::decide::merge;
use crate::decide::merge_queue;
use crate::decide::one_shot;
use crate::session::row::short;
use crate::state::draft::Draft;
use downbeat_agents::Agents;
use downbeat_model::queue::Withdrawal;
use downbeat_model::session::{LineComment, Review, ReviewVerdict};
use downbeat_model::{EventKind, Oid, Sender, SessionId, When, Workspace, count};
use downbeat_store::SessionRow;
use downbeat_wire::review::ReviewSession;
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::json;

/// The number of comments of a review.
const MOST_COMMENTS: usize = 200;

/// The longest review, in bytes: it is part of the session's document.
const LONGEST: usize = 64 * 1024;

/// The longest line that is quoted, in characters.
const QUOTED: usize = 200;

/// What was found in a session's worktree for a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// The full id of the commit that it is at.
    pub head: String,
    /// The number of files that are not committed.
    pub uncommitted: u32,
    /// Whether the project has checks.
    pub has_checks: bool,
}

/// Refuses a review that cannot be, whatever is in the worktree.
///
/// # Errors
/// Fails, with the way out, if the caller may not review so, if there is nothing to review, or if the agent could not be told.
pub fn refuse(
    caller: &Caller,
    agents: &Agents,
    row: &SessionRow,
    request: &ReviewSession,
) -> Result<(), ApiError> {
    let name = &row.name;
    if *caller != Caller::Owner && request.verdict == ReviewVerdict::Approved {
        return Err(ApiError::new(
            Code::Forbidden,
            "an agent may not approve work: only the person does",
        )
        .hint("request changes, or report to the person what you found"));
    }
    let conflict = |what: String, way: String| Err(ApiError::new(Code::Conflict, what).hint(way));
    if row.archived_at.is_some() {
        let way = format!("`downbeat unarchive {name}` puts it on the list again");
        return conflict(format!("{name} is archived"), way);
    }
    if row.workspace == Workspace::InPlace {
        let way = "commit what is good there; only work in a worktree of its own is reviewed".to_owned();
        return conflict(format!("{name} works in the project's own checkout"), way);
    }
    if row.workspace_path.is_none() {
        let way = format!("`downbeat resume {name}` makes it again");
        return conflict(format!("{name} has no worktree"), way);
    }
    if Oid::parse(&request.commit).is_none() {
        return Err(ApiError::invalid("commit: this is not the full id of a commit")
            .hint("name the commit that you looked at: `head` in the list of changes"));
    }
    refuse_text(request)?;
    if request.verdict == ReviewVerdict::ChangesRequested {
        one_shot::takes(agents, row, "messages")?;
        if row.status.is_ended() {
            let what = format!("{name} has ended: {}", row.status.as_str());
            return conflict(
                what,
                "resume it first, so that its agent gets the review".to_owned(),
            );
        }
    }
    Ok(())
}

/// Refuses a review that says too little, or too much.
fn refuse_text(request: &ReviewSession) -> Result<(), ApiError> {
    let comments = request.comments.as_deref().unwrap_or_default();
    let summary = request.message.as_deref().unwrap_or_default();
    if comments.len() > MOST_COMMENTS {
        return Err(ApiError::invalid(format!(
            "comments: at most {MOST_COMMENTS} in one review"
        )));
    }
    if comments.iter().any(|comment| comment.text.trim().is_empty()) {
        return Err(ApiError::invalid("comments: one of them is empty"));
    }
    let size = |comment: &LineComment| {
        comment.path.len() + comment.text.len() + comment.quote.as_ref().map_or(0, String::len)
    };
    if summary.len() + comments.iter().map(size).sum::<usize>() > LONGEST {
        return Err(
            ApiError::invalid(format!("the review is longer than {LONGEST} bytes"))
                .hint("write it to a file in the workspace and name the file"),
        );
    }
    let says_nothing = comments.is_empty() && summary.trim().is_empty();
    if request.verdict == ReviewVerdict::ChangesRequested && says_nothing {
        return Err(ApiError::invalid("a request for changes says what is to change")
            .hint("give a message, or comments on lines"));
    }
    Ok(())
}

/// Refuses a review of something else than what the session is at, and of nothing.
///
/// # Errors
/// Fails, with the way out, if the session committed since, or if there is nothing to review.
pub fn refuse_other(row: &SessionRow, request: &ReviewSession, looked: &Looked) -> Result<(), ApiError> {
    let name = &row.name;
    if looked.head != request.commit {
        let what = format!(
            "the session committed since you looked: {name} is at {}, not at {}",
            short(&looked.head),
            short(&request.commit)
        );
        return Err(ApiError::new(Code::Conflict, what).hint("look at its changes again, then review them"));
    }
    let has_commit = row.base.as_ref().is_none_or(|base| base.commit != looked.head);
    if !has_commit && looked.uncommitted == 0 {
        let what = format!("{name} has changed nothing");
        return Err(ApiError::new(Code::Conflict, what).hint("review it once it has"));
    }
    if !has_commit && request.verdict == ReviewVerdict::Approved {
        let files = count(looked.uncommitted, "file is", "files are");
        let what = format!("{name} has no commit of its own to approve; {files} not committed");
        return Err(ApiError::new(Code::Conflict, what).hint("have its work committed, then approve that"));
    }
    Ok(())
}

/// Records a review. Changes are requested in one message to the agent; work that waits to land leaves the merge queue then.
///
/// # Errors
/// Fails if the work is landing, if an agent's request meets a merge, or if the agent's queue is full.
pub fn record(
    draft: &mut Draft,
    id: &SessionId,
    caller: &Caller,
    request: &ReviewSession,
    looked: &Looked,
) -> Result<(), ApiError> {
    let now = draft.now();
    let by = match caller {
        Caller::Owner => Sender::Person,
        Caller::Session(id) => Sender::Session(id.clone()),
    };
    let session = draft.session(id)?;
    let review = Review {
        number: session
            .review
            .as_ref()
            .map_or(1, |last| last.number.saturating_add(1)),
        verdict: request.verdict,
        by: by.clone(),
        at: now,
        commit: looked.head.clone(),
        uncommitted: looked.uncommitted,
        summary: request.message.as_deref().unwrap_or_default().trim().to_owned(),
        comments: request.comments.clone().unwrap_or_default(),
        has_checks: looked.has_checks,
        head: looked.head.clone(),
        newer: None,
    };
    // It was seen just now.
    session.checks.head = Some(looked.head.clone());
    session.review = Some(review.clone());
    if review.verdict == ReviewVerdict::ChangesRequested {
        keep_from_landing(draft, id, &by)?;
        let new = New {
            text: message(&review),
            sender: by,
            when: When::WhenReady,
            is_task: false,
        };
        mailbox::enqueue(draft, id, new)?;
    }
    let payload = json!({
        "verdict": review.verdict, "byPerson": review.by == Sender::Person, "commit": review.commit,
        "uncommitted": review.uncommitted, "comments": review.comments.len(), "summary": review.summary,
    });
    draft.session_event(id, EventKind::Reviewed, payload);
    Ok(())
}

/// Cancels the merge of work of which changes are requested, wherever it waits. That the person wanted it merged, only the person
/// takes back.
fn keep_from_landing(draft: &mut Draft, id: &SessionId, by: &Sender) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if row.merging.run.is_none() {
        return Ok(());
    }
    if *by != Sender::Person {
        let what = format!(
            "the work of {} is about to be merged, which only the person cancels",
            row.name
        );
        return Err(ApiError::new(Code::Conflict, what).hint("send it a message, or ask the person"));
    }
    if !merge_queue::withdraw(draft, id, Withdrawal::ByPerson)? {
        merge::cancel(draft, id)?;
    }
    Ok(())
}

/// Returns the message to the agent: what is said of the work, then each comment with its place and the line.
fn message(review: &Review) -> String {
    let mut parts = vec![format!(
        "Your work was reviewed at {}: changes are requested.",
        short(&review.commit)
    )];
    if !review.summary.is_empty() {
        parts.push(plain(&review.summary));
    }
    parts.extend(sorted(&review.comments).into_iter().map(|comment| {
        let line = quoted(comment).map_or_else(String::new, |line| format!("> {line}\n"));
        format!("{}\n{line}{}", place(comment), plain(comment.text.trim()))
    }));
    parts.push("Make these changes, or say why not. Then commit and end your turn.".to_owned());
    parts.join("\n\n")
}

/// Returns comments by file and line.
pub fn sorted(comments: &[LineComment]) -> Vec<&LineComment> {
    let mut sorted: Vec<&LineComment> = comments.iter().collect();
    sorted.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    sorted
}

/// Returns the place of a comment: `src/cart.ts:12`.
pub fn place(comment: &LineComment) -> String {
    let removed = match comment.removed {
        Some(true) => " (removed line)",
        _ => "",
    };
    let path = plain(&comment.path).replace('\n', " ");
    format!("{path}:{}{removed}", comment.line)
}

/// Returns the line that a comment is on, in one line.
fn quoted(comment: &LineComment) -> Option<String> {
    let sign = if comment.removed == Some(true) { "-" } else { "+" };
    let line = plain(comment.quote.as_deref()?).replace('\n', " ");
    let short: String = line.chars().take(QUOTED).collect();
    let more = if line.chars().nth(QUOTED).is_some() {
        "…"
    } else {
        ""
    };
    Some(format!("{sign}{short}{more}"))
}

/// Returns a text without characters that act on a terminal.
fn plain(text: &str) -> String {
    let acts = |c: char| c != '\n' && c != '\t' && downbeat_model::shown::acts(c);
    let text = text.replace("\r\n", "\n");
    text.chars()
        .map(|c| if acts(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Records the newest commit of a session's work, as it was seen just now, `newer` commits after the one of the review with this
/// number. Does nothing if there is a later review.
///
/// # Errors
/// Fails if the session is not there.
pub fn note_head(
    draft: &mut Draft,
    id: &SessionId,
    number: u32,
    (head, newer): (&str, Option<u32>),
) -> Result<(), ApiError> {
    let review = &mut draft.session(id)?.review;
    if let Some(review) = review
        && review.number == number
        && review.head != head
    {
        head.clone_into(&mut review.head);
        review.newer = newer.filter(|_| review.head != review.commit);
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    }
    Ok(())
}

#[cfg(test)]
#[path = "reviews_tests.rs"]
mod tests;
