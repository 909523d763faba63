//! The whole story of an issue with the real Claude Code: it opens its pull request, gets the log of a failed check, a
//! review, a later comment and a conflict, each as one message, and pushes after each; then a rule merges, and the session is put away.

use downbeat_tests::forge::TestForge;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The settings of Claude Code in the repository.
const ALLOWED: &str = r#"{"permissions":{"allow":["Bash"]}}"#;

/// A token in the form of a real one.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const TASK: &str = "Round the cart";
const FAILED: &str = "Checks of your pull request #1 failed";
const REMARKS: &str = "There are comments on your pull request #1";
const AFTERTHOUGHT: &str = "And one more name";
const CONFLICT: &str = "Your pull request #1 conflicts with main";

/// The reactions of the project.
const CONFIG: &str = "reactions:\n  approved-and-green: { action: merge, deleteAfter: true }\n  pr-merged: { action: archive }\n";

/// Writes the cart and commits it, then runs a command.
fn commit(text: &str, then: &str) -> Step {
    let command = format!("echo {text} > cart.txt && git add cart.txt && git commit -qm '{text}' && {then}");
    Step::call("Bash", json!({"command": command, "description": "commit"}))
}

fn script() -> Script {
    let says = |text| {
        let then = match text {
            "draft" => "downbeat pr create --title 'Round the cart' --body 'Half cents.'",
            _ => "git push -q",
        };
        [commit(text, then), Step::say("It is done.")]
    };
    Script::new()
        .when(FAILED, says("rounded"))
        .when(AFTERTHOUGHT, says("again"))
        .when(REMARKS, says("renamed"))
        .when(CONFLICT, says("resolved"))
        .when(TASK, says("draft"))
}

async fn shop(sandbox: &Sandbox, forge: &TestForge) -> String {
    let repository = sandbox.repository("shop");
    std::fs::create_dir(repository.join(".claude")).unwrap();
    std::fs::write(repository.join(".claude/settings.json"), ALLOWED).unwrap();
    std::fs::write(repository.join("downbeat.yaml"), CONFIG).unwrap();
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(&repository, &[], &["add", "-A"]);
    git(
        &repository,
        &[],
        &[&me[..], &["commit", "-qm", "settings"]].concat(),
    );
    git(
        &repository,
        &[],
        &["remote", "add", "origin", "https://github.com/acme/shop.git"],
    );
    forge.take_pushes(&repository);
    git(&repository, &[], &["push", "-q", "origin", "main"]);
    let added = sandbox
        .post("/api/projects", json!({"path": repository, "trust": true}))
        .await;
    added.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Waits until the agent has committed this text and ended its turn, and returns the commit.
async fn committed(sandbox: &Sandbox, id: &str, text: &str) -> String {
    let place = within(4 * PATIENCE, async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        let place = PathBuf::from(session["workspacePath"].as_str()?);
        let is_idle = session["status"] == "idle";
        let subject = is_idle.then(|| git(&place, &[], &["log", "-1", "--format=%s"]))?;
        (subject.trim() == text).then_some(place)
    });
    let Some(place) = place.await else {
        panic!("{text}: {:#?}", sandbox.get(&format!("/api/sessions/{id}")).await);
    };
    head(&place)
}

fn head(place: &Path) -> String {
    git(place, &[], &["rev-parse", "HEAD"]).trim().to_owned()
}

async fn look(sandbox: &Sandbox) {
    sandbox.post("/api/forges/look", json!({})).await.unwrap();
}

/// Waits until the person is told these words about a session.
async fn told(sandbox: &Sandbox, id: &str, words: &str) {
    let found = within(PATIENCE, async || {
        let notices = sandbox.notices().await;
        let is_it = |notice: &Value| notice["text"].as_str().is_some_and(|text| text.contains(words));
        notices.iter().any(is_it).then_some(())
    });
    if found.await.is_none() {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await;
        let done = sandbox.get(&format!("/api/sessions/{id}/reactions")).await;
        panic!("nobody was told {words:?}: {session:#?} {done:#?}");
    }
}

