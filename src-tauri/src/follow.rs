//! Follows the engine's changes for the shell itself: the tray's counts and desktop notifications. The page
//! has a follower of its own, in `command`.

use crate::notice::Notices;
use crate::shell::Shell;
use crate::tray::{self, Summary};
use crate::window;
use downbeat_model::EventKind;
use downbeat_wire::event::StreamItem;
use downbeat_wire::session::SessionFilter;
use downbeat_wire::{Caller, Client};
use std::time::Duration;
use tauri::{AppHandle, Manager};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until, timeout_at};

/// The time in which changes are gathered, so that they are shown together.
const SETTLE: Duration = Duration::from_millis(100);

/// The pause before a stream that ended while the engine is alive is opened again.
const AGAIN: Duration = Duration::from_secs(1);

/// Follows the changes until the program ends.
pub async fn follow(app: AppHandle) {
    let shell = app.state::<Shell>();
    let mut notices = Notices::start(&shell).await;
    loop {
        refresh(&app, &shell).await;
        match shell.host.subscribe(&Caller::Owner, None).await {
            Ok(mut changes) => {
                // Changes from before the stream was open are fetched once more.
                refresh(&app, &shell).await;
                notices.show_new(&app, &shell).await;
                while let Some(seen) = gather(&mut changes).await {
                    if seen.notices {
                        notices.show_new(&app, &shell).await;
                    }
                    if seen.sessions {
                        refresh(&app, &shell).await;
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "changes cannot be followed"),
        }
        sleep_until(Instant::now() + AGAIN).await;
    }
}

#[derive(Default)]
struct Seen {
    sessions: bool,
    notices: bool,
}

impl Seen {
    fn add(&mut self, item: &StreamItem) {
        let all = matches!(item, StreamItem::Resync { .. });
        let kind = match item {
            StreamItem::Change(change) => Some(change.kind),
            StreamItem::Resync { .. } => None,
        };
        self.notices |= all || kind == Some(EventKind::Notice);
        self.sessions |= all || kind.is_some_and(|kind| kind != EventKind::Notice);
    }
}

/// Waits for the next change and gathers those that follow closely; `None` when the stream has ended.
async fn gather(changes: &mut Receiver<StreamItem>) -> Option<Seen> {
    let mut seen = Seen::default();
    seen.add(&changes.recv().await?);
    let until = Instant::now() + SETTLE;
    while let Ok(item) = timeout_at(until, changes.recv()).await {
        match item {
            Some(item) => seen.add(&item),
            None => break,
        }
    }
    Some(seen)
}

async fn refresh(app: &AppHandle, shell: &Shell) {
    match shell.list_sessions(SessionFilter::default()).await {
        Ok(sessions) => {
            let summary = Summary::of(&sessions);
            window::badge(app, summary.needs_you());
            tray::show(app, summary);
        }
        Err(error) => tracing::warn!(%error, "sessions cannot be listed"),
    }
}
