//! Tests of webhooks: what a forge sends makes it be asked at once, and nothing that is forged, old or repeated does.

use crate::pulls::{commit, look, session};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SECRET: &str = "wh-secret-0123456789abcdef";

/// A signing token of GitLab.
const SIGNING: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// A session with an open pull request at a forge whose webhooks are configured, as it was last seen.
struct Desk {
    forge: TestForge,
    sandbox: Sandbox,
    repository: String,
    session: String,
    pull: String,
    url: String,
}

impl Desk {
    async fn github() -> Self {
        let forge = TestForge::start().await;
        let config = forge
            .as_github()
            .replace(" } }", ", webhookSecret: '${GH_HOOK}' } }");
        let url = "https://github.com/acme/shop.git";
        Self::of(
            forge,
            (&config, "GH_TOKEN"),
            (url, "acme", "/hooks/github"),
            "GH_HOOK",
            SECRET,
        )
        .await
    }

    async fn gitlab(secret: &str) -> Self {
        let forge = TestForge::start_gitlab().await;
        let config = forge
            .as_gitlab()
            .replace(" } }", ", webhookSecret: '${GL_HOOK}' } }");
        let url = "https://gitlab.com/acme/shop.git";
        Self::of(
            forge,
            (&config, "GITLAB_TOKEN"),
            (url, "acme", "/hooks/gitlab"),
            "GL_HOOK",
            secret,
        )
        .await
    }

    async fn of(
        forge: TestForge,
        (config, token): (&str, &str),
        (remote, owner, path): (&str, &str, &str),
        variable: &str,
        secret: &str,
    ) -> Self {
        let mut sandbox = Sandbox::new();
        std::fs::create_dir_all(sandbox.data()).unwrap();
        sandbox.configure(config);
        sandbox.set_env(token, "0123456789abcdefghijABCDEFGHIJ012345");
        sandbox.set_env(variable, secret);
        sandbox.start().await;
        let repository = sandbox.repository("shop");
        git(&repository, &[], &["remote", "add", "origin", remote]);
        let ask = json!({ "path": repository, "trust": true });
        sandbox.post("/api/projects", ask).await.unwrap();
        let there = forge.repository(owner, "shop").await;
        let (session, place) = session(&sandbox, "Cart").await;
        let values = json!({ "branch": "cart", "commit": commit(&place, "cart.txt"), "title": "Add a cart" });
        let pull = forge.pull(&there, values).await;
        let forges = look(&sandbox).await;
        let url = forges[0]["webhook"]["address"].as_str().unwrap().to_owned();
        assert!(url.ends_with(path), "{url}");
        Self {
            forge,
            sandbox,
            repository: there,
            session,
            pull,
            url,
        }
    }

    /// Sends a webhook with these values, and returns the status and what was sent.
    async fn send(&self, mut values: Value) -> (u64, Value) {
        let all = values.as_object_mut().unwrap();
        all.entry("url").or_insert(json!(self.url));
        all.entry("pull").or_insert(json!(self.pull));
        self.forge.webhook(values).await
    }

    /// What the forge was asked since the last call, apart from what the schedule asks by itself.
    async fn observations(&self) -> usize {
        let asked = self.forge.asked().await;
        asked
            .iter()
            .filter(|one| one.starts_with("graphql Observe"))
            .count()
    }

    fn pr_webhook(&self) -> String {
        let output = self.sandbox.cli(&["pr", "webhook"]);
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
    }
}