/// Waits until the forge has the newest commit of the session, whose check then passes.
async fn pushed(forge: &TestForge, pull: &str, commit: &str) {
    let branches = json!({"op": "pushed", "pull": pull});
    until("the agent pushed", async || {
        let at = forge.control(branches.clone()).await;
        (at["head"] == commit).then_some(())
    })
    .await;
    forge.add("check", pull, json!({"name": "test"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_becomes_a_pull_request_that_its_agent_mends_until_a_rule_merges_it() {
    if real_agents::skipped() {
        return;
    }
    let (model, forge) = (
        ModelServer::start(script()).await.unwrap(),
        TestForge::start().await,
    );
    let mut sandbox = Sandbox::with_claude(&model).await;
    sandbox.kill_engine();
    sandbox.set_env("GH_TOKEN", TOKEN);
    sandbox.configure(&forge.as_github());
    sandbox.start().await;
    let repository = forge.repository("acme", "shop").await;
    let project = shop(&sandbox, &forge).await;
    let values = json!({"title": TASK, "body": "Half cents are lost."});
    let issue = json!({"op": "issue", "repository": repository, "values": values});
    let issue = forge.control(issue).await;
    let ask = json!({"projectId": project, "issue": issue["number"].to_string()});
    let id = sandbox.session(ask).await;
    let draft = committed(&sandbox, &id, "draft").await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let card = &session["pulls"][0];
    assert_eq!(
        (&card["title"], &card["head"]),
        (&json!(TASK), &json!(draft)),
        "{session:#}"
    );
    let pull = card["id"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();

    let steps = json!([{"number": 1, "name": "totals", "status": "COMPLETED", "conclusion": "FAILURE",
        "startedAt": "2026-01-01T12:00:10Z", "completedAt": "2026-01-01T12:00:20Z"}]);
    let values = json!({"name": "test", "conclusion": "FAILURE", "steps": steps});
    let made = forge.add("check", &pull, values).await;
    let log = "2026-01-01T12:00:11.0000000Z cart.txt: not rounded\n";
    forge
        .control(json!({"op": "log", "job": made["job"], "text": log}))
        .await;
    look(&sandbox).await;
    let rounded = committed(&sandbox, &id, "rounded").await;

    pushed(&forge, &pull, &rounded).await;
    forge.set(&pull, json!({"review": "CHANGES_REQUESTED"})).await;
    for line in 1..=8 {
        let comment = json!({"body": format!("Rename {line}"), "review": "R1"});
        forge
            .add(
                "thread",
                &pull,
                json!({"path": "cart.txt", "line": line, "comments": [comment]}),
            )
            .await;
    }
    look(&sandbox).await;
    let renamed = committed(&sandbox, &id, "renamed").await;

    pushed(&forge, &pull, &renamed).await;
    let comment = json!({"body": AFTERTHOUGHT, "review": "R2"});
    let thread = json!({"path": "cart.txt", "line": 9, "comments": [comment]});
    forge.add("thread", &pull, thread).await;
    look(&sandbox).await;
    let again = committed(&sandbox, &id, "again").await;

    pushed(&forge, &pull, &again).await;
    forge.set(&pull, json!({"mergeable": "CONFLICTING"})).await;
    look(&sandbox).await;
    let resolved = committed(&sandbox, &id, "resolved").await;

    let messages = sandbox
        .get(&format!("/api/sessions/{id}/messages"))
        .await
        .unwrap();
    let ours: Vec<&str> = (messages.as_array().unwrap().iter())
        .filter(|message| message["from"] == "downbeat")
        .filter_map(|message| message["text"].as_str())
        .collect();
    assert_eq!(ours.len(), 4, "{ours:#?}");
    let turns = model.turns();
    let got = |words: &str, part: &str| {
        turns
            .iter()
            .any(|turn| turn.prompt.contains(words) && turn.prompt.contains(part))
    };
    assert!(got(FAILED, "    > cart.txt: not rounded"), "{ours:#?}");
    assert!(got(REMARKS, "- ada on cart.txt:8\n    > Rename 8"), "{ours:#?}");
    assert!(got(AFTERTHOUGHT, "- ada on cart.txt:9"), "{ours:#?}");
    assert!(!got(AFTERTHOUGHT, "Rename 8"), "only what is new is sent: {ours:#?}");
    assert!(got(CONFLICT, "Merge main into your branch"), "{ours:#?}");

    pushed(&forge, &pull, &resolved).await;
    let values = json!({"mergeable": "MERGEABLE", "review": "APPROVED", "threads": []});
    forge.set(&pull, values).await;
    look(&sandbox).await;
    told(
        &sandbox,
        &id,
        "pull request #1 was merged into main; its session is archived",
    )
    .await;
    let there = forge.control(json!({"op": "show", "id": pull})).await;
    assert_eq!(
        (&there["state"], &there["mergedBy"]),
        (&json!("MERGED"), &json!("SQUASH")),
        "{there:#}"
    );
    let issue = forge.control(json!({"op": "show", "id": issue["id"]})).await;
    assert_eq!(issue["state"], "CLOSED", "{issue:#}");
    let branches = forge
        .control(json!({"op": "branches", "repository": repository}))
        .await;
    assert_eq!(branches, json!(["main"]));
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert!(
        session["workspacePath"].is_null() && session["archivedAt"].is_string(),
        "{session:#}"
    );
    assert_eq!(session["lifecycle"]["stage"], "merged", "{session:#}");
}
