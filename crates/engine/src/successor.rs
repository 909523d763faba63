//! Gives a session to another agent: the one that has it is ended gracefully, and the other begins in
//! the same worktree with a written summary. The session stays what it is: name, branch, events, task.

use crate::engine::Engine;
use crate::lineage::{Earlier, Lineage, Then};
use crate::mail::set_in;
use crate::restart;
use crate::restorable;
use crate::{begun, error, once, plan, transcripts};
use downbeat_agents::PromptWay;
use downbeat_git::Summary;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::restore::{HandOverSession, PlaceState};
use downbeat_wire::session::Base;
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Lines of the old agent's screen that the summary holds.
const SCREEN: u32 = 40;

/// Longest note of a person, in bytes.
const MAX_NOTE: usize = 64 * 1024;

/// Hands a session over.
pub async fn hand_over(
    engine: &Arc<Engine>,
    id: &SessionId,
    request: &HandOverSession,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let wanted = engine.agent(&request.agent)?;
    let refused = |what: String| ApiError::new(Code::Conflict, what);
    if row.agent == request.agent {
        let hint = format!(
            "`downbeat restart {0}` starts it again, `downbeat fork {0}` adds a second one",
            row.name
        );
        return Err(refused(format!("{} has {} already", wanted.name, row.name)).hint(hint));
    }
    if wanted.prompt == PromptWay::None && !wanted.has_hooks() {
        let what = format!(
            "{} takes no task, so nothing can be handed over to it",
            wanted.name
        );
        return Err(refused(what).hint("`downbeat agents list` shows the others"));
    }
    let asked: downbeat_wire::spawn::NewSession =
        serde_json::from_value(row.request.clone()).unwrap_or_default();
    if asked.conductor.unwrap_or(false) && !wanted.can_conduct() {
        let what = format!("{} conducts, and {} takes no tools", row.name, wanted.name);
        return Err(refused(what).hint("choose an agent that can, like Claude Code"));
    }
    if let Some(note) = &request.note
        && note.len() > MAX_NOTE
    {
        let what = format!("note is {} bytes long; at most {MAX_NOTE} are taken", note.len());
        return Err(ApiError::invalid(what).hint("write it to a file in the workspace and name that"));
    }
    if let Some(model) = &request.model {
        plan::check_model(model)?;
    }
    if restorable::place(&row) != PlaceState::There {
        let hint = format!("`downbeat restore-work {}` makes it again", row.name);
        return Err(refused(format!("the worktree of {} is gone", row.name)).hint(hint));
    }
    engine.look_for_program(&wanted).await?;
    let then = Then::HandOver {
        agent: request.agent.clone(),
        model: request.model.clone().filter(|model| !model.is_empty()),
        note: request.note.clone(),
        was: format!("{}: {}", row.status.as_str(), row.status_evidence.detail),
    };
    restart::end_and(engine, &row, then).await
}

/// Makes an ended session the other agent's; its next start tells that what there is to know.
pub async fn change(engine: &Arc<Engine>, row: &SessionRow, then: &Then) -> Result<(), ApiError> {
    let Then::HandOver {
        agent,
        model,
        note,
        was,
    } = then
    else {
        return Ok(());
    };
    let before = engine.agent(&row.agent)?.name.clone();
    // What it wrote last is read while it is known whose it is.
    transcripts::read(engine, &row.id).await;
    let work = work(engine, row).await?;
    let dir = engine.paths.keeper(&row.id);
    let screen = error::blocking(move || downbeat_keeper::checkpoint(&dir, SCREEN)).await?;
    let screen = screen.map(|screen| screen.text).unwrap_or_default();
    let told = Told {
        before: &before,
        task: &row.task,
        was,
        branch: row.branch.as_deref(),
        screen: &screen,
        note: note.as_deref(),
    };
    let (text, id) = (told.text(&work), row.id.clone());
    let written = engine.ledger.write(|draft| {
        let now = draft.now();
        let row = draft.session(&id)?;
        restart::only_goes_on(row)?;
        let earlier = Earlier {
            agent: std::mem::replace(&mut row.agent, agent.clone()),
            model: std::mem::replace(&mut row.model, model.clone()),
            conversation: row.conversation.take(),
            until: now,
        };
        begun::unspoken(row);
        // The other agent begins a session like any other.
        once::over(row);
        let from = earlier.agent.clone();
        Lineage::change(row, |lineage| {
            lineage.earlier.push(earlier);
            lineage.first = Some(text);
            lineage.copied();
        });
        let payload = json!({ "from": from, "to": agent });
        draft.session_event(&id, EventKind::SessionHandedOver, payload);
        Ok(())
    });
    written.await?;
    if let Err(error) = engine.transcripts.chronicle.forget_answer(&row.id).await {
        tracing::warn!(session = %row.id, "the last answer of its agent before stays: {error}");
    }
    Ok(())
}

/// What was done in the worktree of a session.
async fn work(engine: &Engine, row: &SessionRow) -> Result<Summary, ApiError> {
    let base: Option<Base> = serde_json::from_value(row.base.clone()).ok();
    let Some(path) = row.workspace_path.as_ref().map(PathBuf::from) else {
        return Ok(Summary::default());
    };
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let base = base.map(|base| base.commit);
    let shown = path.display().to_string();
    let look = move || downbeat_git::summary(&repo, &path, base.as_deref());
    error::within(error::CHANGES, &shown, look)
        .await?
        .map_err(error::git)
}

/// What the next agent is told of the one before.
struct Told<'a> {
    before: &'a str,
    task: &'a str,
    was: &'a str,
    branch: Option<&'a str>,
    screen: &'a str,
    note: Option<&'a str>,
}

impl Told<'_> {
    fn text(&self, work: &Summary) -> String {
        let branch = self.branch.map(|branch| format!(" on the branch {branch}"));
        let mut out = format!(
            "You take over this worktree{} from another coding agent ({}), which was ended. Look at what is there \
             before you change anything, then go on with the task.",
            branch.unwrap_or_default(),
            self.before
        );
        let mut part = |name: &str, text: &str| {
            let text = text.trim();
            if !text.is_empty() {
                out.push_str(&format!("\n\n{name}:\n{text}"));
            }
        };
        part("The task", self.task);
        part("Note from the person", self.note.unwrap_or_default());
        part("How it stood", self.was);
        // What others wrote is set in, so that it cannot pose as another part.
        let mut theirs = |name: &str, text: &str| {
            let text = text.trim();
            part(
                name,
                &if text.is_empty() {
                    String::new()
                } else {
                    format!("> {}", set_in(text))
                },
            );
        };
        theirs("Commits so far, newest first", &work.commits.join("\n"));
        theirs("Not committed (git status)", &work.status.join("\n"));
        theirs("Changed lines since the last commit", &work.changes.join("\n"));
        theirs("The last lines of its screen", self.screen);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_what_is_known_and_nothing_empty() {
        let told = Told {
            before: "Claude Code",
            task: "Build the shop",
            was: "idle: Stop hook",
            branch: Some("feature/shop"),
            screen: "\n  I stopped at the till.\n",
            note: None,
        };
        let work = Summary {
            status: vec!["?? till.txt".into()],
            ..Summary::default()
        };
        let text = told.text(&work);
        assert!(text.starts_with("You take over this worktree on the branch feature/shop from"));
        assert!(text.contains("\n\nThe task:\nBuild the shop\n"));
        assert!(text.contains("(git status):\n> ?? till.txt\n"));
        assert!(text.ends_with("screen:\n> I stopped at the till."));
        assert!(!text.contains("Note") && !text.contains("Commits"));
    }
}
