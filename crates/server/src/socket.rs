//! The parts that both WebSockets share: opening with the subprotocol, and closing properly.

use crate::refusal::Refusal;
use crate::token::PROTOCOL;
use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::request::Parts;
use downbeat_wire::ApiError;
use futures_util::{Sink, SinkExt};
use std::time::Duration;

/// The time limit for sending the close frame before the connection is dropped.
const GOODBYE: Duration = Duration::from_secs(1);

/// The reason why a stream ends, from our side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// There is nothing more to send.
    Done,
    /// The engine is going away; another one will be there in a moment.
    Restart,
    /// The other side sent something that is not a message of this stream.
    Nonsense,
    /// The other side is gone.
    Gone,
}

/// Extracts the upgrade from a request for a WebSocket.
pub(crate) async fn upgrade(parts: &mut Parts, largest: usize) -> Result<WebSocketUpgrade, Refusal> {
    let upgrade = WebSocketUpgrade::from_request_parts(parts, &()).await;
    let upgrade = upgrade.map_err(|error| ApiError::invalid(format!("this is a WebSocket: {error}")))?;
    Ok(upgrade
        .protocols([PROTOCOL])
        .max_message_size(largest)
        .max_frame_size(largest))
}

/// Sends the close frame; a peer that does not read is dropped.
pub(crate) async fn close<S: Sink<Message> + Unpin>(sink: &mut S, end: End) {
    let (code, reason) = match end {
        End::Done => (close_code::NORMAL, ""),
        End::Restart => (close_code::RESTART, "the engine is handing over or stopping"),
        End::Nonsense => (close_code::INVALID, "not a message of this stream"),
        End::Gone => return,
    };
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    let goodbye = sink.send(Message::Close(Some(frame)));
    if tokio::time::timeout(GOODBYE, goodbye).await.is_err() {
        tracing::debug!("a peer did not read our goodbye");
    }
}

/// The type of both streams' sockets.
pub(crate) type Socket = WebSocket;
