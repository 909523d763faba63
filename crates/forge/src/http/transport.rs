//! Sends one request and reads one bounded answer. It follows redirects itself, so that the token goes to the host that it
//! is for and nowhere else. Nothing is sent again here.

use crate::error::ForgeError;
use crate::types::changes::Validator;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
    USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;
use url::Url;

use super::address::{is_loopback, is_private};
use super::asked::{Asked, Dialect, Refusal};
use super::connection::{Connections, NoAnswer, piece};
use super::meter::{Meter, Resource, Wait};
use super::options::Options;
use super::token::Token;

/// How many reads at a time: forges advise to ask one after the other, but one slow answer must not hold up all.
const READS: usize = 2;

/// How often an answer may point elsewhere.
const REDIRECTS: usize = 5;

/// The most that is read of a refusal, in bytes.
const REFUSAL_BYTES: u64 = 64 * 1024;

/// One client, for one host and one token.
pub(crate) struct Transport {
    http: Connections,
    host: String,
    dialect: &'static Dialect,
    pub(crate) token: Token,
    pub(crate) options: Options,
    pub(crate) meter: Meter,
    reads: Semaphore,
    /// When the last write ended. Held while a write is under way, so that writes follow one another.
    last_write: Mutex<Option<Instant>>,
}

/// A request.
pub(crate) struct Call<'a> {
    /// What it does, as in "observe pull requests".
    pub(crate) what: &'a str,
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) body: Option<String>,
    pub(crate) validator: Option<&'a Validator>,
    pub(crate) writes: bool,
    pub(crate) resource: Resource,
}

