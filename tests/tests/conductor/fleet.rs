//! Tests that a conductor spawns two workers, follows them, steers one and kills the other.

use crate::evidence;
use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::repository::{self, git};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The person's prompt to the conductor.
const ORDER: &str = "Build both halves of the shop";

/// Returns a call of one of Downbeat's tools, by the name that Claude Code gives it.
fn downbeat(tool: &str, arguments: Value) -> Call {
    Call::new(&format!("mcp__downbeat__{tool}"), arguments)
}

fn step(tool: &str, arguments: Value) -> Step {
    Step::calls([downbeat(tool, arguments)])
}

/// Returns the model's script for the conductor and its workers. The test checks the state at held steps.
fn script() -> Script {
    let spawn = |name: &str, task: &str| downbeat("spawn_worker", json!({"task": task, "name": name}));
    let both = [
        spawn("api", "Migrate the database of the api"),
        spawn("web", "Draw the web page"),
    ];
    let lead = [
        Step::calls(both).held("spawn"),
        step("list_workers", json!({})),
        step(
            "wait_for_workers",
            json!({"until": "all", "timeout_seconds": 300}),
        )
        .held("wait"),
        step("wait_for_workers", json!({"timeout_seconds": 0})),
        step("list_workers", json!({})),
        step("get_worker_output", json!({"worker": "web"})),
        step("send_to_worker", json!({"worker": "api", "message": "hurry"})),
        step(
            "send_to_worker",
            json!({"worker": "web", "message": "Draw the second page"}),
        ),
        step(
            "wait_for_workers",
            json!({"workers": ["web"], "timeout_seconds": 300}),
        ),
        step("get_worker_output", json!({"worker": "wbe"})),
        step("spawn_worker", json!({"task": "one too many"})).held("deep"),
        step("kill_worker", json!({"worker": "api"})),
        step("wait_for_workers", json!({"timeout_seconds": 0})),
        step("wait_for_workers", json!({"timeout_seconds": 0})),
        Step::say("Both halves were looked after."),
    ];
    let migrate = json!({"command": "npm run migrate:dev", "description": "migrate"});
    Script::new()
        .when(ORDER, lead)
        .when("Migrate the database", [Step::call("Bash", migrate)])
        .when(
            "Draw the web page",
            [Step::say("The first page is drawn.").held("drawn")],
        )
        .when("Draw the second page", [Step::say("The second page is drawn.")])
}

/// Returns the results of the conductor's tools so far.
fn answers(model: &ModelServer) -> Vec<String> {
    let turns = model.turns();
    let own = turns.into_iter().rev().find(|turn| turn.prompt.contains(ORDER));
    own.map(|turn| turn.results).unwrap_or_default()
}

async fn answered(model: &ModelServer, count: usize) -> Vec<String> {
    until(&format!("{count} answers of tools"), async || {
        Some(answers(model)).filter(|answers| answers.len() >= count)
    })
    .await
}

/// Counts the live processes of a session.
fn processes(id: &str) -> usize {
    let mark = format!("DOWNBEAT_SESSION={id}");
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let own = all.filter(|process| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|line| line == mark.as_bytes())
    });
    own.count()
}

/// A file for which the set-up of each worker's worktree waits.
struct Gate(PathBuf);

impl Gate {
    /// Adds a gate to the project's set-up, and approves the set-up.
    async fn close(sandbox: &Sandbox, project: &str) -> Self {
        let gate = sandbox.path().join("gate");
        let wait =
            json!({"setup": [{"sh": format!("until [ -e '{}' ]; do sleep 0.05; done", gate.display())}]});
        std::fs::write(sandbox.path().join("shop/downbeat.yaml"), wait.to_string()).unwrap();
        let path = format!("/api/projects/{project}");
        let plan = sandbox.get(&path).await.unwrap()["setup"]["hash"].clone();
        let approved = sandbox
            .call("PATCH", &path, Some(json!({"approveSetup": plan})))
            .await;
        approved.unwrap();
        Self(gate)
    }

    fn open(&self) {
        std::fs::write(&self.0, "").unwrap();
    }
}

