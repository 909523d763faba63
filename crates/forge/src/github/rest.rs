//! Sends a REST request and reads its JSON, page by page where there are several.

use crate::error::ForgeError;
use crate::types::changes::Validator;
use crate::types::identity::RepositoryName;
use hyper::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::http::meter::text;
use crate::http::transport::{Answer, Call};

use super::api::Api;

/// A list that changed, with what to send next time.
pub(super) type Changed<T> = Option<(T, Option<Validator>)>;

impl Api {
    /// The path of something in a repository, below `/repos/OWNER/NAME`.
    pub(super) fn path<'a>(repository: &'a RepositoryName, rest: &[&'a str]) -> Vec<&'a str> {
        [&["repos", repository.owner(), repository.name()], rest].concat()
    }

    /// Gets JSON.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, ForgeError> {
        let call = self.getting(what, path, query, None);
        self.transport.get(call).await.map(|(_, read)| read)
    }

    /// Gets JSON if it changed.
    pub(super) async fn get_changed<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &[&str],
        query: &[(&str, &str)],
        seen: Option<&Validator>,
    ) -> Result<Changed<T>, ForgeError> {
        let answer = self.send(self.getting(what, path, query, seen)).await?;
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        let header = |name| text(&answer.headers, name).map(str::to_owned);
        let validator = header("last-modified")
            .map(Validator::LastModified)
            .or_else(|| header("etag").map(Validator::Tag));
        Ok(Some((self.json(what, &answer)?, validator)))
    }

    /// Sends a change.
    pub(super) async fn change(
        &self,
        what: &str,
        method: Method,
        path: &[&str],
        body: Option<Value>,
    ) -> Result<Answer, ForgeError> {
        let url = self.endpoint.rest(path, &[]);
        self.send(Call::changing(what, method, url, body)).await
    }

    /// A request that reads.
    pub(super) fn getting<'a>(
        &self,
        what: &'a str,
        path: &[&str],
        query: &[(&str, &str)],
        validator: Option<&'a Validator>,
    ) -> Call<'a> {
        Call::reading(what, self.endpoint.rest(path, query), validator)
    }

    fn json<T: DeserializeOwned>(&self, what: &str, answer: &Answer) -> Result<T, ForgeError> {
        self.transport.json(&self.getting(what, &[], &[], None), answer)
    }
}
