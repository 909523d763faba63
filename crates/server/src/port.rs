//! The listening port: accepts without delay for small writes, and tells when it is free again.

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A listener that fires a token when it is dropped, which is when its port is free.
pub(crate) struct Listening {
    // Fields drop in order: the socket first, then the guard says so.
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

    /// The next connection. What goes wrong with one does not end the listening.
    pub(crate) async fn accept(&mut self) -> TcpStream {
        let (stream, _) = axum::serve::Listener::accept(&mut self.inner).await;
        // A key's echo must not wait for the acknowledgement of the one before it.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY on a connection");
        }
        stream
    }
}
