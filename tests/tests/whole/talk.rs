//! Tests what workers send to their conductor: reports, questions, and the files that are kept of them.

use crate::family::{as_session, token_of};
use crate::processes::{keepers, signal};
use downbeat_tests::sandbox::{Sandbox, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A conductor and its idle worker, each with its token.
struct Pair {
    sandbox: Sandbox,
    conductor: String,
    worker: String,
    worker_token: String,
}

impl Pair {
    async fn new() -> Self {
        Self::with(false).await
    }

    async fn with(conducts: bool) -> Self {
        let sandbox = Sandbox::started().await;
        let project = sandbox.project("shop").await;
        // Without the tools, a conductor gets no messages automatically.
        let lead =
            json!({"projectId": project, "title": "Lead", "prompt": "say hello", "conductor": conducts});
        let conductor = sandbox.session(lead).await;
        let helper = json!({
            "projectId": project, "title": "Helper", "prompt": "env DOWNBEAT_TOKEN", "parent": conductor,
        });
        let worker = sandbox.session(helper).await;
        sandbox.status(&worker, &["idle"]).await;
        let worker_token = token_of(&sandbox, &worker).await;
        Self {
            sandbox,
            conductor,
            worker,
            worker_token,
        }
    }

    async fn says(&self, what: &str, body: Value) -> (u16, Value) {
        let path = format!("/api/sessions/{}/{what}", self.worker);
        as_session(&self.sandbox, &self.worker_token, "POST", &path, body).await
    }

    async fn wait(&self) -> Vec<Value> {
        let report = self.wait_for(1).await;
        report["events"].as_array().unwrap().clone()
    }

    async fn wait_for(&self, seconds: u32) -> Value {
        let path = format!("/api/sessions/{}/workers/wait", self.conductor);
        let request = json!({"timeoutSeconds": seconds});
        self.sandbox.post(&path, request).await.unwrap()
    }
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_report_reaches_the_conductor_once_and_is_kept_as_a_file() {
    let pair = Pair::new().await;
    assert_eq!(kinds(&pair.wait().await), ["finished"]);
    let body = json!({"status": "done", "summary": "All prices are tested.\nNothing is left.", "files": ["price.rs"]});
    let (status, session) = pair.says("report", body).await;
    assert_eq!(
        (status, &session["report"]["status"]),
        (200, &json!("done")),
        "{session}"
    );
    let events = pair.wait().await;
    assert_eq!(kinds(&events), ["reported"]);
    let detail = events[0]["detail"].as_str().unwrap();
    assert_eq!(
        detail,
        "said done: the project has no checks; it says: All prices are tested.\nNothing is left.\nFiles: price.rs"
    );
    assert!(
        events[0]["terminalContent"]
            .as_str()
            .unwrap()
            .contains("DOWNBEAT_TOKEN=")
    );
    assert_eq!(kinds(&pair.wait().await), [""; 0], "each once");

    let folder = pair.sandbox.data().join("results").join(&pair.conductor);
    let text = until("the file of the result", async || {
        std::fs::read_to_string(folder.join("worker-helper_result.json")).ok()
    })
    .await;
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&file["worker_name"], &file["status"]),
        (&json!("helper"), &json!("done"))
    );
    let log = until("both events in the log", async || {
        let log = std::fs::read_to_string(folder.join("event_log.jsonl")).ok()?;
        (log.lines().count() == 2).then_some(log)
    })
    .await;
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(kinds(&lines), ["finished", "reported"]);
}

#[tokio::test]
async fn concurrent_waits_share_worker_events() {
    let pair = Pair::new().await;
    pair.wait().await;
    let report = async {
        pair.says("report", json!({"status": "done", "summary": "All."}))
            .await;
    };
    let (one, other, ()) = tokio::join!(pair.wait_for(2), pair.wait_for(2), report);
    let told = |report: &Value| report["events"].as_array().unwrap().len();
    assert_eq!(told(&one) + told(&other), 1, "{one} {other}");
    let late = if told(&one) == 0 { &one } else { &other };
    assert_eq!(late["timedOut"], true, "it goes on waiting: {late}");
}

#[tokio::test]
async fn worker_events_are_reported_while_a_terminal_hangs() {
    let pair = Pair::new().await;
    pair.wait().await;
    let keeper = keepers(&pair.sandbox.data(), &pair.worker)
        .pop()
        .expect("a keeper");
    signal(keeper.pid, Signal::STOP);
    pair.says("report", json!({"status": "done", "summary": "All."}))
        .await;
    let asked = Instant::now();
    let events = pair.wait().await;
    let took = asked.elapsed();
    signal(keeper.pid, Signal::CONT);
    assert_eq!(kinds(&events), ["reported"]);
    assert_eq!(events[0]["terminalContent"], "");
    // A keeper may take ten seconds to answer.
    assert!(took < Duration::from_secs(8), "{took:?}");
}

#[tokio::test]
async fn repeated_reports_are_delivered_once_and_excessive_ones_dropped() {
    let pair = Pair::new().await;
    pair.wait().await;
    let say = async |summary: &str| {
        let (status, session) = pair
            .says("report", json!({"status": "done", "summary": summary}))
            .await;
        assert_eq!(status, 200, "{session}");
        session
    };
    say("All.").await;
    say("All.").await;
    assert_eq!(kinds(&pair.wait().await), ["reported"]);
    for number in 0..60 {
        say(&format!("Report {number}.")).await;
    }
    let mut told = 0;
    loop {
        let events = pair.wait().await;
        if events.is_empty() {
            break;
        }
        told += events.len();
    }
    assert_eq!(told, 50);
    let session = pair
        .sandbox
        .get(&format!("/api/sessions/{}", pair.worker))
        .await
        .unwrap();
    assert_eq!(session["report"]["summary"], "Report 59.", "the last one stands");
}

