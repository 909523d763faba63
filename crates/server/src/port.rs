//! The listening port: accepts connections without delay for small writes, and signals when the port is free
//! again.

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A listener that fires a token when it is dropped, because its port is then free.
pub(crate) struct Listening {
    // Fields are dropped in order: the socket first, then the guard signals that.
    inner: TcpListener,
    _freed: DropGuard,
}

impl Listening {
    pub(crate) fn new(inner: TcpListener, freed: CancellationToken) -> Self {
        Self {
            inner,
            _freed: freed.drop_guard(),
        }
    }

    /// Accepts the next connection. An error of one connection does not end the listening.
    pub(crate) async fn accept(&mut self) -> TcpStream {
        let (stream, _) = axum::serve::Listener::accept(&mut self.inner).await;
        // The echo of a key must not wait for the acknowledgement of the previous one.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "could not set TCP_NODELAY on a connection");
        }
        stream
    }
}
