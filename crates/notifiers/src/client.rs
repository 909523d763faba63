//! Sends one POST over TLS and reads the start of its answer. It trusts what the system trusts, goes through the proxy that
//! the environment names, follows no redirect, and knows neither notices nor what an answer means.

use crate::address::{is_loopback, shown};
use crate::request::{Reply, Request};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::legacy::{Client as Legacy, Error};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioExecutor;
use std::time::Duration;
use url::Url;

/// The longest time for a request and its answer.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// The most that is read of an answer, in bytes.
const BODY: usize = 64 * 1024;

type Over<C> = Legacy<HttpsConnector<C>, Full<Bytes>>;

/// A client for requests of notifiers. Each request has a connection of its own: there are few.
#[derive(Debug, Clone)]
pub struct Client {
    timeout: Duration,
}

impl Default for Client {
    fn default() -> Self {
        Self { timeout: TIMEOUT }
    }
}

impl Client {
    /// Returns a client that waits this long for an answer.
    #[must_use]
    pub const fn with_timeout(timeout: Duration) -> Self {
        Self { timeout }
    }

    /// Sends a request and returns the start of its answer. No error contains the address.
    pub async fn post(&self, request: &Request) -> Reply {
        let Some(http) = prepared(request) else {
            return not_sent(format!("a header for {} is not valid", shown(&request.url)));
        };
        let answered = async {
            let answer = self.send(&request.url, http).await;
            match answer {
                Ok(answer) => read(answer).await,
                Err(reply) => reply,
            }
        };
        match tokio::time::timeout(self.timeout, answered).await {
            Ok(reply) => reply,
            Err(_) => Reply::Nothing {
                why: format!("no answer within {} s", self.timeout.as_secs_f32()),
                may_have_arrived: true,
            },
        }
    }

    async fn send(
        &self,
        url: &Url,
        request: hyper::Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Reply> {
        let mut tcp = HttpConnector::new();
        tcp.set_connect_timeout(Some(self.timeout / 2));
        tcp.enforce_http(false);
        let to: Option<Uri> = url.as_str().parse().ok();
        let proxy = to
            .filter(|_| !is_loopback(url))
            .and_then(|to| Matcher::from_env().intercept(&to));
        let tls = |error: std::io::Error| not_sent(format!("TLS cannot be set up: {error}"));
        let answer = match proxy {
            None => over(tcp).map_err(tls)?.request(request).await,
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
                if let Some(login) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(login.clone());
                }
                over(tunnel).map_err(tls)?.request(request).await
            }
        };
        answer.map_err(|error| Reply::Nothing {
            may_have_arrived: !error.is_connect(),
            why: deepest(&error),
        })
    }
}

fn not_sent(why: String) -> Reply {
    Reply::Nothing {
        why,
        may_have_arrived: false,
    }
}

fn prepared(request: &Request) -> Option<hyper::Request<Full<Bytes>>> {
    let mut http = hyper::Request::builder()
        .method(Method::POST)
        .uri(request.url.as_str())
        .body(Full::from(request.body.clone()))
        .ok()?;
    let headers = http.headers_mut();
    for (name, value) in &request.headers {
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).ok()?, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let agent = HeaderValue::from_static(concat!("downbeat/", env!("CARGO_PKG_VERSION")));
    headers.insert(USER_AGENT, agent);
    Some(http)
}

/// Reads the start of a body. One that is cut off counts as empty: its status is known.
async fn read(answer: Response<Incoming>) -> Reply {
    let status = answer.status().as_u16();
    let header = answer.headers().get(RETRY_AFTER);
    let retry_after = header.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut body = answer.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            bytes.clear();
            break;
        };
        let Ok(data) = frame.into_data() else { continue };
        let room = BODY - bytes.len();
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if bytes.len() == BODY {
            break;
        }
    }
    Reply::Answer {
        status,
        retry_after,
        body: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

fn over<C>(connector: C) -> std::io::Result<Over<C>>
where
    C: Clone,
    HttpsConnector<C>: Connect + Clone,
{
    let provider = rustls::crypto::ring::default_provider();
    let https = HttpsConnectorBuilder::new()
        .with_provider_and_platform_verifier(provider)?
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    let mut client = Legacy::builder(TokioExecutor::new());
    // A repeat is decided by whoever counts the tries.
    client.retry_canceled_requests(false).pool_max_idle_per_host(0);
    Ok(client.build(https))
}

/// The innermost reason: "connection refused" rather than "client error".
fn deepest(error: &Error) -> String {
    let mut why: &dyn std::error::Error = error;
    while let Some(deeper) = why.source() {
        why = deeper;
    }
    why.to_string()
}
