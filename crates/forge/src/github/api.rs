//! A host of GitHub: its addresses, and the requests to it.

use crate::error::ForgeError;
use crate::http::transport::{Answer, Call, Transport};
use crate::http::{Options, Token};

use super::endpoint::Endpoint;
use super::refusal::DIALECT;

/// One client, for one host and one token.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) endpoint: Endpoint,
    pub(super) transport: Transport,
}

impl Api {
    /// Prepares a client. Nothing is sent.
    pub(super) fn new(endpoint: Endpoint, token: Token, options: Options) -> Result<Self, ForgeError> {
        let home = (endpoint.host(), endpoint.graphql());
        let transport = Transport::new(home, &DIALECT, token, options)?;
        Ok(Self { endpoint, transport })
    }

    /// Sends a request and reads its answer.
    pub(super) async fn send(&self, call: Call<'_>) -> Result<Answer, ForgeError> {
        self.transport.send(call).await
    }
}
