//! Everything that changes something. Each write is sent once; whoever repeats one of unknown outcome looks first.

use crate::error::ForgeError;
use crate::types::identity::{NodeId, Oid};
use crate::types::write::{MergeStrategy, Subject, Write, Written};
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::Api;
use super::parts::Hashed;
use super::queries::{
    AUTO_MERGE, CLOSE, CLOSE_ISSUE, COMMENT, CREATE, DELETE_BRANCH, DRAFT, ENQUEUE, MERGE, NO_AUTO_MERGE,
    Query, READY, REPLY, RESOLVE, UNRESOLVE, UPDATE,
};
use super::refusal::expected;

/// The commit of a branch that does not exist: `updateRefs` deletes with it.
const NOWHERE: &str = "0000000000000000000000000000000000000000";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    create_pull_request: Option<CreatedPull>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedPull {
    pull_request: Option<NewPull>,
}

#[derive(Deserialize)]
struct NewPull {
    id: NodeId,
    number: u64,
    url: String,
}

#[derive(Deserialize)]
struct NewComment {
    id: NodeId,
    url: String,
}

/// The one field of a mutation's answer, whatever it is called.
type Payload<T> = std::collections::HashMap<String, Option<T>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    comment_edge: Option<Edge>,
    comment: Option<NewComment>,
}

