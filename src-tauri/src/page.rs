//! Requests of the shell to the page: show a session, add a folder, ask before quitting. A request that is
//! made before the page listens waits until it does. A page that takes no request is gone (its process was
//! killed, its script broke): it is reloaded.

use crate::lock::lock;
use crate::{ending, window};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;
use tauri::{AppHandle, Emitter, Manager};

/// The maximum number of requests that wait for the page, which is more than a person makes while a page
/// loads. Beyond it the oldest is dropped, since the last request counts.
const QUEUE: usize = 16;

/// The time limit for a page to confirm that it took a request; it does so immediately, even when busy.
const TAKES: Duration = Duration::from_secs(3);

/// The additional time for a page that has not yet reported that it listens.
const LOADS: Duration = Duration::from_secs(12);

/// A request to the page, sent as the event `ask`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Ask {
    /// Show a session.
    OpenSession { id: String },
    /// Show a plan.
    OpenPlan { id: String },
    /// Offer to add a folder as a project.
    AddFolder { path: String },
    /// Open the dialog for a new session.
    NewSession,
    /// Ask what to do with the sessions that are alive, then call `quit` if the person wants it.
    Quit,
}

/// Whether the page listens, and the requests that it has not taken yet.
#[derive(Default)]
pub struct Page(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    listens: bool,
    waiting: VecDeque<Ask>,
    /// Counts the requests that were taken or given up, so that a later check can tell whether its own was.
    done: u64,
}

/// Sends a request to the page.
pub fn ask(app: &AppHandle, ask: Ask) {
    let Some(page) = app.try_state::<Page>() else {
        return;
    };
    let mut queue = lock(&page.0);
    if queue.waiting.len() == QUEUE {
        queue.waiting.pop_front();
        queue.done += 1;
    }
    if queue.listens {
        emit(app, &ask);
    }
    queue.waiting.push_back(ask);
    let last = queue.done + queue.waiting.len() as u64;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(TAKES).await;
        look_after(&app, last, false);
        tokio::time::sleep(LOADS).await;
        look_after(&app, last, true);
    });
}

/// Reloads a page that has not taken the request with this number. A page that may still be loading is left
/// alone until it is `late`; a person who wants to quit is asked by the system's dialog.
fn look_after(app: &AppHandle, number: u64, late: bool) {
    let Some(page) = app.try_state::<Page>() else {
        return;
    };
    let quits = {
        let mut queue = lock(&page.0);
        if queue.done >= number {
            return;
        }
        let before = queue.waiting.len();
        queue.waiting.retain(|ask| *ask != Ask::Quit);
        let quits = before - queue.waiting.len();
        if queue.listens || late {
            queue.done += quits as u64;
            tracing::warn!("the page does not respond and is reloaded");
            window::reload(app);
            queue.listens = false;
        }
        quits
    };
    if quits > 0 {
        ending::ask_by_system(app);
    }
}

/// Removes the oldest request, which the page took.
pub fn took(app: &AppHandle) {
    if let Some(page) = app.try_state::<Page>() {
        let mut queue = lock(&page.0);
        if queue.waiting.pop_front().is_some() {
            queue.done += 1;
        }
    }
}

/// Notes that the page listens from now on, or (on a reload) no longer.
pub fn listens(app: &AppHandle, listens: bool) {
    let Some(page) = app.try_state::<Page>() else {
        return;
    };
    let mut queue = lock(&page.0);
    queue.listens = listens;
    if listens {
        tracing::debug!("the page listens");
        queue.waiting.iter().for_each(|ask| emit(app, ask));
    }
}

fn emit(app: &AppHandle, ask: &Ask) {
    if let Err(error) = app.emit("ask", ask) {
        tracing::warn!(%error, "the page cannot be asked");
    }
}
