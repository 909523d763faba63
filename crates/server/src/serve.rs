//! The routes, and the layers that every request passes before its handler.

use crate::face::{DRAIN, Face};
use crate::places::Places;
use crate::port::Listening;
use crate::{connections, events, guard, handover, hello, openapi, operation, panicked, terminal, webhook};
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use downbeat_wire::webhook::WebhookFrom;
use downbeat_wire::{Host, proof};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The reason why serving ended, if not on request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The listener has no address.
    #[error("the server cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

/// Serves the API, the two streams and, only under the name `page`, the user interface on `listener` until
/// `shutdown`. It then frees the port immediately, gives requests in progress two seconds, and closes the
/// streams properly. A handover that is requested over HTTP fires `shutdown` too.
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
        places: Places::default(),
        webhooks: Arc::new(Semaphore::new(webhook::AT_ONCE)),
        shutdown: shutdown.clone(),
        port_free: port_free.clone(),
    };
    let listener = Listening::new(listener, port_free);
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
        .route(WebhookFrom::GitHub.path(), post(webhook::github))
        .route(WebhookFrom::GitLab.path(), post(webhook::gitlab))
        .fallback(operation::answer_or_ui)
        .method_not_allowed_fallback(operation::wrong_method)
        .layer(from_fn(panicked::capture))
        .layer(from_fn_with_state(face.clone(), guard::check))
        .with_state(face)
}
