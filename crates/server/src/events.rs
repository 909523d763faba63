//! Streams changes over a WebSocket: `/api/events?since=`, one JSON text per item. A reader that falls behind
//! is blocked by its own socket; the engine then sends it one resync.

use crate::face::Face;
use crate::places::Kind;
use crate::refusal::Refusal;
use crate::socket::{self, End, Socket};
use crate::token;
use axum::extract::ws::Message;
use axum::extract::{Query, Request, State};
use axum::response::Response;
use downbeat_wire::ApiError;
use downbeat_wire::event::StreamItem;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The maximum size of a message, in bytes. Readers send nothing here except a ping and a close.
const INPUT_LIMIT: usize = 4 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    since: Option<i64>,
}

pub(crate) async fn open(State(face): State<Face>, request: Request) -> Result<Response, Refusal> {
    let (mut parts, _) = request.into_parts();
    let caller = token::caller(&face, &parts.headers).await?;
    let start: Query<Start> =
        Query::try_from_uri(&parts.uri).map_err(|error| ApiError::invalid(format!("since: {error}")))?;
    let upgrade = socket::upgrade(&mut parts, INPUT_LIMIT).await?;
    let place = face.places.take(&caller, Kind::Socket)?;
    let items = face.host.subscribe(&caller, start.since).await?;
    Ok(upgrade.on_upgrade(move |socket| async move {
        carry(socket, items, face.shutdown).await;
        drop(place);
    }))
}

async fn carry(socket: Socket, mut items: mpsc::Receiver<StreamItem>, shutdown: CancellationToken) {
    let (mut sink, mut stream) = socket.split();
    let down = async {
        while let Some(item) = items.recv().await {
            let Ok(text) = serde_json::to_string(&item) else {
                continue;
            };
            if sink.send(Message::text(text)).await.is_err() {
                return End::Gone;
            }
        }
        End::Restart
    };
    let up = async {
        while let Some(message) = stream.next().await {
            match message {
                Ok(Message::Text(_) | Message::Binary(_)) => return End::Nonsense,
                Ok(Message::Close(_)) | Err(_) => return End::Gone,
                Ok(_) => {}
            }
        }
        End::Gone
    };
    let end = tokio::select! {
        end = down => end,
        end = up => end,
        () = shutdown.cancelled() => End::Restart,
    };
    socket::close(&mut sink, end).await;
}
