//! Reads a session's screen through its keeper, or the one that was kept when it ended.

use crate::decide::delivery;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_agents::Manifest;
use downbeat_keeper::{Link, SCREEN_ALONE, Text};
use downbeat_model::{SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_store::chronicle::Owner;
use downbeat_wire::session::Output;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use std::time::Duration;

/// Reads a session's screen to decide whether to type there.
pub async fn look(engine: &Engine, id: &SessionId, link: &Link) -> Result<Text, downbeat_keeper::Error> {
    let mut shown = link.text(SCREEN_ALONE).await?;
    delivery::forget_answer(&mut shown, engine.runtimes.of(id).answered(), Timestamp::now());
    Ok(shown)
}

/// Whether a session asks something, by its status or by a screen that is ahead of the status.
pub async fn asks(engine: &Engine, row: &SessionRow, link: &Link) -> Result<bool, ApiError> {
    let row = engine.row(&row.id)?;
    if row.status == Status::Waiting && row.open_question().is_some() {
        return Ok(true);
    }
    let agent = engine.agent(&row.agent)?;
    let shown = link
        .text(SCREEN_ALONE)
        .await
        .map_err(crate::state::error::keeper)?;
    Ok(delivery::shows_question(&agent, &shown))
}

/// Whether the screen shows an empty prompt.
pub fn is_empty(agent: &Manifest, shown: &Text) -> bool {
    downbeat_agents::prompt_text(agent, &shown.text).is_some_and(|text| text.is_empty())
}

/// Returns the handle of a session's keeper.
pub fn link(engine: &Engine, row: &SessionRow) -> Result<Link, ApiError> {
    engine.runtimes.of(&row.id).link().ok_or_else(|| {
        ApiError::new(
            Code::Conflict,
            format!("the terminal of {} is not connected", row.name),
        )
        .hint("try again in a moment")
    })
}

/// How long a keeper may take to return its text before the copy on disk is used.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn plain(row: &SessionRow, text: String) -> Output {
    Output {
        id: row.id.clone(),
        text,
        at: None,
        title: String::new(),
        is_checkpoint: false,
        changes: None,
    }
}

/// Returns the last lines of a session's terminal.
pub async fn screen(engine: &Engine, row: &SessionRow, lines: u32) -> Result<Output, ApiError> {
    let dir = engine.paths.keeper(&row.id);
    let shown = match engine.runtimes.of(&row.id).link() {
        Some(link) => tokio::time::timeout(PATIENCE, link.text(lines))
            .await
            .unwrap_or(Err(downbeat_keeper::Error::Slow("give its text", PATIENCE))),
        None => Err(downbeat_keeper::Error::Gone),
    };
    let (text, is_checkpoint) = match shown {
        Ok(text) => (Some(text), false),
        // The keeper was released a moment ago, or does not respond; its text is on disk.
        Err(downbeat_keeper::Error::Gone | downbeat_keeper::Error::Slow(..)) => (
            blocking::blocking(move || downbeat_keeper::checkpoint(&dir, lines)).await?,
            true,
        ),
        Err(error) => return Err(error::keeper(error)),
    };
    let (text, title) = text.map_or_else(Default::default, |text| (text.text, text.title));
    Ok(Output {
        title,
        is_checkpoint,
        ..plain(row, text)
    })
}

/// The number of lines of a screen that can be searched.
const LINES: u32 = 2_000;

/// Indexes the text of a session's screen for search, in place of the earlier text.
pub async fn keep_screen(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let text = match engine.runtimes.of(id).link() {
        Some(link) => Some(link.text(LINES).await.map_err(error::keeper)?),
        None => {
            let dir = engine.paths.keeper(id);
            blocking::blocking(move || downbeat_keeper::checkpoint(&dir, LINES)).await?
        }
    };
    let text = text.map(|text| text.text).unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(());
    }
    let owner = Owner {
        session: id,
        project: &row.project_id,
    };
    let kept = engine
        .transcripts
        .chronicle
        .screen(owner, &text, Timestamp::now());
    kept.await.map_err(error::store)
}
