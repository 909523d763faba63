//! Sends a query and reads its data and errors. GitHub answers most refusals with status 200 and an error of a type
//! (<https://docs.github.com/en/graphql/guides/using-graphql-clients>); of `nodes(ids)`, an id that is gone is one such error
//! beside the data of the others.

use crate::error::ForgeError;
use hyper::Method;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::queries::Query;
use crate::http::asked::{Asked, listed};
use crate::http::meter::Resource;

use super::refusal::{refusal_of, sign_on};
use crate::http::transport::{Answer, Call};

use super::api::Api;

/// What a mutation costs of the hourly points: one, as a query of the least size.
const MUTATION: u64 = 1;

#[derive(Deserialize)]
#[serde(bound = "T: Deserialize<'de>")]
struct Envelope<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<GraphError>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Cost {
    cost: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: Deserialize<'de>")]
struct Metered<T> {
    rate_limit: Option<Cost>,
    #[serde(flatten)]
    rest: T,
}

#[derive(Deserialize, Default)]
struct GraphError {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    path: Option<Vec<Value>>,
    extensions: Option<Extensions>,
}

#[derive(Deserialize)]
struct Extensions {
    code: Option<String>,
}

impl GraphError {
    /// Whether it says that one of the `nodes(ids)` is gone or hidden.
    fn is_absent_node(&self) -> bool {
        self.node().is_some() && matches!(self.kind.as_deref(), Some("NOT_FOUND" | "FORBIDDEN"))
    }

    /// The place of the node that it is about, of `nodes(ids)`.
    fn node(&self) -> Option<usize> {
        match self.path.as_deref() {
            Some([root, place]) if root == "nodes" => place.as_u64()?.try_into().ok(),
            _ => None,
        }
    }
}

/// The places of nodes that the token may not see, and why.
pub(super) type Denied = Vec<(usize, ForgeError)>;

impl Api {
    /// Asks a query, whose `rateLimit` is counted.
    pub(super) async fn query<T: DeserializeOwned>(
        &self,
        what: &str,
        query: Query,
        variables: Value,
    ) -> Result<T, ForgeError> {
        self.query_nodes(what, query, variables)
            .await
            .map(|(data, _)| data)
    }

    /// Asks a query of `nodes(ids)`, and returns also which of them the token may not see.
    pub(super) async fn query_nodes<T: DeserializeOwned>(
        &self,
        what: &str,
        query: Query,
        variables: Value,
    ) -> Result<(T, Denied), ForgeError> {
        let (metered, denied): (Metered<T>, _) = self.post(what, query, variables, None).await?;
        self.transport
            .meter
            .spend(Resource::Points, metered.rate_limit.map_or(0, |limit| limit.cost));
        Ok((metered.rest, denied))
    }

    /// Carries out a mutation. `expected` is the commit that it is about.
    pub(super) async fn mutate<T: DeserializeOwned>(
        &self,
        what: &str,
        query: Query,
        input: Value,
        expected: Option<&str>,
    ) -> Result<T, ForgeError> {
        self.transport.meter.spend(Resource::Points, MUTATION);
        let made = self.post(what, query, json!({ "input": input }), Some(expected));
        made.await.map(|(data, _)| data)
    }

    async fn post<T: DeserializeOwned>(
        &self,
        what: &str,
        query: Query,
        variables: Value,
        writes: Option<Option<&str>>,
    ) -> Result<(T, Denied), ForgeError> {
        let body = json!({ "query": query.text, "variables": variables }).to_string();
        let call = |body| Call {
            what,
            method: Method::POST,
            url: self.endpoint.graphql().clone(),
            body,
            validator: None,
            writes: writes.is_some(),
            resource: Resource::Points,
        };
        let asked = self.transport.asked(&call(None));
        let answer = self.send(call(Some(body))).await?;
        self.read(&asked, &answer, writes.flatten())
    }

