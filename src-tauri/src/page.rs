//! What the shell asks of the page: show this session, add this folder, ask before quitting.
//! Asked before the page listens, it waits until the page says so.

use crate::shell::lock;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Mutex;
use tauri::{AppHandle, Emitter, Manager};

/// Requests that wait for the page. More than a person makes while a page loads; beyond it the
/// oldest is dropped, since the last wish counts.
const QUEUE: usize = 16;

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
    /// Ask what to do with the sessions that live, then call `quit` or `quit_cancel`.
    Quit,
}

/// Whether the page listens, and what waits for it.
#[derive(Default)]
pub struct Page(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    listens: bool,
    waiting: VecDeque<Ask>,
}

/// Asks something of the page.
pub fn ask(app: &AppHandle, ask: Ask) {
    let Some(page) = app.try_state::<Page>() else {
        return;
    };
    let mut queue = lock(&page.0);
    if queue.listens {
        emit(app, &ask);
        return;
    }
    if queue.waiting.len() == QUEUE {
        queue.waiting.pop_front();
    }
    queue.waiting.push_back(ask);
}

/// The page listens from now on, or (on a reload) no longer.
pub fn listens(app: &AppHandle, listens: bool) {
    let Some(page) = app.try_state::<Page>() else {
        return;
    };
    let mut queue = lock(&page.0);
    queue.listens = listens;
    if listens {
        queue.waiting.drain(..).for_each(|ask| emit(app, &ask));
    }
}

/// Whether the page listens.
pub fn is_listening(app: &AppHandle) -> bool {
    app.try_state::<Page>().is_some_and(|page| lock(&page.0).listens)
}

fn emit(app: &AppHandle, ask: &Ask) {
    if let Err(error) = app.emit("ask", ask) {
        tracing::warn!(%error, "the page cannot be asked");
    }
}
