//! A server on a free loopback port, and a client for it.

use crate::scripted::{OWNER, Scripted};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, handshake};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tokio_util::sync::CancellationToken;

/// The name of the interface.
pub const PAGE: &str = "page.localhost";

pub struct Rig {
    pub host: Arc<Scripted>,
    pub port: u16,
    pub shutdown: CancellationToken,
    pub serving: JoinHandle<Result<(), downbeat_server::Error>>,
    client: reqwest::Client,
}

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

impl Rig {
    pub async fn start(host: Arc<Scripted>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shutdown = CancellationToken::new();
        let (served, ends) = (host.clone(), shutdown.clone());
        let serving = tokio::spawn(async { downbeat_server::serve(served, listener, PAGE, ends).await });
        Self {
            host,
            port,
            shutdown,
            serving,
            client: reqwest::Client::new(),
        }
    }

    /// Builds a request without a token.
    pub fn bare(&self, method: &str, path: &str) -> RequestBuilder {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        self.client.request(method.parse::<Method>().unwrap(), url)
    }

    /// Builds a request for the interface, as a browser with its link sends it.
    pub fn page(&self, method: &str, path: &str) -> RequestBuilder {
        self.bare(method, path)
            .header("host", format!("{PAGE}:{}", self.port))
    }

    /// Builds a request of the person.
    pub fn owner(&self, method: &str, path: &str) -> RequestBuilder {
        self.bare(method, path).bearer_auth(OWNER)
    }

    /// Opens a WebSocket with these additional headers.
    pub async fn socket(&self, path: &str, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
        let mut request = format!("ws://127.0.0.1:{}{path}", self.port)
            .into_client_request()
            .unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match tokio_tungstenite::connect_async(request).await {
            Ok((socket, response)) => {
                let response: handshake::client::Response = response;
                if let Some(protocol) = response.headers().get("sec-websocket-protocol") {
                    assert_eq!(protocol, "downbeat", "the token is never echoed");
                }
                Ok(socket)
            }
            Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }
}

/// Returns the status and JSON of a response.
pub async fn told(response: Result<Response, reqwest::Error>) -> (u16, Value) {
    let response = response.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}
