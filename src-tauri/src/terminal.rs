//! Terminals of the page: frames travel over a channel as raw bytes, unchanged; input comes as
//! raw bytes with the handle in a header, in the order in which it was sent.

use crate::shell::{Shell, lock};
use downbeat_model::terminal::{Frame, Input};
use downbeat_wire::{ApiError, Caller, Code, TerminalLink};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tauri::State;
use tauri::ipc::{Channel, InvokeBody, InvokeResponseBody, Request};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// Inputs of one terminal that wait while its child does not read. Far more keys than a person
/// types ahead; beyond it the page is told, and nothing is dropped silently.
const INPUTS: usize = 1024;

/// The header that names the terminal of a raw request.
const HANDLE: &str = "downbeat-terminal";

/// The open terminals of the page.
#[derive(Default)]
pub struct Terminals(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u32,
    viewers: HashMap<u32, Viewer>,
}

struct Viewer {
    input: mpsc::Sender<Input>,
    frames: AbortHandle,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.frames.abort();
    }
}

impl Terminals {
    /// Closes every terminal: the page was loaded anew.
    pub fn close_all(&self) {
        lock(&self.0).viewers.clear();
    }

    fn add(self: &Arc<Self>, link: TerminalLink, channel: Channel<InvokeResponseBody>) -> u32 {
        let (input, inputs) = mpsc::channel(INPUTS);
        let mut open = lock(&self.0);
        open.last += 1;
        let handle = open.last;
        let terminals = Arc::clone(self);
        let frames = tokio::spawn(async move {
            carry_frames(link.frames, &channel).await;
            lock(&terminals.0).viewers.remove(&handle);
        });
        tokio::spawn(carry_inputs(inputs, link.input));
        let frames = frames.abort_handle();
        open.viewers.insert(handle, Viewer { input, frames });
        handle
    }
}

async fn carry_frames(mut frames: mpsc::Receiver<Frame>, channel: &Channel<InvokeResponseBody>) {
    while let Some(frame) = frames.recv().await {
        if channel.send(InvokeResponseBody::Raw(frame.encode())).is_err() {
            return;
        }
    }
    let reason = "the engine closed the terminal".to_owned();
    let _ = channel.send(InvokeResponseBody::Raw(Frame::Closed { reason }.encode()));
}

async fn carry_inputs(mut inputs: mpsc::Receiver<Input>, keeper: mpsc::Sender<Input>) {
    while let Some(input) = inputs.recv().await {
        if keeper.send(input).await.is_err() {
            return;
        }
    }
}

/// Attaches the page to a session's terminal; `channel` gets frames from a snapshot on.
#[tauri::command]
pub async fn terminal_open(
    shell: State<'_, Shell>,
    session: String,
    channel: Channel<InvokeResponseBody>,
) -> Result<u32, ApiError> {
    let link = shell.host.attach(&Caller::Owner, &session).await?;
    Ok(shell.terminals.add(link, channel))
}

/// Takes one input for a terminal. Runs in the order of the page's calls, hence not `async`.
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
    let open = lock(&shell.terminals.0);
    let viewer = open
        .viewers
        .get(&handle)
        .ok_or_else(|| ApiError::not_found("open terminal", handle))?;
    viewer.input.try_send(input).map_err(|error| match error {
        mpsc::error::TrySendError::Full(_) => ApiError::new(
            Code::Unavailable,
            "the program in this terminal does not read what is typed",
        ),
        mpsc::error::TrySendError::Closed(_) => ApiError::not_found("open terminal", handle),
    })
}

/// Detaches the page from a terminal.
#[tauri::command]
pub fn terminal_close(shell: State<'_, Shell>, handle: u32) {
    lock(&shell.terminals.0).viewers.remove(&handle);
}
