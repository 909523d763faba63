//! A host of GitLab: its address, and the requests to it.

use crate::error::ForgeError;
use crate::http::meter::text;
use crate::http::transport::{Answer, Call, Transport};
use crate::http::{Options, Token};
use crate::types::identity::RepositoryRef;
use hyper::Method;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Mutex;

use super::endpoint::Endpoint;
use super::ids::Numbered;
use super::refusal::DIALECT;

/// How many entries a page of a list has: the most that GitLab gives.
pub(super) const PAGE: usize = 100;

/// Projects by their id, with the time when each was read; none for one that the token may not see.
pub(super) type Places = HashMap<u64, (Timestamp, Option<RepositoryRef>)>;

/// One client, for one host and one token.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) endpoint: Endpoint,
    pub(super) transport: Transport,
    pub(super) places: Mutex<Places>,
}

/// A list, and whether all of it was read.
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    pub(super) complete: bool,
}

impl Api {
    /// Prepares a client. Nothing is sent.
    pub(super) fn new(endpoint: Endpoint, token: Token, options: Options) -> Result<Self, ForgeError> {
        let home = (endpoint.host(), endpoint.root());
        let transport = Transport::new(home, &DIALECT, token, options)?;
        Ok(Self {
            endpoint,
            transport,
            places: Mutex::default(),
        })
    }

    /// Gets JSON.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, ForgeError> {
        let call = self.getting(what, path, query);
        self.transport.get(call).await.map(|(_, read)| read)
    }

    /// Gets a list, at most so many pages of it.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &[&str],
        query: &[(&str, &str)],
        pages: usize,
    ) -> Result<Listed<T>, ForgeError> {
        let mut items = Vec::new();
        let size = PAGE.to_string();
        for page in 1..=pages {
            let page = page.to_string();
            let paged = [query, &[("per_page", size.as_str()), ("page", page.as_str())]].concat();
            let (answer, some): (_, Vec<T>) = self.transport.get(self.getting(what, path, &paged)).await?;
            // GitLab counts no total where that would be slow, but always names the next page.
            let is_last = match text(&answer.headers, "x-next-page") {
                Some(next) => next.is_empty(),
                None => some.len() < PAGE,
            };
            items.extend(some);
            if is_last {
                return Ok(Listed {
                    items,
                    complete: true,
                });
            }
        }
        Ok(Listed {
            items,
            complete: false,
        })
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
        let call = Call::changing(what, method, url, body);
        self.transport.send(call).await
    }

    /// A request that reads.
    pub(super) fn getting<'a>(&self, what: &'a str, path: &[&str], query: &[(&str, &str)]) -> Call<'a> {
        Call::reading(what, self.endpoint.rest(path, query), None)
    }

    /// Reads the JSON of an answer.
    pub(super) fn json<T: DeserializeOwned>(&self, what: &str, answer: &Answer) -> Result<T, ForgeError> {
        self.transport.json(&self.getting(what, &[], &[]), answer)
    }

    pub(super) fn gone(&self, what: &str) -> ForgeError {
        ForgeError::Gone {
            host: self.endpoint.host().to_owned(),
            what: what.to_owned(),
        }
    }
}

/// The path of a merge request or an issue, or of something below it.
pub(super) struct Path(Vec<String>);

impl Path {
    pub(super) fn of(one: Numbered) -> Self {
        Self(vec![
            "projects".to_owned(),
            one.project.to_string(),
            one.kind.part().to_owned(),
            one.iid.to_string(),
        ])
    }

    /// The path of something in a project.
    pub(super) fn project(project: u64, rest: &[&str]) -> Self {
        let mut parts = vec!["projects".to_owned(), project.to_string()];
        parts.extend(rest.iter().map(|part| (*part).to_owned()));
        Self(parts)
    }

    /// The parts, with these after them.
    pub(super) fn with<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        self.0
            .iter()
            .map(String::as_str)
            .chain(rest.iter().copied())
            .collect()
    }
}
