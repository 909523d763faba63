//! Tests of `/orchestrate`, typed by a person into the terminal of a conductor: each agent passes the words to
//! Downbeat's tool, and a plan is proposed. Codex has no commands of others, so the word is written without the slash.

use downbeat_tests::model_server::{ModelServer, Script, Step, Turn};
use downbeat_tests::real_agents;
use downbeat_tests::repository::{git, isolation};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::json;

/// What the person orchestrates.
const TASKS: &str = "Draw the login page (id: ui), Create the login API (id: api)";

/// Types `command` and the tasks to a conductor of this agent, whose model calls `tool` with the tasks in the message. Returns the message
/// and the instructions that the model got.
async fn orchestrates(agent: &str, command: &str, tool: &str) -> (String, String) {
    let script = Script::new().when(
        TASKS,
        [
            Step::call_with(tool, |turn| {
                let begin = turn.prompt.find(TASKS).unwrap_or_default();
                json!({ "tasks": turn.prompt[begin..begin + TASKS.len()] })
            }),
            Step::say("This is the plan."),
        ],
    );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "Lead", "agent": agent, "conductor": true, "prompt": "say hello",
    });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    // The menu of completions opens and closes as for a person who types.
    for (keys, shown) in [(command, command.trim()), (TASKS, "Draw the login page")] {
        sandbox.press(&lead, keys).await;
        sandbox.shows(&lead, shown).await;
    }
    sandbox.press(&lead, "\r").await;
    let plan = within(PATIENCE, async || {
        let plans = sandbox.get("/api/plans").await.ok()?;
        plans.as_array()?.first().cloned()
    });
    let Some(plan) = plan.await else {
        panic!("{}\n{:#?}", sandbox.told(&lead).await, model.turns());
    };
    assert_eq!(plan["conductor"], json!(lead), "{plan:#}");
    assert_eq!(plan["state"], "proposed", "nothing runs before the person agrees");
    let titles = plan["tasks"].as_array().unwrap().iter();
    let titles: Vec<&str> = titles.map(|task| task["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Draw the login page", "Create the login API"]);
    sandbox.status(&lead, &["idle"]).await;
    let turns = model.turns();
    let turn = turns.iter().find(|turn| turn.prompt.contains(TASKS)).unwrap();
    (turn.prompt.clone(), turn.system.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_has_the_command() {
    if real_agents::skipped() {
        return;
    }
    let (prompt, _) = orchestrates("claude", "/orchestrate ", "mcp__downbeat__propose_plan").await;
    assert!(prompt.contains("`mcp__downbeat__propose_plan`"), "{prompt}");
    assert!(prompt.contains("mode: sequential"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_has_the_command() {
    if real_agents::skipped() {
        return;
    }
    let (prompt, _) = orchestrates("opencode", "/orchestrate ", "downbeat_propose_plan").await;
    assert!(prompt.contains("`downbeat_propose_plan`"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_knows_the_word() {
    if real_agents::skipped() {
        return;
    }
    let (prompt, system) = orchestrates("codex", "orchestrate ", "mcp__downbeat__propose_plan").await;
    assert_eq!(prompt, format!("orchestrate {TASKS}"));
    assert!(system.contains("`orchestrate` before tasks"), "{system}");
}

/// Where the plan is in the repository.
const PLACE: &str = ".opencode/plans/login.md";

/// The plan, as a person wrote it.
const FILE: &str = "# Login\n\n- [x] Choose a store\n- [ ] Draw the login page (id: ui) [Skill: pages]\n\
    \x20 The logo is on top.\n- [ ] Create the login API (id: api) (depends_on: ui)\n";

/// The names that an agent has for Downbeat's tools, and for its own that reads a file.
struct Tools {
    agent: &'static str,
    prefix: &'static str,
    read: &'static str,
    path: &'static str,
}

const CLAUDE: Tools = Tools {
    agent: "claude",
    prefix: "mcp__downbeat__",
    read: "Read",
    path: "file_path",
};

const OPENCODE: Tools = Tools {
    agent: "opencode",
    prefix: "downbeat_",
    read: "read",
    path: "filePath",
};

/// Returns a line of a file without the number that an agent's tool puts before it; nothing for a line of the tool's own.
fn numbered(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = text.len() < line.len();
    let mut marks = ["\t", "→", ": ", "| "].into_iter();
    marks.find_map(|mark| text.strip_prefix(mark).filter(|_| is_numbered))
}

/// Returns the id of the first plan that the last tool named.
fn first_plan(turn: &Turn) -> String {
    let said = turn.results.last().cloned().unwrap_or_default();
    let mut words = said.split_whitespace().skip_while(|word| *word != "Plan");
    words.nth(1).unwrap_or_default().to_owned()
}

/// Returns what the model does: it follows the two commands, and plans something else in another session.
fn follows(tools: &Tools) -> Script {
    let named = |tool: &str| format!("{}{tool}", tools.prefix);
    let mut read = json!({});
    read[tools.path] = json!(PLACE);
    let propose = Step::call_with(&named("propose_plan"), |turn| {
        let read = turn.results.last().cloned().unwrap_or_default();
        let lines: Vec<&str> = read.lines().filter_map(numbered).collect();
        json!({ "tasks": lines.join("\n"), "file": true })
    });
    let run = Step::call_with(&named("run_plan"), |turn| json!({ "plan": first_plan(turn) }));
    let cancel = Step::call_with(
        &named("update_task"),
        |turn| json!({ "plan": first_plan(turn), "change": "cancel" }),
    );
    let other = json!({ "tasks": "Dig the cellar, Paint the attic" });
    Script::new()
        .when(
            &format!("at once:\n\nexecute {PLACE} --yes\n"),
            [
                Step::call(tools.read, read),
                propose,
                run,
                Step::say("They are at work."),
            ],
        )
        .when(
            "at once:\n\n--kill-all\n",
            [
                Step::call(&named("plan_status"), json!({})),
                cancel,
                Step::say("The plan is cancelled."),
            ],
        )
        .when("- Draw the login page", [Step::say("It is drawn.").held("never")])
        .when(
            "Plan the house",
            [
                Step::call(&named("propose_plan"), other),
                Step::say("This is the plan."),
            ],
        )
}

/// Types the command with these words, as a person does, and submits it.
async fn types(sandbox: &Sandbox, lead: &str, words: &str) {
    let path = format!("/api/sessions/{lead}/output?lines=10000");
    let shown = async |keys: &str| {
        let output = sandbox.get(&path).await.unwrap();
        output["text"].as_str().unwrap().matches(keys.trim()).count()
    };
    for keys in ["/orchestrate ", words] {
        let before = shown(keys).await;
        sandbox.press(lead, keys).await;
        until(keys, async || (shown(keys).await > before).then_some(())).await;
    }
    sandbox.press(lead, "\r").await;
}

/// Returns the results of the tools after the prompt with these words.
fn results(model: &ModelServer, words: &str) -> Vec<String> {
    let turns = model.turns();
    let last = turns.into_iter().rev().find(|turn| turn.prompt.contains(words));
    last.map(|turn| turn.results).unwrap_or_default()
}

/// Waits until this session conducts a plan, and returns its id.
async fn plan_of(sandbox: &Sandbox, model: &ModelServer, conductor: &str) -> String {
    let found = within(PATIENCE, async || {
        let plans = sandbox.get("/api/plans").await.ok()?;
        let mut plans = plans.as_array()?.iter();
        let own = plans.find(|plan| plan["conductor"] == conductor)?;
        Some(own["id"].as_str()?.to_owned())
    });
    match found.await {
        Some(id) => id,
        None => panic!("{}\n{:#?}", sandbox.told(conductor).await, model.turns()),
    }
}

/// Adds a project whose repository has the plan, and returns its id.
async fn with_plan(sandbox: &Sandbox) -> String {
    let repository = sandbox.repository("shop");
    let folder = repository.join(".opencode");
    // OpenCode installs a package from the registry into such a folder, unless it is there. See `opencode_home`.
    let installed = json!({ "packages": { "": { "dependencies": { "@opencode-ai/plugin": "*" } } } });
    for (name, text) in [
        ("plans/login.md", FILE.to_owned()),
        ("package-lock.json", installed.to_string()),
        ("node_modules/.keep", String::new()),
    ] {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let env = isolation(sandbox.path());
    git(&repository, &env, &["add", "--force", ".opencode"]);
    git(&repository, &env, &["commit", "-qm", "plan"]);
    let ask = json!({ "path": repository, "trust": true });
    let project = sandbox.post("/api/projects", ask).await.unwrap();
    project["id"].as_str().unwrap().to_owned()
}

/// Has a conductor execute the plan in a file and kill all of it, beside a plan of another conductor.
async fn executes_a_file_and_kills_all(tools: &Tools) {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(follows(tools)).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[tools.agent]).await;
    let project = with_plan(&sandbox).await;
    let conductor = async |title: &str, prompt: &str| {
        let ask = json!({
            "projectId": project, "title": title, "agent": tools.agent, "conductor": true, "prompt": prompt,
        });
        let id = sandbox.session(ask).await;
        sandbox.status(&id, &["idle"]).await;
        id
    };

    let lead = conductor("Lead", "say hello").await;
    types(&sandbox, &lead, &format!("execute {PLACE} --yes")).await;
    let id = plan_of(&sandbox, &model, &lead).await;
    let path = format!("/api/plans/{id}");
    let plan = until("its first worker", async || {
        let plan = sandbox.get(&path).await.ok()?;
        plan["workers"][0]["sessionId"].is_string().then_some(plan)
    })
    .await;
    assert_eq!(plan["title"], "Login", "{plan:#}");
    let all = plan["tasks"].as_array().unwrap().iter();
    let open = all.filter(|task| task["done"] == false);
    let said = ["id", "title", "description", "needs", "skills"];
    let open: Vec<_> = open.map(|task| said.map(|field| task[field].clone())).collect();
    let of_the_file = [
        json!([
            "ui",
            "Draw the login page",
            "The logo is on top.",
            null,
            ["pages"]
        ]),
        json!(["api", "Create the login API", null, ["ui"], null]),
    ];
    assert_eq!(json!(open), json!(of_the_file), "{plan:#}");
    assert_eq!(plan["state"], "running", "the person said yes: {plan:#}");
    assert_eq!(
        plan["workers"][1]["sessionId"],
        json!(null),
        "it needs the first: {plan:#}"
    );
    let worker = plan["workers"][0]["sessionId"].as_str().unwrap();
    sandbox.status(worker, &["running"]).await;
    sandbox.status(&lead, &["idle"]).await;

    let other = conductor("Other", "Plan the house").await;
    let kept = plan_of(&sandbox, &model, &other).await;
    types(&sandbox, &lead, "--kill-all").await;
    sandbox.status(worker, &["exited"]).await;
    sandbox.status(&lead, &["idle"]).await;
    let said = results(&model, "at once:\n\n--kill-all\n");
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].contains(&id) && !said[0].contains(&kept), "{}", said[0]);
    assert!(said[1].contains(&format!("Plan {id} (cancelled)")), "{}", said[1]);
    assert_eq!(sandbox.get(&path).await.unwrap()["state"], "cancelled");
    let kept = sandbox.get(&format!("/api/plans/{kept}")).await.unwrap();
    assert_eq!(kept["state"], "proposed", "{kept:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_executes_the_plan_of_a_file_and_kills_all_of_its_own() {
    executes_a_file_and_kills_all(&CLAUDE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_executes_the_plan_of_a_file_and_kills_all_of_its_own() {
    executes_a_file_and_kills_all(&OPENCODE).await;
}
