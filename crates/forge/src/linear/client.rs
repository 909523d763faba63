//! The tracker itself.

use crate::error::{ForgeError, Login};
use crate::http::{Options, Token};
use crate::text::line;
use crate::tracker::{IssueKey, TrackedIssue, Tracker};
use crate::types::identity::NodeId;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::api::{Api, Question};
use super::issue::Answer;
use super::queries::{COMMENT, ISSUE, TEAM, UPDATE};

/// The host of Linear's pages.
pub const HOST: &str = "linear.app";

/// The variable that has the key.
pub const KEY: &str = "LINEAR_API_KEY";

/// The address of the API.
const API: &str = "https://api.linear.app/graphql";

/// Linear, with one key.
#[derive(Debug)]
pub struct Linear {
    api: Api,
}

#[derive(Deserialize)]
struct TeamAnswer {
    team: Team,
}

#[derive(Deserialize)]
struct Team {
    key: String,
}

impl Linear {
    /// Prepares a client. Nothing is sent. `api` is the address of the API, if it is not Linear's own.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if the address cannot be used.
    pub fn new(api: Option<&str>, key: Token, options: Options) -> Result<Self, ForgeError> {
        Ok(Self {
            api: Api::new((HOST, api.unwrap_or(API)), key, options)?,
        })
    }

    /// The error for a missing key.
    #[must_use]
    pub fn no_key() -> ForgeError {
        ForgeError::NoToken {
            host: HOST.to_owned(),
            variable: KEY,
            login: Login::Linear,
        }
    }
}

#[async_trait]
impl Tracker for Linear {
    fn host(&self) -> &'static str {
        HOST
    }

    async fn issue(&self, key: &IssueKey) -> Result<TrackedIssue, ForgeError> {
        let what = format!("read {key}");
        let answer: Answer = self
            .api
            .ask(&Question {
                what: &what,
                text: ISSUE,
                variables: json!({ "id": key.to_string() }),
                writes: false,
            })
            .await?;
        answer.read().ok_or_else(|| ForgeError::Unreadable {
            host: HOST.to_owned(),
            what,
            why: "it names no key".to_owned(),
            outcome_unknown: false,
        })
    }

    async fn team(&self, id: &str) -> Result<String, ForgeError> {
        let answer: TeamAnswer = self
            .api
            .ask(&Question {
                what: "find the team",
                text: TEAM,
                variables: json!({ "id": id }),
                writes: false,
            })
            .await?;
        Ok(line(&answer.team.key))
    }

    async fn update(
        &self,
        issue: &NodeId,
        state: Option<&NodeId>,
        assignee: Option<&NodeId>,
    ) -> Result<(), ForgeError> {
        let set = [("stateId", state), ("assigneeId", assignee)].into_iter();
        let set = set.filter_map(|(name, id)| Some((name.to_owned(), json!(id?))));
        let input: Map<String, Value> = set.collect();
        if input.is_empty() {
            return Ok(());
        }
        let question = Question {
            what: "change the issue",
            text: UPDATE,
            variables: json!({ "id": issue, "input": input }),
            writes: true,
        };
        self.api.change(&question).await
    }

    async fn comment(&self, issue: &NodeId, id: &str, text: &str) -> Result<(), ForgeError> {
        let input = json!({ "id": id, "issueId": issue, "body": text });
        let question = Question {
            what: "comment on the issue",
            text: COMMENT,
            variables: json!({ "input": input }),
            writes: true,
        };
        self.api.create(&question).await
    }
}
