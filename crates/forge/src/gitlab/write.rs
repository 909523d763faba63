//! Everything that changes something. Each write is sent once; whoever repeats one of unknown outcome looks first.

use crate::error::ForgeError;
use crate::http::transport::Answer;
use crate::text::line;
use crate::types::identity::{NodeId, Oid};
use crate::types::write::{MergeStrategy, Subject, Write, Written};
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::{Api, Path};
use super::ids::{Kind, Numbered, ThreadId, project};
use super::observe::Raw;
use super::parts::User;
use super::state::title;

/// The longest title that GitLab takes, in characters.
const LONGEST_TITLE: usize = 255;

/// The mark of a draft.
const DRAFT: &str = "Draft: ";

#[derive(Debug, Deserialize)]
struct Made {
    id: u64,
}

#[derive(Debug, Deserialize)]
struct Page {
    web_url: String,
}

#[derive(Debug, Deserialize)]
struct Assigned {
    #[serde(default)]
    assignees: Vec<User>,
}

#[derive(Debug, Deserialize)]
struct Branch {
    commit: Commit,
}

#[derive(Debug, Deserialize)]
struct Commit {
    id: String,
}

impl Api {
    /// Carries out a write.
    pub(super) async fn write(&self, write: &Write) -> Result<Written, ForgeError> {
        let what = write.words();
        match write {
            Write::Create { .. } => self.create(write).await,
            Write::Update { pull, .. } | Write::Draft { pull, .. } => {
                let raw = self.read(what, pull).await?;
                self.put(what, raw.numbered(), &[], update(write, &raw)).await?;
                Ok(Written::Done)
            }
            Write::Comment { on, body } => self.comment(what, on, body).await,
            Write::Reply { thread, body } => self.reply(what, thread, body).await,
            Write::Resolve { thread, resolved } => {
                let thread = ThreadId::parse(thread).ok_or_else(|| self.gone(what))?;
                let path = discussion(&thread);
                let body = json!({ "resolved": resolved });
                self.change(what, Method::PUT, &path.with(&[]), Some(body))
                    .await?;
                Ok(Written::Done)
            }
            Write::Label { on, add, remove } => self.label(what, on, add, remove).await,
            Write::RequestReview { pull, people, teams } => {
                self.request_review(what, pull, people, teams).await
            }
            Write::Merge { .. } | Write::AutoMerge { .. } | Write::Enqueue { .. } => self.merge(write).await,
            Write::NoAutoMerge { pull } => {
                let path = Path::of(self.numbered(what, pull, Kind::Merge)?);
                let cancel = path.with(&["cancel_merge_when_pipeline_succeeds"]);
                self.change(what, Method::POST, &cancel, None).await?;
                Ok(Written::Done)
            }
            Write::Assign { issue, to } => self.assign(what, issue, to).await,
            Write::Close { pull: id } => self.close(what, id, Kind::Merge).await,
            Write::CloseIssue { issue: id } => self.close(what, id, Kind::Issue).await,
            Write::DeleteBranch {
                repository,
                branch,
                head,
            } => self.delete_branch(what, repository, branch, head).await,
        }
    }

    fn numbered(&self, what: &str, id: &NodeId, kind: Kind) -> Result<Numbered, ForgeError> {
        Numbered::parse(id)
            .filter(|one| one.kind == kind)
            .ok_or_else(|| self.gone(what))
    }

    /// Reads a merge request before it is changed.
    async fn read(&self, what: &str, id: &NodeId) -> Result<Raw, ForgeError> {
        self.merge_request(what, id).await?.ok_or_else(|| self.gone(what))
    }

    async fn put(&self, what: &str, on: Numbered, rest: &[&str], body: Value) -> Result<Answer, ForgeError> {
        let path = Path::of(on);
        self.change(what, Method::PUT, &path.with(rest), Some(body)).await
    }

