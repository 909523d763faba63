//! Tests that a project's checks go around with the real Claude Code: a worker reports that it is done, its commit is
//! red, the failures reach it as a message, it commits a mend, and that is green. Its conductor learns of both, and a rule
//! lands the work on the default branch, without a forge and beside what the person has not committed.

use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};

/// The settings of Claude Code in the repository.
const ALLOWED: &str = r#"{"permissions":{"allow":["Bash"]}}"#;

/// The person's prompt to the conductor.
const ORDER: &str = "See that the cart is rounded";

/// What the person writes in the primary checkout and does not commit.
const MINE: &str = "not committed yet";

/// The task of the worker.
const TASK: &str = "Round the cart";

/// The beginning of the message with the failures.
const FAILED: &str = "The project's checks failed on your commit";

/// Checks, and the rule by which green work lands.
const CONFIG: &str = "checks:\n  - { name: totals, run: { sh: 'grep -q rounded cart.txt || { echo \"cart.txt: not rounded\"; exit 1; }' } }\n\
                      reactions:\n  checks-passed: { action: merge }\n";

fn tool(name: &str, arguments: Value) -> Step {
    Step::call(&format!("mcp__downbeat__{name}"), arguments)
}

/// Writes the cart and commits it, as the worker's agent does.
fn commit(text: &str) -> Step {
    let command = format!("echo {text} > cart.txt && git add cart.txt && git commit -qm '{text}'");
    Step::call("Bash", json!({"command": command, "description": "commit"}))
}

fn script() -> Script {
    let report = json!({"status": "done", "summary": "The cart is there."});
    Script::new()
        .when(
            ORDER,
            [
                tool("spawn_worker", json!({"task": TASK, "name": "cart"})),
                Step::say("I wait to hear of it."),
            ],
        )
        .when(FAILED, [commit("rounded"), Step::say("It is rounded now.")])
        .when(
            TASK,
            [
                commit("draft"),
                Step::call("mcp__downbeat__report_result", report),
                Step::say("That is all."),
            ],
        )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_mends_what_the_checks_found() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let repository = sandbox.repository("shop");
    std::fs::write(repository.join("downbeat.yaml"), CONFIG).unwrap();
    // The repository lets Claude Code run commands without asking.
    std::fs::create_dir(repository.join(".claude")).unwrap();
    std::fs::write(repository.join(".claude/settings.json"), ALLOWED).unwrap();
    git(&repository, &[], &["add", "-A"]);
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(
        &repository,
        &[],
        &[&me[..], &["commit", "-qm", "settings"]].concat(),
    );
    std::fs::write(repository.join("README.md"), MINE).unwrap();
    let ask = json!({"path": repository, "trust": true});
    let project = sandbox.post("/api/projects", ask).await.unwrap();
    let id = project["id"].as_str().unwrap();
    let approve = json!({"approveChecks": project["checks"]["hash"]});
    sandbox
        .call("PATCH", &format!("/api/projects/{id}"), Some(approve))
        .await
        .unwrap();
    let ask = json!({"projectId": id, "title": "Lead", "conductor": true, "prompt": ORDER});
    let lead = sandbox.session(ask).await;
    let path = format!("/api/sessions/{lead}/workers");
    let green = within(4 * PATIENCE, async || {
        let workers = sandbox.get(&path).await.ok()?;
        (workers[0]["checksState"] == "green").then(|| workers[0].clone())
    });
    let Some(worker) = green.await else {
        panic!("{:#?}", sandbox.get(&path).await);
    };
    let turns = model.turns();
    let sent: Vec<&str> = turns
        .iter()
        .map(|turn| turn.prompt.as_str())
        .filter(|prompt| prompt.contains(FAILED))
        .collect();
    assert!(
        !sent.is_empty() && sent[0].contains("    > cart.txt: not rounded"),
        "{sent:#?}"
    );
    let session = sandbox
        .get(&format!("/api/sessions/{}", worker["id"].as_str().unwrap()))
        .await
        .unwrap();
    assert_eq!(
        session["checks"]["sent"], 0,
        "a green result ends the matter: {session:#}"
    );
    // Its conductor gets both results, in the file of its workers' events and as messages.
    let log = sandbox.data().join("results").join(&lead).join("event_log.jsonl");
    for words in ["1 check failed on", "all checks passed on"] {
        until(words, async || {
            let events = std::fs::read_to_string(&log).ok()?;
            events.contains(words).then_some(())
        })
        .await;
        until(words, async || {
            let turns = model.turns();
            turns.iter().any(|turn| turn.prompt.contains(words)).then_some(())
        })
        .await;
    }
    // The green commit is on the default branch, and what the person did not commit is as it was.
    until("the work lands", async || {
        let session = sandbox
            .get(&format!("/api/sessions/{}", worker["id"].as_str().unwrap()))
            .await
            .ok()?;
        (session["merges"]["last"]["outcome"] == "landed").then_some(())
    })
    .await;
    assert_eq!(git(&repository, &[], &["show", "main:cart.txt"]), "rounded\n");
    assert_eq!(
        std::fs::read_to_string(repository.join("cart.txt")).unwrap(),
        "rounded\n"
    );
    assert_eq!(
        std::fs::read_to_string(repository.join("README.md")).unwrap(),
        MINE
    );
}
