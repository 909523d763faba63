//! Connections before anybody has shown a token: how many there may be, and how long one may take
//! to say what it wants. Anybody on this machine can open them, and each holds a descriptor that
//! sessions need too. WebSockets are opened with a token and do not count.

use crate::port::Listening;
use axum::Router;
use hyper::server::conn::http1::{self, UpgradeableConnection};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

type Connection = UpgradeableConnection<TokioIo<TcpStream>, TowerToHyperService<Router>>;

/// Requests under way, and connections that rest between two. Two for each of fifty conductors
/// that wait, and some browsers; small beside the 256 descriptors of the tightest system. More
/// wait outside until one ends.
const MOST: u32 = 128;

/// How long a request's head may take, and how long a connection rests without one. Clients of
/// ours let go of theirs earlier.
const HEAD: Duration = Duration::from_secs(10);

/// Accepts until `shutdown`, which frees the port, and gives requests under way `drain` to end.
pub(crate) async fn serve(
    mut listening: Listening,
    router: Router,
    shutdown: CancellationToken,
    drain: Duration,
) {
    let places = Arc::new(Semaphore::new(MOST as usize));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listening.accept().await, place)
        };
        let (stream, place) = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            next = next => next,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let shutdown = shutdown.clone();
        tokio::spawn(async move {
            carry(connection.with_upgrades(), shutdown).await;
            drop(place);
        });
    }
    drop(listening);
    // All places are free once nothing is under way.
    let ended = places.acquire_many(MOST);
    if tokio::time::timeout(drain, ended).await.is_err() {
        tracing::debug!("some requests did not end in time");
    }
}

/// One connection, until it ends or becomes a WebSocket. After `shutdown` it takes no new request.
async fn carry(connection: Connection, shutdown: CancellationToken) {
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}