    /// Opens a merge request: at the project of the branch, for the project that it goes to.
    async fn create(&self, write: &Write) -> Result<Written, ForgeError> {
        let Write::Create {
            repository,
            base,
            branch,
            head_repository,
            title,
            body,
            draft,
        } = write
        else {
            return Ok(Written::Done);
        };
        let what = write.words();
        let known = |id| project(id).ok_or_else(|| self.gone(what));
        let (into, from) = (
            known(repository)?,
            known(head_repository.as_ref().unwrap_or(repository))?,
        );
        let body = json!({
            "source_branch": branch, "target_branch": base, "target_project_id": into,
            "title": marked(title, *draft), "description": body,
        });
        let path = Path::project(from, &["merge_requests"]);
        let answer = self.change(what, Method::POST, &path.with(&[]), Some(body)).await;
        let answer = answer.map_err(|error| match error {
            ForgeError::Refused { why, .. } if why.to_ascii_lowercase().contains("already exists") => {
                ForgeError::AlreadyExists
            }
            other => other,
        })?;
        let made: Raw = self.written(what, &answer)?;
        Ok(Written::Pull {
            id: made.numbered().node(),
            number: made.iid,
            url: line(&made.web_url),
        })
    }

    async fn comment(&self, what: &str, on: &NodeId, body: &str) -> Result<Written, ForgeError> {
        let on = Numbered::parse(on).ok_or_else(|| self.gone(what))?;
        let path = Path::of(on);
        // What GitLab answers names no page.
        let page: Page = self.get(what, &path.with(&[]), &[]).await?;
        let answer = self
            .change(
                what,
                Method::POST,
                &path.with(&["notes"]),
                Some(json!({ "body": body })),
            )
            .await?;
        self.said(what, &answer, &page.web_url)
    }

    async fn reply(&self, what: &str, thread: &NodeId, body: &str) -> Result<Written, ForgeError> {
        let thread = ThreadId::parse(thread).ok_or_else(|| self.gone(what))?;
        let iid = thread.iid.to_string();
        let path = Path::project(thread.project, &[Kind::Merge.part(), &iid]);
        let page: Page = self.get(what, &path.with(&[]), &[]).await?;
        let path = discussion(&thread);
        let answer = self
            .change(
                what,
                Method::POST,
                &path.with(&["notes"]),
                Some(json!({ "body": body })),
            )
            .await?;
        self.said(what, &answer, &page.web_url)
    }

    fn said(&self, what: &str, answer: &Answer, page: &str) -> Result<Written, ForgeError> {
        let made: Made = self.written(what, answer)?;
        Ok(Written::Comment {
            id: NodeId(format!("note-{}", made.id)),
            url: line(&format!("{page}#note_{}", made.id)),
        })
    }

    async fn label(
        &self,
        what: &str,
        on: &Subject,
        add: &[String],
        remove: &[String],
    ) -> Result<Written, ForgeError> {
        let on = Numbered::parse(&on.id).ok_or_else(|| self.gone(what))?;
        let mut body = json!({});
        for (key, names) in [("add_labels", add), ("remove_labels", remove)] {
            if !names.is_empty() {
                body[key] = json!(names.join(","));
            }
        }
        self.put(what, on, &[], body).await?;
        Ok(Written::Done)
    }

