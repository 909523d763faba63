//! What the shell asks of the page: show this session, add this folder, ask before quitting.
//! Asked before the page listens, it waits until the page says so. A page that takes nothing is
//! gone (its process was killed, its script broke): it is loaded anew.

use crate::lock::lock;
use crate::{ending, window};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;
use tauri::{AppHandle, Emitter, Manager};

/// Requests that wait for the page. More than a person makes while a page loads; beyond it the
/// oldest is dropped, since the last wish counts.
const QUEUE: usize = 16;

/// How long a page may take to say that it took a request; it does so at once, also when busy.
const TAKES: Duration = Duration::from_secs(3);

/// How much longer it has where it has yet to say that it listens.
const LOADS: Duration = Duration::from_secs(12);

/// One request; sent to the page as the event `ask`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Ask {
    /// Show a session.
    OpenSession { id: String },
    /// Offer to add a folder as a project.
    AddFolder { path: String },
    /// Open the dialog for a new session.
    NewSession,
    /// Ask what to do with the sessions that live, then call `quit` where it is to be.
    Quit,
}

/// Whether the page listens, and what it has not taken yet.
#[derive(Default)]
pub struct Page(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    listens: bool,
    waiting: VecDeque<Ask>,
    /// Counts what was taken or given up, so that a later look knows what it looks at.
    done: u64,
}

/// Asks something of the page.
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

/// Loads a page anew that has not taken the request of this number. One that may still be loading
/// is left alone until it is `late`; a person who wants out is asked by the system.
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
            tracing::warn!("the page does not answer and is loaded anew");
            window::reload(app);
            queue.listens = false;
        }
        quits
    };
    if quits > 0 {
        ending::ask_by_system(app);
    }
}

/// The page took the oldest request.
pub fn took(app: &AppHandle) {
    if let Some(page) = app.try_state::<Page>() {
        let mut queue = lock(&page.0);
        if queue.waiting.pop_front().is_some() {
            queue.done += 1;
        }
    }
}

/// The page listens from now on, or (on a reload) no longer.
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
