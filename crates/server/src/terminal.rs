//! A session's terminal over a WebSocket: binary frames and inputs, passed unchanged between viewer and
//! keeper. Nothing is queued here beyond one frame each way: a viewer that does not read blocks its own link,
//! which the keeper later resyncs with a snapshot.

use crate::face::Face;
use crate::places::Kind;
use crate::refusal::Refusal;
use crate::socket::{self, End, Socket};
use crate::token;
use axum::extract::rejection::PathRejection;
use axum::extract::ws::Message;
use axum::extract::{Path, Query, Request, State};
use axum::response::Response;
use downbeat_model::terminal::{Frame, Input};
use downbeat_wire::{ApiError, Code, FirstFrame, TerminalLink};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

/// The maximum size of one input, in bytes: a pasted file. Larger ones close the stream instead of filling
/// memory.
const INPUT_LIMIT: usize = 4 << 20;

/// The query of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    #[serde(default)]
    first: FirstFrame,
}

pub(crate) async fn open(
    State(face): State<Face>,
    session: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Refusal> {
    let (mut parts, _) = request.into_parts();
    let caller = token::caller(&face, &parts.headers).await?;
    let Path(session) = session.map_err(|error| ApiError::invalid(error.to_string()))?;
    let start: Query<Start> =
        Query::try_from_uri(&parts.uri).map_err(|error| ApiError::invalid(format!("first: {error}")))?;
    let upgrade = socket::upgrade(&mut parts, INPUT_LIMIT).await?;
    let place = face.places.take(&caller, Kind::Socket)?;
    match face.host.attach(&caller, &session, start.first).await {
        Ok(link) => Ok(upgrade.on_upgrade(move |socket| async move {
            carry(socket, link, face.shutdown).await;
            drop(place);
        })),
        Err(error) if matches!(error.code, Code::NotFound | Code::Ambiguous | Code::Forbidden) => {
            Err(error.into())
        }
        // A browser cannot read why an opening was refused, but a person should: no terminal yet, keeper
        // gone.
        Err(error) => Ok(upgrade.on_upgrade(move |socket| say(socket, error.message))),
    }
}

async fn say(mut socket: Socket, reason: String) {
    let frame = Frame::Closed { reason }.encode();
    if socket.send(Message::binary(frame)).await.is_ok() {
        socket::close(&mut socket, End::Done).await;
    }
}

async fn carry(socket: Socket, link: TerminalLink, shutdown: CancellationToken) {
    let (mut sink, mut stream) = socket.split();
    let TerminalLink { mut frames, input } = link;
    let down = async {
        while let Some(frame) = frames.recv().await {
            if sink.send(Message::binary(frame.encode())).await.is_err() {
                return End::Gone;
            }
        }
        End::Done
    };
    let up = async {
        while let Some(message) = stream.next().await {
            match message {
                Ok(Message::Binary(bytes)) => match Input::decode(&bytes) {
                    // If the keeper is gone, the other half of the link reports it.
                    Some(decoded) => drop(input.send(decoded).await),
                    None => return End::Nonsense,
                },
                Ok(Message::Text(_)) => return End::Nonsense,
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
