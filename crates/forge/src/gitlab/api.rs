//! A host of GitLab: its address, and the requests to it.

use crate::error::ForgeError;
use crate::http::meter::text;
use crate::http::transport::{Answer, Call, Transport};
use crate::http::{Options, Token};
use crate::types::identity::{NodeId, RepositoryRef};
use hyper::Method;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Mutex;

use super::endpoint::Endpoint;
use super::ids::{Kind, Numbered};
use super::refusal::DIALECT;

/// How many entries a page of a list has: the most that GitLab gives.
pub(super) const PAGE: usize = 100;

/// What is known of a project.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) repository: Option<RepositoryRef>,
    pub(super) archived: bool,
}

/// Projects by their id, with the time when each was read; none for one that the token may not see.
pub(super) type Places = HashMap<u64, (Timestamp, Option<Place>)>;

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
        for page in 1..=pages {
            let (_, read) = self.page(what, path, query, page).await?;
            let is_last = read.complete;
            items.extend(read.items);
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

    /// Gets a list whose newest entries come last: all of it, or so many pages of its end. Returns how many pages before them
    /// are not read.
    pub(super) async fn newest<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &[&str],
        pages: usize,
    ) -> Result<(Listed<T>, usize), ForgeError> {
        let (total, first) = self.page(what, path, &[], 1).await?;
        let beyond = total.unwrap_or_default().saturating_sub(pages);
        if first.complete {
            return Ok((first, 0));
        }
        let mut all = Listed {
            items: if beyond == 0 { first.items } else { Vec::new() },
            complete: false,
        };
        // What is added meanwhile may begin another page.
        for page in (beyond + 1).max(2)..=beyond + pages + 1 {
            let (_, read) = self.page(what, path, &[], page).await?;
            all.items.extend(read.items);
            all.complete = read.complete;
            if all.complete {
                break;
            }
        }
        Ok((all, beyond))
    }

    /// Gets a page of a list, and how many there are, if GitLab counted them. It is complete if it is the last one.
    async fn page<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &[&str],
        query: &[(&str, &str)],
        page: usize,
    ) -> Result<(Option<usize>, Listed<T>), ForgeError> {
        let (size, page) = (PAGE.to_string(), page.to_string());
        let paged = [query, &[("per_page", size.as_str()), ("page", page.as_str())]].concat();
        let (answer, items): (_, Vec<T>) = self.transport.get(self.getting(what, path, &paged)).await?;
        // GitLab counts no total where that would be slow, but always names the next page.
        let complete = match text(&answer.headers, "x-next-page") {
            Some(next) => next.is_empty(),
            None => items.len() < PAGE,
        };
        let total = text(&answer.headers, "x-total-pages").and_then(|total| total.parse().ok());
        Ok((total, Listed { items, complete }))
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

    /// Reads the id of a merge request or an issue.
    pub(super) fn numbered(&self, what: &str, id: &NodeId, kind: Kind) -> Result<Numbered, ForgeError> {
        Numbered::parse(id)
            .filter(|one| one.kind == kind)
            .ok_or_else(|| self.gone(what))
    }

    /// Reads what a write answered. If it cannot be read, it may have happened nevertheless.
    pub(super) fn written<T: DeserializeOwned>(&self, what: &str, answer: &Answer) -> Result<T, ForgeError> {
        self.json(what, answer).map_err(|error| match error {
            ForgeError::Unreadable { why, .. } => self.unclear(what, &why),
            other => other,
        })
    }

    pub(super) fn unclear(&self, what: &str, why: &str) -> ForgeError {
        ForgeError::Unreadable {
            host: self.endpoint.host().to_owned(),
            what: what.to_owned(),
            why: why.to_owned(),
            outcome_unknown: true,
        }
    }

    pub(super) fn will_not(&self, what: &str, why: String) -> ForgeError {
        ForgeError::Refused {
            host: self.endpoint.host().to_owned(),
            what: what.to_owned(),
            why,
        }
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