/// Waits until the agent's terminal shows a text.
async fn shown(sandbox: &Sandbox, id: &str, text: &str) {
    until("the agent gets the message", async || {
        let output = sandbox.get(&format!("/api/sessions/{id}/output")).await.unwrap();
        output["text"]
            .as_str()
            .is_some_and(|all| all.contains(text))
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_red_check_reaches_the_agents_terminal_long_before_the_schedule_would_ask() {
    let desk = Desk::github().await;
    let said = desk.pr_webhook();
    assert!(
        said.contains("webhooks are on; none has come yet")
            && said.contains("gh webhook forward --repo=acme/shop"),
        "{said}"
    );
    let other = desk.sandbox.cli(&["pr", "webhook", "git.example.com"]);
    let refused = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2), "{refused}");
    assert!(
        refused.contains("no project has a remote at git.example.com")
            && refused.contains("there are: github.com"),
        "{refused}"
    );
    // The schedule has just looked, and looks again after half a minute.
    let push = json!({ "op": "push", "pull": desk.pull, "commit": "d".repeat(40) });
    desk.forge.control(push).await;
    let values = json!({ "name": "lint", "conclusion": "FAILURE" });
    let made = desk.forge.add("check", &desk.pull, values).await;
    let log =
        json!({ "op": "log", "job": made["job"], "text": "2026-01-01T12:00:11.0000000Z unused cart\n" });
    desk.forge.control(log).await;
    let (status, answer) = desk
        .send(json!({ "event": "check_run$completed", "secret": SECRET }))
        .await;
    let sent = Instant::now();
    assert_eq!(
        (status, &answer["answer"]["outcome"]),
        (202, &json!("taken")),
        "{answer}"
    );
    shown(&desk.sandbox, &desk.session, "unused cart").await;
    assert!(sent.elapsed() < Duration::from_secs(4), "{:?}", sent.elapsed());
    let said = desk.pr_webhook();
    assert!(said.contains("the last one, check_run, came"), "{said}");
    let output = desk.sandbox.cli(&["doctor"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("github.com: the last one came"), "{said}");
}

#[tokio::test]
async fn each_event_asks_about_the_pull_request_that_it_is_about_and_about_no_other() {
    let desk = Desk::github().await;
    let (_, place) = session(&desk.sandbox, "Till").await;
    let values = json!({ "branch": "till", "commit": commit(&place, "till.txt"), "title": "Add a till" });
    desk.forge.pull(&desk.repository, values).await;
    desk.forge
        .add(
            "check",
            &desk.pull,
            json!({ "name": "lint", "conclusion": "FAILURE" }),
        )
        .await;
    desk.forge
        .add(
            "thread",
            &desk.pull,
            json!({ "comments": [{ "body": "Rename it." }] }),
        )
        .await;
    look(&desk.sandbox).await;
    for event in [
        "pull_request$opened",
        "pull_request$synchronize",
        "pull_request$closed",
        "pull_request$labeled",
        "pull_request$edited",
        "pull_request$converted_to_draft",
        "pull_request$ready_for_review",
        "pull_request_review$submitted",
        "pull_request_review_comment$created",
        "pull_request_review_thread$resolved",
        "issue_comment$created",
        "check_run$completed",
        "check_suite$completed",
        "status$event",
    ] {
        desk.forge.observed().await;
        let (status, answer) = desk.send(json!({ "event": event, "secret": SECRET })).await;
        assert_eq!(
            (status, &answer["answer"]["outcome"]),
            (202, &json!("taken")),
            "{event}: {answer}"
        );
        let asked = until("the forge is asked", async || {
            let asked = desk.forge.observed().await;
            (!asked.is_empty()).then_some(asked)
        })
        .await;
        assert_eq!(asked, [json!([desk.pull])], "{event}");
    }
}

#[tokio::test]
async fn what_is_forged_repeated_or_about_something_else_asks_nothing() {
    let mut desk = Desk::github().await;
    desk.observations().await;
    let event = "pull_request$synchronize";
    let wrong = json!({ "event": event, "secret": "another" });
    let tampered = json!({ "event": event, "secret": SECRET, "change": { "from": "\"number\":1", "to": "\"number\":2" } });
    for forged in [wrong, tampered] {
        let (status, answer) = desk.send(forged).await;
        assert_eq!(status, 401, "{answer}");
        assert!(!answer["answer"].to_string().contains(SECRET));
    }
    let said = desk.pr_webhook();
    assert!(
        said.contains("its X-Hub-Signature-256 does not fit the secret"),
        "{said}"
    );
    assert_eq!(desk.observations().await, 0);

    let (status, first) = desk.send(json!({ "event": event, "secret": SECRET })).await;
    assert_eq!(status, 202, "{first}");
    let said = desk.pr_webhook();
    assert!(!said.contains("was refused"), "a genuine one came since: {said}");
    until("the forge is asked", async || {
        (desk.observations().await == 1).then_some(())
    })
    .await;
    for id in [json!(null), json!("another-id")] {
        let mut again = json!({ "secret": SECRET, "again": first["sent"] });
        if id.is_string() {
            again["id"] = id;
        }
        let (status, answer) = desk.send(again).await;
        assert_eq!(
            (status, &answer["answer"]["outcome"]),
            (200, &json!("repeated")),
            "{answer}"
        );
    }
    let other = desk.forge.repository("acme", "other").await;
    let stranger = desk
        .forge
        .pull(&other, json!({ "branch": "x", "title": "X" }))
        .await;
    let (status, answer) = desk
        .send(json!({ "event": event, "secret": SECRET, "pull": stranger }))
        .await;
    assert_eq!(
        (status, &answer["answer"]["outcome"]),
        (200, &json!("ignored")),
        "{answer}"
    );
    // GitLab has no secret here.
    let gitlab = desk.url.replace("github", "gitlab");
    let (status, _) = desk
        .send(json!({ "event": event, "secret": SECRET, "url": gitlab }))
        .await;
    assert_eq!(status, 404);
    assert_eq!(desk.observations().await, 0);

    // The next engine recognises what the one before took, and its secret is nowhere.
    desk.sandbox.kill_engine();
    desk.sandbox.start().await;
    desk.url = look(&desk.sandbox).await[0]["webhook"]["address"]
        .as_str()
        .unwrap()
        .to_owned();
    let (_, answer) = desk
        .send(json!({ "secret": SECRET, "again": first["sent"] }))
        .await;
    assert_eq!(answer["answer"]["outcome"], "repeated", "{answer}");
    assert!(!desk.sandbox.log().contains(SECRET));
    for file in std::fs::read_dir(desk.sandbox.data()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()));
    }
}

#[tokio::test]
async fn webhooks_of_gitlab_are_known_by_their_token_or_their_signature() {
    for secret in ["gl-secret-0123456789", SIGNING] {
        let desk = Desk::gitlab(secret).await;
        let asked = async || {
            let asked = desk.forge.asked().await;
            asked.iter().any(|one| one.contains("merge_requests/1"))
        };
        asked().await;
        let event = "Pipeline Hook";
        let (status, answer) = desk.send(json!({ "event": event, "secret": "another" })).await;
        assert_eq!(status, 401, "{answer}");
        if secret == SIGNING {
            let (status, answer) = desk
                .send(json!({ "event": event, "secret": secret, "age": 400 }))
                .await;
            assert_eq!(
                (status, &answer["answer"]["message"]),
                (401, &json!("the webhook is too old"))
            );
        }
        assert!(!asked().await);
        let (status, first) = desk.send(json!({ "event": event, "secret": secret })).await;
        assert_eq!(
            (status, &first["answer"]["outcome"]),
            (202, &json!("taken")),
            "{first}"
        );
        until("GitLab is asked", async || asked().await.then_some(())).await;
        let (_, answer) = desk
            .send(json!({ "secret": secret, "again": first["sent"] }))
            .await;
        assert_eq!(answer["answer"]["outcome"], "repeated", "{answer}");
        let said = desk.pr_webhook();
        assert!(said.contains("the last one, Pipeline Hook, came"), "{said}");
    }
}
