//! The counterpart of our hooks: a program that sends its input by a plain HTTP POST, and a server that
//! forwards posts over a WebSocket. Nothing is checked, ordered or stored.

use crate::done::Done;
use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::{get, post as posted};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use tokio::sync::broadcast;

/// The option with which this program sends a post.
pub const OPTION: &str = "--post";

/// The number of posts by which a slow reader may be behind.
const BEHIND: usize = 64;

/// Posts standard input to a port of this machine.
pub fn post(port: &str) -> ExitCode {
    match sent(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn sent(port: &str) -> Done<()> {
    let mut body = Vec::new();
    std::io::stdin().lock().read_to_end(&mut body)?;
    let mut stream = TcpStream::connect(("127.0.0.1", port.parse()?))?;
    let head = format!(
        "POST /post HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(())
}

type Posts = broadcast::Sender<String>;

/// The server, which ends when this is dropped.
pub struct Server {
    /// The port on which the server listens.
    pub port: u16,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Starts the server on a free port.
    pub async fn start() -> Done<Self> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let take = async |State(posts): State<Posts>, body: String| {
            // Without a reader nobody receives the post.
            let _ = posts.send(body);
        };
        let tell = async |State(posts): State<Posts>, upgrade: WebSocketUpgrade| -> Response {
            upgrade.on_upgrade(move |socket| carry(socket, posts))
        };
        let app = Router::new()
            .route("/post", posted(take))
            .route("/events", get(tell));
        let app = app.with_state(broadcast::channel(BEHIND).0);
        let task = tokio::spawn(async move {
            // Only a broken listener ends the server; then the next post fails.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { port, task })
    }
}

async fn carry(mut socket: WebSocket, posts: Posts) {
    let mut posts = posts.subscribe();
    // The first message tells the reader that it receives posts from now on.
    let mut next = String::new();
    while socket.send(Message::text(next)).await.is_ok() {
        match posts.recv().await {
            Ok(post) => next = post,
            Err(_) => return,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
