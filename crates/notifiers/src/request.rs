//! A request, and what came back, as values. Not how they travel.

use serde_json::Value;
use std::fmt;
use url::Url;

/// A POST with a JSON body.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// Where it goes. It may be a secret.
    pub url: Url,
    /// Headers besides those of any JSON. They may be secrets.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Request {
    /// Returns a request with this body.
    #[must_use]
    pub fn new(url: &Url, body: &Value) -> Self {
        Self {
            url: url.clone(),
            headers: Vec::new(),
            body: body.to_string(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        to.debug_struct("Request")
            .field("to", &crate::address::shown(&self.url))
            .field("headers", &names)
            .field("body", &self.body)
            .finish()
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The head of an answer, and the start of its body.
    Answer {
        /// The status.
        status: u16,
        /// The value of `Retry-After`.
        retry_after: Option<String>,
        /// The start of the body; empty if it was cut off.
        body: String,
    },
    /// There was no answer.
    Nothing {
        /// Why, without the address.
        why: String,
        /// Whether the receiver may have got the request.
        may_have_arrived: bool,
    },
}
