//! The clients of a keeper: an engine's link, viewers, hook posts, and the launcher. The
//! keeper itself is [`crate::keep`].

mod attach;
mod blocking;
mod cut_off;
mod hook;
mod launch;
mod link;

pub use attach::{Attached, attach, attach_within};
pub use blocking::{FrameReader, InputWriter, attach_blocking, post_hook};
pub use hook::run_hook;
pub use launch::launch;
pub use link::{Link, connect, connect_within};

use crate::error::Error;
use crate::proto::{MAX_FRAME, Malformed, announced};
use crate::report::Hello;
use std::path::Path;
use tokio::io::{AsyncRead, AsyncReadExt as _};

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

/// Rejects the greeting of another session's keeper: the agent may have redirected the socket's path.
fn check_owner(hello: &Hello, dir: &Path) -> Result<(), Error> {
    match dir.file_name().is_some_and(|name| name == hello.id.as_str()) {
        true => Ok(()),
        false => Err(Error::Gone),
    }
}

/// Reads one frame; `None` at the end of the stream.
async fn read_frame(from: &mut (impl AsyncRead + Unpin)) -> Result<Option<(u8, Vec<u8>)>, Error> {
    let mut head = [0u8; 4];
    match from.read_exact(&mut head).await {
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    };
    let len = announced(head, MAX_FRAME)?;
    let kind = from.read_u8().await?;
    let mut body = vec![0u8; len - 1];
    from.read_exact(&mut body).await?;
    Ok(Some((kind, body)))
}
