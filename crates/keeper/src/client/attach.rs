//! A viewer's connection, asynchronous: frames in, inputs out.

use super::{check_owner, read_frame};
use crate::error::Error;
use crate::proto::{Answer, Request, Role, VERSION};
use crate::socket;
use downbeat_model::terminal::{Frame, Input};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

/// The maximum number of frames that may wait for the viewer, and inputs for the keeper. Full channels stop
/// reading; the keeper then skips ahead and sends a snapshot.
const FRAMES: usize = 64;

impl Request {
    /// Converts a viewer's input into a request.
    pub(crate) fn of(input: &Input) -> Self {
        match input {
            Input::Data(bytes) => Self::Input(bytes.clone()),
            Input::Resize { cols, rows } => Self::Resize {
                cols: *cols,
                rows: *rows,
            },
            Input::Ack { seq } => Self::Drawn { seq: *seq },
        }
    }
}

/// Returns the bytes that open a viewer's connection: the greeting, then `requests`.
pub(super) fn opening(requests: &[Request]) -> Vec<u8> {
    let hello = Request::Hello {
        version: VERSION,
        role: Role::Viewer,
    };
    let mut bytes = hello.encode();
    bytes.extend(requests.iter().flat_map(Request::encode));
    bytes
}

/// Returns the request that attaches a new viewer. A size counts as focus. With `lines`, the first snapshot has that
/// many lines of scrollback and later ones have none; without, each has all of them.
pub(super) fn attaching(size: Option<(u16, u16)>, lines: Option<u32>) -> Request {
    let from = u64::MAX;
    Request::Attach { size, from, lines }
}

/// The two ends of a viewer's connection.
pub type Attached = (mpsc::Sender<Input>, mpsc::Receiver<Frame>);

/// Attaches a viewer to the keeper in `dir`. A size counts as focus. The first frame is a
/// snapshot; dropping the sender detaches the viewer.
pub async fn attach(dir: &Path, size: Option<(u16, u16)>) -> Result<Attached, Error> {
    open(dir, &[attaching(size, None)], Duration::MAX).await
}

/// Attaches like [`attach`], without a size. With `screen_first`, a [`Frame::Screen`] precedes a long first snapshot. Fails with
/// [`Error::Slow`] if no first frame arrives within `patience`.
pub async fn attach_within(dir: &Path, screen_first: bool, patience: Duration) -> Result<Attached, Error> {
    let requests = [Request::ScreenFirst, attaching(None, None)];
    open(
        dir,
        if screen_first { &requests } else { &requests[1..] },
        patience,
    )
    .await
}

async fn open(dir: &Path, requests: &[Request], patience: Duration) -> Result<Attached, Error> {
    let opened = async {
        let (read, mut write) = tokio::io::split(socket::connect_async(dir).await?);
        write.write_all(&opening(requests)).await?;
        let mut read = BufReader::with_capacity(64 << 10, read);
        let first = first_frame(&mut read, dir).await?.ok_or(Error::Gone)?;
        Ok::<_, Error>((read, write, first))
    };
    let (read, mut write, first) = tokio::time::timeout(patience, opened)
        .await
        .map_err(|_| Error::Slow("show its screen", patience))??;
    let (inputs, mut queue) = mpsc::channel::<Input>(FRAMES);
    let (frames, receiver) = mpsc::channel(FRAMES);
    // The channel is empty, so there is room.
    drop(frames.try_send(first));
    let reading = tokio::spawn(read_all(read, frames));
    tokio::spawn(async move {
        while let Some(input) = queue.recv().await {
            if write.write_all(&Request::of(&input).encode()).await.is_err() {
                return;
            }
        }
        reading.abort();
    });
    Ok((inputs, receiver))
}

/// Reads the first frame, after the greeting of the keeper in `dir`.
async fn first_frame(read: &mut (impl AsyncRead + Unpin), dir: &Path) -> Result<Option<Frame>, Error> {
    if let Some((kind, body)) = read_frame(read).await?
        && let Some(Answer::Hello(hello)) = Answer::decode(kind, body)?
    {
        check_owner(&hello, dir)?;
        return next_frame(read).await;
    }
    Ok(None)
}

/// Reads the next frame of the terminal; `None` at the end.
async fn next_frame(read: &mut (impl AsyncRead + Unpin)) -> Result<Option<Frame>, Error> {
    while let Some((kind, body)) = read_frame(read).await? {
        if let Some(Answer::Terminal(bytes)) = Answer::decode(kind, body)? {
            return Frame::decode(&bytes).map(Some).ok_or(Error::Malformed);
        }
    }
    Ok(None)
}

async fn read_all(mut read: impl AsyncRead + Unpin, frames: mpsc::Sender<Frame>) {
    while let Ok(Some(frame)) = next_frame(&mut read).await {
        if frames.send(frame).await.is_err() {
            return;
        }
    }
    drop(
        frames
            .send(Frame::Closed {
                reason: "the keeper of this session is gone".to_owned(),
            })
            .await,
    );
}
