//! The whole story of an issue with the real Claude Code: it opens its pull request, gets the log of a failed check, a
//! review, a later comment and a conflict, each as one message, and pushes after each; then a rule merges, and the session is put away.

use crate::story::{CONFIG, committed, got, is_put_away, look, opened, pull_id, pushed, shop, told};
use downbeat_tests::forge::TestForge;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;

/// The settings of Claude Code in the repository.
const ALLOWED: &str = r#"{"permissions":{"allow":["Bash"]}}"#;

/// A token in the form of a real one.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const TASK: &str = "Round the cart";
const FAILED: &str = "Checks of your pull request #1 failed";
const REMARKS: &str = "There are comments on your pull request #1";
const AFTERTHOUGHT: &str = "And one more name";
const CONFLICT: &str = "Your pull request #1 conflicts with main";

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
    let files = [(".claude/settings.json", ALLOWED), ("downbeat.yaml", CONFIG)];
    let project = shop(&sandbox, &forge, "https://github.com/acme/shop.git", &files).await;
    let values = json!({"title": TASK, "body": "Half cents are lost."});
    let issue = json!({"op": "issue", "repository": repository, "values": values});
    let issue = forge.control(issue).await;
    let ask = json!({"projectId": project, "issue": issue["number"].to_string()});
    let id = sandbox.session(ask).await;
    let draft = committed(&sandbox, &id, "draft").await;
    let session = opened(&sandbox, &id).await;
    let card = &session["pulls"][0];
    assert_eq!(
        (&card["title"], &card["head"]),
        (&json!(TASK), &json!(draft)),
        "{session:#}"
    );
    let pull = pull_id(&session);

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
    forge.add("check", &pull, json!({"name": "test"})).await;
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
    forge.add("check", &pull, json!({"name": "test"})).await;
    let comment = json!({"body": AFTERTHOUGHT, "review": "R2"});
    let thread = json!({"path": "cart.txt", "line": 9, "comments": [comment]});
    forge.add("thread", &pull, thread).await;
    look(&sandbox).await;
    let again = committed(&sandbox, &id, "again").await;

    pushed(&forge, &pull, &again).await;
    forge.add("check", &pull, json!({"name": "test"})).await;
    forge.set(&pull, json!({"mergeable": "CONFLICTING"})).await;
    look(&sandbox).await;
    let resolved = committed(&sandbox, &id, "resolved").await;

    let ours = sandbox.sent_to(&id).await;
    assert_eq!(ours.len(), 4, "{ours:#?}");
    let got = |words: &str, part: &str| got(&model, words, part);
    assert!(got(FAILED, "    > cart.txt: not rounded"), "{ours:#?}");
    assert!(got(REMARKS, "- ada on cart.txt:8\n    > Rename 8"), "{ours:#?}");
    assert!(got(AFTERTHOUGHT, "- ada on cart.txt:9"), "{ours:#?}");
    assert!(
        !got(AFTERTHOUGHT, "Rename 8"),
        "only what is new is sent: {ours:#?}"
    );
    assert!(got(CONFLICT, "Merge main into your branch"), "{ours:#?}");

    pushed(&forge, &pull, &resolved).await;
    forge.add("check", &pull, json!({"name": "test"})).await;
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
    is_put_away(&sandbox, &id).await;
}
