//! Tests that the real Claude Code gets what a forge says of its pull request: the log of a failed check, a review and a
//! conflict, each as one message; and that the person is told when it can be merged, and when it was.

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
const CONFLICT: &str = "Your pull request #1 conflicts with main";

/// Writes the cart and commits it.
fn commit(text: &str) -> Step {
    let command = format!("echo {text} > cart.txt && git add cart.txt && git commit -qm '{text}'");
    Step::call("Bash", json!({"command": command, "description": "commit"}))
}

fn script() -> Script {
    let says = |text| [commit(text), Step::say("It is done.")];
    Script::new()
        .when(FAILED, says("rounded"))
        .when(REMARKS, says("renamed"))
        .when(CONFLICT, says("resolved"))
        .when(TASK, says("draft"))
}

async fn shop(sandbox: &Sandbox) -> String {
    let repository = sandbox.repository("shop");
    std::fs::create_dir(repository.join(".claude")).unwrap();
    std::fs::write(repository.join(".claude/settings.json"), ALLOWED).unwrap();
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

async fn told(sandbox: &Sandbox, words: &str) {
    until(words, async || {
        let notices = sandbox.notices().await;
        let is_it = |notice: &Value| notice["text"].as_str().is_some_and(|text| text.contains(words));
        notices.iter().any(is_it).then_some(())
    })
    .await;
}

/// Pushes a commit to the pull request, whose check passes.
async fn pushed(forge: &TestForge, pull: &str, commit: &str) {
    forge
        .control(json!({"op": "push", "pull": pull, "commit": commit}))
        .await;
    forge.add("check", pull, json!({"name": "test"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_mends_what_the_forge_says_of_its_pull_request() {
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
    let project = shop(&sandbox).await;
    let repository = forge.repository("acme", "shop").await;
    let id = sandbox
        .session(json!({"projectId": project, "title": "Cart", "prompt": TASK}))
        .await;
    let draft = committed(&sandbox, &id, "draft").await;
    let values = json!({"branch": "cart", "commit": draft, "title": "Round the cart"});
    let pull = forge.pull(&repository, values).await;

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
    assert_eq!(ours.len(), 3, "{ours:#?}");
    let turns = model.turns();
    let got = |words: &str, part: &str| {
        turns
            .iter()
            .any(|turn| turn.prompt.contains(words) && turn.prompt.contains(part))
    };
    assert!(got(FAILED, "    > cart.txt: not rounded"), "{ours:#?}");
    assert!(got(REMARKS, "- ada on cart.txt:8\n    > Rename 8"), "{ours:#?}");
    assert!(got(CONFLICT, "Merge main into your branch"), "{ours:#?}");

    pushed(&forge, &pull, &resolved).await;
    forge
        .set(
            &pull,
            json!({"mergeable": "MERGEABLE", "review": "APPROVED", "threads": []}),
        )
        .await;
    look(&sandbox).await;
    told(&sandbox, "pull request #1 can be merged into main").await;
    forge
        .set(
            &pull,
            json!({"state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z"}),
        )
        .await;
    look(&sandbox).await;
    told(&sandbox, "pull request #1 was merged into main").await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["lifecycle"]["stage"], "merged", "{session:#}");
}
