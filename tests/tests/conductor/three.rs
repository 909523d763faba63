//! Tests that a conductor divides a task among three different agents and collects their results. One worker
//! asks for permission and one asks a question; the conductor answers both. All four run the real programs.

use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};
use std::path::Path;

/// The person's prompt to the conductor.
const ORDER: &str = "Divide the shop among three";

fn tool(name: &str, arguments: Value) -> Step {
    Step::call(&format!("mcp__downbeat__{name}"), arguments)
}

fn wait(worker: &str) -> Step {
    tool(
        "wait_for_workers",
        json!({"workers": [worker], "timeout_seconds": 300}),
    )
}

fn spawn(agent: &str, name: &str, task: &str) -> Call {
    let arguments = json!({"task": task, "name": name, "agent": agent});
    Call::new("mcp__downbeat__spawn_worker", arguments)
}

/// Returns the steps with which a worker reports its result.
fn report(tool: &str, summary: &str) -> [Step; 2] {
    let arguments = json!({"status": "done", "summary": summary, "files": ["shop.txt"]});
    [Step::call(tool, arguments), Step::say("That is all.")]
}

fn script(made: &Path) -> Script {
    let asked = format!("Bash: touch '{}'", made.display());
    let three = [
        spawn("codex", "api", "Make the file of the api"),
        spawn("opencode", "web", "Draw the prices"),
        spawn("claude", "docs", "Write the page"),
    ];
    let conductor = [
        Step::calls(three),
        wait("api"),
        tool(
            "answer_worker",
            json!({"worker": "api", "choice": "perhaps", "question": asked}),
        ),
        tool(
            "answer_worker",
            json!({"worker": "api", "choice": "2", "question": asked}),
        ),
        tool(
            "answer_worker",
            json!({"worker": "api", "choice": "yes, proceed", "question": asked}),
        ),
        wait("api"),
        wait("web"),
        tool(
            "send_to_worker",
            json!({"worker": "web", "message": "In cents, please."}),
        ),
        wait("web"),
        wait("docs"),
        Step::say("All three are done."),
    ];
    let touch = json!({
        "cmd": format!("touch '{}'", made.display()),
        "sandbox_permissions": "require_escalated", "justification": "because",
    });
    let api = [Step::call("exec_command", touch)];
    let ask = json!({"question": "Cents or floats?"});
    Script::new()
        .when(ORDER, conductor)
        .when(
            "Make the file",
            api.into_iter()
                .chain(report("mcp__downbeat__report_result", "The api is made.")),
        )
        .when(
            "Draw the prices",
            [Step::call("downbeat_ask_conductor", ask), Step::say("I wait.")],
        )
        .when(
            "In cents",
            report("downbeat_report_result", "Prices are in cents."),
        )
        .when(
            "Write the page",
            report("mcp__downbeat__report_result", "The page is written."),
        )
}

/// Returns the type and the detail of the single event that a wait returned.
fn event(answer: &str) -> [String; 2] {
    let told: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let events = told["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{answer}");
    ["type", "detail"].map(|field| events[0][field].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn three_agents_divide_a_task_and_their_conductor_answers_them() {
    if real_agents::skipped() {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let made = outside.path().join("made.txt");
    let model = ModelServer::start(script(&made)).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["claude", "codex", "opencode"]).await;
    let project = sandbox.project("shop").await;
    let allow = json!({"conductorsAnswer": true});
    let path = format!("/api/projects/{project}");
    sandbox.call("PATCH", &path, Some(allow)).await.unwrap();
    let ask = json!({"projectId": project, "title": "Lead", "conductor": true, "prompt": ORDER});
    let lead = sandbox.session(ask).await;
    // Four agents start at the same time, so this takes longer.
    let path = format!("/api/sessions/{lead}");
    let done = within(4 * PATIENCE, async || {
        let session = sandbox.get(&path).await.ok()?;
        (session["status"] == "idle").then_some(())
    });
    let done = done.await;
    assert!(done.is_some(), "{:#?}", said(&model));

    let said = said(&model);
    let [
        _,
        _,
        _,
        asked,
        unclear,
        lasting,
        answered,
        api,
        asks,
        sent,
        web,
        docs,
    ] = said.as_slice()
    else {
        panic!("{said:#?}");
    };
    let [kind, detail] = event(asked);
    assert_eq!(kind, "waiting");
    assert!(detail.starts_with("Bash: touch '"), "{detail}");
    assert!(
        unclear.contains("by number or text: 1 Yes, proceed (y)"),
        "{unclear}"
    );
    assert!(
        lasting.contains("an agent may not give an answer that lasts"),
        "{lasting}"
    );
    assert_eq!(answered, "answered: api accepted \"Yes, proceed (y)\".");
    let said = "said done: the project has no checks; it says:";
    let result = |words: &str| ["reported".to_owned(), format!("{said} {words}\nFiles: shop.txt")];
    assert_eq!(event(api), result("The api is made."));
    assert_eq!(event(asks), ["asks", "Cents or floats?"].map(str::to_owned));
    assert!(sent.contains("web"), "{sent}");
    assert_eq!(event(web), result("Prices are in cents."));
    assert_eq!(event(docs), result("The page is written."));
    assert!(made.exists());
    files(&sandbox, &lead);
    let notices = sandbox.get("/api/notices").await.unwrap();
    let notices = notices.as_array().unwrap();
    assert!(
        notices.iter().all(|notice| notice["kind"] != "needsInput"),
        "the person was asked nothing: {notices:#?}"
    );
}

/// Returns the results of the conductor's tools.
fn said(model: &ModelServer) -> Vec<String> {
    let turns = model.turns();
    let own = turns.into_iter().rev().find(|turn| turn.prompt.contains(ORDER));
    own.map(|turn| turn.results).unwrap_or_default()
}

/// Checks that the results are also kept as files in the results folder.
fn files(sandbox: &Sandbox, lead: &str) {
    let folder = sandbox.data().join("results").join(lead);
    for (name, summary) in [
        ("api", "The api is made."),
        ("web", "Prices are in cents."),
        ("docs", "The page is written."),
    ] {
        let text = std::fs::read_to_string(folder.join(format!("worker-{name}_result.json"))).unwrap();
        let kept: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&kept["status"], &kept["summary"]),
            (&json!("done"), &json!(summary)),
            "{text}"
        );
    }
}
