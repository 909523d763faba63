//! Tests of the commands of rules: they run as they were approved, in the worktree of their session, told what they are
//! about, and at most once.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::processes::of_session;
use crate::queue::send;
use crate::session_reactions::{carried_out, history, idle_with, refused, rules, said};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// A reaction that runs a script when an agent is idle.
fn runs(script: &str, more: &str) -> String {
    format!("  agent-idle:\n    action: run\n    command: {{ sh: '{script}' }}\n{more}")
}

fn home(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path().join("home").join(name)).unwrap_or_default()
}

fn times(sandbox: &Sandbox) -> usize {
    home(sandbox, "runs").lines().count()
}

async fn told(sandbox: &Sandbox, words: &str) {
    until(words, async || {
        let notices = sandbox.notices().await;
        let is_it = |notice: &Value| notice["text"].as_str().is_some_and(|text| text.contains(words));
        notices.iter().any(is_it).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_command_runs_once_it_is_approved_and_is_told_what_it_is_about() {
    let script = "echo run >> $HOME/runs; pwd > $HOME/place; env > $HOME/environment; echo made it";
    let (sandbox, id) = idle_with(&runs(script, "")).await;
    told(&sandbox, "its command waits for your approval").await;
    let command = format!("sh -c '{script}'");
    for (words, wanted) in [
        (&["reactions", "list", "shop"][..], "(waits for your approval)"),
        (
            &["reactions", "explain", &id],
            "has not run yet; it waits for your approval",
        ),
        (
            &["reactions", "simulate", "shop", "--event", "agent-idle"],
            "nothing is done: its command waits for your approval",
        ),
    ] {
        let text = said(&sandbox, words);
        assert!(text.contains(wanted), "{words:?}: {text}");
    }
    let error = refused(&sandbox, &["reactions", "run", &id, "agent-idle"]);
    assert!(
        error.contains("not approved the command of agent-idle"),
        "{error}"
    );
    assert_eq!((times(&sandbox), history(&sandbox, &id).await.len()), (0, 1));

    let approved = said(&sandbox, &["project", "approve", "shop", "--yes"]);
    assert!(
        approved.contains(&format!("  agent-idle: {command}\n")),
        "{approved}"
    );
    let done = carried_out(&sandbox, &id, 2).await;
    let last = &done[1];
    assert_eq!(
        (
            &last["outcome"],
            &last["exitCode"],
            &last["output"],
            &last["attempt"]
        ),
        (&json!("done"), &json!(0), &json!("made it"), &json!(1)),
        "{last:#}"
    );
    let place = workspace(&sandbox, &id).await;
    assert_eq!(home(&sandbox, "place").trim(), place.to_str().unwrap());
    let environment = home(&sandbox, "environment");
    for line in [
        "DOWNBEAT_EVENT=agent-idle",
        "DOWNBEAT_RULE=agent-idle",
        "DOWNBEAT_PROJECT=shop",
        "DOWNBEAT_SESSION_NAME=cart",
        "DOWNBEAT_BRANCH=feature/cart",
        &format!("DOWNBEAT_SESSION_ID={id}"),
    ] {
        assert!(
            environment.lines().any(|set| set == line),
            "{line}: {environment}"
        );
    }
    assert!(!environment.contains("DOWNBEAT_TOKEN"), "{environment}");
    let text = said(&sandbox, &["reactions", "history", &id]);
    assert!(
        text.contains("exited with 0") && text.contains("  | made it\n"),
        "{text}"
    );
    let text = said(
        &sandbox,
        &["reactions", "simulate", "shop", "--event", "agent-idle"],
    );
    assert!(
        text.contains("a command is run in its worktree") && text.contains("| DOWNBEAT_EVENT=agent-idle"),
        "{text}"
    );

    // Another command is another list.
    rules(
        &sandbox,
        &runs("echo run >> $HOME/runs; rm -rf $HOME/precious", ""),
    )
    .await;
    send(&sandbox, &id, "say again", json!({ "waitSeconds": 20 })).await;
    sandbox.status(&id, &["idle"]).await;
    until("the change is noticed", async || {
        let text = said(&sandbox, &["reactions", "explain", &id]);
        text.contains("it waits for your approval").then_some(())
    })
    .await;
    assert_eq!(times(&sandbox), 1);
}

#[tokio::test]
async fn a_command_that_fails_is_an_attempt_and_the_person_is_told() {
    let (sandbox, id) = idle_with("  agent-idle: { action: notify }\n").await;
    carried_out(&sandbox, &id, 1).await;
    rules(
        &sandbox,
        &runs("echo one; echo it broke; exit 3", "    retries: 5\n"),
    )
    .await;
    said(&sandbox, &["project", "approve", "shop", "--yes"]);
    send(&sandbox, &id, "say again", json!({ "waitSeconds": 20 })).await;
    let done = carried_out(&sandbox, &id, 3).await;
    let failed = &done[1];
    assert_eq!(
        (&failed["outcome"], &failed["exitCode"], &failed["output"]),
        (&json!("failed"), &json!(3), &json!("one\nit broke")),
        "{done:#?}"
    );
    assert!(
        failed["detail"]
            .as_str()
            .unwrap()
            .ends_with("exited with 3: it broke"),
        "{failed:#}"
    );
    told(&sandbox, "the command of its rule failed: ").await;
}

/// A session whose agent ends its turn while the engine dies at this point of the command that follows.
async fn after_a_crash(point: &str) -> (Sandbox, String) {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "work go" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    rules(&sandbox, &runs("echo run >> $HOME/runs", "    retries: 1\n")).await;
    said(&sandbox, &["project", "approve", "shop", "--yes"]);
    doomed(&mut sandbox, point).await;
    std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
    successor(&mut sandbox, point).await;
    (sandbox, id)
}

#[tokio::test]
async fn a_crash_at_any_step_runs_a_command_at_most_once_and_says_so_if_nobody_knows() {
    let points = downbeat_engine::failpoint::POINTS.iter();
    let points: Vec<_> = points.filter(|point| point.starts_with("command-")).collect();
    assert_eq!(points.len(), 4);
    for (point, ran, words) in [
        ("command-noted", 1, "exited with 0"),
        (
            "command-begun",
            0,
            "may have run: Downbeat ended meanwhile. It is not run again",
        ),
        (
            "command-ran",
            1,
            "may have run: Downbeat ended meanwhile. It is not run again",
        ),
        ("command-written", 1, "exited with 0"),
    ] {
        let (sandbox, id) = after_a_crash(point).await;
        // The person is told of what nobody knows.
        let entries = if words.starts_with("exited") { 1 } else { 2 };
        let done = carried_out(&sandbox, &id, entries).await;
        let detail = done[0]["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{point}: {done:#?}");
        assert_eq!(times(&sandbox), ran, "{point}");
        let text = said(&sandbox, &["reactions", "explain", &id]);
        assert!(text.contains("ran 1 time"), "{point}: {text}");
    }
}

#[tokio::test]
async fn a_command_outlives_neither_its_engine_nor_its_session() {
    let (mut sandbox, id) = idle_with("  agent-idle: { action: notify }\n").await;
    carried_out(&sandbox, &id, 1).await;
    let script = "echo run >> $HOME/runs; env | grep ^DOWNBEAT_SESSION= > $HOME/mark; sleep 1000";
    rules(&sandbox, &runs(script, "")).await;
    said(&sandbox, &["project", "approve", "shop", "--yes"]);
    let mark = sandbox.path().join("home/mark");
    let running = async || {
        let run = until("the command runs", async || {
            let text = std::fs::read_to_string(&mark).ok()?;
            let run = text.trim().strip_prefix("DOWNBEAT_SESSION=")?.to_owned();
            (!of_session(&run).is_empty()).then_some(run)
        })
        .await;
        std::fs::remove_file(&mark).unwrap();
        run
    };
    send(&sandbox, &id, "say again", json!({ "waitSeconds": 20 })).await;
    let first = running().await;
    sandbox.kill_engine();
    sandbox.start().await;
    until("the next engine ends it", async || {
        of_session(&first).is_empty().then_some(())
    })
    .await;
    let done = carried_out(&sandbox, &id, 3).await;
    assert!(
        done[1]["detail"].as_str().unwrap().contains("may have run"),
        "{done:#?}"
    );
    assert_eq!(times(&sandbox), 1);

    send(&sandbox, &id, "say again", json!({ "waitSeconds": 20 })).await;
    let second = running().await;
    assert!(sandbox.cli(&["kill", &id]).status.success());
    let removed = sandbox.cli(&["remove", &id, "--forget", "--force"]);
    assert!(removed.status.success(), "{removed:?}");
    until("nothing is left of it", async || {
        of_session(&second).is_empty().then_some(())
    })
    .await;
}
