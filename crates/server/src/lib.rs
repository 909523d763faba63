//! The HTTP and WebSocket face of the engine. It holds no logic: it walks the table of
//! operations and carries the two streams; who a token stands for and what a caller may do is
//! the engine's to say, through [`Host`].
//!
//! Limits: it binds nothing itself (the caller passes a loopback listener) and speaks no TLS.
//!
//! Map, along the way of a request: [`port`] accepts and [`connections`] bounds who is let near, [`places`] what one session may have under way;
//! [`guard`] refuses foreign `Host` and `Origin` and sets the
//! response headers; [`panicked`] turns a panic into an error with its place; [`hello`] proves to a client that this is the engine, [`token`] finds the
//! caller; [`operation`] matches the table, with [`arguments`] merged from path, query and body;
//! [`events`] and [`terminal`] are the streams; [`openapi`] describes it all; [`ui`] serves the
//! interface; [`refusal`] is how an error travels.
#![forbid(unsafe_code)]

mod arguments;
mod connections;
mod events;
mod guard;
mod handover;
mod hello;
mod openapi;
mod operation;
mod panicked;
mod places;
mod port;
mod refusal;
mod schemas;
mod socket;
mod terminal;
mod token;
mod ui;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use downbeat_wire::{Host, proof};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub use openapi::document as openapi;

/// How long requests that are under way may take once the server is to end. A handover takes
/// under five seconds in all; this is its share.
const DRAIN: Duration = Duration::from_secs(2);

/// Why serving ended, other than on request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The listener is none.
    #[error("the server cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

/// What every handler sees.
#[derive(Clone)]
struct Face {
    host: Arc<dyn Host>,
    port: u16,
    /// The name under which the interface is served; see [`proof::page_name`].
    page: Arc<str>,
    /// What sessions have under way.
    places: places::Places,
    /// Fires when the server is to end.
    shutdown: CancellationToken,
    /// Fires when the listening port is free again.
    port_free: CancellationToken,
}

/// Serves the API, the two streams and, under the name `page` alone, the user interface on `listener` until
/// `shutdown`, which
/// frees the port at once, gives requests under way two seconds, and closes the streams politely.
/// A handover asked for over HTTP fires `shutdown` too.
///
/// # Errors
/// When the listener has no address.
pub async fn serve(
    host: Arc<dyn Host>,
    listener: TcpListener,
    page: &str,
    shutdown: CancellationToken,
) -> Result<(), Error> {
    let port_free = CancellationToken::new();
    let face = Face {
        host,
        port: listener.local_addr()?.port(),
        page: page.into(),
        places: places::Places::default(),
        shutdown: shutdown.clone(),
        port_free: port_free.clone(),
    };
    let listener = port::Listening::new(listener, port_free);
    connections::serve(listener, router(face), shutdown, DRAIN).await;
    Ok(())
}

fn router(face: Face) -> Router {
    Router::new()
        .route("/api/events", get(events::open))
        .route("/api/sessions/{id}/terminal", get(terminal::open))
        .route(proof::PATH, get(hello::answer))
        .route("/api/openapi.json", get(openapi::answer))
        .route("/api/engine/handover", post(handover::answer))
        .fallback(operation::answer_or_ui)
        .method_not_allowed_fallback(operation::wrong_method)
        .layer(from_fn(panicked::capture))
        .layer(from_fn_with_state(face.clone(), guard::check))
        .with_state(face)
}
