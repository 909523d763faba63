//! Reads a session once: its screen, its agent's last answer, the files it changed. The live stream of a
//! terminal is [`crate::api::stream`].

use crate::facts::since::since;
use crate::facts::transcripts;
use crate::host::blocking;
use crate::keepers::screen;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::ChangedFile as Changed;
use downbeat_model::Status;
use downbeat_store::SessionRow;
use downbeat_wire::session::{ChangedFile, Changes, Output, OutputKind};
use downbeat_wire::{ApiError, Code};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Lines of the screen returned by default.
const LINES: u32 = 50;

/// Upper limit for the lines of the screen.
const MOST_LINES: u32 = 10_000;

/// Upper limit for the changed files that are listed by name.
const NAMED: usize = 500;

/// Returns the output of a session in the requested form.
pub async fn read(
    engine: &Arc<Engine>,
    row: &SessionRow,
    what: OutputKind,
    lines: Option<u32>,
) -> Result<Output, ApiError> {
    match what {
        OutputKind::Screen => screen::screen(engine, row, lines.unwrap_or(LINES).clamp(1, MOST_LINES)).await,
        OutputKind::Answer => {
            let answer = transcripts::last_answer(engine, &row.id).await?;
            let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
            let text = answer.text.chars().filter(shown).collect();
            Ok(Output {
                at: answer.at,
                ..screen::plain(row, text)
            })
        }
        OutputKind::Diff => {
            let changes = changes(engine, row).await?;
            Ok(Output {
                changes: Some(changes.clone()),
                ..screen::plain(row, summary(&changes))
            })
        }
    }
}

/// Returns the changes of a session's worktree against its base commit.
async fn changes(engine: &Engine, row: &SessionRow) -> Result<Changes, ApiError> {
    let place = row.workspace_path.clone().ok_or_else(|| {
        ApiError::new(Code::Conflict, format!("{} has no workspace now", row.name))
            .hint("its branch is still in the repository; `downbeat restore-work` recreates the worktree")
    })?;
    if !std::path::Path::new(&place).is_dir() {
        let (message, hint) = match row.status {
            Status::Queued | Status::Spawning => (
                format!("{} has no workspace yet", row.name),
                "it is created when the session starts",
            ),
            _ => (
                format!("the workspace of {} is missing: {place}", row.name),
                "`downbeat resume` says how to restore it",
            ),
        };
        return Err(ApiError::new(Code::Conflict, message).hint(hint));
    }
    let base = row.base.clone();
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let (shown, from) = (place.clone(), base.clone());
    let look = move || {
        let worktree = PathBuf::from(place);
        let head = downbeat_git::head(&worktree).map(|head| head.commit);
        let since = since(&repo, from.as_ref(), head.as_deref())?;
        downbeat_git::changes(&repo, &worktree, &since)
    };
    let files = blocking::within(blocking::CHANGES, &shown, look).await?;
    let files = files.map_err(error::git)?;
    let sum = |of: fn(&Changed) -> Option<u32>| files.iter().filter_map(of).map(u64::from).sum();
    Ok(Changes {
        since: base.map_or_else(|| "HEAD".to_owned(), |base| base.name),
        count: u32::try_from(files.len()).unwrap_or(u32::MAX),
        added: sum(|file| file.added),
        removed: sum(|file| file.removed),
        files: files.into_iter().take(NAMED).map(named).collect(),
    })
}

fn named(file: Changed) -> ChangedFile {
    ChangedFile {
        path: file.path.chars().filter(|c| !c.is_control()).collect(),
        added: file.added,
        removed: file.removed,
        is_untracked: file.is_untracked,
    }
}

/// Formats the changes: a line with the sums, then one line for each file.
fn summary(changes: &Changes) -> String {
    let Changes {
        since,
        count,
        added,
        removed,
        files,
    } = changes;
    if *count == 0 {
        return format!("nothing differs from {since}");
    }
    let noun = if *count == 1 { "file" } else { "files" };
    let mut text = format!("{count} {noun} changed since {since}, +{added} -{removed}");
    for file in files {
        let lines = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!("+{added} -{removed}"),
            _ => "binary".to_owned(),
        };
        let new = if file.is_untracked {
            " (not added to git)"
        } else {
            ""
        };
        // Writing into a string cannot fail.
        let _ = write!(text, "\n{lines} {}{new}", file.path);
    }
    let unnamed = usize::try_from(*count).unwrap_or(usize::MAX) - files.len();
    if unnamed > 0 {
        let _ = write!(text, "\nand {unnamed} more");
    }
    text
}
