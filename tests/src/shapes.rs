//! What tests do to a pull request at a forge, and what they ask of it, in the shapes of GitHub or of GitLab. So a test that
//! is about neither runs over both.

use crate::forge::TestForge;
use serde_json::{Value, json};

/// A kind of forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// GitHub.
    GitHub,
    /// GitLab.
    GitLab,
}

impl Kind {
    /// Starts a forge of this kind without repositories.
    pub async fn start(self) -> TestForge {
        match self {
            Self::GitHub => TestForge::start().await,
            Self::GitLab => TestForge::start_gitlab().await,
        }
    }
}

impl TestForge {
    /// Returns its kind.
    pub fn kind(&self) -> Kind {
        match self.host {
            "gitlab.com" => Kind::GitLab,
            _ => Kind::GitHub,
        }
    }

    /// Lets the only check of a pull request's head pass.
    pub async fn green(&self, pull: &str) {
        match self.kind() {
            Kind::GitHub => self.add("check", pull, json!({ "name": "test" })).await,
            Kind::GitLab => {
                let jobs = json!([{ "name": "test", "status": "success" }]);
                self.add("pipeline", pull, json!({ "status": "success", "jobs": jobs }))
                    .await
            }
        };
    }

    /// Lets checks with these names and logs of one line fail at a pull request's head.
    pub async fn red(&self, pull: &str, checks: &[(&str, &str)]) {
        match self.kind() {
            Kind::GitHub => {
                for (name, log) in checks {
                    self.red_at_github(pull, name, log).await;
                }
            }
            Kind::GitLab => {
                let job = |(name, _): &(&str, &str)| json!({ "name": name, "status": "failed" });
                let jobs: Vec<Value> = checks.iter().map(job).collect();
                let values = json!({ "status": "failed", "jobs": jobs });
                let made = self.add("pipeline", pull, values).await;
                for (place, (_, log)) in checks.iter().enumerate() {
                    let text = format!(
                        "section_start:1:step_script\r\u{1b}[0K{log}\nsection_end:2:step_script\r\u{1b}[0K\n"
                    );
                    self.control(json!({ "op": "log", "job": made["jobs"][place]["id"], "text": text }))
                        .await;
                }
            }
        }
    }

    async fn red_at_github(&self, pull: &str, name: &str, log: &str) {
        let steps = json!([{ "number": 1, "name": "cargo test", "status": "COMPLETED", "conclusion": "FAILURE",
            "startedAt": "2026-01-01T12:00:10Z", "completedAt": "2026-01-01T12:00:20Z" }]);
        let values = json!({ "name": name, "conclusion": "FAILURE", "steps": steps });
        let made = self.add("check", pull, values).await;
        let text = format!("2026-01-01T12:00:11.0000000Z {log}\n");
        self.control(json!({ "op": "log", "job": made["job"], "text": text }))
            .await;
    }

    /// Lets the base require a review that is missing.
    pub async fn require_review(&self, pull: &str) {
        let values = match self.kind() {
            Kind::GitHub => json!({ "review": "REVIEW_REQUIRED" }),
            Kind::GitLab => json!({ "required": 1 }),
        };
        self.set(pull, values).await;
    }

    /// Lets somebody approve a pull request.
    pub async fn approve(&self, pull: &str) {
        match self.kind() {
            Kind::GitHub => self.set(pull, json!({ "review": "APPROVED" })).await,
            Kind::GitLab => {
                let values = json!({ "user": "ada", "state": "approved" });
                self.add("review", pull, values).await;
            }
        }
    }

    /// Begins a thread on the first line of a file, and returns its id.
    pub async fn thread(&self, pull: &str, path: &str, text: &str) -> String {
        let (what, key) = match self.kind() {
            Kind::GitHub => ("thread", "comments"),
            Kind::GitLab => ("discussion", "notes"),
        };
        let mut values = json!({ "path": path, "line": 1 });
        values[key] = json!([{ "body": text }]);
        let made = self.add(what, pull, values).await;
        made["id"].as_str().expect("an id").to_owned()
    }

    /// Returns how many comments a pull request has in its conversation, and how many in its first thread.
    pub async fn said(&self, pull: &str) -> (usize, usize) {
        let there = self.control(json!({ "op": "show", "id": pull })).await;
        let count = |list: &Value| list.as_array().map_or(0, Vec::len);
        if self.kind() == Kind::GitHub {
            return (count(&there["comments"]), count(&there["threads"][0]["comments"]));
        }
        let all = there["discussions"].as_array().expect("a list");
        let (single, threads): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|one| one["single"] == true);
        let notes = |one: &Value| count(&one["notes"]);
        (
            single.into_iter().map(notes).sum(),
            threads.first().map_or(0, |one| notes(one)),
        )
    }

    /// Returns a pattern of the requests that merge.
    pub fn merging(&self) -> &'static str {
        match self.kind() {
            Kind::GitHub => "graphql Merge$",
            Kind::GitLab => "^PUT .*/merge$",
        }
    }

    /// Returns how often it was asked to merge since the last call of this or of [`Self::asked`].
    pub async fn merges(&self) -> usize {
        let kind = self.kind();
        let is_merge = |one: &&String| match kind {
            Kind::GitHub => *one == "graphql Merge",
            Kind::GitLab => one.starts_with("PUT ") && one.ends_with("/merge"),
        };
        self.asked().await.iter().filter(is_merge).count()
    }
}
