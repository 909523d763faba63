//! REST requests as every forge has them: what a call is, and its JSON. Addresses, pages and validators are each forge's own.

use crate::error::ForgeError;
use crate::mask::Mask;
use crate::types::changes::Validator;
use hyper::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::json;
use super::meter::Resource;
use super::transport::{Answer, Call, Transport};

impl<'a> Call<'a> {
    /// A request that reads.
    pub(crate) fn reading(what: &'a str, url: Url, validator: Option<&'a Validator>) -> Self {
        Self {
            what,
            method: Method::GET,
            url,
            body: None,
            validator,
            writes: false,
            resource: Resource::Requests,
        }
    }

    /// A request that changes something.
    pub(crate) fn changing(what: &'a str, method: Method, url: Url, body: Option<Value>) -> Self {
        Self {
            method,
            body: body.map(|body| body.to_string()),
            writes: true,
            ..Self::reading(what, url, None)
        }
    }
}

impl Transport {
    /// Gets JSON, with the answer that it was in.
    pub(crate) async fn get<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<(Answer, T), ForgeError> {
        let (what, url) = (call.what, call.url.clone());
        let answer = self.send(call).await?;
        let read = self.json(&Call::reading(what, url, None), &answer)?;
        Ok((answer, read))
    }

    /// Reads the JSON of an answer.
    pub(crate) fn json<T: DeserializeOwned>(
        &self,
        call: &Call<'_>,
        answer: &Answer,
    ) -> Result<T, ForgeError> {
        json::read(&self.asked(call), &answer.body)
    }

    /// What is masked in logs: known forms, the configured secrets, and the token.
    pub(crate) fn mask(&self) -> Mask {
        let secrets = self.options.secrets.iter().cloned();
        Mask::of(secrets.chain([self.token.secret().to_owned()]))
    }
}