#[derive(Deserialize)]
struct Edge {
    node: Option<NewComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MergedPull {
    pull_request: Option<WithCommit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithCommit {
    merge_commit: Option<Hashed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Queued {
    merge_queue_entry: Option<Place>,
}

#[derive(Deserialize)]
struct Place {
    position: u32,
}

impl Api {
    /// Carries out a write.
    pub(super) async fn write(&self, write: &Write) -> Result<Written, ForgeError> {
        match write {
            Write::Create { .. } => self.create(write).await,
            Write::Comment { .. } | Write::Reply { .. } => self.say(write).await,
            Write::Merge { .. } => {
                let merged: Payload<MergedPull> = self.send_write(write).await?;
                let pull = first(merged).and_then(|merged| merged.pull_request);
                let commit = pull
                    .and_then(|pull| pull.merge_commit)
                    .map(|commit| Oid(commit.oid));
                Ok(Written::Merged { commit })
            }
            Write::Enqueue { .. } => {
                let queued: Payload<Queued> = self.send_write(write).await?;
                let entry = first(queued).and_then(|queued| queued.merge_queue_entry);
                Ok(Written::Queued {
                    position: entry.map(|entry| entry.position),
                })
            }
            Write::Label { on, add, remove } => self.label(write.words(), on, add, remove).await,
            Write::RequestReview { pull, people, teams } => {
                let number = pull.number.to_string();
                let path = Self::path(&pull.repository, &["pulls", &number, "requested_reviewers"]);
                let body = json!({ "reviewers": people, "team_reviewers": teams });
                self.change(write.words(), Method::POST, &path, Some(body))
                    .await?;
                Ok(Written::Done)
            }
            Write::Assign { issue, to } => {
                let number = issue.number.to_string();
                let path = Self::path(&issue.repository, &["issues", &number, "assignees"]);
                let body = json!({ "assignees": [to] });
                self.change(write.words(), Method::POST, &path, Some(body))
                    .await?;
                Ok(Written::Done)
            }
            Write::DeleteBranch { .. } => self.delete_branch(write).await,
            _ => {
                let _: Payload<serde::de::IgnoredAny> = self.send_write(write).await?;
                Ok(Written::Done)
            }
        }
    }

    async fn send_write<T: serde::de::DeserializeOwned>(&self, write: &Write) -> Result<T, ForgeError> {
        let (query, input) = mutation(write).ok_or_else(|| self.empty(write))?;
        self.mutate(write.words(), query, input, expected(write)).await
    }

    async fn create(&self, write: &Write) -> Result<Written, ForgeError> {
        let created: Created = self.send_write(write).await?;
        let pull = created
            .create_pull_request
            .and_then(|created| created.pull_request);
        let pull = pull.ok_or_else(|| self.empty(write))?;
        Ok(Written::Pull {
            id: pull.id,
            number: pull.number,
            url: crate::text::line(&pull.url),
        })
    }

    async fn say(&self, write: &Write) -> Result<Written, ForgeError> {
        let said: Payload<Said> = self.send_write(write).await?;
        let said = first(said).and_then(|said| said.comment.or(said.comment_edge.and_then(|edge| edge.node)));
        let comment = said.ok_or_else(|| self.empty(write))?;
        Ok(Written::Comment {
            id: comment.id,
            url: crate::text::line(&comment.url),
        })
    }

    /// Labels go by name: adding one that does not exist creates it.
    async fn label(
        &self,
        what: &str,
        on: &Subject,
        add: &[String],
        remove: &[String],
    ) -> Result<Written, ForgeError> {
        let number = on.number.to_string();
        let labels = ["issues", number.as_str(), "labels"];
        if !add.is_empty() {
            let body = json!({ "labels": add });
            self.change(
                what,
                Method::POST,
                &Self::path(&on.repository, &labels),
                Some(body),
            )
            .await?;
        }
        for name in remove {
            let path = Self::path(&on.repository, &[labels[0], labels[1], labels[2], name]);
            match self.change(what, Method::DELETE, &path, None).await {
                Ok(_) | Err(ForgeError::Gone { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Written::Done)
    }

    /// A branch that is gone already is fine: the forge may delete it by itself after a merge.
    async fn delete_branch(&self, write: &Write) -> Result<Written, ForgeError> {
        match self.send_write::<Payload<serde::de::IgnoredAny>>(write).await {
            Ok(_) => Ok(Written::Done),
            Err(ForgeError::Refused { why, .. }) if why.to_ascii_lowercase().contains("does not exist") => {
                Ok(Written::Done)
            }
            Err(error) => Err(error),
        }
    }

    /// It answered without saying what came of it.
    fn empty(&self, write: &Write) -> ForgeError {
        ForgeError::Unreadable {
            host: self.endpoint.host().to_owned(),
            what: write.words().to_owned(),
            why: "it names no result".to_owned(),
            outcome_unknown: true,
        }
    }
}

fn first<T>(payload: Payload<T>) -> Option<T> {
    payload.into_values().flatten().next()
}

/// The mutation of a write and its input; nothing for a write that goes by REST.
fn mutation(write: &Write) -> Option<(Query, Value)> {
    let pull = |id: &NodeId| json!({ "pullRequestId": id });
    Some(match write {
        Write::Create { .. } | Write::Update { .. } => text_mutation(write)?,
        Write::Comment { on, body } => (COMMENT, json!({ "subjectId": on, "body": body })),
        Write::Reply { thread, body } => (
            REPLY,
            json!({ "pullRequestReviewThreadId": thread, "body": body }),
        ),
        Write::Resolve { thread, resolved } => (
            if *resolved { RESOLVE } else { UNRESOLVE },
            json!({ "threadId": thread }),
        ),
        Write::Draft { pull: id, draft } => (if *draft { DRAFT } else { READY }, pull(id)),
        Write::Merge {
            pull,
            head,
            strategy,
            headline,
            message,
        } => (
            MERGE,
            json!({
                "pullRequestId": pull, "expectedHeadOid": head, "mergeMethod": method(*strategy),
                "commitHeadline": headline, "commitBody": message,
            }),
        ),
        Write::Enqueue { pull, head } => (ENQUEUE, json!({ "pullRequestId": pull, "expectedHeadOid": head })),
        Write::AutoMerge { pull, head, strategy } => (
            AUTO_MERGE,
            json!({ "pullRequestId": pull, "expectedHeadOid": head, "mergeMethod": method(*strategy) }),
        ),
        Write::NoAutoMerge { pull: id } => (NO_AUTO_MERGE, pull(id)),
        Write::Close { pull: id } => (CLOSE, pull(id)),
        Write::CloseIssue { issue } => (
            CLOSE_ISSUE,
            json!({ "issueId": issue, "stateReason": "COMPLETED" }),
        ),
        Write::DeleteBranch {
            repository,
            branch,
            head,
        } => {
            let name = format!("refs/heads/{branch}");
            let update = json!({ "name": name, "beforeOid": head, "afterOid": NOWHERE, "force": true });
            (
                DELETE_BRANCH,
                json!({ "repositoryId": repository, "refUpdates": [update] }),
            )
        }
        Write::Label { .. } | Write::RequestReview { .. } | Write::Assign { .. } => return None,
    })
}

fn text_mutation(write: &Write) -> Option<(Query, Value)> {
    match write {
        Write::Create {
            repository,
            base,
            branch,
            head_repository,
            title,
            body,
            draft,
        } => Some((
            CREATE,
            json!({
                "repositoryId": repository, "baseRefName": base, "headRefName": branch,
                "headRepositoryId": head_repository, "title": title, "body": body, "draft": draft,
            }),
        )),
        Write::Update {
            pull,
            title,
            body,
            base,
        } => {
            let mut input = json!({ "pullRequestId": pull });
            // A field that is null would be emptied.
            for (key, value) in [("title", title), ("body", body), ("baseRefName", base)] {
                if let Some(value) = value {
                    input[key] = json!(value);
                }
            }
            Some((UPDATE, input))
        }
        _ => None,
    }
}

fn method(strategy: MergeStrategy) -> &'static str {
    match strategy {
        MergeStrategy::Squash => "SQUASH",
        MergeStrategy::Merge => "MERGE",
        MergeStrategy::Rebase => "REBASE",
    }
}
