//! The story of a merge request at GitLab: opened from here, red, fixed, remarked on, approved, merged and put away; and what
//! a session gets of an issue there.

use crate::pulls::{commit, look, of, session};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A token in the form of a real one.
const TOKEN: &str = "glpat-0123456789abcdefghij";

/// A sandbox whose project `shop` has a remote at this GitLab, in a group of a group; and the id of its repository.
pub async fn shop(forge: &TestForge) -> (Sandbox, String) {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("GITLAB_TOKEN", TOKEN);
    shop_in(sandbox, forge).await
}

/// The same in a sandbox that has no engine yet.
pub async fn shop_in(mut sandbox: Sandbox, forge: &TestForge) -> (Sandbox, String) {
    std::fs::create_dir_all(sandbox.data()).unwrap();
    sandbox.configure(&forge.as_gitlab());
    sandbox.start().await;
    let repository = sandbox.repository("shop");
    let url = "https://gitlab.com/group/sub/shop.git";
    git(&repository, &[], &["remote", "add", "origin", url]);
    let ask = json!({ "path": repository, "trust": true });
    sandbox.post("/api/projects", ask).await.unwrap();
    let id = forge.repository("group/sub", "shop").await;
    forge.take_pushes(&repository);
    git(&repository, &[], &["push", "-q", "origin", "main"]);
    (sandbox, id)
}

