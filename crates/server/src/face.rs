//! The state that every handler sees: the engine behind its interface, and this server's own data.

use crate::places::Places;
use downbeat_wire::Host;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The time limit for requests in progress once the server is to end. A handover takes under five seconds in
/// all; this is its share.
pub(crate) const DRAIN: Duration = Duration::from_secs(2);

/// The state that every handler sees.
#[derive(Clone)]
pub(crate) struct Face {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) port: u16,
    /// The name under which the interface is served; see [`downbeat_wire::proof::page_name`].
    pub(crate) page: Arc<str>,
    /// The places of the requests and streams of sessions.
    pub(crate) places: Places,
    /// The places of webhooks that are read.
    pub(crate) webhooks: Arc<Semaphore>,
    /// Fires when the server is to end.
    pub(crate) shutdown: CancellationToken,
    /// Fires when the listening port is free again.
    pub(crate) port_free: CancellationToken,
}
