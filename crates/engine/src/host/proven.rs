//! Connects to a running engine that has proved its identity. The proof and all later requests use one TCP
//! connection, so that no other program can take the engine's place in between. Commands, the tools' bridge
//! and an engine that takes over all connect this way.

use bytes::Bytes;
use downbeat_wire::proof;
use downbeat_wire::proof::Hello;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::client::conn::http1::{Parts, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// The time limit for connecting and the proof together.
const PROOF: Duration = Duration::from_secs(3);

/// The maximum size of the response with the proof, in bytes: an engine sends no more.
const HELLO_BYTES: usize = 4 << 10;

/// The number of bytes of a nonce.
const NONCE_BYTES: usize = 16;

type Driver = JoinHandle<hyper::Result<Parts<TokioIo<TcpStream>>>>;

/// A connection to an engine that has proved its identity. See the module.
#[derive(Debug)]
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
    port: u16,
    token: String,
}

/// The reason that there is no proven connection. The token was not sent.
#[derive(Debug, thiserror::Error)]
pub enum Unproven {
    /// Nobody listens there, or nobody answers.
    #[error("no program answers on port {0}")]
    Silent(u16),
    /// The listener does not know the token.
    #[error("the program on port {0} did not prove that it knows this token")]
    Stranger(u16),
    /// The system has no randomness for a nonce.
    #[error("no randomness: {0}")]
    Random(getrandom::Error),
}

/// The reason that a request has no response.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// The connection was closed before the request was sent.
    #[error("the connection is closed")]
    Unsent,
    /// The connection broke after the request may have arrived.
    #[error("{0}")]
    Broken(String),
}

impl Connection {
    /// Connects to the engine on `port` and makes it prove that it knows `token`.
    pub async fn open(port: u16, token: &str) -> Result<Self, Unproven> {
        let opened = tokio::time::timeout(PROOF, Self::prove(port, token)).await;
        opened.unwrap_or(Err(Unproven::Silent(port)))
    }

    pub(crate) async fn prove(port: u16, token: &str) -> Result<Self, Unproven> {
        let silent = || Unproven::Silent(port);
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
        let stream = stream.map_err(|_| silent())?;
        // A small request must not wait for the acknowledgement of the previous one.
        let _ = stream.set_nodelay(true);
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = shaken.map_err(|_| silent())?;
        let mut own = Self {
            sender,
            driver: tokio::spawn(connection.without_shutdown()),
            port,
            token: token.to_owned(),
        };
        let nonce = nonce().map_err(Unproven::Random)?;
        let path = format!("{}?nonce={nonce}&key={}", proof::PATH, proof::fingerprint(token));
        let request = own.request("GET", &path, None).map_err(|_| silent())?;
        let response = own.sender.send_request(request).await.map_err(|_| silent())?;
        let body = http_body_util::Limited::new(response.into_body(), HELLO_BYTES);
        let body = body.collect().await.map_err(|_| silent())?.to_bytes();
        let hello = serde_json::from_slice::<Hello>(&body);
        match hello.is_ok_and(|hello| proof::is_right(token, &nonce, port, &hello.proof)) {
            true => Ok(own),
            false => Err(Unproven::Stranger(port)),
        }
    }

    /// Whether the connection can take a request.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Sends a request with the token and optionally one more header. Returns the status and body of the
    /// response.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        header: Option<(&'static str, &str)>,
        body: Option<Vec<u8>>,
    ) -> Result<(u16, Bytes), Lost> {
        let broken = |error: &dyn std::fmt::Display| Lost::Broken(error.to_string());
        let mut request = self.request(method, path, body).map_err(|error| broken(&error))?;
        let bearer = HeaderValue::try_from(format!("Bearer {}", self.token));
        let bearer = bearer.map_err(|_| broken(&"the token contains characters that no token has"))?;
        request.headers_mut().insert(AUTHORIZATION, bearer);
        if let Some((name, value)) = header {
            let value = HeaderValue::try_from(value).map_err(|error| broken(&error))?;
            let name = HeaderName::try_from(name).map_err(|error| broken(&error))?;
            request.headers_mut().insert(name, value);
        }
        self.sender.ready().await.map_err(|_| Lost::Unsent)?;
        let response = match self.sender.try_send_request(request).await {
            Ok(response) => response,
            Err(mut error) => {
                return Err(match error.take_message() {
                    Some(_) => Lost::Unsent,
                    None => broken(error.error()),
                });
            }
        };
        let status = response.status().as_u16();
        let body = collected(response).await.map_err(|error| broken(&error))?;
        Ok((status, body))
    }

    /// Returns the bare connection, for a protocol that begins with a request of its own.
    pub async fn into_stream(self) -> Option<TcpStream> {
        drop(self.sender);
        let parts = self.driver.await.ok()?.ok()?;
        parts.read_buf.is_empty().then(|| parts.io.into_inner())
    }

    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, format!("127.0.0.1:{}", self.port));
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        request.body(Full::new(Bytes::from(body.unwrap_or_default())))
    }
}

async fn collected(response: Response<hyper::body::Incoming>) -> hyper::Result<Bytes> {
    Ok(response.into_body().collect().await?.to_bytes())
}

fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0; NONCE_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::Connection;
    use downbeat_wire::proof;
    use downbeat_wire::proof::Hello;
    use std::net::Ipv4Addr;
    use std::sync::{Arc, Mutex};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Listens, records what it receives, and answers each request with the result of `answer`.
    async fn listener(answer: impl Fn(&str, u16) -> String + Send + 'static) -> (u16, Arc<Mutex<String>>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(String::new()));
        let kept = heard.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut buffer = vec![0; 4096];
                while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                    let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    kept.lock().unwrap().push_str(&text);
                    let body = answer(&text, port);
                    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
                }
            }
        });
        (port, heard)
    }

    fn hello(token: &str, request: &str, port: u16) -> String {
        let nonce = request
            .split("nonce=")
            .nth(1)
            .and_then(|rest| rest.split('&').next());
        let proof = proof::prove(token, nonce.unwrap_or_default(), port);
        serde_json::to_string(&Hello { proof }).unwrap()
    }

    #[tokio::test]
    async fn a_listener_that_cannot_prove_itself_gets_no_token() {
        type Answer = fn(&str, u16) -> String;
        let impostors: [Answer; 5] = [
            |_, _| "{}".into(),
            |_, _| "<html>".into(),
            |_, _| "x".repeat(1 << 20),
            |request, port| hello("another token", request, port),
            // The response of the real engine on its own port, passed on.
            |request, port| hello("secret token", request, port ^ 1),
        ];
        for impostor in impostors {
            let (port, heard) = listener(impostor).await;
            assert!(Connection::open(port, "secret token").await.is_err());
            let heard = heard.lock().unwrap().clone();
            assert!(
                heard.contains(proof::PATH) && !heard.contains("secret"),
                "{heard}"
            );
        }
    }

    #[tokio::test]
    async fn a_request_follows_the_proof_on_the_same_connection() {
        let (port, heard) = listener(|request, port| hello("secret token", request, port)).await;
        let mut connection = Connection::open(port, "secret token").await.unwrap();
        assert!(!heard.lock().unwrap().contains("secret"));
        let (status, _) = connection
            .send("POST", "/api/x", None, Some(b"{}".to_vec()))
            .await
            .unwrap();
        assert_eq!(status, 200);
        let heard = heard.lock().unwrap().clone();
        assert!(heard.contains("authorization: Bearer secret token"), "{heard}");
        assert!(connection.is_open());
        assert!(connection.into_stream().await.is_some());
    }
}
