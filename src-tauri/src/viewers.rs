//! The viewers of terminals that the page has open: each viewer's frames go to its channel, and its inputs to
//! its keeper.

use crate::lock::lock;
use downbeat_model::terminal::{Frame, Input};
use downbeat_wire::{ApiError, Code, TerminalLink};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tauri::ipc::{Channel, InvokeResponseBody};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// The maximum number of inputs of one terminal that wait while its child does not read, far more keys than a
/// person types ahead. Beyond it the page gets an error; nothing is dropped silently.
const INPUTS: usize = 1024;

/// The viewers of terminals that the page has open.
#[derive(Default)]
pub struct Viewers(Mutex<Open>);

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

impl Viewers {
    /// Closes every terminal after the page was reloaded.
    pub fn close_all(&self) {
        lock(&self.0).viewers.clear();
    }

    /// Adds a viewer, whose frames go to `channel`. Returns the handle by which inputs are sent to it and it
    /// is closed.
    pub fn add(self: &Arc<Self>, link: TerminalLink, channel: Channel<InvokeResponseBody>) -> u32 {
        let (input, inputs) = mpsc::channel(INPUTS);
        let mut open = lock(&self.0);
        open.last += 1;
        let handle = open.last;
        let viewers = Arc::clone(self);
        let frames = tokio::spawn(async move {
            carry_frames(link.frames, &channel).await;
            lock(&viewers.0).viewers.remove(&handle);
        });
        tokio::spawn(carry_inputs(inputs, link.input));
        let frames = frames.abort_handle();
        open.viewers.insert(handle, Viewer { input, frames });
        handle
    }

    /// Sends one input to the keeper of a viewer.
    pub fn send(&self, handle: u32, input: Input) -> Result<(), ApiError> {
        let open = lock(&self.0);
        let viewer = open
            .viewers
            .get(&handle)
            .ok_or_else(|| ApiError::not_found("open terminal", handle))?;
        viewer.input.try_send(input).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ApiError::new(
                Code::Unavailable,
                "the program in this terminal does not read its input",
            ),
            mpsc::error::TrySendError::Closed(_) => ApiError::not_found("open terminal", handle),
        })
    }

    /// Closes one viewer.
    pub fn close(&self, handle: u32) {
        lock(&self.0).viewers.remove(&handle);
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
