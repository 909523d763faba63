//! The errors between an engine and a keeper. These are not the wire errors of the faces: the
//! engine translates them.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// An error of the keeper or of its client.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody listens: the keeper is dead or was never started. For a request on a [`crate::Link`],
    /// the connection has ended; only [`crate::connect`] shows whether the keeper is alive.
    #[error("the keeper of this session is gone")]
    Gone,
    /// The keeper is alive but did not do this in time, and may still do it (a stopped process, a
    /// busy machine). This is never a reason to consider it dead.
    #[error("the keeper of this session did not {0} within {seconds} s", seconds = .1.as_secs())]
    Slow(&'static str, Duration),
    /// The keeper could not be started; the text is the last line that it printed.
    #[error("the keeper did not start: {0}")]
    Start(String),
    /// The peer speaks a protocol that this version does not support.
    #[error("the keeper uses protocol {found}, this program {known}")]
    Protocol {
        /// The peer's protocol version.
        found: u16,
        /// The newest version that this program supports.
        known: u16,
    },
    /// A frame was malformed or too long.
    #[error("malformed frame from the keeper")]
    Malformed,
    /// The peer belongs to another user.
    #[error("the other end of the keeper's socket belongs to another user")]
    ForeignUser,
    /// The keeper refused a request; the text gives the reason.
    #[error("{0}")]
    Refused(String),
    /// A path could not be used.
    #[error("{path}: {source}")]
    Path {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Input or output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A spec or an entry could not be written or read as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Error {
    pub(crate) fn path(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Path {
            path: path.to_owned(),
            source,
        }
    }
}