pub fn said(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let output = sandbox.cli(arguments);
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

/// The desk of a session with an open merge request.
pub struct Desk {
    pub forge: TestForge,
    pub sandbox: Sandbox,
    pub repository: String,
    pub session: String,
    place: PathBuf,
    pub pull: String,
}

impl Desk {
    pub async fn of(config: &str) -> Self {
        let forge = TestForge::start_gitlab().await;
        let (sandbox, repository) = shop(&forge).await;
        let projects = sandbox.get("/api/projects").await.unwrap();
        let root = Path::new(projects[0]["path"].as_str().unwrap()).to_owned();
        std::fs::write(root.join("downbeat.yaml"), config).unwrap();
        forge
            .set(
                &repository,
                json!({ "settings": { "only_allow_merge_if_pipeline_succeeds": true } }),
            )
            .await;
        let (session, place) = session(&sandbox, "Cart").await;
        commit(&place, "cart.txt");
        let opened = said(&sandbox, &["pr", "create", "cart", "--body", "Holds things"]);
        let page = "#1 is open: https://gitlab.com/group/sub/shop/-/merge_requests/1";
        assert!(opened.contains(page), "{opened}");
        let card = of(&sandbox, &session).await["pulls"][0].clone();
        let pull = card["id"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned();
        Self {
            forge,
            sandbox,
            repository,
            session,
            place,
            pull,
        }
    }

    pub async fn pipeline(&self, status: &str) -> Value {
        let jobs = json!([{ "name": "test", "status": status }, { "name": "deploy", "status": "manual", "allow_failure": true }]);
        let values = json!({ "status": status, "jobs": jobs });
        self.forge.add("pipeline", &self.pull, values).await
    }

    pub async fn at_forge(&self) -> Value {
        self.forge.control(json!({ "op": "show", "id": self.pull })).await
    }

    pub async fn shown(&self) -> Value {
        of(&self.sandbox, &self.session).await
    }

    /// Waits for this number of messages to the agent, and returns the last one.
    pub async fn message(&self, number: usize) -> String {
        until("the message is queued", async || {
            let ours = self.sandbox.sent_to(&self.session).await;
            assert!(ours.len() <= number, "{ours:#?}");
            ours.last().filter(|_| ours.len() == number).cloned()
        })
        .await
    }

    async fn push(&self, file: &str) -> String {
        let head = commit(&self.place, file);
        git(&self.place, &[], &["push", "-q", "origin", "HEAD"]);
        head
    }
}

#[tokio::test]
async fn a_merge_request_goes_from_red_through_its_review_to_merged_and_put_away() {
    let desk = Desk::of(
        "reactions:\n  approved-and-green: { action: merge, deleteAfter: true }\n  pr-merged: { action: archive }\n",
    )
    .await;
    desk.forge.set(&desk.pull, json!({ "required": 1 })).await;
    let made = desk.pipeline("failed").await;
    let text = "Preparing\nsection_start:1:step_script\r\u{1b}[0K$ cargo test\n\u{1b}[31mleft: 1, right: 2\u{1b}[0m\n\
                section_end:2:step_script\r\u{1b}[0KCleaning up\nERROR: Job failed: exit code 101\n";
    desk.forge
        .control(json!({ "op": "log", "job": made["jobs"][0]["id"], "text": text }))
        .await;
    look(&desk.sandbox).await;
    let message = desk.message(1).await;
    assert!(
        message.contains("- test")
            && message.contains("    > $ cargo test\n    > left: 1, right: 2\n")
            && !message.contains("Cleaning up"),
        "{message}"
    );
    assert_eq!(desk.shown().await["lifecycle"]["stage"], "ci_failed");

    // The agent fixes it; the reviewer has several remarks.
    let head = desk.push("fixed.txt").await;
    desk.pipeline("success").await;
    for number in 1..=4 {
        let notes = json!([{ "body": format!("Remark {number}") }]);
        desk.forge
            .add(
                "discussion",
                &desk.pull,
                json!({ "path": "cart.txt", "line": number, "notes": notes }),
            )
            .await;
    }
    let thread = desk.at_forge().await["discussions"][0]["node"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.forge
        .add(
            "review",
            &desk.pull,
            json!({ "user": "ada", "state": "requested_changes" }),
        )
        .await;
    look(&desk.sandbox).await;
    let message = desk.message(2).await;
    for number in 1..=4 {
        let remark = format!("cart.txt:{number}\n    > Remark {number}\n");
        assert!(message.contains(&remark), "{message}");
    }
    let shown = desk.shown().await;
    assert_eq!(
        (&shown["pulls"][0]["head"], &shown["lifecycle"]["stage"]),
        (&json!(head), &json!("changes_requested")),
        "{shown:#}"
    );

    // It answers and pushes, with the account that opened the merge request.
    said(
        &desk.sandbox,
        &["pr", "comment", "cart", "--thread", &thread, "Done."],
    );
    said(&desk.sandbox, &["pr", "resolve", "cart", &thread]);
    desk.push("renamed.txt").await;
    desk.pipeline("running").await;
    look(&desk.sandbox).await;
    let there = desk.at_forge().await;
    assert_eq!(
        (&there["state"], &there["discussions"][0]["resolved"]),
        (&json!("OPEN"), &json!(true)),
        "{there:#}"
    );

    // The reviewer resolves the others: an open thread holds a merge up.
    for other in &there["discussions"].as_array().unwrap()[1..] {
        desk.forge
            .set(other["node"].as_str().unwrap(), json!({ "resolved": true }))
            .await;
    }
    desk.forge
        .add(
            "review",
            &desk.pull,
            json!({ "user": "ada", "state": "approved" }),
        )
        .await;
    look(&desk.sandbox).await;
    let shown = desk.shown().await;
    assert_eq!(
        shown["lifecycle"]["reason"],
        json!({ "kind": "checksPending", "names": ["test"] })
    );
    assert_eq!(desk.at_forge().await["state"], "OPEN");
    desk.pipeline("success").await;
    look(&desk.sandbox).await;
    until("the session is archived", async || {
        desk.shown().await["archivedAt"].is_string().then_some(())
    })
    .await;
    let there = desk.at_forge().await;
    assert_eq!(there["state"], "MERGED", "{there:#}");
    let asked = desk.forge.asked().await;
    let merges = asked
        .iter()
        .filter(|one| one.starts_with("PUT") && one.ends_with("/merge"));
    assert_eq!(merges.count(), 1);
    let deleted = |one: &String| one.starts_with("DELETE") && one.contains("/repository/branches/");
    assert!(asked.iter().any(deleted), "{asked:#?}");
    until("the person is told once", async || {
        let notices = desk.sandbox.notices().await;
        let texts = notices.iter().filter_map(|one| one["text"].as_str());
        let told = texts.filter(|text| text.contains("#1 was merged into main"));
        (told.count() == 1).then_some(())
    })
    .await;
    assert_eq!(desk.shown().await["workspacePath"], json!(null));
    assert!(!desk.sandbox.log().contains(TOKEN));
}

#[tokio::test]
async fn notes_beside_threads_go_to_the_agent_once_and_those_of_its_own_account_do_not() {
    let desk = Desk::of("").await;
    for (author, body) in [
        ("ada", "Please rename this."),
        ("me", "I pushed a fix."),
        ("renovate-bot", "2 updates."),
    ] {
        let note = json!({ "op": "note", "on": desk.pull, "values": { "author": author, "body": body } });
        desk.forge.control(note).await;
    }
    look(&desk.sandbox).await;
    for (event, number, words) in [
        (
            "changes-requested",
            1,
            "- ada in the conversation\n    > Please rename this.\n",
        ),
        (
            "bugbot-comments",
            2,
            "- renovate-bot in the conversation\n    > 2 updates.\n",
        ),
    ] {
        said(&desk.sandbox, &["reactions", "run", "cart", event]);
        let message = desk.message(number).await;
        assert!(
            message.contains(words) && !message.contains("I pushed"),
            "{message}"
        );
    }
    look(&desk.sandbox).await;
    desk.message(2).await;
}

#[tokio::test]
async fn a_gitlab_that_refuses_or_fails_says_how_to_go_on_and_what_was_seen_stays() {
    let desk = Desk::of("").await;
    for (fault, words) in [
        (
            json!({ "kind": "revoked" }),
            "glab auth login --hostname gitlab.com",
        ),
        (json!({ "kind": "scopes" }), "it needs api or read_api"),
        (json!({ "kind": "status", "status": 502 }), "status 502"),
        (json!({ "kind": "truncated" }), "cut off"),
    ] {
        let mut fault = fault;
        fault["op"] = json!("fault");
        desk.forge.control(fault).await;
        let forges = look(&desk.sandbox).await;
        let error = forges[0]["error"].as_str().unwrap_or_default();
        assert!(error.contains(words), "{words}: {forges:#}");
        assert_eq!(desk.shown().await["pulls"][0]["number"], 1);
        desk.forge.control(json!({ "op": "clear" })).await;
        assert_eq!(look(&desk.sandbox).await[0]["error"], json!(null));
    }
}

#[tokio::test]
async fn a_lost_answer_opens_no_second_merge_request_and_merges_once() {
    let forge = TestForge::start_gitlab().await;
    let (sandbox, _) = shop(&forge).await;
    let (id, place) = session(&sandbox, "Cart").await;
    commit(&place, "cart.txt");
    let lost = |what: &str| json!({ "op": "fault", "match": what, "kind": "after", "times": 1 });
    forge.control(lost("^POST .*/merge_requests$")).await;
    let opened = said(&sandbox, &["pr", "create", "cart"]);
    assert!(opened.contains("#1 is open"), "{opened}");
    let pull = of(&sandbox, &id).await["pulls"][0]["id"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();
    forge
        .add("pipeline", &pull, json!({ "jobs": [{ "name": "test" }] }))
        .await;
    look(&sandbox).await;
    forge.control(lost("^PUT .*/merge$")).await;
    let merged = said(&sandbox, &["merge", "cart", "--delete-branch"]);
    assert!(merged.contains("pull request #1 landed on main"), "{merged}");
    let asked = forge.asked().await;
    for (method, end) in [("POST", "/merge_requests"), ("PUT", "/merge")] {
        let times = asked
            .iter()
            .filter(|one| one.starts_with(method) && one.ends_with(end))
            .count();
        assert_eq!(times, 1, "{method} {end}");
    }
}

#[tokio::test]
async fn a_session_gets_the_text_of_an_issue_at_gitlab_by_number_and_by_address() {
    let forge = TestForge::start_gitlab().await;
    let (sandbox, repository) = shop(&forge).await;
    let values = json!({ "title": "Round half cents", "body": "They are rounded twice." });
    let made = forge
        .control(json!({ "op": "issue", "repository": repository, "values": values }))
        .await;
    let note = json!({ "op": "note", "on": made["id"], "values": { "body": "Also in the cart." } });
    forge.control(note).await;
    let number = made["number"].as_u64().unwrap();
    said(&sandbox, &["spawn", &number.to_string(), "--project", "shop"]);
    let all = sandbox.get("/api/sessions").await.unwrap();
    let id = all[0]["id"].as_str().unwrap();
    let shown = sandbox.status(id, &["idle"]).await;
    let url = format!("https://gitlab.com/group/sub/shop/-/issues/{number}");
    assert_eq!(
        shown["issue"],
        json!({ "host": "gitlab.com", "repository": "group/sub/shop", "number": number, "title": "Round half cents", "url": url })
    );
    let task = of(&sandbox, id).await["task"].as_str().unwrap().to_owned();
    assert!(
        task.contains("    > They are rounded twice.\nada commented:\n    > Also in the cart."),
        "{task}"
    );
    let again = sandbox.cli(&["batch-spawn", &url, "--project", "shop"]);
    let again = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(again.contains("1 skipped"), "{again}");
}
