//! HTTP over TLS: a client that trusts what the system trusts, and goes through the proxy that the environment names
//! (`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`). It knows neither tokens nor forges.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioExecutor;
use std::time::Duration;
use url::Url;

/// A client over connections of a kind.
type Over<C> = Client<HttpsConnector<C>, Full<Bytes>>;

/// Connections to hosts, kept open between requests.
pub(super) struct Connections {
    direct: Over<HttpConnector>,
    /// The way through the proxy, and which addresses go that way.
    proxied: Option<(Matcher, Over<Tunnel<HttpConnector>>)>,
}

/// Why a request was not answered.
#[derive(Debug)]
pub(super) struct NoAnswer {
    /// The reason, without addresses.
    pub(super) why: String,
    /// Whether the host certainly got nothing.
    pub(super) not_sent: bool,
}

impl Connections {
    /// Prepares connections. `home` is where most requests go; one on loopback never goes through a proxy.
    pub(super) fn new(home: &Url, is_loopback: bool, connect: Duration) -> std::io::Result<Self> {
        let mut tcp = HttpConnector::new();
        tcp.set_connect_timeout(Some(connect));
        tcp.enforce_http(false);
        let direct = client(tcp.clone())?;
        let matcher = Matcher::from_env();
        let intercepted = home
            .as_str()
            .parse::<Uri>()
            .ok()
            .and_then(|home| matcher.intercept(&home));
        let proxied = match intercepted.filter(|_| !is_loopback) {
            None => None,
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
                if let Some(login) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(login.clone());
                }
                Some((matcher, client(tunnel)?))
            }
        };
        Ok(Self { direct, proxied })
    }

    /// Sends a request and returns the head of its answer.
    pub(super) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, NoAnswer> {
        let through = self
            .proxied
            .as_ref()
            .filter(|(matcher, _)| matcher.intercept(request.uri()).is_some());
        let answer = match through {
            Some((_, client)) => client.request(request).await,
            None => self.direct.request(request).await,
        };
        answer.map_err(|error| NoAnswer {
            not_sent: error.is_connect(),
            why: deepest(&error),
        })
    }
}

/// Returns the next piece of a body; nothing at its end.
pub(super) async fn piece(body: &mut Incoming) -> Option<Result<Bytes, NoAnswer>> {
    loop {
        return match body.frame().await? {
            Ok(frame) => match frame.into_data() {
                Ok(data) => Some(Ok(data)),
                Err(_) => continue,
            },
            Err(error) => Some(Err(NoAnswer {
                why: crate::text::line(&error.to_string()),
                not_sent: false,
            })),
        };
    }
}

fn client<C>(connector: C) -> std::io::Result<Over<C>>
where
    HttpsConnector<C>: hyper_util::client::legacy::connect::Connect + Clone,
{
    let provider = rustls::crypto::ring::default_provider();
    let https = HttpsConnectorBuilder::new()
        .with_provider_and_platform_verifier(provider)?
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    Ok(Client::builder(TokioExecutor::new()).build(https))
}

/// The innermost reason: "connection refused" rather than "client error".
fn deepest(error: &Error) -> String {
    let mut why: &dyn std::error::Error = error;
    while let Some(deeper) = why.source() {
        why = deeper;
    }
    crate::text::line(&why.to_string())
}
