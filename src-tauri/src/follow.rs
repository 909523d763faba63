//! Follows the engine's changes for the shell itself: the tray's counts and desktop notifications. The page
//! has a follower of its own, in `command`.

use crate::notice::Notices;
use crate::shell::Shell;
use crate::tray::{self, Summary};
use crate::window;
use downbeat_model::EventKind;
use downbeat_wire::event::StreamItem;
use downbeat_wire::roster::Roster;
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
    let mut roster = Roster::default();
    loop {
        roster.note_gap();
        read(&app, &shell, &mut roster).await;
        match shell.host.subscribe(&Caller::Owner, None).await {
            Ok(mut changes) => {
                // Changes from before the stream was open are fetched once more.
                roster.note_gap();
                read(&app, &shell, &mut roster).await;
                notices.show_new(&app, &shell).await;
                while let Some(is_notice) = gather(&mut changes, &mut roster).await {
                    if is_notice {
                        notices.show_new(&app, &shell).await;
                    }
                    if !roster.is_current() {
                        read(&app, &shell, &mut roster).await;
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "changes cannot be followed"),
        }
        sleep_until(Instant::now() + AGAIN).await;
    }
}

/// Waits for the next change and takes those that follow closely. Returns whether there are notices; `None` when the
/// stream has ended.
async fn gather(changes: &mut Receiver<StreamItem>, roster: &mut Roster) -> Option<bool> {
    let mut is_notice = note(roster, &changes.recv().await?);
    let until = Instant::now() + SETTLE;
    while let Ok(item) = timeout_at(until, changes.recv()).await {
        match item {
            Some(item) => is_notice |= note(roster, &item),
            None => break,
        }
    }
    Some(is_notice)
}

fn note(roster: &mut Roster, item: &StreamItem) -> bool {
    roster.note(item);
    match item {
        StreamItem::Change(change) => change.kind == EventKind::Notice,
        StreamItem::Resync { .. } => true,
    }
}

/// Reads the sessions that changed, and updates badge and tray.
async fn read(app: &AppHandle, shell: &Shell, roster: &mut Roster) {
    let asked = roster.request(SessionFilter::default());
    match shell.list_sessions(asked.clone()).await {
        Ok(fresh) => {
            roster.take_up(&asked, fresh);
            let summary = Summary::of(roster.sessions());
            window::badge(app, summary.needs_you());
            tray::show(app, summary);
        }
        // They stay out of date and are requested again after the next change.
        Err(error) => tracing::warn!(%error, "sessions cannot be listed"),
    }
}
