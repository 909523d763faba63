//! Tests of what becomes of an issue at GitHub or GitLab: assigned when its session begins, commented on and closed once its work
//! is merged, at the forge or here; once, whatever crashes.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::gitlab;
use crate::pulls::{commit, look, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A project at a forge, with an issue and the session that works on it.
struct Desk {
    forge: TestForge,
    sandbox: Sandbox,
    repository: String,
    issue: String,
    session: String,
    place: PathBuf,
}

impl Desk {
    async fn of((forge, (sandbox, repository)): (TestForge, (Sandbox, String))) -> Self {
        let values = json!({ "title": "Round half cents", "body": "They are rounded twice." });
        let made = json!({ "op": "issue", "repository": repository, "values": values });
        let made = forge.control(made).await;
        let ask = json!({ "projectId": "shop", "issue": "100", "prompt": "say hello" });
        let session = sandbox.session(ask).await;
        sandbox.status(&session, &["idle"]).await;
        let place = workspace(&sandbox, &session).await;
        Self {
            forge,
            sandbox,
            repository,
            issue: made["id"].as_str().unwrap().to_owned(),
            session,
            place,
        }
    }

    async fn github() -> Self {
        let forge = TestForge::start().await;
        let project = shop(&forge).await;
        Self::of((forge, project)).await
    }

    async fn gitlab() -> Self {
        let forge = TestForge::start_gitlab().await;
        let project = gitlab::shop(&forge).await;
        Self::of((forge, project)).await
    }

    /// Waits until the issue at the forge is as `is` says.
    async fn issue_is(&self, is: impl Fn(&Value) -> bool) -> Value {
        until("the forge is told", async || {
            let shown = self
                .forge
                .control(json!({ "op": "show", "id": self.issue }))
                .await;
            is(&shown).then_some(shown)
        })
        .await
    }

    async fn is_assigned(&self) -> Value {
        self.issue_is(|issue| issue["assignees"] != json!([])).await
    }

    async fn is_closed(&self) -> Value {
        self.issue_is(|issue| issue["state"] == "CLOSED").await
    }

    fn merge_here(&self) {
        let merged = self
            .sandbox
            .cli(&["merge", &self.session, "--local", "--unchecked", "--no-wait"]);
        let said = String::from_utf8_lossy(&merged.stderr);
        assert!(merged.status.success(), "{said}");
    }
}

/// Returns the comments on an issue, without the marks by which Downbeat finds its own.
fn comments(issue: &Value) -> Vec<String> {
    let all = issue.get("comments").or(issue.get("notes")).unwrap();
    let body = |one: &Value| one["body"].as_str().unwrap().to_owned();
    let all: Vec<String> = all.as_array().unwrap().iter().map(body).collect();
    let visible = |text: &String| text.split("\n\n<!-- downbeat ").next().unwrap().to_owned();
    all.iter().map(visible).collect()
}

#[tokio::test]
async fn an_issue_is_assigned_and_closed_by_a_merge_that_did_not_close_it() {
    for desk in [Desk::github().await, Desk::gitlab().await] {
        assert_eq!(desk.is_assigned().await["assignees"], json!(["me"]));
        let head = commit(&desk.place, "rounded.txt");
        let values = json!({ "branch": "rounded", "commit": head, "title": "Round", "body": "" });
        let pull = desk.forge.pull(&desk.repository, values).await;
        look(&desk.sandbox).await;
        let merged = json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" });
        desk.forge.set(&pull, merged).await;
        look(&desk.sandbox).await;
        let issue = desk.is_closed().await;
        let said = comments(&issue);
        assert!(
            said.len() == 1 && said[0].starts_with("Merged: https://git"),
            "{said:?}"
        );
    }
}

#[tokio::test]
async fn an_issue_is_closed_once_none_of_its_sessions_pull_requests_is_open() {
    let desk = Desk::github().await;
    desk.is_assigned().await;
    let head = commit(&desk.place, "rounded.txt");
    let mut pulls = Vec::new();
    for branch in ["rounded", "rounded-again"] {
        let values = json!({ "branch": branch, "commit": head, "title": "Round", "body": "" });
        pulls.push(desk.forge.pull(&desk.repository, values).await);
        look(&desk.sandbox).await;
    }
    let merged = json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" });
    desk.forge.set(&pulls[0], merged).await;
    look(&desk.sandbox).await;
    let shown = until("the merge is seen", async || {
        let shown = desk
            .sandbox
            .get(&format!("/api/sessions/{}", desk.session))
            .await
            .ok()?;
        let all = shown["pulls"].as_array()?;
        all.iter().any(|pull| pull["state"] == "merged").then_some(shown)
    })
    .await;
    assert_eq!(shown["pulls"].as_array().unwrap().len(), 2, "{shown:#}");
    let issue = desk.issue_is(|_| true).await;
    assert_eq!(issue["state"], "OPEN", "the other one is open");
    desk.forge.set(&pulls[1], json!({ "state": "CLOSED" })).await;
    look(&desk.sandbox).await;
    let said = comments(&desk.is_closed().await);
    assert!(said.len() == 1 && said[0].ends_with("/pull/1"), "{said:?}");
}

#[tokio::test]
async fn an_archived_session_is_followed_until_its_pull_request_is_merged() {
    let mut desk = Desk::github().await;
    desk.is_assigned().await;
    let head = commit(&desk.place, "rounded.txt");
    let values = json!({ "branch": "rounded", "commit": head, "title": "Round", "body": "" });
    let pull = desk.forge.pull(&desk.repository, values).await;
    look(&desk.sandbox).await;
    let path = format!("/api/sessions/{}", desk.session);
    for step in ["stop", "archive"] {
        let done = desk.sandbox.cli(&[step, &desk.session]);
        assert!(done.status.success(), "{done:?}");
    }
    // The next engine finds it, too.
    desk.sandbox.kill_engine();
    desk.sandbox.start().await;
    let merged = json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" });
    desk.forge.set(&pull, merged).await;
    look(&desk.sandbox).await;
    desk.is_closed().await;
    let shown = desk.sandbox.get(&path).await.unwrap();
    assert!(shown["archivedAt"].is_string(), "{shown:#}");
}

#[tokio::test]
async fn an_issue_that_somebody_has_or_that_is_closed_stays_as_it_is() {
    let desk = Desk::github().await;
    desk.is_assigned().await;
    let taken = json!({ "op": "issue", "repository": desk.repository, "values": { "assignees": ["ada"] } });
    let taken = desk.forge.control(taken).await;
    desk.forge.asked().await;
    let ask = json!({ "projectId": "shop", "issue": taken["number"].to_string() });
    desk.sandbox.session(ask).await;
    // It was read for the first prompt, and again before it would have been assigned.
    let mut asked = Vec::new();
    until("the issue is read twice", async || {
        asked.extend(desk.forge.asked().await);
        (asked.iter().filter(|one| *one == "graphql Issue").count() == 2).then_some(())
    })
    .await;
    let values = json!({ "state": "CLOSED" });
    desk.forge.set(&desk.issue, values).await;
    commit(&desk.place, "rounded.txt");
    desk.merge_here();
    until("the closed issue is read", async || {
        asked.extend(desk.forge.asked().await);
        (asked.iter().filter(|one| *one == "graphql Issue").count() == 3).then_some(())
    })
    .await;
    let assigned =
        |one: &String| one.contains("assignees") || one.contains("Comment") || one.contains("Close");
    assert!(!asked.iter().any(assigned), "{asked:?}");
}

#[tokio::test]
async fn a_crash_while_the_forge_is_told_repeats_nothing_and_a_refusal_is_a_notice() {
    let points = downbeat_engine::failpoint::POINTS.iter();
    let points: Vec<_> = points.filter(|point| point.starts_with("issue-")).collect();
    assert_eq!(points.len(), 3);
    for (index, point) in points.into_iter().enumerate() {
        let mut desk = match index % 2 {
            0 => Desk::github().await,
            _ => Desk::gitlab().await,
        };
        desk.is_assigned().await;
        commit(&desk.place, "rounded.txt");
        doomed(&mut desk.sandbox, point).await;
        desk.merge_here();
        successor(&mut desk.sandbox, point).await;
        let issue = desk.is_closed().await;
        let said = comments(&issue);
        assert!(
            said.len() == 1 && said[0].starts_with("Merged: main as "),
            "{point}: {said:?}"
        );
    }

    let desk = Desk::github().await;
    desk.is_assigned().await;
    commit(&desk.place, "rounded.txt");
    let refused = json!({ "op": "fault", "match": "CloseIssue", "kind": "error", "type": "FORBIDDEN",
        "text": "Resource not accessible by personal access token", "times": 1 });
    desk.forge.control(refused).await;
    desk.merge_here();
    until("the person is told", async || {
        let notices = desk.sandbox.notices().await;
        let is_it = |notice: &&Value| {
            let text = notice["text"].as_str().unwrap_or_default();
            text.contains("acme/shop#100 could not be closed")
        };
        (notices.iter().filter(is_it).count() == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn issues_of_a_repository_that_an_agent_made_a_remote_are_never_changed() {
    let desk = Desk::github().await;
    desk.is_assigned().await;
    let secret = desk.forge.repository("globex", "secret").await;
    let made = json!({ "op": "issue", "repository": secret, "values": { "title": "Leak" } });
    let made = desk.forge.control(made).await;
    let number = made["number"].as_u64().unwrap();
    let url = "https://github.com/globex/secret.git";
    git(&desk.place, &[], &["remote", "add", "evil", url]);
    let start = async |issue: String| {
        let id = desk
            .sandbox
            .session(json!({ "projectId": "shop", "issue": issue }))
            .await;
        desk.sandbox.status(&id, &["idle"]).await;
        id
    };
    let named = start(format!("globex/secret#{number}")).await;
    until("the person is told", async || {
        let notices = desk.sandbox.notices().await;
        let texts = notices.iter().filter_map(|notice| notice["text"].as_str());
        let told = texts.filter(|text| text.contains("shop was not trusted with that repository"));
        (told.count() == 1).then_some(())
    })
    .await;
    git(&desk.place, &[], &["remote", "set-url", "origin", url]);
    start(number.to_string()).await;
    let place = workspace(&desk.sandbox, &named).await;
    commit(&place, "done.txt");
    let merged = desk.sandbox.cli(&["merge", &named, "--local", "--unchecked"]);
    assert!(merged.status.success(), "{merged:?}");
    let show = json!({ "op": "show", "id": made["id"] });
    let shown = desk.forge.control(show.clone()).await;
    assert_eq!(
        (&shown["assignees"], &shown["state"], &shown["comments"]),
        (&json!([]), &json!("OPEN"), &json!([])),
        "{shown:#}"
    );
    // The person takes it.
    let edited = desk.sandbox.cli(&["project", "edit", "shop", "--trust", "yes"]);
    assert!(edited.status.success(), "{edited:?}");
    start(number.to_string()).await;
    until("the issue is assigned", async || {
        let shown = desk.forge.control(show.clone()).await;
        (shown["assignees"] == json!(["me"])).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_issues_that_an_issue_is_connected_with_are_kept_and_shown() {
    let forge = TestForge::start().await;
    let (sandbox, repository) = shop(&forge).await;
    let issue = async |values: Value| {
        let made = json!({ "op": "issue", "repository": repository, "values": values });
        let made = forge.control(made).await;
        (made["id"].clone(), made["number"].as_u64().unwrap())
    };
    let (up, up_number) = issue(json!({ "title": "Round up", "state": "CLOSED" })).await;
    let (down, down_number) = issue(json!({ "title": "Round down" })).await;
    let (_, number) = issue(json!({ "title": "Round", "children": [up, down], "blockedBy": [down] })).await;
    let id = sandbox
        .session(json!({ "projectId": "shop", "issue": number.to_string() }))
        .await;
    let shown = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let link = |number: u64, title: &str, is_closed: bool| {
        json!({ "key": format!("acme/shop#{number}"), "title": title, "isClosed": is_closed,
            "url": format!("https://github.com/acme/shop/issues/{number}") })
    };
    let (closed, open) = (
        link(up_number, "Round up", true),
        link(down_number, "Round down", false),
    );
    assert_eq!(shown["issue"]["children"], json!([closed, open]), "{shown:#}");
    assert_eq!(shown["issue"]["blockedBy"], json!([open]), "{shown:#}");
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert!(listed[0]["issue"]["children"].is_null(), "{listed:#}");
    let said = sandbox.cli(&["status", &id]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let children = format!("acme/shop#{up_number} Round up, closed; acme/shop#{down_number} Round down");
    assert!(said.contains(&children) && said.contains("blocked by"), "{said}");
    // A GitHub that has no such lists, or does not answer about them, keeps nobody from working.
    let fault =
        json!({ "op": "fault", "match": "(sub_issues|blocked_by)$", "kind": "status", "status": 404 });
    forge.control(fault).await;
    let id = sandbox
        .session(json!({ "projectId": "shop", "issue": number.to_string() }))
        .await;
    let shown = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert!(
        shown["issue"]["children"].is_null() && shown["issue"]["number"] == json!(number),
        "{shown:#}"
    );
}

#[tokio::test]
async fn issues_that_block_one_at_gitlab_are_kept() {
    let forge = TestForge::start_gitlab().await;
    let (sandbox, repository) = gitlab::shop(&forge).await;
    let issue = async |values: Value| {
        let made = json!({ "op": "issue", "repository": repository, "values": values });
        let made = forge.control(made).await;
        (made["id"].clone(), made["number"].as_u64().unwrap())
    };
    let (first, first_number) = issue(json!({ "title": "Round down" })).await;
    let links = json!([{ "id": first, "type": "is_blocked_by" }, { "id": first, "type": "relates_to" }]);
    let (_, number) = issue(json!({ "title": "Round", "links": links })).await;
    let id = sandbox
        .session(json!({ "projectId": "shop", "issue": number.to_string() }))
        .await;
    let shown = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let blocking = shown["issue"]["blockedBy"].as_array().unwrap();
    assert_eq!(blocking.len(), 1, "{shown:#}");
    assert_eq!(blocking[0]["key"], format!("group/sub/shop#{first_number}"));
}
