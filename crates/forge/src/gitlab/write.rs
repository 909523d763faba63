//! Everything that changes something; merges are in `merge`. Each write is sent once; whoever repeats one of unknown outcome looks first.

use crate::error::ForgeError;
use crate::http::transport::Answer;
use crate::text::line;
use crate::types::identity::{NodeId, Oid};
use crate::types::write::{Subject, Write, Written};
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
        let project = Self::changed(write).ok_or_else(|| self.gone(what))?;
        let changed = self.writable(what, project).await?;
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
            Write::Merge { .. } | Write::AutoMerge { .. } | Write::Enqueue { .. } => {
                self.merge(write, changed.merge_trains_enabled).await
            }
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

    /// Returns the project that a write changes; none if its subject is not one of GitLab's.
    fn changed(write: &Write) -> Option<u64> {
        let of = |id: &NodeId| Numbered::parse(id).map(|one| one.project);
        match write {
            Write::Create { repository, .. } | Write::DeleteBranch { repository, .. } => project(repository),
            Write::Reply { thread, .. } | Write::Resolve { thread, .. } => {
                ThreadId::parse(thread).map(|one| one.project)
            }
            Write::Comment { on, .. } => of(on),
            Write::Label { on, .. } => of(&on.id),
            Write::RequestReview { pull, .. } => of(&pull.id),
            Write::Assign { issue, .. } => of(&issue.id),
            Write::CloseIssue { issue } => of(issue),
            Write::Update { pull, .. }
            | Write::Draft { pull, .. }
            | Write::Merge { pull, .. }
            | Write::Enqueue { pull, .. }
            | Write::AutoMerge { pull, .. }
            | Write::NoAutoMerge { pull }
            | Write::Close { pull } => of(pull),
        }
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