/// Returns the session with this name.
async fn named(sandbox: &Sandbox, name: &str) -> Value {
    let sessions = sandbox.get("/api/sessions").await.unwrap();
    let mut found = sessions.as_array().unwrap().iter().filter(|s| s["name"] == name);
    let found = found.next().unwrap_or_else(|| panic!("no {name}: {sessions:#}"));
    sandbox
        .get(&format!("/api/sessions/{}", id(found)))
        .await
        .unwrap()
}

fn id(session: &Value) -> &str {
    session["id"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conductor_spawns_follows_steers_and_kills_its_workers() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Lead", "conductor": true, "prompt": ORDER});
    let lead = sandbox.session(ask).await;
    let working = sandbox.status(&lead, &["running"]).await;
    assert_eq!(evidence(&working), ("hook", "UserPromptSubmit hook"));
    assert_eq!(working["role"], "conductor");

    let gate = Gate::close(&sandbox, &project).await;
    model.release("spawn");
    let said = answered(&model, 3).await;
    assert!(said[0].starts_with("Worker api is spawning."), "{}", said[0]);
    assert!(said[1].starts_with("Worker web is spawning."), "{}", said[1]);
    // The set-up of both is still running, because the gate is closed.
    assert_eq!(said[2].matches("): spawning\n").count(), 2, "{}", said[2]);
    nested(&sandbox, &lead).await;

    gate.open();
    model.release("wait");
    at_work(&sandbox, &lead).await;
    model.release("drawn");
    let said = answered(&model, 11).await;
    told_once(&said[3..8]);
    steered(&said[8..11]);

    let api = named(&sandbox, "api").await;
    assert!(processes(id(&api)) > 0);
    let shallow = json!({"maxDepth": 0});
    sandbox
        .call("PATCH", "/api/settings", Some(shallow))
        .await
        .unwrap();
    model.release("deep");
    let done = sandbox.status(&lead, &["idle"]).await;
    assert_eq!(evidence(&done), ("hook", "Stop hook"));
    ended(&answers(&model)[11..]);
    let killed = named(&sandbox, "api").await;
    assert_eq!(killed["status"], "killed");
    assert_eq!(processes(id(&api)), 0);
    assert!(
        Path::new(killed["workspacePath"].as_str().unwrap())
            .join(".env")
            .exists()
    );
    let lead = named(&sandbox, "lead").await;
    assert_eq!(lead["workers"], 2);
    let notices = sandbox.get("/api/notices").await.unwrap();
    let mut own = notices
        .as_array()
        .unwrap()
        .iter()
        .filter(|n| n["sessionId"] == lead["id"]);
    assert!(
        own.all(|notice| notice["kind"] == "finished"),
        "no question ever: {notices:#}"
    );
    // The first request of a turn is not checked: it may leave before the tools are listed.
    for turn in model.turns().iter().filter(|turn| turn.answers > 0) {
        let shown = turn
            .tools
            .iter()
            .any(|tool| tool == "mcp__downbeat__spawn_worker");
        assert_eq!(
            shown,
            turn.prompt.contains(ORDER),
            "{}: {:?}",
            turn.prompt,
            turn.tools
        );
    }
}

/// Returns the worker, type and detail of each event that a wait returned.
fn happened(answer: &str) -> Vec<[String; 3]> {
    let told: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let events = told["events"].as_array().unwrap().iter();
    let word = |event: &Value, field: &str| event[field].as_str().unwrap().to_owned();
    events
        .map(|event| ["worker_name", "type", "detail"].map(|field| word(event, field)))
        .collect()
}

/// Checks the results of two waits, of the list, of a worker's output, and of a message that is queued
/// because of an open question.
fn told_once(said: &[String]) {
    let [both, none, list, screen, queued] = said else {
        panic!("{said:#?}");
    };
    let mut told = happened(both);
    told.sort();
    let asks = ("api", "waiting", "Bash: npm run migrate:dev");
    let drew = ("web", "finished", "finished its turn");
    assert_eq!(
        told,
        [asks, drew].map(|(a, b, c)| [a, b, c].map(str::to_owned)),
        "{both}"
    );
    assert_eq!(happened(none), [[""; 3]; 0], "each event once: {none}");
    assert!(list.contains("): waiting: Bash: npm run migrate:dev\n"), "{list}");
    assert!(list.contains("): idle\n  branch feature/web, port "), "{list}");
    assert!(screen.contains("The first page is drawn."), "{screen}");
    assert!(
        queued.starts_with("queued: the message is in the queue of api")
            && queued.contains("a question is open"),
        "{queued}"
    );
}

/// Checks the results of a message to the idle worker, of the wait for it, and of a worker that does not
/// exist.
fn steered(said: &[String]) {
    let [sent, done, unknown] = said else {
        panic!("{said:#?}");
    };
    assert!(sent.starts_with("delivered: web accepted the message"), "{sent}");
    let drew = ["web", "finished", "finished its turn"];
    assert_eq!(happened(done), [drew], "only web was asked for: {done}");
    assert!(
        unknown.contains("there is no session \"wbe\"\nHint: did you mean \"web\"?"),
        "{unknown}"
    );
}

/// Checks the results of a spawn beyond the maximum depth, of a kill, and of two waits after it.
fn ended(said: &[String]) {
    let [deep, killed, told, none] = said else {
        panic!("{said:#?}");
    };
    assert!(
        deep.contains("Max depth reached, no worker spawning allowed\nHint: "),
        "{deep}"
    );
    assert!(deep.contains("mode: sequential"), "{deep}");
    assert_eq!(killed, "api was killed.");
    assert_eq!(happened(told), [["api", "killed", "killed on request"]], "{told}");
    assert_eq!(happened(none), [[""; 3]; 0], "{none}");
}

/// Checks that both workers are below their conductor, each with its own worktree and port, before their
/// set-up is done.
async fn nested(sandbox: &Sandbox, lead: &str) {
    let mut ports = vec![named(sandbox, "lead").await["port"].clone()];
    for name in ["api", "web"] {
        let worker = named(sandbox, name).await;
        assert_eq!(worker["parent"], lead);
        assert_eq!((&worker["role"], &worker["depth"]), (&json!("worker"), &json!(1)));
        assert_eq!(worker["status"], "spawning");
        let set_up = until("set-up runs", async || {
            let worker = named(sandbox, name).await;
            (worker["steps"][2]["state"] == "running").then_some(worker)
        })
        .await;
        assert_eq!(set_up["branch"], format!("feature/{name}"));
        let path = Path::new(set_up["workspacePath"].as_str().unwrap()).to_owned();
        let env = repository::isolation(sandbox.path());
        let head = git(&path, &env, &["rev-parse", "--abbrev-ref", "HEAD"]);
        assert_eq!(head.trim(), format!("feature/{name}"));
        let copied = std::fs::read_to_string(path.join(".env")).unwrap();
        assert_eq!(copied, "SECRET=of-the-project\n");
        ports.push(worker["port"].clone());
    }
    assert!(ports.iter().all(Value::is_u64), "{ports:?}");
    ports.sort_by_key(Value::as_u64);
    ports.dedup();
    assert_eq!(ports.len(), 3);
}

/// Checks that one worker asks and the other works, while their conductor waits for both in its own turn.
async fn at_work(sandbox: &Sandbox, lead: &str) {
    let api = sandbox
        .status(id(&named(sandbox, "api").await), &["waiting"])
        .await;
    assert_eq!(evidence(&api), ("hook", "PermissionRequest hook"));
    assert_eq!(api["question"]["text"], "Bash: npm run migrate:dev");
    let web = sandbox
        .status(id(&named(sandbox, "web").await), &["running"])
        .await;
    assert_eq!(evidence(&web), ("hook", "UserPromptSubmit hook"));
    let lead = sandbox.status(lead, &["running"]).await;
    assert_eq!(
        evidence(&lead),
        ("hook", "PreToolUse hook: mcp__downbeat__wait_for_workers")
    );
    let notices = sandbox.get("/api/notices").await.unwrap();
    let notices = notices.as_array().unwrap();
    assert_eq!(notices.len(), 1, "only the worker asks: {notices:#?}");
    assert_eq!(notices[0]["kind"], "needsInput");
    assert_eq!(notices[0]["sessionId"], api["id"]);
    assert_eq!(notices[0]["text"], "Bash: npm run migrate:dev");
}