/// An answer with a status of 2xx, or 304.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Transport {
    /// Prepares a client. Nothing is sent. `home` is where most requests go.
    pub(crate) fn new(
        (host, home): (&str, &Url),
        dialect: &'static Dialect,
        token: Token,
        options: Options,
    ) -> Result<Self, ForgeError> {
        let http = Connections::new(home, is_loopback(home), options.connect).map_err(|error| {
            ForgeError::BadHost {
                host: host.to_owned(),
                why: format!("TLS cannot be set up: {error}"),
            }
        })?;
        Ok(Self {
            http,
            host: host.to_owned(),
            dialect,
            token,
            options,
            meter: Meter::new(dialect.limits),
            reads: Semaphore::new(READS),
            last_write: Mutex::new(None),
        })
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn send(&self, call: Call<'_>) -> Result<Answer, ForgeError> {
        let asked = self.asked(&call);
        if !call.writes {
            let _turn = self.reads.acquire().await;
            self.ready(&asked)?;
            return self.exchange(&call, &asked).await;
        }
        let mut last = self.last_write.lock().await;
        if let Some(last) = *last {
            tokio::time::sleep_until(last + self.options.write_gap).await;
        }
        let answer = match self.ready(&asked) {
            Ok(()) => self.exchange(&call, &asked).await,
            Err(error) => Err(error),
        };
        *last = Some(Instant::now());
        answer
    }

    /// Opens a stream of at most `options.log_bytes` bytes; `take` gets each piece and returns whether it wants more.
    /// Returns whether the end was reached.
    pub(crate) async fn stream(
        &self,
        call: Call<'_>,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool, ForgeError> {
        let asked = self.asked(&call);
        self.ready(&asked)?;
        let reading = async {
            let mut body = self.follow(&call, &asked).await?.into_body();
            let mut left = self.options.log_bytes;
            while let Some(piece) = piece(&mut body).await {
                let piece = piece.map_err(|error| self.unreachable(&asked, error))?;
                left = left.saturating_sub(piece.len() as u64);
                if !take(&piece) {
                    return Ok(true);
                }
                if left == 0 {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        // What was read until the time is up is worth having.
        tokio::time::timeout(self.options.log, reading)
            .await
            .unwrap_or(Ok(false))
    }

    /// What a request is, for its errors.
    pub(crate) fn asked<'a>(&'a self, call: &Call<'a>) -> Asked<'a> {
        Asked {
            host: &self.host,
            dialect: self.dialect,
            token: &self.token,
            what: call.what,
            writes: call.writes,
            resource: call.resource,
        }
    }

    /// Refuses what the forge would refuse.
    fn ready(&self, asked: &Asked<'_>) -> Result<(), ForgeError> {
        match self.meter.wait(asked.resource, Timestamp::now()) {
            None => Ok(()),
            Some(Wait::Slower(retry_after)) => Err(ForgeError::SlowDown {
                host: asked.host.to_owned(),
                retry_after,
            }),
            Some(Wait::Renewal(resets_in)) => Err(asked.limit_reached(resets_in)),
        }
    }

    async fn exchange(&self, call: &Call<'_>, asked: &Asked<'_>) -> Result<Answer, ForgeError> {
        let exchange = async {
            let response = self.follow(call, asked).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let body = self.bounded(response, asked, self.options.answer_bytes).await?;
            Ok(Answer {
                status,
                headers,
                body,
            })
        };
        match tokio::time::timeout(self.options.request, exchange).await {
            Ok(answer) => answer,
            Err(_) => Err(self.silent(asked, self.options.request)),
        }
    }

    /// Sends a request, and again to where its answer points. Returns an answer of 2xx or 304.
    async fn follow(&self, call: &Call<'_>, asked: &Asked<'_>) -> Result<Response<Incoming>, ForgeError> {
        let mut url = call.url.clone();
        for _ in 0..=REDIRECTS {
            let ours = url.origin() == call.url.origin();
            let request = self
                .request(call, &url, ours)
                .ok_or_else(|| asked.unreadable("it points to no address".to_owned()))?;
            let response = self
                .http
                .send(request)
                .await
                .map_err(|error| self.unreachable(asked, error))?;
            let status = response.status();
            if ours {
                self.meter.note(response.headers(), Timestamp::now());
                if status != StatusCode::NOT_MODIFIED && call.resource == Resource::Requests {
                    self.meter.spend(Resource::Requests, 1);
                }
            }
            if status.is_success() || status == StatusCode::NOT_MODIFIED {
                return Ok(response);
            }
            if !status.is_redirection() {
                let headers = response.headers().clone();
                let body = self
                    .bounded(response, asked, REFUSAL_BYTES)
                    .await
                    .unwrap_or_default();
                let refusal = Refusal {
                    status,
                    headers: &headers,
                    body: &body,
                    meter: &self.meter,
                    now: Timestamp::now(),
                };
                return Err((self.dialect.refused)(asked, &refusal));
            }
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.and_then(|to| url.join(to).ok()).filter(is_private);
            // A write is passed on only where its method and body are kept, and only to the same host.
            let kept = status == StatusCode::TEMPORARY_REDIRECT || status == StatusCode::PERMANENT_REDIRECT;
            match to {
                Some(to) if !call.writes || (kept && to.origin() == call.url.origin()) => url = to,
                _ => return Err(asked.unreadable("it points elsewhere".to_owned())),
            }
        }
        Err(asked.unreadable(format!("it points elsewhere more than {REDIRECTS} times")))
    }

    /// A request to an address, with the token only if it is the host that the token is for. Nothing if the address cannot
    /// be asked.
    fn request(&self, call: &Call<'_>, url: &Url, ours: bool) -> Option<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(url.as_str())
            .header(USER_AGENT, concat!("downbeat/", env!("CARGO_PKG_VERSION")));
        if !ours {
            return request.body(Full::default()).ok();
        }
        let authorization = format!("{}{}", self.dialect.scheme, self.token.secret());
        let mut authorization = HeaderValue::from_str(&authorization).ok()?;
        authorization.set_sensitive(true);
        request = request.header(AUTHORIZATION, authorization);
        for (name, value) in self.dialect.headers {
            request = request.header(*name, *value);
        }
        request = match call.validator {
            Some(Validator::LastModified(time)) => request.header(IF_MODIFIED_SINCE, time),
            Some(Validator::Tag(tag)) => request.header(IF_NONE_MATCH, tag),
            Some(Validator::Since { .. }) | None => request,
        };
        let body = call.body.clone().unwrap_or_default();
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        request.body(Full::from(body)).ok()
    }

    /// Reads a body up to its bound.
    async fn bounded(
        &self,
        response: Response<Incoming>,
        asked: &Asked<'_>,
        limit: u64,
    ) -> Result<Vec<u8>, ForgeError> {
        let too_large = || ForgeError::TooLarge {
            host: asked.host.to_owned(),
            what: asked.what.to_owned(),
            limit,
        };
        let mut incoming = response.into_body();
        if incoming.size_hint().lower() > limit {
            return Err(too_large());
        }
        let mut read = Vec::new();
        while let Some(piece) = piece(&mut incoming).await {
            let piece = piece.map_err(|_| asked.unreadable("it is cut off".to_owned()))?;
            if (read.len() + piece.len()) as u64 > limit {
                return Err(too_large());
            }
            read.extend_from_slice(&piece);
        }
        Ok(read)
    }

    fn silent(&self, asked: &Asked<'_>, after: Duration) -> ForgeError {
        self.unanswered(
            asked,
            format!("no answer within {} s", after.as_secs_f32()),
            asked.writes,
        )
    }

    fn unreachable(&self, asked: &Asked<'_>, answer: NoAnswer) -> ForgeError {
        self.unanswered(asked, answer.why, asked.writes && !answer.not_sent)
    }

    fn unanswered(&self, asked: &Asked<'_>, why: String, outcome_unknown: bool) -> ForgeError {
        let (host, what) = (self.host.clone(), asked.what.to_owned());
        ForgeError::Unreachable {
            host,
            what,
            why,
            outcome_unknown,
        }
    }
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Transport")
            .field("host", &self.host)
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