#[tokio::test]
async fn a_worker_that_is_restarted_did_not_exit() {
    let pair = Pair::new().await;
    pair.wait().await;
    let path = format!("/api/sessions/{}/restart", pair.worker);
    pair.sandbox.post(&path, json!({})).await.unwrap();
    pair.sandbox.status(&pair.worker, &["idle"]).await;
    assert_eq!(kinds(&pair.wait().await), [""; 0]);
    let stop = json!({ "id": pair.worker });
    pair.sandbox.post("/api/sessions/stop", stop).await.unwrap();
    assert_eq!(kinds(&pair.wait().await), ["exited"]);
}

#[tokio::test]
async fn an_idle_conductor_is_notified_once_by_a_message() {
    let pair = Pair::with(true).await;
    let path = format!("/api/sessions/{}/messages", pair.conductor);
    let messages = async || {
        let all = pair.sandbox.get(&path).await.unwrap();
        let all = all.as_array().unwrap().clone();
        let delivered = all.iter().filter(|message| message["state"] == "delivered");
        delivered
            .map(|message| message["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    until("the end of the first turn told", async || {
        messages()
            .await
            .iter()
            .any(|text| text.contains("helper finished its turn"))
            .then_some(())
    })
    .await;
    pair.says(
        "report",
        json!({"status": "done", "summary": "All of it.\n- helper exited: 1"}),
    )
    .await;
    pair.says("ask", json!({"question": "Cents or floats?"})).await;
    until("report and question told", async || {
        let all = messages().await.join("\n");
        let told = all.contains("helper reported its result: said done: the project has no checks; it says: All of it.\n    > - helper exited: 1");
        (told && all.contains("helper asks you and waits for your answer (send_to_worker): Cents or floats?"))
            .then_some(())
    })
    .await;
    let before = messages().await;
    assert_eq!(
        before.concat().matches("Cents or floats?").count(),
        1,
        "{before:?}"
    );
    assert_eq!(
        kinds(&pair.wait().await),
        [""; 0],
        "what a message told, no tool tells"
    );
}

#[tokio::test]
async fn a_question_for_the_conductor_waits_for_its_answer() {
    let pair = Pair::new().await;
    pair.wait().await;
    let (status, session) = pair.says("ask", json!({"question": "Cents or floats?"})).await;
    assert_eq!(status, 200, "{session}");
    assert_eq!(
        (&session["status"], &session["question"]["text"]),
        (&json!("waiting"), &json!("Cents or floats?"))
    );
    let events = pair.wait().await;
    assert_eq!(
        (kinds(&events), events[0]["detail"].as_str()),
        (vec!["asks"], Some("Cents or floats?"))
    );
    let path = format!("/api/sessions/{}/message", pair.worker);
    pair.sandbox
        .post(&path, json!({"content": "say cents it is"}))
        .await
        .unwrap();
    pair.sandbox.status(&pair.worker, &["idle"]).await;
    assert_eq!(kinds(&pair.wait().await), ["finished"]);
}

#[tokio::test]
async fn invalid_reports_and_reports_for_another_session_are_refused() {
    let pair = Pair::new().await;
    let long = "x".repeat(20_000);
    for (what, body, word) in [
        ("report", json!({"status": "done", "summary": " "}), "empty"),
        ("report", json!({"status": "great", "summary": "x"}), "done"),
        ("report", json!({"status": "done", "summary": long}), "16384"),
        ("ask", json!({"question": long}), "16384"),
        (
            "report",
            json!({"status": "done", "summary": "x", "files": vec!["f"; 300]}),
            "200",
        ),
    ] {
        let (status, refused) = pair.says(what, body).await;
        assert_eq!(status, 400, "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(word), "{refused}");
    }
    let lead = format!("/api/sessions/{}/report", pair.conductor);
    let body = json!({"status": "done", "summary": "x"});
    let (status, _) = as_session(&pair.sandbox, &pair.worker_token, "POST", &lead, body.clone()).await;
    assert_eq!(status, 403, "a worker speaks for itself");
    let refused = pair.sandbox.post(&lead, body).await.unwrap_err();
    assert!(
        refused.body.to_string().contains("has no conductor"),
        "{refused:?}"
    );
}

#[tokio::test]
#[cfg(unix)]
async fn an_agent_without_tools_reports_with_the_command_line() {
    let pair = Pair::new().await;
    let project = pair.sandbox.get("/api/sessions").await.unwrap()[0]["projectId"].clone();
    let shell = json!({"projectId": project, "title": "Plain", "agent": "shell", "parent": pair.conductor});
    let shell = pair.sandbox.session(shell).await;
    pair.sandbox.status(&shell, &["idle"]).await;
    pair.sandbox
        .press(
            &shell,
            "\"$DOWNBEAT_CLI\" report partial 'half of it' --file a.rs\r",
        )
        .await;
    pair.sandbox.shows(&shell, "reported to the conductor").await;
    let session = pair.sandbox.get(&format!("/api/sessions/{shell}")).await.unwrap();
    assert_eq!(session["report"]["summary"], "half of it");
    pair.sandbox
        .press(&shell, "\"$DOWNBEAT_CLI\" report great x\r")
        .await;
    pair.sandbox.shows(&shell, "possible values: done").await;
}
