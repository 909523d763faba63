//! Tests of the two WebSockets: who may open them, what they carry, how they end, and a reader that does not
//! read.

use crate::rig::{Rig, Socket};
use crate::scripted::{OWNER, SESSION, Scripted};
use downbeat_model::terminal::{Frame, Input};
use downbeat_wire::event::StreamItem;
use downbeat_wire::{ApiError, Code, FirstFrame, TerminalLink};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

const PROTOCOL: (&str, &str) = ("sec-websocket-protocol", "downbeat, bearer.owner-token");

fn silent() -> Arc<Scripted> {
    Scripted::new(|_| Err(ApiError::new(Code::Failed, "not in the script")))
}

async fn next(socket: &mut Socket) -> Message {
    let message = tokio::time::timeout(Duration::from_secs(10), socket.next()).await;
    message.expect("in time").expect("not ended").expect("no error")
}

fn closed(message: Message) -> CloseCode {
    match message {
        Message::Close(Some(frame)) => frame.code,
        other => panic!("not a close: {other:?}"),
    }
}

#[tokio::test]
async fn changes_arrive_in_order_from_the_readers_position() {
    let host = silent();
    let (send, items) = mpsc::channel(4);
    *host.items.lock().unwrap() = Some(items);
    let rig = Rig::start(host).await;
    let mut socket = rig.socket("/api/events?since=41", &[PROTOCOL]).await.unwrap();
    assert_eq!(*rig.host.since.lock().unwrap(), [Some(41)]);
    for seq in [42, 43] {
        send.send(StreamItem::Resync { seq }).await.unwrap();
        let want = format!(r#"{{"type":"resync","seq":{seq}}}"#);
        assert_eq!(next(&mut socket).await, Message::text(want));
    }
    drop(send);
    assert_eq!(closed(next(&mut socket).await), CloseCode::Restart);
}

#[tokio::test]
async fn sockets_are_refused_like_any_request() {
    let rig = Rig::start(silent()).await;
    let bearer = format!("Bearer {OWNER}");
    for path in ["/api/events", "/api/sessions/x/terminal"] {
        assert_eq!(rig.socket(path, &[]).await.unwrap_err(), 401);
        let wrong = ("sec-websocket-protocol", "downbeat, bearer.wrong");
        assert_eq!(rig.socket(path, &[wrong]).await.unwrap_err(), 401);
        let foreign = ("origin", "http://evil.example");
        assert_eq!(rig.socket(path, &[PROTOCOL, foreign]).await.unwrap_err(), 403);
        assert_eq!(
            rig.socket(path, &[PROTOCOL, ("host", "evil.example")])
                .await
                .unwrap_err(),
            403
        );
    }
    let header = [("authorization", bearer.as_str())];
    assert_eq!(
        rig.socket("/api/sessions/x/terminal", &header).await.unwrap_err(),
        404
    );
    assert_eq!(rig.socket("/api/events?since=x", &header).await.unwrap_err(), 400);
    assert_eq!(rig.socket("/api/events", &header).await.unwrap_err(), 409);
}

/// Returns a link, and the keeper's ends of it.
fn link(frames: usize) -> (TerminalLink, mpsc::Sender<Frame>, mpsc::Receiver<Input>) {
    let (send, from_keeper) = mpsc::channel(frames);
    let (input, to_keeper) = mpsc::channel(4);
    let link = TerminalLink {
        frames: from_keeper,
        input,
    };
    (link, send, to_keeper)
}

#[tokio::test]
async fn a_session_has_a_limit_of_open_streams_and_the_person_has_none() {
    let host = silent();
    let mut ends = Vec::new();
    for _ in 0..18 {
        let (link, frames, inputs) = link(1);
        host.links.lock().unwrap().push(Ok(link));
        ends.push((frames, inputs));
    }
    let rig = Rig::start(host).await;
    let own = format!("downbeat, bearer.{SESSION}");
    let open = async |protocols: &str| {
        let header = ("sec-websocket-protocol", protocols);
        rig.socket("/api/sessions/x/terminal", &[header]).await
    };
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(open(&own).await.unwrap());
    }
    assert_eq!(open(&own).await.unwrap_err(), 422);
    for _ in 0..9 {
        held.push(open(PROTOCOL.1).await.unwrap());
    }
    // A stream that ends frees its place.
    drop(held.remove(0));
    let patience = tokio::time::Instant::now() + Duration::from_secs(10);
    while open(&own).await.is_err() {
        assert!(tokio::time::Instant::now() < patience, "no place became free");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn the_screen_comes_first_only_for_a_viewer_that_asks() {
    let rig = Rig::start(silent()).await;
    for (query, wanted) in [
        ("", 404),
        ("?first=screen", 404),
        ("?first=snapshot", 404),
        ("?first=x", 400),
    ] {
        let path = format!("/api/sessions/x/terminal{query}");
        assert_eq!(
            rig.socket(&path, &[PROTOCOL]).await.unwrap_err(),
            wanted,
            "{query}"
        );
    }
    let wanted = [FirstFrame::Snapshot, FirstFrame::Screen, FirstFrame::Snapshot];
    assert_eq!(*rig.host.firsts.lock().unwrap(), wanted);
}

#[tokio::test]
async fn a_terminal_carries_frames_and_inputs_unchanged() {
    let host = silent();
    let (link, frames, mut inputs) = link(4);
    host.links.lock().unwrap().push(Ok(link));
    let rig = Rig::start(host).await;
    let mut socket = rig.socket("/api/sessions/x/terminal", &[PROTOCOL]).await.unwrap();
    let output = Frame::Output {
        seq: 9,
        data: vec![0, 255, 27],
    };
    frames.send(output.clone()).await.unwrap();
    assert_eq!(next(&mut socket).await, Message::binary(output.encode()));
    for input in [
        Input::Data(vec![3]),
        Input::Resize { cols: 80, rows: 24 },
        Input::Ack { seq: 12 },
    ] {
        socket.send(Message::binary(input.encode())).await.unwrap();
        assert_eq!(inputs.recv().await, Some(input));
    }
    drop(frames);
    assert_eq!(closed(next(&mut socket).await), CloseCode::Normal);
}

#[tokio::test]
async fn an_invalid_message_ends_only_its_own_terminal_and_leaving_detaches() {
    let host = silent();
    for _ in 0..2 {
        let (link, frames, inputs) = link(4);
        std::mem::forget((frames, inputs));
        host.links.lock().unwrap().push(Ok(link));
    }
    let (third, frames, inputs) = link(4);
    host.links.lock().unwrap().insert(0, Ok(third));
    let rig = Rig::start(host).await;
    for nonsense in [Message::binary(vec![9, 9]), Message::text("hi")] {
        let mut socket = rig.socket("/api/sessions/x/terminal", &[PROTOCOL]).await.unwrap();
        socket.send(nonsense).await.unwrap();
        assert_eq!(closed(next(&mut socket).await), CloseCode::Invalid);
    }
    let socket = rig.socket("/api/sessions/x/terminal", &[PROTOCOL]).await.unwrap();
    drop(socket);
    tokio::time::timeout(Duration::from_secs(10), frames.closed())
        .await
        .expect("detached");
    drop(inputs);
}

#[tokio::test]
async fn a_browser_is_told_why_there_is_no_terminal() {
    let host = silent();
    let why = ApiError::new(Code::Conflict, "its workspace is still being made");
    host.links.lock().unwrap().push(Err(why));
    let rig = Rig::start(host).await;
    let mut socket = rig.socket("/api/sessions/x/terminal", &[PROTOCOL]).await.unwrap();
    let reason = "its workspace is still being made".to_owned();
    assert_eq!(
        next(&mut socket).await,
        Message::binary(Frame::Closed { reason }.encode())
    );
    assert_eq!(closed(next(&mut socket).await), CloseCode::Normal);
}

#[tokio::test]
async fn a_viewer_that_does_not_read_blocks_only_its_own_keeper() {
    let host = silent();
    let (slow, frames, _inputs) = link(1);
    host.links.lock().unwrap().push(Ok(slow));
    let (changes, items) = mpsc::channel(1);
    *host.items.lock().unwrap() = Some(items);
    let rig = Rig::start(host).await;
    let mut viewer = rig.socket("/api/sessions/x/terminal", &[PROTOCOL]).await.unwrap();
    let mut reader = rig.socket("/api/events", &[PROTOCOL]).await.unwrap();
    // Writes until the sockets between us are full: from then on the sender is blocked.
    let megabyte = Frame::Output {
        seq: 0,
        data: vec![b'x'; 1 << 20],
    };
    let mut sent = 0u64;
    while let Ok(room) = tokio::time::timeout(Duration::from_millis(300), frames.reserve()).await {
        room.unwrap().send(megabyte.clone());
        sent += 1;
        assert!(sent < 64, "nothing holds the sender back");
    }
    changes.send(StreamItem::Resync { seq: 1 }).await.unwrap();
    assert!(next(&mut reader).await.is_text());
    drop(frames);
    for _ in 0..sent {
        assert_eq!(next(&mut viewer).await.len(), (1 << 20) + 9);
    }
    assert_eq!(closed(next(&mut viewer).await), CloseCode::Normal);
}

#[tokio::test]
async fn shutting_down_closes_streams_properly() {
    let host = silent();
    let (link, _frames, _inputs) = link(1);
    host.links.lock().unwrap().push(Ok(link));
    let rig = Rig::start(host).await;
    let mut socket = rig.socket("/api/sessions/x/terminal", &[PROTOCOL]).await.unwrap();
    rig.shutdown.cancel();
    assert_eq!(closed(next(&mut socket).await), CloseCode::Restart);
    tokio::time::timeout(Duration::from_secs(5), rig.serving)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}
