//! The terminals of the page: frames are sent over a channel as raw bytes, unchanged; input arrives as raw
//! bytes with the handle in a header, in the order in which it was sent.

use crate::shell::Shell;
use downbeat_model::terminal::Input;
use downbeat_wire::{ApiError, Caller, FirstFrame};
use tauri::State;
use tauri::ipc::{Channel, InvokeBody, InvokeResponseBody, Request};

/// The header that names the terminal of a raw request.
const HANDLE: &str = "downbeat-terminal";

/// Attaches the page to a session's terminal; `channel` receives frames, starting with a snapshot.
#[tauri::command]
pub async fn terminal_open(
    shell: State<'_, Shell>,
    session: String,
    channel: Channel<InvokeResponseBody>,
) -> Result<u32, ApiError> {
    let link = shell
        .host
        .attach(&Caller::Owner, &session, FirstFrame::Screen)
        .await?;
    Ok(shell.viewers.add(link, channel))
}

/// Passes one input to a terminal. Runs in the order of the page's calls, hence not `async`.
#[tauri::command]
pub fn terminal_send(shell: State<'_, Shell>, request: Request<'_>) -> Result<(), ApiError> {
    let header = request
        .headers()
        .get(HANDLE)
        .and_then(|value| value.to_str().ok());
    let handle: Option<u32> = header.and_then(|value| value.parse().ok());
    let (Some(handle), InvokeBody::Raw(bytes)) = (handle, request.body()) else {
        return Err(ApiError::invalid(format!(
            "wanted raw bytes and the header {HANDLE}"
        )));
    };
    let input = Input::decode(bytes).ok_or_else(|| ApiError::invalid("not an input of a terminal"))?;
    shell.viewers.send(handle, input)
}

/// Detaches the page from a terminal.
#[tauri::command]
pub fn terminal_close(shell: State<'_, Shell>, handle: u32) {
    shell.viewers.close(handle);
}
