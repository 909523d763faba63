//! Tests that a conductor is the user of its worker, from a specification to the code, with the real Claude Code as both: it answers a
//! question, picks an option, says yes, approves a plan, and reads that all is done.

use crate::commits::commit;
use crate::plans::{at, completes, shop};
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

/// Returns the results of the tools of the session with this prompt.
fn results(model: &ModelServer, prompt: &str) -> Vec<String> {
    let turns = model.turns();
    let own = turns.into_iter().rev().find(|turn| turn.prompt.contains(prompt));
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
    let said = results(&model, ORDER);
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

/// The person's prompt to a conductor whose worker has workers of its own.
const DIVIDED: &str = "Have the shop built by one worker, which divides the rest";

/// What that worker divides.
const REST: &str = "frontend: Draw the page | backend: Create the API";

/// Returns what three levels do: the conductor answers one question, its worker has a plan run, and the workers of that commit.
fn divides() -> Script {
    let wait = |seconds: u32| {
        Step::call(
            "mcp__downbeat__wait_for_workers",
            json!({ "timeout_seconds": seconds }),
        )
    };
    let spawn =
        json!({ "task": "Specify the shop, then have it built", "name": "builder", "conductor": true });
    let answer = json!({ "worker": "builder", "message": "One shelf is enough." });
    let run = Step::call_with("mcp__downbeat__run_plan", |turn| {
        let shown = turn.results.last().cloned().unwrap_or_default();
        json!({ "plan": shown.split_whitespace().nth(1).unwrap_or_default() })
    });
    let committed = || Step::say("It is committed.");
    Script::new()
        .when(
            DIVIDED,
            [
                Step::call("mcp__downbeat__spawn_worker", spawn),
                wait(300),
                Step::call("mcp__downbeat__send_to_worker", answer),
                wait(300),
                Step::call("mcp__downbeat__plan_status", json!({})),
                Step::say("The shop is there."),
            ],
        )
        .when(
            "Specify the shop",
            [Step::say("How many shelves does the shop need?")],
        )
        .when(
            "One shelf is enough",
            [
                Step::call("mcp__downbeat__propose_plan", json!({ "tasks": REST })),
                run,
                wait(0).held("both are done"),
                Step::say("Implementation complete: both halves are committed."),
            ],
        )
        .when("- Draw the page", [commit("echo page > page.html"), committed()])
        .when("- Create the API", [commit("echo api > api.txt"), committed()])
}

/// Returns the type, the stop and the answer of each event that a wait returned.
fn events(told: &str) -> Vec<[String; 3]> {
    let told: Value = serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {told}"));
    let all = told["events"].as_array().unwrap().iter();
    let word = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
    all.map(|event| ["type", "stop", "answer"].map(|field| word(event, field)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_was_specified_divides_the_rest_among_its_own() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(divides()).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, repository) = shop(&sandbox).await;
    let ask = json!({ "projectId": project, "title": "Lead", "conductor": true, "prompt": DIVIDED });
    let lead = sandbox.session(ask).await;
    let id = within(3 * PATIENCE, async || {
        let all = sandbox.get("/api/plans").await.ok()?;
        all[0]["id"].as_str().map(str::to_owned)
    });
    let Some(id) = id.await else {
        panic!("{}\n{:#?}", sandbox.told(&lead).await, model.turns());
    };
    let plan = completes(&sandbox, &model, &id).await;
    let builder = plan["conductor"].as_str().unwrap();
    let session = sandbox.get(&format!("/api/sessions/{builder}")).await.unwrap();
    assert_eq!(
        (&session["name"], &session["parent"], &session["depth"]),
        (&json!("builder"), &json!(lead), &json!(1)),
        "{session:#}"
    );
    for worker in plan["workers"].as_array().unwrap() {
        let worker = worker["sessionId"].as_str().unwrap();
        let worker = sandbox.get(&format!("/api/sessions/{worker}")).await.unwrap();
        assert_eq!(
            (&worker["parent"], &worker["depth"], &worker["conducts"]),
            (&json!(builder), &json!(2), &json!(false)),
            "{worker:#}"
        );
    }
    assert_eq!(at(&repository, &plan, 0, "page.html"), "page\n");
    assert_eq!(at(&repository, &plan, 1, "api.txt"), "api\n");

    model.release("both are done");
    let done = within(2 * PATIENCE, async || {
        let session = sandbox.get(&format!("/api/sessions/{lead}")).await.ok()?;
        (session["status"] == "idle").then_some(())
    });
    let done = done.await;
    let said = results(&model, DIVIDED);
    assert!(done.is_some(), "{said:#?}\n{}", sandbox.told(builder).await);
    let [spawned, asked, sent, ended, status] = &said[..] else {
        panic!("{said:#?}");
    };
    assert!(spawned.starts_with("Worker builder is spawning."), "{spawned}");
    assert_eq!(
        events(asked),
        [["waiting", "question", "How many shelves does the shop need?"]],
        "{asked}"
    );
    assert!(
        sent.starts_with("delivered: builder accepted the message"),
        "{sent}"
    );
    let complete = "Implementation complete: both halves are committed.";
    assert_eq!(events(ended), [["finished", "complete", complete]], "{ended}");
    assert!(status.starts_with(&format!("Plan {id} (complete): ")), "{status}");
    assert!(status.contains("[COMPLETE] All 2 workers finished"), "{status}");
    // Its own workers are not the lead's, and each of them ended once for it.
    let own = results(&model, "One shelf is enough");
    let ended: Vec<[String; 3]> = own.last().map(|told| events(told)).unwrap_or_default();
    assert_eq!(ended.len(), 2, "{own:#?}");
    assert!(ended.iter().all(|event| event[0] == "finished"), "{own:#?}");
}
