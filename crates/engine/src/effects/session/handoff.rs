//! Hands a session over to another agent: the present agent is ended gracefully, and the new one begins in
//! the same worktree with a written summary. The session keeps its name, branch, events and task.

use crate::decide::go_on;
use crate::facts::transcripts;
use crate::host::blocking;
use crate::session::lines::set_in;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::Summary;
use downbeat_model::EventKind;
use downbeat_model::session::{EarlierAgent, Then};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// The number of lines of the old agent's screen in the summary.
const SCREEN: u32 = 40;

/// Assigns an ended session to the other agent, whose first prompt is the summary.
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
    // Reads the last of the transcript while its agent is still known.
    transcripts::read(engine, &row.id).await;
    let work = work(engine, row).await?;
    let dir = engine.paths.keeper(&row.id);
    let screen = blocking::blocking(move || downbeat_keeper::checkpoint(&dir, SCREEN)).await?;
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
        go_on::only_goes_on(draft, &id)?;
        let row = draft.session(&id)?;
        let earlier = EarlierAgent {
            agent: std::mem::replace(&mut row.agent, agent.clone()),
            model: std::mem::replace(&mut row.model, model.clone()),
            conversation: row.conversation.take(),
            until: now,
        };
        row.run.said = Some(false);
        // The new agent's session is not a one-shot run.
        row.one_shot = false;
        let from = earlier.agent.clone();
        let lineage = &mut row.lineage;
        lineage.earlier.push(earlier);
        lineage.first = Some(text);
        lineage.copied();
        let payload = json!({ "from": from, "to": agent });
        draft.session_event(&id, EventKind::SessionHandedOver, payload);
        Ok(())
    });
    written.await?;
    if let Err(error) = engine.transcripts.chronicle.forget_answer(&row.id).await {
        tracing::warn!(session = %row.id, "could not clear the previous agent's last answer: {error}");
    }
    Ok(())
}

/// Summarizes the changes in the session's worktree.
async fn work(engine: &Engine, row: &SessionRow) -> Result<Summary, ApiError> {
    let base = row.base.clone();
    let Some(path) = row.workspace_path.as_ref().map(PathBuf::from) else {
        return Ok(Summary::default());
    };
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let base = base.map(|base| base.commit);
    let shown = path.display().to_string();
    let look = move || downbeat_git::summary(&repo, &path, base.as_deref());
    blocking::within(blocking::CHANGES, &shown, look)
        .await?
        .map_err(error::git)
}

/// The contents of the summary for the next agent.
pub(crate) struct Told<'a> {
    pub(crate) before: &'a str,
    pub(crate) task: &'a str,
    pub(crate) was: &'a str,
    pub(crate) branch: Option<&'a str>,
    pub(crate) screen: &'a str,
    pub(crate) note: Option<&'a str>,
}

impl Told<'_> {
    pub(crate) fn text(&self, work: &Summary) -> String {
        let branch = self.branch.map(|branch| format!(" on the branch {branch}"));
        let mut out = format!(
            "You take over this worktree{} from another coding agent ({}), which was ended. Look at the existing \
             work before you change anything, then continue the task.",
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
        part("Status", self.was);
        // Text by others is quoted, so that it cannot pose as another part.
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
    use super::Told;
    use downbeat_git::Summary;

    #[test]
    fn the_summary_leaves_out_empty_parts() {
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
