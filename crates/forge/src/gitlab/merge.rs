//! Merges: at once, later by GitLab itself, or by a merge train. Where a train merges, nothing is merged around it.

use crate::error::ForgeError;
use crate::types::identity::Oid;
use crate::types::write::{MergeStrategy, Write, Written};
use hyper::Method;
use serde_json::{Value, json};

use super::api::{Api, Path};
use super::ids::Kind;
use super::observe::Raw;
use super::parts::User;

impl Api {
    /// Merges, now or later, if the head is still the expected commit. Where a train merges, nothing is merged around it.
    pub(super) async fn merge(&self, write: &Write, has_trains: bool) -> Result<Written, ForgeError> {
        let (Write::Merge { pull, head, .. }
        | Write::AutoMerge { pull, head, .. }
        | Write::Enqueue { pull, head }) = write
        else {
            return Ok(Written::Done);
        };
        let what = write.words();
        let on = self.numbered(what, pull, Kind::Merge)?;
        let iid = on.iid.to_string();
        let train = Path::project(on.project, &["merge_trains", Kind::Merge.part(), &iid]);
        let path = Path::of(on);
        let answer = match write {
            Write::Merge { .. } if has_trains => {
                let why = "the project merges by its merge train; merge again".to_owned();
                return Err(self.will_not(what, why));
            }
            Write::Enqueue { .. } => {
                let body = Some(json!({ "sha": head }));
                self.change(what, Method::POST, &train.with(&[]), body).await
            }
            Write::AutoMerge { strategy, .. } if has_trains => {
                let body = Some(json!({
                    "sha": head, "squash": *strategy == MergeStrategy::Squash,
                    // The second is the name in old versions.
                    "auto_merge": true, "when_pipeline_succeeds": true,
                }));
                self.change(what, Method::POST, &train.with(&[]), body).await
            }
            _ => {
                self.change(what, Method::PUT, &path.with(&["merge"]), Some(wanted(write)))
                    .await
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Err(self.not_merged(what, head, error).await),
        };
        match write {
            Write::Enqueue { .. } => Ok(Written::Queued { position: None }),
            Write::AutoMerge { .. } => Ok(Written::Done),
            _ => {
                let merged: Raw = self.written(what, &answer)?;
                merged.merged_as().map_or_else(
                    || Err(self.unclear(what, "it does not say that it merged")),
                    |commit| Ok(Written::Merged { commit: Some(commit) }),
                )
            }
        }
    }

    /// What a refusal to merge means. GitLab answers 401 to whoever may not merge, as if the token were wrong.
    async fn not_merged(&self, what: &str, head: &Oid, error: ForgeError) -> ForgeError {
        match error {
            ForgeError::Refused { why, .. } if why.to_ascii_lowercase().contains("sha does not match") => {
                ForgeError::HeadMoved {
                    what: what.to_owned(),
                    expected: head.0.clone(),
                }
            }
            ForgeError::Refused { host, what, why } if why.to_ascii_lowercase().contains("not allowed") => {
                let why = "it cannot be merged as it is; its page says what is missing".to_owned();
                ForgeError::Refused { host, what, why }
            }
            ForgeError::TokenRejected { .. } if self.get::<User>(what, &["user"], &[]).await.is_ok() => {
                ForgeError::Forbidden {
                    host: self.endpoint.host().to_owned(),
                    what: what.to_owned(),
                    why: "the account of the token may not merge into this branch".to_owned(),
                }
            }
            other => other,
        }
    }
}

/// What a merge asks for. A project has one way beside squashing, so only that is said.
fn wanted(write: &Write) -> Value {
    match write {
        Write::Merge {
            head,
            strategy,
            headline,
            message,
            ..
        } => {
            let is_squash = *strategy == MergeStrategy::Squash;
            let mut body = json!({ "sha": head, "squash": is_squash });
            let said: Vec<&str> = [headline, message]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            if !said.is_empty() {
                let key = if is_squash {
                    "squash_commit_message"
                } else {
                    "merge_commit_message"
                };
                body[key] = json!(said.join("\n\n"));
            }
            body
        }
        Write::AutoMerge { head, strategy, .. } => json!({
            "sha": head, "squash": *strategy == MergeStrategy::Squash,
            // The second is the name in old versions.
            "auto_merge": true, "merge_when_pipeline_succeeds": true,
        }),
        _ => Value::Null,
    }
}
