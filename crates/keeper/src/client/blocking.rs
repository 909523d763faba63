//! Clients without an async runtime: `downbeat attach`, for the lowest latency, and hook posts.

use super::attach::{attaching, opening};
use super::check_owner;
use crate::error::Error;
use crate::proto::{Answer, Request, Role, VERSION, read_frame};
use crate::socket;
use crate::spool::Postmark;
use downbeat_model::terminal::{Frame, Input};
use interprocess::local_socket::Stream;
use std::io::{BufReader, Read, Write as _};
use std::path::Path;
use std::sync::Arc;

/// The bytes read at a time.
const READ_BYTES: usize = 64 << 10;

struct Shared(Arc<Stream>);

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

/// The reading end of a blocking viewer.
pub struct FrameReader(BufReader<Shared>);

/// The writing end of a blocking viewer.
pub struct InputWriter(Arc<Stream>);

/// Attaches a viewer to the keeper in `dir`. A size counts as focus. With `lines`, the first snapshot has
/// that many lines of scrollback and later ones have none; without, each has all of them.
pub fn attach_blocking(
    dir: &Path,
    size: Option<(u16, u16)>,
    lines: Option<u32>,
) -> Result<(FrameReader, InputWriter), Error> {
    let stream = Arc::new(socket::connect(dir)?);
    (&*stream).write_all(&opening(&[attaching(size, lines)]))?;
    let mut reader = BufReader::with_capacity(READ_BYTES, Shared(stream.clone()));
    let (kind, body) = read_frame(&mut reader)?.ok_or(Error::Gone)?;
    match Answer::decode(kind, body)? {
        Some(Answer::Hello(hello)) => check_owner(&hello, dir)?,
        _ => return Err(Error::Malformed),
    }
    Ok((FrameReader(reader), InputWriter(stream)))
}

impl FrameReader {
    /// Reads the next frame; `None` when the keeper is gone.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, Error> {
        while let Some((kind, body)) = read_frame(&mut self.0)? {
            if let Some(Answer::Terminal(bytes)) = Answer::decode(kind, body)? {
                return Frame::decode(&bytes).map(Some).ok_or(Error::Malformed);
            }
        }
        Ok(None)
    }

    /// Reports whether more data, at least a part of a frame, has arrived already.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.0.buffer().is_empty()
    }
}

impl InputWriter {
    /// Sends one input.
    pub fn send(&mut self, input: &Input) -> Result<(), Error> {
        Ok((&*self.0).write_all(&Request::of(input).encode())?)
    }
}

/// Posts a hook's body to the keeper in `dir`. Returns when it is in the journal.
pub fn post_hook(dir: &Path, body: &[u8]) -> Result<(), Error> {
    hand_hook(dir, Postmark::now(), body, || ())
}

/// Posts like [`post_hook`]; calls `handed` when the keeper's socket has the whole post. From then on the
/// post arrives without the sender, as soon as the keeper reads again. Fails with [`Error::Gone`] if nobody
/// listens, and with another error if the keeper hangs up without an answer.
pub fn hand_hook(dir: &Path, mark: Postmark, body: &[u8], handed: impl FnOnce()) -> Result<(), Error> {
    let stream = socket::connect(dir)?;
    let mut bytes = Request::Hello {
        version: VERSION,
        role: Role::Hook,
    }
    .encode();
    bytes.extend(Request::Mark(mark).encode());
    bytes.extend(Request::Hook(body.to_vec()).encode());
    (&stream).write_all(&bytes)?;
    handed();
    let mut reader = BufReader::new(&stream);
    while let Some((kind, body)) = read_frame(&mut reader)? {
        match Answer::decode(kind, body)? {
            Some(Answer::Posted) => return Ok(()),
            Some(Answer::Reply {
                result: Err(reason), ..
            }) => return Err(Error::Refused(reason)),
            _ => {}
        }
    }
    Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into())
}
