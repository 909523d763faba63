//! Connections before a token was shown: their maximum number, and the time limit for the head of a request.
//! Anybody on this machine can open connections, and each uses a file descriptor that sessions need too. If
//! there are too many, the one that has been silent longest is dropped, so a program that opens connections
//! and sends nothing slows nobody down. WebSockets are opened with a token and are not counted here; the
//! limits of one session are in [`crate::places`].

use crate::port::Listening;
use axum::Router;
use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The maximum number of connections, those with a request in progress and idle ones. Sessions have at most
/// 96 requests in progress (see [`crate::places`]), the person and some browsers the rest; that is small
/// compared with the 256 descriptors of the tightest system. Further connections wait until one ends.
const MOST: u32 = 128;

/// The time limit for a request's head, and for an idle connection. Our own clients close theirs earlier.
const HEAD: Duration = Duration::from_secs(10);

/// The time for which a new connection is not dropped however many are waiting, so that it can send
/// something.
const GRACE: Duration = Duration::from_millis(100);

/// Accepts connections until `shutdown`, then frees the port and gives requests in progress `drain` to end.
pub(crate) async fn serve(
    mut listening: Listening,
    router: Router,
    shutdown: CancellationToken,
    drain: Duration,
) {
    let places = Arc::new(Semaphore::new(MOST as usize));
    let silent = Silent::default();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    // The date header is not needed, and cannot be written by a clock that is set before 1970.
    http.auto_date_header(false);
    loop {
        let next = async {
            let stream = listening.accept().await;
            (stream, place(&places, &silent).await)
        };
        let (stream, place) = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            next = next => next,
        };
        let connection = carry(
            http.clone(),
            stream,
            router.clone(),
            silent.clone(),
            shutdown.clone(),
        );
        tokio::spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listening);
    // All places are free once nothing is in progress.
    let ended = places.acquire_many(MOST);
    if tokio::time::timeout(drain, ended).await.is_err() {
        tracing::debug!("some requests did not end in time");
    }
}

/// Returns a place for one more connection: a free one, or that of the connection that has been silent
/// longest.
async fn place(places: &Arc<Semaphore>, silent: &Silent) -> Option<OwnedSemaphorePermit> {
    if let Ok(place) = Arc::clone(places).try_acquire_owned() {
        return Some(place);
    }
    let mut place = pin!(Arc::clone(places).acquire_owned());
    loop {
        let again = silent.drop_oldest();
        if let Ok(place) = tokio::time::timeout(again, place.as_mut()).await {
            return place.ok();
        }
    }
}

/// Serves one connection until it ends or becomes a WebSocket. After `shutdown` it accepts no new request.
async fn carry(
    http: http1::Builder,
    stream: TcpStream,
    router: Router,
    silent: Silent,
    shutdown: CancellationToken,
) {
    let dropped = CancellationToken::new();
    let quiet = Arc::new(Quiet::new(silent, dropped.clone()));
    let service = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let busy = Busy::new(Arc::clone(&quiet));
        let answer = service.call(request);
        async move {
            let answer = answer.await?;
            // The connection is busy until the last byte of the answer is on its way.
            Ok::<_, std::convert::Infallible>(answer.map(|body| {
                body.map_frame(move |frame| {
                    let _ = &busy;
                    frame
                })
            }))
        }
    });
    let connection = http.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection.with_upgrades());
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = dropped.cancelled() => return,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// The connections that have no request in progress, the longest silent ones first. Locked only for reading
/// and changing the list.
#[derive(Debug, Clone, Default)]
struct Silent(Arc<Mutex<Order>>);

#[derive(Debug, Default)]
struct Order {
    next: u64,
    waiting: BTreeMap<u64, (Instant, CancellationToken)>,
}

impl Silent {
    fn enter(&self, dropped: &CancellationToken) -> u64 {
        let mut order = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        order.next += 1;
        let number = order.next;
        order.waiting.insert(number, (Instant::now(), dropped.clone()));
        number
    }

    fn leave(&self, number: u64) {
        let mut order = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        order.waiting.remove(&number);
    }

    /// Drops the connection that has been silent longest, unless it has only just connected. Returns the time
    /// to wait before the next one is dropped.
    fn drop_oldest(&self) -> Duration {
        let mut order = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(oldest) = order.waiting.first_entry() {
            let left = GRACE.saturating_sub(oldest.get().0.elapsed());
            if !left.is_zero() {
                return left;
            }
            oldest.remove().1.cancel();
        }
        GRACE
    }
}

/// The position of one connection among the silent ones.
struct Quiet {
    silent: Silent,
    dropped: CancellationToken,
    number: Mutex<u64>,
}

impl Quiet {
    fn new(silent: Silent, dropped: CancellationToken) -> Self {
        let number = Mutex::new(silent.enter(&dropped));
        Self {
            silent,
            dropped,
            number,
        }
    }

    fn number(&self) -> std::sync::MutexGuard<'_, u64> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.silent.leave(*self.number());
    }
}

/// A request in progress on a connection, which is not silent meanwhile.
struct Busy(Arc<Quiet>);

impl Busy {
    fn new(quiet: Arc<Quiet>) -> Self {
        quiet.silent.leave(*quiet.number());
        Self(quiet)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.number() = self.0.silent.enter(&self.0.dropped);
    }
}
