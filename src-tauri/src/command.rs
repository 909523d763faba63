//! The commands that the page calls, except for those about terminals and quitting.

use crate::lock::lock;
use crate::page;
use crate::shell::Shell;
use downbeat_wire::event::StreamItem;
use downbeat_wire::{ApiError, Caller, Key};
use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{AppHandle, State};

/// Runs an operation of the table for the person; with an idempotency key, at most once.
#[tauri::command]
pub async fn call(
    shell: State<'_, Shell>,
    name: String,
    args: Value,
    key: Option<String>,
) -> Result<Value, ApiError> {
    let key = key.map(|key| Key::parse(&key)).transpose()?;
    shell.call(name, args, key).await
}

/// Sends every change after `since` over `channel`, and replaces any earlier follower.
#[tauri::command]
pub async fn follow(
    shell: State<'_, Shell>,
    since: i64,
    channel: Channel<StreamItem>,
) -> Result<(), ApiError> {
    let mut changes = shell.host.subscribe(&Caller::Owner, Some(since)).await?;
    let task = tokio::spawn(async move {
        while let Some(item) = changes.recv().await {
            if channel.send(item).is_err() {
                break;
            }
        }
    });
    if let Some(earlier) = lock(&shell.follower).replace(task.abort_handle()) {
        earlier.abort();
    }
    Ok(())
}

/// Notes that the page now listens to requests of the shell.
#[tauri::command]
pub fn page_ready(app: AppHandle) {
    page::listens(&app, true);
}

/// Notes that the page took the oldest request.
#[tauri::command]
pub fn page_took(app: AppHandle) {
    page::took(&app);
}

/// Notes which session the page shows now, if any: while the window is focused, that session needs no
/// notification.
#[tauri::command]
pub fn viewing(shell: State<'_, Shell>, session: Option<String>) {
    *lock(&shell.in_view) = session;
}

/// Opens a web address in the person's browser.
#[tauri::command]
pub async fn open_url(url: String) -> Result<(), ApiError> {
    let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") {
        return Err(ApiError::invalid(format!(
            "only web addresses are opened, not {scheme:?}"
        )));
    }
    tauri_plugin_opener::open_url(url, None::<&str>)
        .map_err(|error| ApiError::failed("the address could not be opened", error))
}
