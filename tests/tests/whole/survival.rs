//! Tests of survival: engines are killed at varying moments, replaced, or lose their data directory, and
//! keepers are killed. Nothing is lost, doubled or left behind.

use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::time::Duration;

/// The number of numbered lines that each streaming session prints.
const LINES: u64 = 3000;

/// The number of times that the engine is killed while the sessions stream.
const KILLS: u32 = 50;

fn numbers(text: &str) -> Vec<u64> {
    text.lines()
        .filter_map(|line| line.strip_prefix("line ")?.trim().parse().ok())
        .collect()
}

pub async fn facts(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    // Reads the database itself, which contains each fact as often as it was written.
    let path = sandbox.data().join("downbeat.db");
    let output = std::process::Command::new("python3")
        .args(["-c", FACTS, path.to_str().unwrap(), id])
        .output()
        .expect("python runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

const FACTS: &str = "
import json, sqlite3, sys
db = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True)
rows = db.execute(\"select payload from events where subject = 'session:' || ? and kind = 'session-fact' order by seq\", (sys.argv[2],))
print(json.dumps([json.loads(row[0]) for row in rows]))
";

#[tokio::test]
async fn fifty_kills_lose_no_line_and_no_hook() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let prompt = format!("lines {LINES}\nsay all-lines-are-out");
    let ids = [
        sandbox
            .session(json!({ "projectId": project, "title": "One", "prompt": prompt }))
            .await,
        sandbox
            .session(json!({ "projectId": project, "title": "Two", "prompt": prompt }))
            .await,
    ];
    for round in 0..KILLS {
        // The delay differs in each round, so that the kills are spread over the start and the streaming.
        tokio::time::sleep(Duration::from_millis(u64::from(round * 37 % 120))).await;
        sandbox.kill_engine();
        sandbox.start().await;
    }
    for id in &ids {
        sandbox.status(id, &["idle"]).await;
        let text = sandbox.shows(id, "all-lines-are-out").await;
        let seen = numbers(&text);
        let expected: Vec<u64> = (1..=LINES).collect();
        assert_eq!(seen, expected, "every line once, in order");
        let hooks = facts(&sandbox, id).await;
        let working = hooks
            .iter()
            .filter(|fact| fact["detail"].as_str().is_some_and(|d| d.contains("PostToolUse")));
        assert_eq!(working.count() as u64, LINES / 10, "every hook once");
    }
}

#[tokio::test]
async fn a_killed_keeper_ends_its_session_visibly() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Bereft", "prompt": "say remember me\nescape" }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let text = sandbox.shows(&id, "escaped ").await;
    let child: u32 = text
        .split("escaped ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let keeper = keeper_of(&sandbox, &id);
    std::process::Command::new("kill")
        .args(["-KILL", &keeper.to_string()])
        .status()
        .unwrap();
    let session = sandbox.status(&id, &["errored"]).await;
    assert!(
        session["error"].as_str().unwrap().contains("Resume"),
        "{session:#}"
    );
    assert_eq!(session["canResume"], true);
    let output = sandbox.get(&format!("/api/sessions/{id}/output")).await.unwrap();
    assert!(
        output["text"].as_str().unwrap().contains("remember me"),
        "{output}"
    );
    let gone = async || (!std::path::Path::new(&format!("/proc/{child}")).exists()).then_some(());
    within(PATIENCE, gone).await.expect("its process tree is ended");
}

pub fn keeper_of(sandbox: &Sandbox, id: &str) -> u32 {
    let wanted = format!("{}/keepers/{id}", sandbox.data().display());
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .find_map(|process| {
            let line = std::fs::read(process.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line);
            let pid = process.file_name().to_str()?.parse().ok()?;
            (line.contains("keeper") && line.contains(&wanted)).then_some(pid)
        })
        .expect("the keeper runs")
}

#[tokio::test]
async fn a_second_engine_is_refused_and_a_stale_manifest_does_not_prevent_a_start() {
    let mut sandbox = Sandbox::started().await;
    let second = sandbox.cli(&["serve", "--detached"]);
    assert!(!second.status.success());
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(
        said.contains("another Downbeat runs") && said.contains("DOWNBEAT_HOME"),
        "{said}"
    );
    let before = sandbox.manifest().unwrap();
    sandbox.kill_engine();
    sandbox.start().await;
    let after = sandbox.manifest().unwrap();
    assert_eq!(before["port"], after["port"], "bookmarks find it again");
}

#[tokio::test]
async fn a_new_serve_takes_over_port_and_token_from_a_headless_engine() {
    let mut sandbox = Sandbox::started().await;
    let before = sandbox.manifest().unwrap();
    sandbox.start().await;
    let after = sandbox.manifest().unwrap();
    assert_ne!(before["pid"], after["pid"]);
    assert_eq!(
        (&before["port"], &before["token"]),
        (&after["port"], &after["token"])
    );
    let log = sandbox.data().join("logs/engine.log");
    assert!(
        std::fs::read_to_string(log)
            .unwrap()
            .contains("the engine listens")
    );
}

#[tokio::test]
async fn sessions_survive_the_handover_between_headless_engines() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Stays", "prompt": "say hello" }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let before = sandbox.manifest().unwrap();
    sandbox.start().await;
    let after = sandbox.manifest().unwrap();
    assert_ne!(before["pid"], after["pid"]);
    let session = sandbox.status(&id, &["idle"]).await;
    assert_eq!(session["status"], "idle");
}

#[tokio::test]
async fn an_engine_whose_data_directory_is_deleted_logs_that_and_ends() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (port, token) = {
        let manifest = sandbox.manifest().unwrap();
        (manifest["port"].clone(), manifest["token"].clone())
    };
    let pid = sandbox.manifest().unwrap()["pid"].as_u64().unwrap();
    let pid = u32::try_from(pid).unwrap();
    std::fs::remove_dir_all(sandbox.data()).unwrap();
    let rename = json!({ "name": "other" });
    let asked = reqwest::Client::new()
        .patch(format!("http://127.0.0.1:{port}/api/projects/{project}"))
        .bearer_auth(token.as_str().unwrap())
        .json(&rename)
        .send()
        .await;
    assert!(!asked.is_ok_and(|answer| answer.status().is_success()));
    let log = until("it says so", async || {
        let log = sandbox.log();
        log.contains("was deleted while this engine was running")
            .then_some(log)
    })
    .await;
    assert!(log.contains(&*sandbox.data().to_string_lossy()), "{log}");
    within(PATIENCE, async || (!crate::processes::lives(pid)).then_some(()))
        .await
        .expect("it ends");
    assert!(!sandbox.data().exists(), "nothing is made again");
    sandbox.kill_engine();
}
