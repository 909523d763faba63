//! One query and its answer.

use crate::error::ForgeError;
use crate::http::address;
use crate::http::asked::Asked;
use crate::http::meter::Resource;
use crate::http::transport::{Answer, Call, Transport};
use crate::http::{Options, Token};
use crate::text::line;
use hyper::Method;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;

use super::refusal::{GraphError, WITH_KEY, WITH_TOKEN};

/// What a token of OAuth begins with; anything else is a personal key.
const OAUTH: &str = "lin_oauth_";

/// One client, with one key.
#[derive(Debug)]
pub(super) struct Api {
    url: Url,
    transport: Transport,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<GraphError>,
}

/// What a mutation says about itself.
#[derive(Deserialize)]
struct Done {
    success: bool,
}

/// What is asked.
pub(super) struct Question<'a> {
    /// What it does, as in "read an issue".
    pub(super) what: &'a str,
    /// The query.
    pub(super) text: &'a str,
    /// Its variables.
    pub(super) variables: Value,
    /// Whether it changes something.
    pub(super) writes: bool,
}

impl Api {
    /// Prepares a client. Nothing is sent.
    pub(super) fn new(
        (host, address): (&str, &str),
        token: Token,
        options: Options,
    ) -> Result<Self, ForgeError> {
        let url = address::read(host, address)?;
        let dialect = match token.secret().starts_with(OAUTH) {
            true => &WITH_TOKEN,
            false => &WITH_KEY,
        };
        let transport = Transport::new((host, &url), dialect, token, options)?;
        Ok(Self { url, transport })
    }

    /// Asks, and reads the data of the answer.
    pub(super) async fn ask<T: DeserializeOwned>(&self, question: &Question<'_>) -> Result<T, ForgeError> {
        let asked = self.transport.asked(&self.call(question, None));
        let body = json!({ "query": question.text, "variables": question.variables }).to_string();
        let answer = self.transport.send(self.call(question, Some(body))).await?;
        // Errors are read first: beside one, the data is null where its type is not.
        let errors: Envelope<IgnoredAny> = serde_json::from_slice(&answer.body)
            .map_err(|error| asked.unreadable(line(&error.to_string())))?;
        match errors.errors.first() {
            None => read(&asked, &answer),
            Some(error) => {
                let with = (&answer.headers, &self.transport.meter, Timestamp::now());
                Err(error.meaning(&asked, with))
            }
        }
    }

    /// Changes something. An answer without errors may still say that nothing was done.
    pub(super) async fn change(&self, question: &Question<'_>) -> Result<(), ForgeError> {
        let done: BTreeMap<String, Done> = self.ask(question).await?;
        match done.values().all(|done| done.success) {
            true => Ok(()),
            false => {
                let asked = self.transport.asked(&self.call(question, None));
                Err(asked.will_not(String::new()))
            }
        }
    }

    /// Creates something once; that it is there already is no error.
    pub(super) async fn create(&self, question: &Question<'_>) -> Result<(), ForgeError> {
        match self.change(question).await {
            Err(ForgeError::AlreadyExists) => Ok(()),
            done => done,
        }
    }

    fn call<'a>(&self, question: &Question<'a>, body: Option<String>) -> Call<'a> {
        Call {
            what: question.what,
            method: Method::POST,
            url: self.url.clone(),
            body,
            validator: None,
            writes: question.writes,
            resource: Resource::Requests,
        }
    }
}

fn read<T: DeserializeOwned>(asked: &Asked<'_>, answer: &Answer) -> Result<T, ForgeError> {
    let deserializer = &mut serde_json::Deserializer::from_slice(&answer.body);
    let full: Envelope<T> = serde_path_to_error::deserialize(deserializer)
        .map_err(|error| asked.unreadable(line(&error.to_string())))?;
    full.data
        .ok_or_else(|| asked.unreadable("it has no data".to_owned()))
}
