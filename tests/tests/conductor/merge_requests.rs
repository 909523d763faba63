//! The whole story of an issue at GitLab with the real Codex: it opens its merge request, gets the log of a failed job, remarks
//! and a conflict, each as one message, and pushes after each; then a rule merges, and the session is put away.

use crate::story::{CONFIG, committed, got, is_put_away, look, opened, pull_id, pushed, shop, told};
use downbeat_tests::forge::TestForge;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;

/// A token in the form of a real one.
const TOKEN: &str = "glpat-0123456789abcdefghij";

const TASK: &str = "Round the cart";
const FAILED: &str = "Checks of your pull request #1 failed";
const REMARKS: &str = "There are comments on your pull request #1";
const AFTERTHOUGHT: &str = "And one more name";
const CONFLICT: &str = "Your pull request #1 conflicts with main";

/// Writes the cart and commits it, then runs a command.
fn commits(text: &str, then: &str) -> [Step; 2] {
    let command = format!("echo {text} > cart.txt && git add cart.txt && git commit -qm '{text}' && {then}");
    let step = Step::call("exec_command", json!({"cmd": command, "yield_time_ms": 30_000}));
    [step, Step::say("It is done.")]
}

fn script() -> Script {
    let push = "git push -q";
    // Codex runs commands in a login shell, which may set PATH anew.
    let open = "\"$DOWNBEAT_CLI\" pr create --title 'Round the cart' --body 'Half cents.'";
    Script::new()
        .when(FAILED, commits("rounded", push))
        .when(AFTERTHOUGHT, commits("again", push))
        .when(REMARKS, commits("renamed", push))
        .when(CONFLICT, commits("resolved", push))
        .when(TASK, commits("draft", open))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_at_gitlab_becomes_a_merge_request_that_its_agent_mends_until_a_rule_merges_it() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let forge = TestForge::start_gitlab().await;
    let mut sandbox = Sandbox::with_agents(&model, &["codex"]).await;
    sandbox.kill_engine();
    sandbox.set_env("GITLAB_TOKEN", TOKEN);
    sandbox.configure(&forge.as_gitlab());
    sandbox.start().await;
    let repository = forge.repository("group/sub", "shop").await;
    let remote = "https://gitlab.com/group/sub/shop.git";
    let project = shop(&sandbox, &forge, remote, &[("downbeat.yaml", CONFIG)]).await;
    let rule = json!({"settings": {"only_allow_merge_if_pipeline_succeeds": true}});
    forge.set(&repository, rule).await;
    let values = json!({"title": TASK, "body": "Half cents are lost."});
    let issue = json!({"op": "issue", "repository": repository, "values": values});
    let issue = forge.control(issue).await;
    // Codex's sandbox does not start in a temporary directory.
    let ask = json!({
        "projectId": project, "issue": issue["number"].to_string(), "agent": "codex", "permissionMode": "bypass",
    });
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
    let pipeline = async |status: &str| {
        let jobs = json!([{"name": "test", "status": status}]);
        forge
            .add("pipeline", &pull, json!({"status": status, "jobs": jobs}))
            .await
    };

    let made = pipeline("failed").await;
    let log = "section_start:1:step_script\r\u{1b}[0K$ ./totals\ncart.txt: not rounded\nsection_end:2:step_script\r\u{1b}[0K\n";
    forge
        .control(json!({"op": "log", "job": made["jobs"][0]["id"], "text": log}))
        .await;
    look(&sandbox).await;
    let rounded = committed(&sandbox, &id, "rounded").await;

    pushed(&forge, &pull, &rounded).await;
    pipeline("success").await;
    for line in 1..=4 {
        let notes = json!([{"body": format!("Rename {line}")}]);
        let discussion = json!({"path": "cart.txt", "line": line, "notes": notes});
        forge.add("discussion", &pull, discussion).await;
    }
    let review = |state: &str| json!({"user": "ada", "state": state});
    forge.add("review", &pull, review("requested_changes")).await;
    look(&sandbox).await;
    let renamed = committed(&sandbox, &id, "renamed").await;

    pushed(&forge, &pull, &renamed).await;
    pipeline("success").await;
    let discussion = json!({"path": "cart.txt", "line": 9, "notes": [{"body": AFTERTHOUGHT}]});
    forge.add("discussion", &pull, discussion).await;
    forge.add("review", &pull, review("requested_changes")).await;
    look(&sandbox).await;
    let again = committed(&sandbox, &id, "again").await;

    pushed(&forge, &pull, &again).await;
    pipeline("success").await;
    forge.set(&pull, json!({"conflicts": true})).await;
    look(&sandbox).await;
    let resolved = committed(&sandbox, &id, "resolved").await;

    let ours = sandbox.sent_to(&id).await;
    assert_eq!(ours.len(), 4, "{ours:#?}");
    let got = |words: &str, part: &str| got(&model, words, part);
    assert!(got(FAILED, "    > cart.txt: not rounded"), "{ours:#?}");
    assert!(got(REMARKS, "- ada on cart.txt:4\n    > Rename 4"), "{ours:#?}");
    assert!(got(AFTERTHOUGHT, "- ada on cart.txt:9"), "{ours:#?}");
    assert!(
        !got(AFTERTHOUGHT, "Rename 4"),
        "only what is new is sent: {ours:#?}"
    );
    assert!(got(CONFLICT, "Merge main into your branch"), "{ours:#?}");

    pushed(&forge, &pull, &resolved).await;
    pipeline("success").await;
    forge
        .set(&pull, json!({"conflicts": false, "discussions": []}))
        .await;
    forge.add("review", &pull, review("approved")).await;
    look(&sandbox).await;
    told(
        &sandbox,
        &id,
        "pull request #1 was merged into main; its session is archived",
    )
    .await;
    let there = forge.control(json!({"op": "show", "id": pull})).await;
    assert_eq!(there["state"], "MERGED", "{there:#}");
    let issue = forge.control(json!({"op": "show", "id": issue["id"]})).await;
    assert_eq!(issue["state"], "CLOSED", "{issue:#}");
    let branches = forge
        .control(json!({"op": "branches", "repository": repository}))
        .await;
    assert_eq!(branches, json!(["main"]));
    is_put_away(&sandbox, &id).await;
    assert!(!sandbox.log().contains(TOKEN));
}
