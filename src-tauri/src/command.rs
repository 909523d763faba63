//! What the page calls, other than terminals and quitting.

use crate::lock::lock;
use crate::page;
use crate::shell::Shell;
use downbeat_wire::event::StreamItem;
use downbeat_wire::{ApiError, Caller, Key};
use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{AppHandle, State};

/// Runs one operation of the table for the person; with an idempotency key, once.
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

/// Sends every change after `since` over `channel`, in place of any earlier follower.
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

/// The page listens for what the shell asks of it.
#[tauri::command]
pub fn page_ready(app: AppHandle) {
    page::listens(&app, true);
}

/// The page took the oldest request.
#[tauri::command]
pub fn page_took(app: AppHandle) {
    page::took(&app);
}

/// The page shows this session now, or none: no notification is needed for it while focused.
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
