//! Tests that a conductor is the user of its worker, from a specification to the code, with the real Claude Code as both: it answers a
//! question, picks an option, says yes, approves a plan, and reads that all is done.

use crate::plans::{commit, shop};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};

/// The person's prompt to the conductor.
const ORDER: &str = "Be the user of the worker until it is done";

/// Returns the steps with which the conductor waits and replies.
fn conducts() -> Vec<Step> {
    let wait = || {
        Step::call(
            "mcp__downbeat__wait_for_workers",
            json!({ "workers": ["login"], "timeout_seconds": 300 }),
        )
    };
    let send = |message: &str| {
        Step::call(
            "mcp__downbeat__send_to_worker",
            json!({ "worker": "login", "message": message }),
        )
    };
    let approve = json!({
        "worker": "login", "choice": "Yes, manually approve edits", "question": "Plan ready. Start on it?",
    });
    vec![
        wait().held("the worker"),
        send("Passwords alone."),
        wait(),
        send("Option 1, the small one."),
        wait(),
        send("Yes, go ahead."),
        wait(),
        Step::call("mcp__downbeat__answer_worker", approve),
        wait(),
        Step::say("The login is there."),
    ]
}

const CHOICE: &str = "There are two stores.\n\n1. SQLite\n2. Postgres\n\nWhich do you prefer?";

/// Returns where Claude Code wants its plan to be written, as it tells the model.
fn plan_file(added: &str) -> String {
    let end = |c: char| c.is_whitespace() || "()\"'`".contains(c);
    let mut words = added.split(end);
    let place = words.find(|word| word.contains("/.claude/plans/") && word.contains(".md"));
    // Without one the test fails at the plan, and shows what the agent was told.
    place.unwrap_or("plan.md").trim_end_matches('.').to_owned()
}

fn script() -> Script {
    let plan = Step::call_with("Write", |turn| {
        let text = "# Plan\n\n1. Store the password\n2. Draw the page\n";
        json!({ "file_path": plan_file(&turn.added), "content": text })
    });
    Script::new()
        .when(ORDER, conducts())
        .when(
            "Specify the login",
            [Step::say("Which way to sign in should it offer?")],
        )
        .when("Passwords alone", [Step::say(CHOICE)])
        .when("Option 1", [Step::say("It will be SQLite. Should I proceed?")])
        .when(
            "Yes, go ahead",
            [
                plan,
                Step::call("ExitPlanMode", json!({})),
                commit("echo login > login.txt"),
                Step::say("Implementation complete: the login is committed."),
            ],
        )
}

/// Returns the results of the conductor's tools.
fn results(model: &ModelServer) -> Vec<String> {
    let turns = model.turns();
    let own = turns.into_iter().rev().find(|turn| turn.prompt.contains(ORDER));
    own.map(|turn| turn.results).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conductor_takes_a_worker_from_specification_to_code() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, _) = shop(&sandbox).await;
    let allow = json!({ "conductorsAnswer": true });
    let path = format!("/api/projects/{project}");
    sandbox.call("PATCH", &path, Some(allow)).await.unwrap();
    let ask = json!({ "projectId": project, "title": "Lead", "conductor": true, "prompt": ORDER });
    let lead = sandbox.session(ask).await;
    let ask = json!({
        "projectId": project, "title": "Login", "parent": lead, "permissionMode": "plan", "prompt": "Specify the login",
    });
    let worker = sandbox.session(ask).await;
    model.release("the worker");
    let done = within(4 * PATIENCE, async || {
        let session = sandbox.get(&format!("/api/sessions/{lead}")).await.ok()?;
        (session["status"] == "idle").then_some(())
    });
    let done = done.await;
    let said = results(&model);
    assert!(done.is_some(), "{said:#?}\n{}", sandbox.told(&worker).await);
    let events: Vec<Value> = said
        .iter()
        .filter_map(|text| serde_json::from_str::<Value>(text).ok())
        .map(|told| told["events"][0].clone())
        .collect();
    let told: Vec<[&str; 3]> = events
        .iter()
        .map(|event| ["type", "stop", "answer"].map(|field| event[field].as_str().unwrap_or_default()))
        .collect();
    let wanted = [
        ["waiting", "question", "Which way to sign in should it offer?"],
        ["waiting", "choice", CHOICE],
        ["waiting", "confirmation", "It will be SQLite. Should I proceed?"],
        ["waiting", "plan", ""],
        [
            "finished",
            "complete",
            "Implementation complete: the login is committed.",
        ],
    ];
    assert_eq!(told, wanted, "{said:#?}");
    let screen = events[1]["terminal_content"].as_str().unwrap();
    assert!(screen.contains("2. Postgres"), "what it sees: {screen}");
    let worker = sandbox.get(&format!("/api/sessions/{worker}")).await.unwrap();
    let place = std::path::Path::new(worker["workspacePath"].as_str().unwrap());
    assert_eq!(
        std::fs::read_to_string(place.join("login.txt")).unwrap(),
        "login\n"
    );
    let notices = sandbox.notices().await;
    let asked = notices.iter().filter(|notice| notice["kind"] == "needsInput");
    assert_eq!(asked.count(), 0, "the person was asked nothing: {notices:#?}");
}