    /// Adds reviewers to those that there are. GitLab names accounts by their number.
    async fn request_review(
        &self,
        what: &str,
        pull: &Subject,
        people: &[String],
        teams: &[String],
    ) -> Result<Written, ForgeError> {
        if let Some(team) = teams.first() {
            return Err(self.will_not(what, format!("it has no teams to ask, as {team}: name people")));
        }
        let raw = self.read(what, &pull.id).await?;
        let mut ids: Vec<u64> = raw.reviewers.iter().map(|user| user.id).collect();
        for name in people {
            let id = self.account(what, name).await?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        self.put(what, raw.numbered(), &[], json!({ "reviewer_ids": ids }))
            .await?;
        Ok(Written::Done)
    }

    /// Returns the number of an account.
    async fn account(&self, what: &str, name: &str) -> Result<u64, ForgeError> {
        let found: Vec<User> = self.get(what, &["users"], &[("username", name)]).await?;
        let id = found.first().map(|user| user.id);
        id.ok_or_else(|| self.will_not(what, format!("there is no account {}", line(name))))
    }

    /// Adds an account to those that have an issue. Without a paid plan, GitLab keeps only one of them.
    async fn assign(&self, what: &str, issue: &Subject, to: &str) -> Result<Written, ForgeError> {
        let on = self.numbered(what, &issue.id, Kind::Issue)?;
        let now: Assigned = self.get(what, &Path::of(on).with(&[]), &[]).await?;
        let mut ids: Vec<u64> = now.assignees.iter().map(|user| user.id).collect();
        ids.push(self.account(what, to).await?);
        self.put(what, on, &[], json!({ "assignee_ids": ids })).await?;
        Ok(Written::Done)
    }

    async fn close(&self, what: &str, id: &NodeId, kind: Kind) -> Result<Written, ForgeError> {
        let on = self.numbered(what, id, kind)?;
        self.put(what, on, &[], json!({ "state_event": "close" })).await?;
        Ok(Written::Done)
    }

    /// Merges, now or later, if the head is still the expected commit.
    async fn merge(&self, write: &Write) -> Result<Written, ForgeError> {
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
            Write::Enqueue { .. } => {
                let body = Some(json!({ "sha": head }));
                self.change(what, Method::POST, &train.with(&[]), body).await
            }
            _ => {
                self.change(what, Method::PUT, &path.with(&["merge"]), Some(merge(write)))
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

    /// Deletes a branch that is still at this commit. GitLab takes no such condition: it is looked at right before. A branch
    /// that is gone already is fine.
    async fn delete_branch(
        &self,
        what: &str,
        repository: &NodeId,
        branch: &str,
        head: &Oid,
    ) -> Result<Written, ForgeError> {
        let id = project(repository).ok_or_else(|| self.gone(what))?;
        let path = Path::project(id, &["repository", "branches", branch]);
        match self.get::<Branch>(what, &path.with(&[]), &[]).await {
            Ok(found) if found.commit.id == head.0 => {}
            Ok(_) => {
                return Err(ForgeError::HeadMoved {
                    what: what.to_owned(),
                    expected: head.0.clone(),
                });
            }
            Err(ForgeError::Gone { .. }) => return Ok(Written::Done),
            Err(error) => return Err(error),
        }
        match self.change(what, Method::DELETE, &path.with(&[]), None).await {
            Ok(_) | Err(ForgeError::Gone { .. }) => Ok(Written::Done),
            Err(error) => Err(error),
        }
    }

    /// Reads what a write answered. If it cannot be read, it may have happened nevertheless.
    fn written<T: serde::de::DeserializeOwned>(&self, what: &str, answer: &Answer) -> Result<T, ForgeError> {
        self.json(what, answer).map_err(|error| match error {
            ForgeError::Unreadable { why, .. } => self.unclear(what, &why),
            other => other,
        })
    }

    fn unclear(&self, what: &str, why: &str) -> ForgeError {
        ForgeError::Unreadable {
            host: self.endpoint.host().to_owned(),
            what: what.to_owned(),
            why: why.to_owned(),
            outcome_unknown: true,
        }
    }

    fn will_not(&self, what: &str, why: String) -> ForgeError {
        ForgeError::Refused {
            host: self.endpoint.host().to_owned(),
            what: what.to_owned(),
            why,
        }
    }
}

fn discussion(thread: &ThreadId) -> Path {
    let iid = thread.iid.to_string();
    let parts = [Kind::Merge.part(), &iid, "discussions", &thread.discussion];
    Path::project(thread.project, &parts)
}

/// A title as GitLab keeps it: a draft is one by its title.
fn marked(text: &str, draft: bool) -> String {
    let mark = if draft { DRAFT } else { "" };
    let all = mark.chars().chain(title(text).chars());
    all.take(LONGEST_TITLE).collect()
}

/// The fields that an update changes. A title that is written anew keeps the mark of a draft.
fn update(write: &Write, now: &Raw) -> Value {
    let mut fields = json!({});
    match write {
        Write::Draft { draft, .. } => fields["title"] = json!(marked(&now.title, *draft)),
        Write::Update {
            title, body, base, ..
        } => {
            let title = title.as_ref().map(|title| marked(title, now.draft));
            let values = [
                ("title", title),
                ("description", body.clone()),
                ("target_branch", base.clone()),
            ];
            for (key, value) in values {
                if let Some(value) = value {
                    fields[key] = json!(value);
                }
            }
        }
        _ => {}
    }
    fields
}

/// What a merge asks for. A project has one way beside squashing, so only that is said.
fn merge(write: &Write) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_one_by_its_title() {
        for (text, draft, expected) in [
            ("Add a cart", true, "Draft: Add a cart"),
            ("Draft: Add a cart", true, "Draft: Add a cart"),
            ("Draft: Add a cart", false, "Add a cart"),
        ] {
            assert_eq!(marked(text, draft), expected);
        }
        assert_eq!(marked(&"é".repeat(300), true).chars().count(), LONGEST_TITLE);
    }
}