    fn read<T: DeserializeOwned>(
        &self,
        asked: &Asked<'_>,
        answer: &Answer,
        expected: Option<&str>,
    ) -> Result<(T, Denied), ForgeError> {
        // Errors are read first: beside an error of all, the data is null where its type is not.
        let errors: Result<Envelope<serde::de::IgnoredAny>, _> = serde_json::from_slice(&answer.body);
        let envelope = errors.map_err(|error| asked.unreadable(crate::text::line(&error.to_string())))?;
        if let Some(error) = envelope.errors.iter().find(|error| !error.is_absent_node()) {
            return Err(self.meaning(asked, answer, error, expected));
        }
        let denied = envelope.errors.iter().filter_map(|error| {
            let is_denied = error.kind.as_deref() == Some("FORBIDDEN");
            let place = error.node().filter(|_| is_denied)?;
            Some((place, self.meaning(asked, answer, error, expected)))
        });
        let denied = denied.collect();
        let deserializer = &mut serde_json::Deserializer::from_slice(&answer.body);
        let full: Envelope<T> = serde_path_to_error::deserialize(deserializer)
            .map_err(|error| asked.unreadable(crate::text::line(&error.to_string())))?;
        let data = full.data.ok_or_else(|| {
            let why = full.message.unwrap_or_else(|| "it has no data".to_owned());
            asked.server_fault(crate::text::line(&why))
        });
        Ok((data?, denied))
    }

    /// What an error of GraphQL means.
    fn meaning(
        &self,
        asked: &Asked<'_>,
        answer: &Answer,
        error: &GraphError,
        expected: Option<&str>,
    ) -> ForgeError {
        let now = Timestamp::now();
        let why = crate::text::line(&error.message);
        let lower = why.to_ascii_lowercase();
        if let Some("undefinedField" | "argumentNotAccepted" | "undefinedType") =
            error.extensions.as_ref().and_then(|more| more.code.as_deref())
        {
            let why = format!("its version of GitHub is too old ({why}); update it");
            return ForgeError::BadHost {
                host: asked.host.to_owned(),
                why,
            };
        }
        if lower.contains("secondary rate limit") {
            return asked.slower(
                crate::http::meter::retry_after(&answer.headers, now),
                &self.transport.meter,
                now,
            );
        }
        match error.kind.as_deref() {
            Some("RATE_LIMITED" | "RATE_LIMIT") => asked.exhausted(&self.transport.meter, now),
            Some("INSUFFICIENT_SCOPES") => {
                let (needs, has) = quoted_lists(&why);
                asked.scopes(needs, has)
            }
            Some("FORBIDDEN") => sign_on(&answer.headers).unwrap_or_else(|| asked.forbidden(why)),
            Some("NOT_FOUND") => asked.gone(),
            Some("SERVICE_UNAVAILABLE" | "INTERNAL" | "TIMEOUT" | "RESOURCE_LIMITS_EXCEEDED") => {
                asked.server_fault(why)
            }
            // GitHub's own fault has no type: "Something went wrong while executing your query".
            None if lower.starts_with("something went wrong") => asked.server_fault(why),
            kind => match expected {
                Some(expected) if kind == Some("STALE_DATA") || has_moved(&lower) => {
                    asked.head_moved(expected)
                }
                _ => refusal_of(asked, why),
            },
        }
    }
}

/// GitHub's words for a head that is not at the expected commit: of merging, of the queue, of auto-merge, of `updateRefs`.
fn has_moved(lower: &str) -> bool {
    [
        "head branch was modified",
        "expected head",
        "head sha",
        "head oid",
        "beforeoid",
        "but expected",
        "fast forward",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

/// Reads "… one of the following scopes: ['a', 'b'], but your token has only been granted the: ['c'] scopes".
fn quoted_lists(message: &str) -> (Vec<String>, Vec<String>) {
    let mut lists = message
        .split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(list, _)| {
            listed(list, ',')
                .into_iter()
                .map(|one| one.trim_matches('\'').to_owned())
                .collect::<Vec<_>>()
        });
    (lists.next().unwrap_or_default(), lists.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_from_the_sentence() {
        let said = "Your token has not been granted the required scopes to execute this query. The 'login' field requires \
                    one of the following scopes: ['read:org', 'admin:org'], but your token has only been granted the: \
                    ['repo'] scopes.";
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            quoted_lists(said),
            (list(&["read:org", "admin:org"]), list(&["repo"]))
        );
        assert_eq!(quoted_lists("nothing of the kind"), (vec![], vec![]));
    }
}
